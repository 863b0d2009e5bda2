/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/follow.h"

/* assay_tap_fn */
static bool pass_tensor(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    const conf_follow *f = context;
    (void)data;
    if (f->active && sample == f->number && tensor->name) f->fn(f->context, f->first, f->n, tensor);
    return true;
}

assay_status conf_follow_tap(conf_follow *f, const assay_engine *engine, assay_session *session,
                             assay_error *err)
{
    const assay_tap tap = {.size = sizeof tap, .fn = pass_tensor, .context = f};
    return engine->tap(session, &tap, err);
}

void conf_follow_begin(conf_follow *f)
{
    if (f) f->active = false;
}

void conf_follow_step(conf_follow *f, size_t sample, bool generates, size_t n_before,
                      const conf_sample_step *step)
{
    if (!f || f->sample != sample || f->generates != generates) return;
    f->active = true;
    f->number = step->sample;
    f->first = n_before;
    f->n = step->n_tokens;
}
