/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/case/prompt.h"
#include "conformance/process/isolate.h"
#include "conformance/replay/state.h"

bool conf_replay_refused(conf_replay *r, assay_status rc, assay_error *err)
{
    const conf_stage stage = r->verdict->stage;
    err->text[sizeof err->text - 1] = '\0';
    if (!err->text[0]) (void)snprintf(err->text, sizeof err->text, "no reason given");
    conf_memory_explain(rc, err);
    const char *text = err->text;
    conf_class class = rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED;
    if (rc == ASSAY_EUNSUPPORTED) conf_verdict_set(r->verdict, CONF_SKIPPED, "%s", text);
    else if (conf_verdict_other_manner(r->verdict))
        conf_verdict_fail(r->verdict, class, "%s failed, manner %s: %s", conf_stage_name(stage),
                          r->verdict->manner, text);
    else conf_verdict_fail(r->verdict, class, "%s failed: %s", conf_stage_name(stage), text);
    return false;
}

bool conf_replay_no_memory(conf_replay *r)
{
    conf_verdict_set(r->verdict, CONF_BROKEN, "out of memory in the harness for %s", r->c->path);
    return false;
}

void *conf_nan_alloc(const assay_engine *e, size_t n)
{
    bool wide = e->logits_dtype == ASSAY_F64;
    void *a = calloc(n ? n : 1, wide ? sizeof(double) : sizeof(float));
    for (size_t i = 0; a && i < n; i++) {
        if (wide) ((double *)a)[i] = (double)NAN;
        else ((float *)a)[i] = NAN;
    }
    return a;
}

void conf_replay_row(const conf_replay *r, double *into, const void *logits, size_t row)
{
    size_t bytes = dtype_size(r->engine->logits_dtype);
    dtype_to_f64(into, (const char *)logits + row * r->vocab * bytes, r->engine->logits_dtype, r->vocab);
}

conf_sample_step conf_replay_prompt(const conf_replay *r, size_t i, size_t sample, size_t n_last)
{
    const conf_batch_row *row = &r->batch.rows[i];
    conf_sample_step step = {.sample = sample,
                             .tokens = conf_prompt(&r->c->decoder, row->sample),
                             .n_tokens = row->n_tokens,
                             .n_last = n_last};
    step.items = conf_items_of(&r->items, row->sample, &step.n_items);
    return step;
}

size_t conf_replay_max_tokens(const conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    const size_t n_forced = d->n_decode > d->n_greedy ? d->n_decode : d->n_greedy;
    size_t longest = 0;
    for (size_t i = 0; i < r->batch.n_rows; i++)
        if (r->batch.rows[i].n_tokens > longest) longest = r->batch.rows[i].n_tokens;
    return longest + n_forced;
}
