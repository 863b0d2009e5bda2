/* Collecting the tensors that an engine traces.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/replay/session.h"
#include "conformance/replay/state.h"

static const conf_trace *find_trace(const conf_decoder *d, const char *name)
{
    for (size_t i = 0; i < d->n_traces; i++)
        if (strcmp(d->traces[i].name, name) == 0) return &d->traces[i];
    return NULL;
}

bool conf_tensor_has_shape(const assay_tensor *tensor, const conf_array *a)
{
    if (!dtype_is_float(tensor->dtype) || tensor->rank != a->rank) return false;
    for (size_t i = 0; i < a->rank; i++)
        if (tensor->shape[i] != a->shape[i]) return false;
    return true;
}

/* Stores the tensors of sample 0 that the case has, each the first time it is traced. Stores the name of
 * every tensor in the verdict, which survives a crash of the engine. */
static void store_tensor(conf_replay *r, size_t sample, const assay_tensor *tensor)
{
    if (tensor->name)
        (void)snprintf(r->verdict->last_trace, sizeof r->verdict->last_trace, "%s", tensor->name);
    bool wanted = sample == r->batch.row[0] && tensor->name;
    const conf_trace *trace = wanted ? find_trace(&r->c->decoder, tensor->name) : NULL;
    if (!trace) return;
    for (size_t i = 0; i < r->n_seen; i++)
        if (r->seen[i].trace == trace) return;
    conf_traced *seen = &r->seen[r->n_seen];
    *seen = (conf_traced){.trace = trace};
    seen->value.dtype = tensor->dtype;
    seen->value.rank = tensor->rank < ASSAY_TENSOR_RANK_MAX ? tensor->rank : ASSAY_TENSOR_RANK_MAX;
    memcpy(seen->value.shape, tensor->shape, seen->value.rank * sizeof *tensor->shape);
    r->n_seen++;
    if (!conf_tensor_has_shape(tensor, &trace->value) || !tensor->data) return;
    seen->value.data = malloc((trace->value.n ? trace->value.n : 1) * sizeof(double));
    if (!seen->value.data) {
        r->n_seen--;
        return;
    }
    seen->value.n = trace->value.n;
    dtype_to_f64(seen->value.data, tensor->data, tensor->dtype, trace->value.n);
}

/* assay_tap_fn */
static bool tap_tensor(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)data;
    store_tensor(context, sample, tensor);
    return true;
}

/* Treats the engine as one that gives no tensors, and notes the reason. */
static void drop_tensors(conf_replay *r, const char *what, const char *why)
{
    for (size_t i = 0; i < r->n_seen; i++) conf_array_free(&r->seen[i].value);
    r->n_seen = 0;
    r->verdict->last_trace[0] = '\0';
    conf_verdict_note(r->verdict, "no tensors: %s%.200s", what, why);
}

bool conf_trace_prompts(conf_replay *r, conf_watch *watch)
{
    const assay_tap tap = {.size = sizeof tap, .fn = tap_tensor, .context = r};
    assay_error err = {0};
    r->verdict->stage = CONF_STAGE_TRACED_PREFILL;
    const assay_status rc = r->engine->tap(conf_watch_session(watch), &tap, &err);
    if (rc == ASSAY_EUNSUPPORTED) {
        drop_tensors(r, "", err.text);
        return true;
    }
    if (rc != ASSAY_OK) return conf_replay_refused(r, rc, &err);
    const size_t n = r->batch.n_rows;
    conf_sample_step *steps = calloc(n, sizeof *steps);
    if (!steps) return conf_replay_no_memory(r);
    for (size_t i = 0; i < n; i++) steps[i] = conf_replay_prompt(r, i, i, 1);
    const bool ok = conf_watch_step(watch, steps, n, r->batch.n_tokens);
    free(steps);
    if (ok || r->verdict->outcome != CONF_SKIPPED) return ok;
    drop_tensors(r, "the engine refuses a traced step: ", r->verdict->reason);
    conf_verdict_set(r->verdict, CONF_PASSED, "%s", "");
    return true;
}
