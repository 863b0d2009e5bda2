/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/tensors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/case/run_noise.h"
#include "conformance/evaluate/fail.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/noise.h"
#include "conformance/judge/tensor.h"
#include "conformance/replay/state.h"

/* The largest noise of the case's logits in units of their size. */
static double relative_noise(const conf_case *c, conf_compute compute)
{
    const conf_rows *rows = &c->decoder.rows;
    if (!c->decoder.has_truth) return 0;
    const conf_bounds b = conf_run_bounds(rows, compute);
    double largest = conf_max_abs(rows->truth, rows->n_rows * rows->n_cols);
    return largest > 0 ? b.max_abs / largest : 0;
}

bool conf_tensor_has_noise(const conf_trace *trace, conf_compute compute)
{
    return trace->has_noise && (!conf_compute_is_narrow(compute));
}

double conf_tensor_unit(const conf_case *c, bool float64, conf_compute compute, const conf_trace *trace)
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
