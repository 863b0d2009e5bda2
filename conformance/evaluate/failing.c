/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/failing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/case/prompt.h"
#include "conformance/case/traces.h"
#include "conformance/evaluate/logits.h"
#include "conformance/evaluate/reference.h"
#include "conformance/evaluate/tensors.h"
#include "conformance/evaluate/tokens.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/logits.h"
#include "conformance/judge/noise.h"
#include "conformance/replay/follow.h"
#include "conformance/replay/replay.h"

/* Where samples fail. reach: [B], a sample's tokens up to the one whose logits are the first out of bounds;
 * 0: none are. generates: in greedy generation. */
typedef struct failures {
    size_t *reach;
    bool generates, any;
} failures;

/* The comparison of one sample. */
typedef struct search {
    conf_replay *r; /* a copy, with a verdict of its own */
    const conf_bounds *bounds;
    conf_reference reference;
    bool generates;
    size_t sample, n_prompt, reach;
    /* Ropes depend on the length: what other steps than that of the last token compute differs from what the
     * reference computes of the whole sequence. */
    bool last_only;
    size_t n_compared;
    bool found;
    char text[CONF_TEXT_MAX]; /* the first wrong tensor */
} search;

static void note_reach(failures *f, size_t sample, size_t n_tokens)
{
    if (!f->reach[sample] || n_tokens < f->reach[sample]) f->reach[sample] = n_tokens;
    f->any = true;
}

/* Judges rows, like the first n_rows of the case's. wanted: NULL, or which of them. */
static void find_in_rows(const conf_replay *r, const conf_bounds *bounds, const double *all, size_t n_rows,
                         const bool *wanted, failures *f)
{
    const conf_rows *rows = &r->c->decoder.rows;
    for (size_t i = 0; i < n_rows; i++) {
        if (wanted && !wanted[i]) continue;
        const size_t at = i * rows->n_cols;
        const conf_place *p = &rows->place[i];
        if (conf_logits_judge(rows->truth + at, all + at, 1, rows->n_cols, bounds).rule == CONF_RULE_NONE)
            continue;
        note_reach(f, p->sample,
                   p->pos + 1 + (p->decode ? conf_prompt_length(&r->c->decoder, p->sample) : 0));
    }
}

static void find_failures(const conf_replay *r, const conf_bounds *bounds, failures *f)
{
    const conf_decoder *d = &r->c->decoder;
    size_t sample, step;
    if (r->rows) find_in_rows(r, bounds, r->rows, d->rows.n_rows, r->wanted, f);
    if (f->any || !r->generated) return;
    f->generates = true;
    if (r->again) find_in_rows(r, bounds, r->again, conf_rows_of_prefill(d), NULL, f);
    if (!f->any && conf_tokens_differ(r, bounds, &sample, &step))
        note_reach(f, sample, conf_prompt_length(d, sample) + step);
}

/* The noise of a tensor: that of the recorded one of its name, for the same size of numbers. */
static void estimate_noise(const conf_decoder *d, conf_trace *golden)
{
    for (size_t i = 0; i < d->n_traces; i++) {
        const conf_trace *t = &d->traces[i];
        if (!t->has_noise || !t->value.data || strcmp(t->name, golden->name) != 0) continue;
        const double recorded = conf_max_abs(t->value.data, t->value.n);
        golden->has_noise = recorded > 0;
        if (golden->has_noise)
            golden->noise = t->noise / recorded * conf_max_abs(golden->value.data, golden->value.n);
    }
}

/* "sample 1, decode step 0": the step that begins with this token. */
static void print_step(const search *q, size_t first, char *text, size_t size)
{
    if (first >= q->n_prompt)
        (void)snprintf(text, size, "sample %zu, decode step %zu", q->sample, first - q->n_prompt);
    else if (first) (void)snprintf(text, size, "sample %zu, prefill from position %zu on", q->sample, first);
    else (void)snprintf(text, size, "sample %zu, prefill", q->sample);
}

/* found: rows `first` … first + n - 1 of the golden tensor. */
static void judge_tensor(search *q, size_t step_first, size_t first, size_t n, const conf_trace *golden,
                         const double *found)
{
    conf_verdict *v = q->r->verdict;
    const double limit = conf_noise_limit(v->float64), *truth = golden->value.data;
    const size_t width = golden->value.n / golden->value.shape[0];
    conf_tensor_judgement j = conf_tensor_judge(truth + first * width, found, n * width,
                                                conf_tensor_unit(q->r->c, v->float64, v->compute, golden));
    q->n_compared++;
    q->found = j.multiple > limit;
    if (!q->found) return;
    char step[96];
    const double other = found[j.at];
    j.at += first * width;
    print_step(q, step_first, step, sizeof step);
    conf_evaluate_tensor_where(v, golden->name, &golden->value, &j, truth[j.at], other, limit,
                               v->float64 || conf_tensor_has_noise(golden, v->compute));
    (void)snprintf(q->text, sizeof q->text, "%s, against ref64: %.500s", step, v->trace);
}

/* conf_follow_fn */
static void compare_tensor(void *context, size_t first, size_t n, const assay_tensor *tensor)
{
    search *q = context;
    const conf_trace *trace = conf_tensors_find(q->reference.tensors, tensor->name);
    if (q->found || first >= q->reach || !trace || !tensor->data || !dtype_is_float(tensor->dtype)) return;
    if (q->last_only && first + n != q->reference.n_tokens) return;
    const bool of_tower = conf_trace_is_of_tower(tensor->name);
    const size_t n_rows = of_tower ? trace->value.shape[0] : n;
    if (tensor->rank != 2 || trace->value.rank != 2 || tensor->shape[0] != n_rows || n_rows == 0 ||
        tensor->shape[1] != trace->value.shape[1])
        return;
    conf_trace golden = *trace;
    if (conf_tensors_get(q->reference.tensors, trace, &golden.value, NULL) != ASSAY_OK) return;
    const size_t n_all = n_rows * tensor->shape[1], left = q->reach - first;
    double *found = malloc((n_all ? n_all : 1) * sizeof *found);
    estimate_noise(&q->r->c->decoder, &golden);
    if (found) {
        dtype_to_f64(found, tensor->data, tensor->dtype, n_all);
        judge_tensor(q, first, of_tower ? 0 : first, of_tower || n_rows <= left ? n_rows : left, &golden,
                     found);
    }
    free(found);
    conf_array_free(&golden.value);
}

/* Whether the sample fails with a tap, too: an engine may take another path then. */
static bool fails_again(const search *q)
{
    const conf_rows *rows = &q->r->c->decoder.rows;
    bool fails = q->generates;
    for (size_t i = 0; i < rows->n_rows && !fails; i++) {
        const size_t at = i * rows->n_cols;
        fails = rows->place[i].sample == q->sample && q->r->wanted[i] &&
                conf_logits_judge(rows->truth + at, q->r->rows + at, 1, rows->n_cols, q->bounds).rule !=
                    CONF_RULE_NONE;
    }
    return fails;
}

/* Compares the tensors of one sample; q->text becomes the result. path: of the reference. */
static void search_sample(search *q, conf_manner manner, const char *path)
{
    const conf_sequence s = {.sample = q->sample,
                             .n_more = q->reach > q->n_prompt ? q->reach - q->n_prompt : 0,
                             .greedy = q->generates};
    char why[CONF_TEXT_MAX] = "";
    conf_follow f = {.sample = q->sample, .generates = q->generates, .fn = compare_tensor, .context = q};
    const size_t n_tokens = q->n_prompt + s.n_more, n_same = q->r->verdict->checkpoint.n_divisible;
    q->last_only = n_same && n_tokens > n_same;
    q->reference = (conf_reference){0};
    q->r->follow = &f;
    if (!conf_reference_run(q->r->c, &q->r->items, path, &s, q->last_only && s.n_more ? n_tokens - 1 : 0,
                            &q->reference, why))
        (void)snprintf(q->text, sizeof q->text, "those of sample %zu cannot be compared with ref64's: %.400s",
                       q->sample, why);
    else if (!conf_replay_followed(q->r, manner) && !q->found)
        (void)snprintf(q->text, sizeof q->text, "those of sample %zu are unknown: with a tap, %.400s",
                       q->sample, q->r->verdict->reason);
    else if (!q->found && !fails_again(q))
        (void)snprintf(q->text, sizeof q->text, "sample %zu agrees when its tensors are traced", q->sample);
    else if (!q->found)
        (void)snprintf(q->text, sizeof q->text,
                       "none of the %zu of the steps of sample %zu that were compared with ref64's",
                       q->n_compared, q->sample);
    conf_reference_free(&q->reference);
}

/* Searches the samples that fail in prefill, or those that fail in decode. */
static bool search_samples(const conf_replay *r, const conf_bounds *bounds, const failures *f, bool decode,
                           conf_manner manner, const char *path, char *text)
{
    bool found = false;
    for (size_t b = 0; b < r->c->decoder.n_samples; b++) {
        const size_t n_prompt = conf_prompt_length(&r->c->decoder, b), n = strlen(text);
        if (!f->reach[b] || (f->reach[b] > n_prompt) != decode) continue;
        conf_verdict own = *r->verdict;
        conf_replay again = *r;
        search q = {.r = &again,
                    .bounds = bounds,
                    .generates = f->generates,
                    .sample = b,
                    .n_prompt = n_prompt,
                    .reach = f->reach[b]};
        again.verdict = &own;
        conf_verdict_set(&own, CONF_PASSED, "%s", "");
        search_sample(&q, manner, path);
        (void)snprintf(text + n, CONF_TEXT_MAX - n, "%s%s", n ? "; " : "", q.text);
        if (q.found && !found && !r->verdict->tensor[0])
            memcpy(r->verdict->tensor, own.tensor, sizeof own.tensor);
        found = found || q.found;
    }
    return found;
}

bool conf_evaluate_failing(const conf_replay *r, const conf_bounds *bounds, conf_manner manner,
                           const char *reference, char *text)
{
    conf_verdict own = *r->verdict;
    conf_replay judged = *r;
    failures f = {.reach = calloc(r->c->decoder.n_samples, sizeof *f.reach)};
    bool in_prefill = false, in_decode = false;
    text[0] = '\0';
    judged.verdict = &own;
    if (f.reach) find_failures(&judged, bounds, &f);
    if (f.any) in_prefill = search_samples(r, bounds, &f, false, manner, reference, text);
    if (f.any) in_decode = search_samples(r, bounds, &f, true, manner, reference, text);
    free(f.reach);
    return in_prefill || in_decode;
}
