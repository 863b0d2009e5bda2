/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/remarks.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/judge/compute.h"
#include "conformance/report/json.h"
#include "conformance/report/machines.h"

static bool add_remark(conf_strings *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool add_remark(conf_strings *out, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    const int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    return conf_strings_take(out, n < 0 ? NULL : text);
}

/* found, expected: texts, or NULL. */
static bool note_difference(conf_strings *out, const char *what, const char *before, const char *after)
{
    if (!before) before = "none";
    if (!after) after = "none";
    return strcmp(before, after) == 0 || add_remark(out, "%s: %s, then %s", what, before, after);
}

static bool note_settings(const conf_comparison *c, conf_strings *out)
{
    json_object *before = conf_json_settings(c->before.results),
                *after = conf_json_settings(c->after.results);
    bool ok = before && after;
    if (ok) {
        json_object_object_foreach(after, name, value)
        {
            json_object *old = json_object_object_get(before, name);
            const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
            char *text = strdup(old ? json_object_to_json_string_ext(old, flags) : "null");
            const char *new = value ? json_object_to_json_string_ext(value, flags) : "null";
            ok = ok && text && note_difference(out, name, text, new);
            free(text);
        }
    }
    (void)json_object_put(before);
    (void)json_object_put(after);
    return ok;
}

static const char *compute_of(const conf_results *results)
{
    return results->compute ? conf_compute_name(results->compute) : NULL;
}

static bool note_kernels(const conf_comparison *c, conf_strings *out)
{
    const conf_results *before = c->before.results, *after = c->after.results;
    return note_difference(out, "compute", compute_of(before), compute_of(after)) &&
           note_difference(out, "kernels", before->kernels, after->kernels);
}

static bool note_shards(const conf_comparison *c, conf_strings *out)
{
    const conf_shard *before = &c->before.results->shard, *after = &c->after.results->shard;
    if (before->index == after->index && before->total == after->total) return true;
    return add_remark(out, "shard: %zu/%zu, then %zu/%zu", before->index, before->total, after->index,
                      after->total);
}

/* The machines of a run, joined by "and"; NULL if out of memory. */
static char *list_machines(const conf_results *results)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    for (size_t i = 0; i < results->n_machines; i++) {
        char line[CONF_MACHINE_LINE_MAX];
        conf_machine_print(&results->machines[i], line);
        (void)fprintf(out, "%s%s", i ? " and " : "", line);
    }
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

static bool has_machine(const conf_results *results, const conf_run_machine *machine)
{
    for (size_t i = 0; i < results->n_machines; i++)
        if (conf_machine_is_same(&results->machines[i], machine)) return true;
    return false;
}

/* Runs whose machines are not known are not remarked on. */
static bool note_machines(const conf_comparison *c, conf_strings *out)
{
    const conf_results *old = c->before.results, *new = c->after.results;
    bool same = old->n_machines == new->n_machines;
    if (!old->n_machines || !new->n_machines) return true;
    for (size_t i = 0; i < new->n_machines; i++) same = same && has_machine(old, &new->machines[i]);
    if (same) return true;
    char *before = list_machines(old), *after = list_machines(new);
    const bool ok = before && after && note_difference(out, "machine", before, after);
    free(before);
    free(after);
    return ok;
}

static bool note_interrupted(const conf_compared_run *run, conf_strings *out)
{
    return !run->results->interrupted || add_remark(out, "%s was interrupted: cases are missing", run->name);
}

static bool note_pair(const conf_comparison *c, const conf_engine_pair *pair, conf_strings *out)
{
    static const char *const units[] = {"noise", "bound"};
    const conf_engine_column *before =
        pair->before == SIZE_MAX ? NULL : &c->before.results->engines[pair->before];
    const conf_engine_column *after =
        pair->after == SIZE_MAX ? NULL : &c->after.results->engines[pair->after];
    if (!before)
        return add_remark(out, "engine %s is only in %s: its failures are new", after->name, c->after.name);
    if (!after)
        return add_remark(out, "engine %s is only in %s, and is not compared", before->name, c->before.name);
    bool ok = true;
    if (before->float64 != after->float64)
        ok = add_remark(out, "engine %s was judged by multiples of the %s, then by multiples of the %s",
                        after->name, units[before->float64], units[after->float64]);
    if (ok && strcmp(before->version, after->version) != 0)
        ok = add_remark(out, "engine %s: version %s, then %s", after->name, before->version, after->version);
    if (ok && after->module[0] && strcmp(before->module, after->module) == 0)
        ok = add_remark(out, "engine %s: the module is the same file in both runs", after->name);
    return ok;
}

static bool has_changed(const conf_compared_case *one)
{
    return one->before && one->after && strcmp(one->before->digest, one->after->digest) != 0;
}

/* Cases, not pairs: those of one case follow each other. */
static bool note_digests(const conf_comparison *c, conf_strings *out)
{
    const char *first = NULL, *last = NULL;
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const char *id = has_changed(&c->at[i]) ? c->at[i].after->id : NULL;
        if (!id || (last && strcmp(id, last) == 0)) continue;
        if (!first) first = id;
        last = id;
        n++;
    }
    if (n == 0) return true;
    return add_remark(out, "the file of %zu case%s is not the one of the first run: %s%s", n,
                      n > 1 ? "s" : "", first, n > 1 ? " and others" : "");
}

assay_status conf_compare_remarks(const conf_comparison *c, conf_strings *out, assay_error *err)
{
    bool ok = note_interrupted(&c->before, out) && note_interrupted(&c->after, out) &&
              note_settings(c, out) && note_machines(c, out) && note_kernels(c, out) && note_shards(c, out);
    for (size_t p = 0; ok && p < c->n_pairs; p++) ok = note_pair(c, &c->pairs[p], out);
    ok = ok && note_digests(c, out);
    return ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}
