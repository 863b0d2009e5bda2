/* Compares traces of an observation with the golden's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/traces.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/case/members.h"
#include "conformance/case/traces.h"
#include "conformance/diff/members.h"
#include "conformance/diff/state.h"
#include "conformance/diff/tensors.h"
#include "conformance/evaluate/tensors.h"
#include "conformance/judge/noise.h"

/* State of the comparison of traces. */
typedef struct traces {
    conf_diff_state *d;
    size_t n_compared, n_unjudged;
    bool diverges; /* d->v->trace names the tensor */
} traces;

/* A recorded tensor and the observed one. */
typedef struct trace {
    conf_trace golden; /* its shape, without data */
    conf_h5_rows *truth, *found;
    char mismatch[CONF_TEXT_MAX]; /* the reason why found is NULL */
} trace;

static assay_status open_trace(const conf_diff_state *d, const char *name, const char *observed, trace *t,
                               assay_error *err)
{
    char recorded[256], shape[96];
    (void)snprintf(recorded, sizeof recorded, "/trace/%s", name);
    assay_status rc = conf_trace_outline_read(d->golden, &d->c->decoder, recorded, &t->golden, err);
    if (rc == ASSAY_OK) rc = conf_h5_rows_open(d->golden, recorded, &t->truth, err);
    if (rc != ASSAY_OK) return rc;
    conf_shape_print(shape, sizeof shape, t->golden.value.shape, t->golden.value.rank);
    rc = conf_diff_member_compare(d, observed, CONF_H5_FLOATS, shape, t->mismatch, err);
    if (rc == ASSAY_OK && !t->mismatch[0])
        rc = conf_h5_rows_open_types(d->observed, observed, CONF_H5_FLOATS, &t->found, err);
    return rc;
}

/* Judged like a replayed engine's tensor (conf_evaluate_traces). A float32 tensor with float64 logits
 * is judged as float32; without logits, its own type is taken as the engine's. */
static assay_status judge_tensor(traces *s, const char *name, const trace *t, assay_error *err)
{
    const conf_diff_state *d = s->d;
    conf_verdict *v = d->v;
    const bool wide = conf_h5_rows_dtype(t->found) == ASSAY_F64 && v->compute == ASSAY_DTYPE_NONE;
    if (!d->runs[CONF_RUN_PREFILL].found) v->float64 = wide;
    const bool float64 = v->float64 && wide, has_noise = conf_tensor_has_noise(&t->golden, v->compute);
    double largest = 0;
    assay_status rc = conf_diff_largest(d, t->truth, true, &largest, err);
    if (rc == ASSAY_OK && t->golden.has_noise)
        rc = conf_noise_check(d->c->path, conf_h5_rows_name(t->truth), t->golden.noise, largest,
                              conf_noise_max_tensor(largest), err);
    if (rc != ASSAY_OK) return rc;
    const double guess = d->largest > 0 ? d->bounds.max_abs / d->largest * largest : 0;
    double limit = conf_noise_limit(float64);
    double unit = float64 ? d->c->float64_bound * largest
                          : conf_unit_float32(has_noise ? t->golden.noise : guess, largest);
    if (!float64 && !has_noise) {
        s->n_unjudged++;
        if (v->outcome != CONF_FAILED) {
            limit = CONF_UNJUDGED;
            unit = 1;
        }
    }
    conf_diff_tensor tensor = {0};
    rc = conf_diff_tensor_judge(d, t->truth, t->found, unit, &tensor, err);
    if (rc == ASSAY_OK && d->watch) {
        const double shown = float64 || has_noise ? unit : conf_unit_float32(guess, largest);
        d->watch->tensor(d->watch->context,
                         &(conf_diff_traced){.name = name,
                                             .multiple = tensor.worst.multiple * unit / shown,
                                             .unit = shown,
                                             .limit = conf_noise_limit(float64),
                                             .largest = largest,
                                             .has_noise = float64 || has_noise});
    }
    if (rc != ASSAY_OK || !(tensor.worst.multiple > limit) || s->diverges) return rc;
    conf_evaluate_tensor_where(v, name, &t->golden.value, &tensor.worst, tensor.expected, tensor.found, limit,
                               float64 || has_noise);
    s->diverges = true;
    return ASSAY_OK;
}

static assay_status judge_trace(traces *s, const char *name, assay_error *err)
{
    const conf_diff_state *d = s->d;
    trace t = {0};
    char observed[256];
    (void)snprintf(observed, sizeof observed, "/observed/trace/%s", name);
    if (!conf_h5_has(d->observed, observed)) return ASSAY_OK;
    s->n_compared++;
    assay_status rc = open_trace(d, name, observed, &t, err);
    if (rc == ASSAY_OK && t.found) rc = judge_tensor(s, name, &t, err);
    if (rc == ASSAY_OK && !t.found && !s->diverges) {
        (void)snprintf(d->v->trace, sizeof d->v->trace,
                       "%s: its type or its shape is not the recorded one (%.400s)", name, t.mismatch);
        s->diverges = true;
    }
    conf_h5_rows_close(t.truth);
    conf_h5_rows_close(t.found);
    return rc;
}

/* Writes how many tensors were compared, which were not, and which were ignored. */
static void print_summary(const traces *s, const conf_strings *recorded, const conf_strings *observed,
                          char *text, size_t size)
{
    char names[CONF_DIFF_NAMES_MAX], unjudged[CONF_UNJUDGED_TEXT_MAX];
    conf_tensor_print_unjudged(unjudged, s->d->v, s->n_unjudged);
    size_t n = (size_t)snprintf(text, size, "%zu of %zu recorded tensors compared%s", s->n_compared,
                                recorded->n, unjudged);
    if (conf_diff_names_lacking(names, recorded, observed) > 0 && n < size)
        n += (size_t)snprintf(text + n, size - n, "; missing: %s", names);
    if (conf_diff_names_lacking(names, observed, recorded) > 0 && n < size)
        (void)snprintf(text + n, size - n, "; not recorded, and ignored: %s", names);
}

/* Records the result of the traces in the verdict. */
static assay_status conclude_traces(const traces *s, const conf_strings *recorded,
                                    const conf_strings *observed, assay_error *err)
{
    const conf_diff_state *d = s->d;
    conf_verdict *v = d->v;
    char summary[CONF_TEXT_MAX];
    print_summary(s, recorded, observed, summary, sizeof summary);
    if (s->n_compared == 0 && d->parts == CONF_DIFF_TRACES)
        return assay_fail(err, ASSAY_EFORMAT, "%s: /observed/trace has none of the tensors of %s: %s",
                          conf_h5_path(d->observed), d->c->path, summary);
    if (s->diverges) conf_evaluate_fail_tensor(v);
    if (v->outcome != CONF_FAILED) {
        if (!v->reason[0])
            conf_verdict_set(v, CONF_PASSED, "%zu of %zu recorded tensors agree", s->n_compared, recorded->n);
        (void)snprintf(v->trace, sizeof v->trace, "%s", summary);
        shown_clean(v->trace, sizeof v->trace);
        return ASSAY_OK;
    }
    conf_verdict_note(v, "%s", summary);
    if (!s->diverges && s->n_compared > 0)
        (void)snprintf(v->trace, sizeof v->trace, "none of the %zu that were compared (sample 0, prefill)",
                       s->n_compared);
    return ASSAY_OK;
}

assay_status conf_diff_traces(conf_diff_state *d, assay_error *err)
{
    traces s = {.d = d};
    conf_strings recorded = {0}, observed = {0};
    assay_status rc = conf_h5_members(d->golden, "/trace", &recorded, err);
    if (rc == ASSAY_OK) rc = conf_h5_members(d->observed, "/observed/trace", &observed, err);
    for (size_t i = 0; i < recorded.n && rc == ASSAY_OK; i++) rc = judge_trace(&s, recorded.at[i], err);
    if (rc == ASSAY_OK) rc = conclude_traces(&s, &recorded, &observed, err);
    conf_strings_free(&recorded);
    conf_strings_free(&observed);
    return rc;
}
