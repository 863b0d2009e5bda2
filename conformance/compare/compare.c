/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/compare/remarks.h"

static int compare_results(const void *a, const void *b)
{
    const conf_result *one = *(const conf_result *const *)a, *other = *(const conf_result *const *)b;
    const int order = strcmp(one->id, other->id);
    return order ? order : (one->position > other->position) - (one->position < other->position);
}

/* The results, sorted by id; the caller frees them. NULL: out of memory. */
static const conf_result **sort_results(const conf_results *results)
{
    const conf_result **sorted = calloc(results->n + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < results->n; i++) sorted[i] = &results->at[i];
    if (sorted) qsort(sorted, results->n, sizeof *sorted, compare_results);
    return sorted;
}

static bool was_run(const conf_verdict *v)
{
    return v->outcome == CONF_PASSED || v->outcome == CONF_FAILED || v->outcome == CONF_EXPECTED;
}

static void add_time(conf_compared_time *time, const conf_verdict *before, const conf_verdict *after)
{
    if (!before || !after || !was_run(before) || !was_run(after)) return;
    time->before += before->seconds;
    time->after += after->seconds;
    time->n_cases++;
}

static bool add_case(conf_comparison *c, const conf_result *before, const conf_result *after, size_t pair)
{
    conf_compared_case one = {before, after, pair, CONF_CHANGE_NONE};
    const conf_verdict *old = conf_compared_before(c, &one), *new = conf_compared_after(c, &one);
    if (!old && !new) return true;
    const bool is_alone = c->pairs[pair].before == SIZE_MAX || c->pairs[pair].after == SIZE_MAX;
    one.change = conf_change_of(old, new);
    if (is_alone && one.change != CONF_CHANGE_FAILS) return true;
    conf_compared_case *grown = grow_by_one(c->at, c->n, sizeof *grown);
    if (!grown) return false;
    c->at = grown;
    c->at[c->n++] = one;
    c->n_of[one.change]++;
    add_time(&c->times[pair], old, new);
    return true;
}

/* A case of both runs; NULL where a run does not have it. */
typedef struct joined {
    const conf_result *before, *after;
} joined;

/* Joins by id; cases of the same id in their order. out: [the cases of both runs]. Returns how many there
 * are. */
static size_t join_ids(const conf_comparison *c, const conf_result **before, const conf_result **after,
                       joined *out)
{
    const size_t n_before = c->before.results->n, n_after = c->after.results->n;
    size_t n = 0;
    for (size_t b = 0, a = 0; b < n_before || a < n_after;) {
        const int order = b == n_before ? 1 : a == n_after ? -1 : strcmp(before[b]->id, after[a]->id);
        const conf_result *old = order <= 0 ? before[b++] : NULL, *new = order >= 0 ? after[a++] : NULL;
        out[n++] = (joined){old, new};
    }
    return n;
}

/* Joins what is left by the digests of the files: an id depends on the directory that was given. */
static void join_digests(joined *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!all[i].before || all[i].after || !all[i].before->digest[0]) continue;
        for (size_t k = 0; k < n; k++) {
            if (all[k].before || !all[k].after || strcmp(all[i].before->digest, all[k].after->digest) != 0)
                continue;
            all[i].after = all[k].after;
            all[k].after = NULL;
            break;
        }
    }
}

static bool join(conf_comparison *c, const conf_result **before, const conf_result **after)
{
    joined *all = calloc(c->before.results->n + c->after.results->n + 1, sizeof *all);
    if (!all) return false;
    const size_t n = join_ids(c, before, after, all);
    bool ok = true;
    join_digests(all, n);
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; ok && p < c->n_pairs; p++)
            if (all[i].before || all[i].after) ok = add_case(c, all[i].before, all[i].after, p);
    free(all);
    return ok;
}

static assay_status join_cases(conf_comparison *c, assay_error *err)
{
    const conf_result **before = sort_results(c->before.results), **after = sort_results(c->after.results);
    c->times = calloc(c->n_pairs + 1, sizeof *c->times);
    const bool ok = before && after && c->times && join(c, before, after);
    free(before);
    free(after);
    if (!ok) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < c->n; i++)
        if (conf_compared_before(c, &c->at[i]) && conf_compared_after(c, &c->at[i])) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s and %s have no case with the same engine in common (--pair BEFORE=AFTER compares "
                      "engines of different names)",
                      c->before.name, c->after.name);
}

assay_status conf_compare(const conf_compared_run *before, const conf_compared_run *after,
                          const char *const *asked, size_t n_asked, conf_comparison *out, assay_error *err)
{
    conf_comparison c = {.before = *before, .after = *after};
    assay_status rc =
        conf_engines_pair(before->results, after->results, asked, n_asked, &c.pairs, &c.n_pairs, err);
    if (rc == ASSAY_OK) rc = join_cases(&c, err);
    if (rc == ASSAY_OK) rc = conf_compare_remarks(&c, &c.remarks, err);
    if (rc == ASSAY_OK) *out = c;
    else conf_comparison_free(&c);
    return rc;
}
