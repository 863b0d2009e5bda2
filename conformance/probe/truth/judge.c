/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "conformance/judge/distance.h"

#define SUM_MOST 1.001 /* of the probabilities that a row returns */

const char *const probe_rule_names[PROBE_N_RULES] = {"logprob", "difference", "top",  "token", "same",
                                                     "count",   "order",      "text", "rank"};

bool probe_judge_begin(probe_judge *j, const probe_truth *truth, probe_type type)
{
    *j = (probe_judge){.truth = truth, .type = type, .all_zero = true, .normalised = true};
    j->scratch = calloc(truth->n_vocab, sizeof *j->scratch);
    j->sorted = calloc(truth->n_vocab, sizeof *j->sorted);
    j->named = calloc(truth->n_vocab, sizeof *j->named);
    return j->scratch && j->sorted && j->named;
}

void probe_judge_end(probe_judge *j)
{
    free(j->scratch);
    free(j->sorted);
    free(j->named);
    free(j->pairs);
    *j = (probe_judge){0};
}

double probe_log_z(const double *logits, size_t n)
{
    const size_t best = conf_argmax(logits, n);
    double sum = 1; /* of the largest */
    for (size_t v = 0; v < n; v++)
        if (v != best) sum += exp(logits[v] - logits[best]);
    return logits[best] + log(sum);
}

void probe_log_softmax(const double *logits, size_t n, double *out)
{
    const double z = probe_log_z(logits, n);
    for (size_t v = 0; v < n; v++) out[v] = logits[v] - z;
}

void probe_rule_apply(probe_rule_result *r, const probe_place *place, double multiple, const char *format,
                      ...)
{
    r->n++;
    if (!(multiple <= r->multiple)) r->multiple = multiple;
    if (multiple <= 1) return;
    if (r->n_broken++ > 0) return;
    va_list args;
    const int n =
        snprintf(r->first, sizeof r->first, "%s, after %zu tokens: ", place->prompt->name, place->n_before);
    va_start(args, format);
    if (n > 0 && (size_t)n < sizeof r->first)
        (void)vsnprintf(r->first + n, sizeof r->first - (size_t)n, format, args);
    va_end(args);
}

/* The token that makes a character of those before it, if the entry's text is that character; -1: there is
 * none. */
static int32_t find_joined(const probe_judge *j, const probe_place *place, assay_text text)
{
    int32_t found = -1;
    for (size_t n = 1; n < PROBE_CHARACTER_MOST && n <= place->n_before && found < 0; n++) {
        const int32_t *before = place->prompt->ids + place->n_before - n;
        if (!probe_vocab_is_part(j->truth->vocab, before[0])) break;
        found = probe_vocab_find_joined(j->truth->vocab, before, n, text);
    }
    return found;
}

/* The id of an entry, from its id or its bytes; -1: unknown. */
static int32_t find_id(const probe_judge *j, const probe_place *place, const probe_entry *e)
{
    const int32_t *ids;
    size_t n;
    if (e->id >= 0) return (size_t)e->id < j->truth->n_vocab ? e->id : -1;
    probe_vocab_find(j->truth->vocab, e->text, &ids, &n);
    int32_t best = -1;
    for (size_t i = 0; i < n; i++)
        if (best < 0 || e->is_null || fabs(j->scratch[ids[i]] - e->value) < fabs(j->scratch[best] - e->value))
            best = ids[i];
    return n ? best : find_joined(j, place, e->text);
}

static int compare_down(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Sorts the row's truth, in which alternatives have ranks. */
static void sort_row(probe_judge *j)
{
    memcpy(j->sorted, j->scratch, j->truth->n_vocab * sizeof *j->sorted);
    qsort(j->sorted, j->truth->n_vocab, sizeof *j->sorted, compare_down);
}

static bool in_context(const probe_place *place, int32_t id)
{
    for (size_t i = 0; i < place->n_before; i++)
        if (place->prompt->ids[i] == id) return true;
    return false;
}

static void add_pair(probe_judge *j, const probe_place *place, int32_t id, double found)
{
    probe_pair *pairs = grow_by_one(j->pairs, j->n_pairs, sizeof *pairs);
    if (!pairs) {
        j->failed = true;
        return;
    }
    j->pairs = pairs;
    j->pairs[j->n_pairs++] = (probe_pair){j->scratch[id], found, j->n_rows, in_context(place, id)};
}

/* The range of the errors of a row. */
typedef struct spread {
    double low, high;
    size_t n;
} spread;

/* Notes the value of the first row that breaks a rule. */
static void note_value(probe_judge *j, size_t rule, const probe_entry *e)
{
    probe_rule_result *r = &j->rules[rule];
    if (r->n_broken == 0 || r->has_value || e->is_null) return;
    r->has_value = true;
    r->value = e->value;
}

/* Judges one value; adds its error to the spread. */
static void judge_value(probe_judge *j, const probe_place *place, int32_t id, const probe_entry *e, spread *s)
{
    const double bound = 2 * probe_truth_bound(place->prompt, j->type), truth = j->scratch[id];
    const double error = e->value - truth;
    probe_rule_apply(&j->rules[PROBE_RULE_LOGPROB], place, isfinite(error) ? fabs(error) / bound : INFINITY,
                     "id %d: expected %.9g, found %.9g", (int)id, truth, e->value);
    note_value(j, PROBE_RULE_LOGPROB, e);
    if (e->value != 0) j->all_zero = false;
    if (!isfinite(error)) return;
    add_pair(j, place, id, e->value);
    if (s->n == 0 || error < s->low) s->low = error;
    if (s->n == 0 || error > s->high) s->high = error;
    s->n++;
}

/* Relates the errors of a row to the noise of each type: the spread where there is one, since it has the
 * error of log Z no more. */
static void relate(probe_judge *j, const probe_place *place, const spread *s)
{
    if (s->n == 0) return;
    const double error = s->n > 1 ? (s->high - s->low) / 2 : fabs(s->high) / 2;
    for (size_t t = 0; t < PROBE_TYPES; t++) {
        const probe_noise *n = &place->prompt->noise[t];
        if (n->noise > 0 && error / n->noise > j->errors[t]) j->errors[t] = error / n->noise;
    }
    if (s->n < 2) return;
    const double bound = probe_truth_bound(place->prompt, j->type);
    probe_rule_apply(
        &j->rules[PROBE_RULE_DIFFERENCE], place, error / bound,
        "errors of %zu values between %.3g and %.3g: half their distance is %.3g, expected at most %.3g",
        s->n, s->low, s->high, error, bound);
}

/* Whether token v may be the one of an alternative that is named by a text which does not tell it. */
static bool may_be_nameless(const probe_judge *j, int32_t v)
{
    return probe_vocab_is_part(j->truth->vocab, v) || probe_vocab_is_silent(j->truth->vocab, v);
}

/* Whether token v is among ids [n], or one of the same text where only one of these can be there. */
static bool is_listed(const probe_judge *j, const probe_rows *rows, const probe_row *row, const int32_t *ids,
                      size_t n, int32_t v)
{
    for (size_t i = 0; i < n; i++)
        if (ids[i] == v || (ids[i] < 0 && row->by_text && may_be_nameless(j, v))) return true;
    for (size_t i = 0; i < row->n_top && row->by_text; i++) {
        const int32_t *same;
        size_t n_same;
        probe_vocab_find(j->truth->vocab, rows->entries[row->top + i].text, &same, &n_same);
        for (size_t k = 0; k < n_same; k++)
            if (same[k] == v) return true;
    }
    return false;
}

/* Judges which tokens the alternatives are: ids [n], -1 where unknown. */
static void judge_top(probe_judge *j, const probe_place *place, const probe_rows *rows, const probe_row *row,
                      const int32_t *ids, size_t n)
{
    const size_t n_vocab = j->truth->n_vocab, n_asked = j->asked < n_vocab ? j->asked : n_vocab;
    const size_t k = row->by_text && n_asked > n ? n_asked : n;
    const double edge = j->sorted[k - 1];
    const double bound = 2 * probe_truth_bound(place->prompt, j->type);
    double worst = 0;
    int32_t which = -1;
    bool missing = false;
    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 && !row->by_text) return;
        if (ids[i] < 0) continue;
        if (edge - j->scratch[ids[i]] <= worst) continue;
        worst = edge - j->scratch[ids[i]];
        which = ids[i];
    }
    for (size_t v = 0; v < n_vocab; v++) {
        if (j->scratch[v] - edge <= worst || is_listed(j, rows, row, ids, n, (int32_t)v)) continue;
        worst = j->scratch[v] - edge;
        which = (int32_t)v;
        missing = true;
    }
    probe_rule_apply(&j->rules[PROBE_RULE_TOP], place, worst / bound,
                     "id %d, %.3g %s the smallest of the %zu largest values, is %s", (int)which, worst,
                     missing ? "above" : "below", k, missing ? "missing" : "among them");
}

static void judge_token(probe_judge *j, const probe_place *place, int32_t id)
{
    const size_t n = j->truth->n_vocab, best = conf_argmax(j->scratch, n);
    const double below = j->scratch[best] - j->scratch[id];
    if (place->taken >= 0 && place->taken != id) {
        probe_rule_apply(&j->rules[PROBE_RULE_TOKEN], place, INFINITY,
                         "the row is that of id %d, and the text of the answer has id %d", (int)id,
                         (int)place->taken);
        return;
    }
    probe_rule_apply(&j->rules[PROBE_RULE_TOKEN], place,
                     below / (2 * probe_truth_bound(place->prompt, j->type)),
                     "the token taken is id %d, which is %.3g less likely than id %zu", (int)id, below, best);
}

/* An alternative that has no id: its place in the row, and its value. */
typedef struct nameless {
    size_t at;
    double value;
} nameless;

static int compare_nameless(const void *a, const void *b)
{
    const nameless *x = a, *y = b;
    return (x->value < y->value) - (x->value > y->value);
}

/* Gives the alternatives that have no id, the largest first, the most likely tokens that the others leave.
 * list: [n], scratch. */
static void find_by_rank(probe_judge *j, const probe_rows *rows, const probe_row *row, int32_t *ids, size_t n,
                         nameless *list)
{
    size_t n_list = 0;
    for (size_t i = 0; i < n; i++)
        if (ids[i] < 0 && !rows->entries[row->top + i].is_null)
            list[n_list++] = (nameless){i, rows->entries[row->top + i].value};
    if (n_list) qsort(list, n_list, sizeof *list, compare_nameless);
    for (size_t k = 0; k < n_list; k++) {
        int32_t best = -1;
        for (size_t v = 0; v < j->truth->n_vocab; v++)
            if (!j->named[v] && (best < 0 || j->scratch[v] > j->scratch[best])) best = (int32_t)v;
        if (best < 0) return;
        ids[list[k].at] = best;
        j->named[best] = true;
        j->n_by_rank++;
    }
}

/* Finds the ids [n] of the alternatives; -1: unknown. False if out of memory. */
static bool find_ids(probe_judge *j, const probe_rows *rows, const probe_row *row, const probe_place *place,
                     int32_t *ids, size_t n)
{
    memset(j->named, 0, j->truth->n_vocab * sizeof *j->named);
    for (size_t i = 0; i < n; i++) {
        ids[i] = find_id(j, place, &rows->entries[row->top + i]);
        if (ids[i] >= 0) j->named[ids[i]] = true;
    }
    if (row->by_text) return true;
    nameless *list = malloc((n ? n : 1) * sizeof *list);
    if (list) find_by_rank(j, rows, row, ids, n, list);
    free(list);
    return list != NULL;
}

/* Completions list the token itself beside the k most likely ones: takes it out of ids [n] if it is not one
 * of them. */
static size_t without_extra(const probe_judge *j, const probe_place *place, int32_t token, int32_t *ids,
                            size_t n)
{
    size_t at = 0;
    while (at < n && ids[at] != token) at++;
    if (token < 0 || at == n) return n;
    const double edge = j->sorted[n - 1];
    if (j->scratch[token] >= edge - 2 * probe_truth_bound(place->prompt, j->type)) return n;
    memmove(ids + at, ids + at + 1, (n - at - 1) * sizeof *ids);
    return n - 1;
}

/* Judges the alternatives. *same: the value of the alternative that is the token; NAN: there is none. */
static void judge_alternatives(probe_judge *j, const probe_rows *rows, const probe_row *row,
                               const probe_place *place, int32_t token, spread *s, double *same)
{
    size_t n_top = row->n_top < j->truth->n_vocab ? row->n_top : j->truth->n_vocab;
    int32_t *ids = malloc((n_top ? n_top : 1) * sizeof *ids);
    double sum = 0;
    *same = NAN;
    if (!ids || !find_ids(j, rows, row, place, ids, n_top)) {
        j->failed = true;
        free(ids);
        return;
    }
    for (size_t i = 0; i < n_top; i++) {
        const probe_entry *e = &rows->entries[row->top + i];
        const int32_t id = ids[i];
        if (!e->is_null) sum += exp(e->value);
        if (id >= 0 && !e->is_null) judge_value(j, place, id, e, s);
        j->n_unknown += id < 0;
        if (id >= 0 && id == token) *same = e->value;
    }
    if (sum > SUM_MOST) j->normalised = false;
    n_top = without_extra(j, place, token, ids, n_top);
    if (n_top > 1) judge_top(j, place, rows, row, ids, n_top);
    free(ids);
}

void probe_judge_row(probe_judge *j, const probe_rows *rows, size_t row, const probe_place *place,
                     int32_t *id)
{
    const probe_row *r = &rows->at[row];
    const double *logits = probe_truth_row(place->prompt, place->n_before);
    spread s = {0};
    double same;
    size_t n_broken[PROBE_N_RULES];
    *id = -1;
    if (!logits) return;
    for (size_t i = 0; i < PROBE_N_RULES; i++) n_broken[i] = j->rules[i].n_broken;
    probe_log_softmax(logits, j->truth->n_vocab, j->scratch);
    if (r->n_top > 0) sort_row(j);
    if (r->has_token) *id = find_id(j, place, &r->token);
    if (r->has_token && *id < 0) j->n_unknown++;
    judge_alternatives(j, rows, r, place, *id, &s, &same);
    if (*id >= 0 && !r->token.is_null) {
        judge_value(j, place, *id, &r->token, &s);
        if (!isnan(same))
            probe_rule_apply(&j->rules[PROBE_RULE_SAME], place, same == r->token.value ? 0 : INFINITY,
                             "id %d: its value is %.9g, and %.9g among the alternatives", (int)*id,
                             r->token.value, same);
    }
    if (*id >= 0 && place->greedy) judge_token(j, place, *id);
    relate(j, place, &s);
    const probe_entry *e = r->has_token ? &r->token : r->n_top ? &rows->entries[r->top] : NULL;
    for (size_t i = 0; e && i < PROBE_N_RULES; i++)
        if (n_broken[i] == 0) note_value(j, i, e);
    j->n_rows++;
}
