/* Traces and rotated vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/tensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/abi/compute.h"
#include "conformance/case/rows.h"
#include "conformance/evaluate/fail.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/tensor.h"
#include "conformance/replay/rope.h"
#include "conformance/replay/state.h"

/* The largest noise of the case's logits in units of their size. */
static double relative_noise(const conf_case *c, assay_dtype compute)
{
    const conf_rows *rows = &c->decoder.rows;
    if (!c->decoder.has_truth) return 0;
    conf_bounds b =
        conf_bounds_float32(rows->truth, conf_rows_noise(rows, compute), rows->n_rows, rows->n_cols);
    double largest = conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
    return largest > 0 ? b.max_abs / largest : 0;
}

bool conf_tensor_has_noise(const conf_trace *trace, assay_dtype compute)
{
    return trace->has_noise && (compute == ASSAY_DTYPE_NONE || compute == ASSAY_F32);
}

double conf_tensor_unit(const conf_case *c, bool float64, assay_dtype compute, const conf_trace *trace)
{
    double largest = conf_max_abs(trace->value.data, trace->value.n);
    if (float64) return c->float64_bound * largest;
    double noise =
        conf_tensor_has_noise(trace, compute) ? trace->noise : relative_noise(c, compute) * largest;
    return conf_unit_float32(noise, largest);
}

void conf_tensor_print_index(char *text, size_t size, const conf_array *a, size_t at)
{
    size_t index[ASSAY_TENSOR_RANK_MAX] = {0};
    for (size_t i = a->rank; i-- > 0; at /= a->shape[i]) index[i] = at % a->shape[i];
    size_t n = (size_t)snprintf(text, size, "[");
    for (size_t i = 0; i < a->rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%zu", i ? "," : "", index[i]);
    if (n < size) (void)snprintf(text + n, size - n, "]");
}

void conf_evaluate_tensor_where(conf_verdict *v, const char *name, const conf_array *shape,
                                const conf_tensor_judgement *j, double expected, double found, double limit,
                                bool is_recorded)
{
    char at[128];
    conf_tensor_print_index(at, sizeof at, shape, j->at);
    int digits = CONF_DIGITS(v);
    (void)snprintf(v->tensor, sizeof v->tensor, "%s", name);
    (void)snprintf(v->trace, sizeof v->trace, "%s%s: expected %.*g, found %.*g, %.3g times %s", name, at,
                   digits, expected, digits, found, j->multiple / limit,
                   is_recorded ? "its bound"
                               : "an estimate of its bound, since it has no recorded noise in this type");
}

void conf_evaluate_fail_tensor(conf_verdict *v)
{
    if (v->outcome != CONF_FAILED)
        (void)conf_evaluate_fail(v, CONF_CLASS_TENSOR, "%s",
                                 v->measured ? "the logits agree, but a tensor on the way does not"
                                             : "a tensor on the way does not agree");
}

void conf_tensor_print_unjudged(char text[CONF_UNJUDGED_TEXT_MAX], const conf_verdict *v, size_t n)
{
    text[0] = '\0';
    if (n > 0)
        (void)snprintf(text, CONF_UNJUDGED_TEXT_MAX,
                       ", %zu of them only for NaN and infinities: %s is not recorded", n,
                       conf_compute_unit(v->compute));
}

/* Whether a tensor exceeds its bound or, if it is not judged, has NaN or infinity at other elements
 * than the golden; names it in v->trace if so. */
static bool tensor_diverges(const conf_replay *r, const conf_traced *seen, bool judged)
{
    conf_verdict *v = r->verdict;
    const conf_trace *t = seen->trace;
    const double limit = !judged ? CONF_UNJUDGED : conf_noise_limit(v->float64);
    const bool is_recorded = v->float64 || conf_tensor_has_noise(t, v->compute);
    const double unit = judged ? conf_tensor_unit(r->c, v->float64, v->compute, t) : 1;
    if (!seen->value.data) {
        (void)snprintf(v->tensor, sizeof v->tensor, "%s", t->name);
        (void)snprintf(v->trace, sizeof v->trace, "%s: its type or its shape is not the recorded one",
                       t->name);
        return true;
    }
    conf_tensor_judgement j = conf_tensor_judge(t->value.data, seen->value.data, t->value.n, unit);
    if (j.multiple <= limit) return false;
    conf_evaluate_tensor_where(v, t->name, &t->value, &j, ((const double *)t->value.data)[j.at],
                               ((const double *)seen->value.data)[j.at], limit, is_recorded);
    return true;
}

/* How many tensors were compared, or why none was. */
static void note_compared(const conf_replay *r)
{
    conf_verdict *v = r->verdict;
    size_t n_unjudged = 0;
    if (!r->engine->tap) {
        conf_verdict_note(v, "no tensor compared: the engine has no tap, with which a failure names the "
                             "first wrong tensor");
        return;
    }
    if (!v->last_trace[0]) {
        conf_verdict_note(v, "no tensor compared: the engine's tap gives none");
        return;
    }
    for (size_t i = 0; i < r->n_seen; i++)
        n_unjudged += !v->float64 && !conf_tensor_has_noise(r->seen[i].trace, v->compute);
    char unjudged[CONF_UNJUDGED_TEXT_MAX];
    conf_tensor_print_unjudged(unjudged, v, n_unjudged);
    conf_verdict_note(v, "%zu of %zu recorded tensors compared%s", r->n_seen, r->c->decoder.n_traces,
                      unjudged);
}

double conf_traced_multiple(const conf_replay *r, const conf_traced *seen)
{
    const conf_verdict *v = r->verdict;
    const conf_trace *t = seen->trace;
    if (!seen->value.data) return INFINITY;
    const double unit = conf_tensor_unit(r->c, v->float64, v->compute, t);
    return conf_tensor_judge(t->value.data, seen->value.data, t->value.n, unit).multiple /
           conf_noise_limit(v->float64);
}

size_t conf_tensor_layer_length(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : strlen(name);
}

static void note_layers(const conf_replay *r)
{
    conf_verdict *v = r->verdict;
    size_t n_last = 0;
    const char *last = NULL;
    for (size_t i = 0; i < r->n_seen; i++) {
        const char *name = r->seen[i].trace->name;
        const size_t n = conf_tensor_layer_length(name);
        const float multiple = (float)conf_traced_multiple(r, &r->seen[i]);
        if (last && n == n_last && strncmp(name, last, n) == 0) {
            conf_layer_error *layer = &v->layers[v->n_layers - 1];
            layer->multiple = fmaxf(layer->multiple, multiple);
            continue;
        }
        if (v->n_layers == CONF_LAYERS_MAX) return;
        conf_layer_error *layer = &v->layers[v->n_layers++];
        (void)snprintf(layer->name, sizeof layer->name, "%.*s", (int)n, name);
        layer->multiple = multiple;
        last = name;
        n_last = n;
    }
}

/* Where no noise of a tensor is recorded in the type that the engine computes in, its bound is an
 * estimate: it locates where a divergence of the logits begins, and decides no verdict. */
static bool judge_traces(const conf_replay *r)
{
    conf_verdict *v = r->verdict;
    const conf_decoder *d = &r->c->decoder;
    if (d->n_traces == 0) return false;
    v->other_traces = r->n_seen == 0 && v->last_trace[0];
    note_compared(r);
    for (size_t i = 0; i < r->n_seen; i++) {
        const conf_traced *seen = &r->seen[i];
        bool judged =
            v->float64 || conf_tensor_has_noise(seen->trace, v->compute) || v->outcome == CONF_FAILED;
        if (!tensor_diverges(r, seen, judged)) continue;
        conf_evaluate_fail_tensor(v);
        return true;
    }
    if (v->outcome == CONF_FAILED && r->n_seen > 0)
        (void)snprintf(v->trace, sizeof v->trace, "none of the %zu that were compared (sample 0, prefill)",
                       r->n_seen);
    return false;
}

bool conf_evaluate_traces(const conf_replay *r)
{
    const bool diverges = judge_traces(r);
    if (r->verdict->outcome == CONF_FAILED) note_layers(r);
    return diverges;
}

/* State of judging a RoPE answer: the largest error, and the first element that exceeds its bound. */
typedef struct rope_judgement {
    double multiple, limit;
    const char *part; /* NULL: no element exceeds its bound */
    size_t position, head, element;
    double expected, found;
} rope_judgement;

/* Elements that share a row of the case and its bound. */
typedef struct rope_part {
    const char *name;
    const double *truth, *found;
    size_t n;
    double max_abs, pos;
    size_t position, head;
} rope_part;

static double largest_position(const conf_rope *rope, size_t p)
{
    double largest = 0;
    for (size_t a = 0; a < rope->n_axes; a++)
        largest =
            fmax(largest, fabs((double)((const int32_t *)rope->position.data)[a * rope->n_positions + p]));
    return largest;
}

static void judge_part(rope_judgement *judgement, const conf_replay *r, const rope_part *part)
{
    double bound = r->verdict->float64
                       ? conf_rope_bound_float64(part->max_abs, part->pos, r->c->float64_bound)
                       : conf_rope_bound_float32(part->max_abs, part->pos);
    conf_tensor_judgement j = conf_tensor_judge(part->truth, part->found, part->n, bound / judgement->limit);
    judgement->multiple = fmax(judgement->multiple, j.multiple);
    if (judgement->part || j.multiple <= judgement->limit) return;
    judgement->part = part->name;
    judgement->position = part->position;
    judgement->head = part->head;
    judgement->element = j.at;
    judgement->expected = part->truth[j.at];
    judgement->found = part->found[j.at];
}

static void judge_position(rope_judgement *judgement, const conf_replay *r, const conf_rope_answer *answer,
                           size_t p)
{
    const conf_rope *rope = &r->c->rope;
    const double *x = rope->x.data, *truth = rope->truth.data;
    rope_part part = {.pos = largest_position(rope, p), .position = p};
    part.n = rope->head_dim;
    for (size_t h = 0; h < rope->n_heads; h++) {
        size_t at = (p * rope->n_heads + h) * rope->head_dim;
        part.name = "x";
        part.head = h;
        part.truth = truth + at;
        part.found = answer->out + at;
        part.max_abs = conf_max_abs(x + at, rope->head_dim);
        judge_part(judgement, r, &part);
    }
    part.head = 0;
    part.n = rope->table_dim;
    const conf_array *tables[] = {&rope->cos, &rope->sin};
    const double *answers[] = {answer->cos, answer->sin};
    for (size_t i = 0; i < 2; i++) {
        part.name = i ? "sin" : "cos";
        part.truth = (const double *)tables[i]->data + p * rope->table_dim;
        part.found = answers[i] + p * answer->dim;
        part.max_abs = conf_max_abs(tables[i]->data, tables[i]->n);
        judge_part(judgement, r, &part);
    }
}

void conf_evaluate_rope(const conf_replay *r, const conf_rope_answer *answer)
{
    conf_verdict *v = r->verdict;
    rope_judgement j = {.limit = conf_noise_limit(v->float64)};
    for (size_t p = 0; p < r->c->rope.n_positions; p++) judge_position(&j, r, answer, p);
    v->measured = true;
    v->multiple = j.multiple;
    if (!j.part) return;
    (void)conf_evaluate_fail(v, CONF_CLASS_ROPE, "a rotated value is %.3g times its bound",
                             j.multiple / j.limit);
    (void)snprintf(v->where, sizeof v->where,
                   "%s: row %zu (position %.0f), head %zu, element %zu: expected %.*g, found %.*g", j.part,
                   j.position, largest_position(&r->c->rope, j.position), j.head, j.element, CONF_DIGITS(v),
                   j.expected, CONF_DIGITS(v), j.found);
}
