/* Option values that need parsing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/diff/diff.h"
#include "conformance/judge/compute.h"
#include "conformance/replay/manner.h"
#include "conformance/support/text.h"

/* Parses the digits from text to end as a number from 1 to most. */
static bool parse_count(const char *text, const char *end, size_t most, size_t *out)
{
    size_t n = 0;
    if (text == end) return false;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9') return false;
        n = n * 10 + (size_t)(*text - '0');
        if (n > most) return false;
    }
    if (n == 0) return false;
    *out = n;
    return true;
}

assay_status conf_cli_parse_count(const char *option, const char *value, size_t most, size_t *out,
                                  assay_error *err)
{
    if (parse_count(value, value + strlen(value), most, out)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "option %s: found %s, expected a whole number from 1 to %zu", option,
                      value, most);
}

assay_status conf_cli_parse_counts(const char *option, const char *value, size_t most, size_t capacity,
                                   size_t *out, size_t *n, assay_error *err)
{
    size_t found[64], n_found = 0;
    for (const char *at = value;; at++) {
        const char *end = at + strcspn(at, ",");
        if (n_found == capacity || n_found == sizeof found / sizeof *found ||
            !parse_count(at, end, most, &found[n_found]))
            return assay_fail(
                err, ASSAY_EINVAL,
                "option %s: found %s, expected at most %zu whole numbers from 1 to %zu, separated "
                "by commas",
                option, value, capacity, most);
        n_found++;
        at = end;
        if (!*at) break;
    }
    memcpy(out, found, n_found * sizeof *out);
    *n = n_found;
    return ASSAY_OK;
}

assay_status conf_cli_parse_pictures(const char *option, const char *value, conf_pictures *out,
                                     assay_error *err)
{
    enum { N = 3, SIDE_MAX = 1 << 14, PICTURES_MAX = 1 << 10 };
    size_t found[N];
    const char *at = value;
    bool ok = true;
    for (size_t i = 0; ok && i < N; i++) {
        const char *end = at + strcspn(at, "x");
        ok = parse_count(at, end, i + 1 < N ? SIDE_MAX : PICTURES_MAX, &found[i]) &&
             (i + 1 < N) == (*end == 'x');
        at = *end ? end + 1 : end;
    }
    if (!ok)
        return assay_fail(
            err, ASSAY_EINVAL,
            "option %s: found %s, expected a number of tokens, or images as WxHxN with sides up to %d",
            option, value, SIDE_MAX);
    *out = (conf_pictures){.width = found[0], .height = found[1], .n = found[2]};
    return ASSAY_OK;
}

assay_status conf_cli_parse_seed(const char *option, const char *value, uint64_t *out, assay_error *err)
{
    errno = 0;
    unsigned long long seed = strtoull(value, NULL, 10);
    if (value[strspn(value, "0123456789")] != '\0' || errno == ERANGE)
        return assay_fail(err, ASSAY_EINVAL,
                          "option %s: found %s, expected a whole number from 0 to %" PRIu64, option, value,
                          UINT64_MAX);
    *out = seed;
    return ASSAY_OK;
}

assay_status conf_cli_parse_number(const char *option, const char *value, double least, double most,
                                   double *out, assay_error *err)
{
    char *end = NULL;
    /* strtod alone would accept blanks, hexadecimal digits, inf and nan */
    const bool plain = strchr("0123456789.", *value) && value[strspn(value, "0123456789.eE+-")] == '\0';
    const double number = plain ? strtod(value, &end) : 0;
    if (plain && end > value && *end == '\0' && number >= least && number <= most) {
        *out = number;
        return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EINVAL, "option %s: found %s, expected a number from %g to %g", option,
                      value, least, most);
}

assay_status conf_cli_parse_port(const char *option, const char *value, uint16_t *out, assay_error *err)
{
    const size_t n = strlen(value);
    const unsigned long port =
        n > 0 && n < 6 && strspn(value, "0123456789") == n ? strtoul(value, NULL, 10) : 65536;
    if (port > 65535)
        return assay_fail(err, ASSAY_EINVAL, "option %s: found %s, expected a port from 0 to 65535", option,
                          value);
    *out = (uint16_t)port;
    return ASSAY_OK;
}

assay_status conf_cli_parse_seconds(const char *option, const char *value, double *out, assay_error *err)
{
    char *end;
    /* strtod alone would accept signs, blanks, hexadecimal digits, inf and nan */
    double seconds = value[strspn(value, "0123456789.")] == '\0' ? strtod(value, &end) : 0;
    if (seconds > 0 && *end == '\0' && seconds <= CONF_SECONDS_MAX) {
        *out = seconds;
        return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EINVAL, "option %s: found %s, expected seconds above 0 and up to %d", option,
                      value, CONF_SECONDS_MAX);
}

/* Refuses a value that is none of names [n]. */
static assay_status refuse_name(const char *option, const char *value, const char *const *names, size_t n,
                                assay_error *err)
{
    char all[256] = "";
    size_t n_all = 0;
    for (size_t i = 0; i < n; i++)
        n_all += (size_t)snprintf(all + n_all, sizeof all - n_all, "%s%s", i ? ", " : "", names[i]);
    const char *meant = conf_text_suggest(value, names, n);
    return assay_fail(err, ASSAY_EINVAL, "option %s: found %s, expected one of %s%s%s%s", option, value, all,
                      meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

assay_status conf_cli_parse_class(const char *option, const char *value, conf_class *out, assay_error *err)
{
    const char *names[CONF_N_CLASSES];
    size_t n = 0;
    const conf_class found = conf_class_of(value);
    for (conf_class class = CONF_CLASS_NONE + 1; class < CONF_N_CLASSES; class ++)
        names[n++] = conf_class_name(class);
    if (found == CONF_CLASS_NONE) return refuse_name(option, value, names, n, err);
    *out = found;
    return ASSAY_OK;
}

assay_status conf_cli_parse_manner(const char *option, const char *value, const char **out, assay_error *err)
{
    const char *names[CONF_N_MANNERS];
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) names[m] = conf_manner_of(m)->name;
    if (conf_manner_find(value) == CONF_N_MANNERS)
        return refuse_name(option, value, names, CONF_N_MANNERS, err);
    *out = value;
    return ASSAY_OK;
}

assay_status conf_cli_parse_compute(const char *option, const char *value, conf_compute *out,
                                    assay_error *err)
{
    const char *names[CONF_CACHE];
    size_t n = 0;
    for (size_t i = 0; conf_compute_choice(i); i++) {
        const conf_compute choice = conf_compute_of(conf_compute_choice(i));
        names[n++] = conf_compute_choice(i);
        if (strcmp(names[n - 1], value) != 0) continue;
        *out = conf_compute_with_cache(choice, *out / CONF_CACHE);
        return ASSAY_OK;
    }
    return refuse_name(option, value, names, n, err);
}

assay_status conf_cli_parse_cache(const char *option, const char *value, conf_compute *out, assay_error *err)
{
    const char *names[CONF_CACHE];
    const unsigned found = conf_cache_of(value);
    size_t n = 0;
    while ((names[n] = conf_cache_choice(n))) n++;
    if (!found) return refuse_name(option, value, names, n, err);
    *out = conf_compute_with_cache(*out, found);
    return ASSAY_OK;
}

assay_status conf_cli_check_cache(conf_compute compute, assay_error *err)
{
    if (!compute || conf_compute_without_cache(compute)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EINVAL, "option --kv-cache-type needs --compute, whose noise it changes");
}

assay_status conf_cli_parse_part(const char *option, const char *value, unsigned *parts, assay_error *err)
{
    const char *const *names = conf_diff_part_names;
    for (size_t i = 0; names[i]; i++)
        if (strcmp(names[i], value) == 0) {
            *parts |= 1U << i;
            return ASSAY_OK;
        }
    return assay_fail(err, ASSAY_EINVAL, "option %s: found %s, expected one of %s, %s, %s", option, value,
                      names[0], names[1], names[2]);
}

assay_status conf_cli_parse_shard(const char *option, const char *value, size_t *shard, size_t *n_shards,
                                  assay_error *err)
{
    const char *slash = strchr(value, '/');
    size_t index, n;
    if (slash && parse_count(value, slash, CONF_SHARDS_MAX, &index) &&
        parse_count(slash + 1, value + strlen(value), CONF_SHARDS_MAX, &n) && index <= n) {
        *shard = index;
        *n_shards = n;
        return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EINVAL,
                      "option %s: found %s, expected I/N, whole numbers with 1 <= I <= N <= %d", option,
                      value, CONF_SHARDS_MAX);
}
