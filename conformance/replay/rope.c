/* Replaying cases of kind rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/rope.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "conformance/replay/session.h"
#include "conformance/replay/state.h"

/* Converts x to the engine's type; the caller frees it. */
static void *to_engine_type(const assay_engine *e, const conf_array *x)
{
    void *own = conf_nan_alloc(e, x->n);
    if (!own) return NULL;
    if (e->logits_dtype == ASSAY_F64) dtype_to_f64(own, x->data, ASSAY_F64, x->n);
    else dtype_to_f32(own, x->data, ASSAY_F64, x->n);
    return own;
}

static double *from_engine_type(const assay_engine *e, const void *own, size_t n)
{
    double *wide = calloc(n ? n : 1, sizeof *wide);
    if (wide) dtype_to_f64(wide, own, e->logits_dtype, n);
    return wide;
}

static bool call_rope(conf_replay *r, const void *x, void *out, void *cos, void *sin, size_t *dim)
{
    const conf_rope *rope = &r->c->rope;
    assay_rope_request request = {.config = rope->config,
                                  .n_axes = rope->n_axes,
                                  .n_positions = rope->n_positions,
                                  .n_heads = rope->n_heads,
                                  .head_dim = rope->head_dim,
                                  .position = rope->position.data,
                                  .x = x};
    assay_error err = {0};
    assay_status rc = r->engine->rope(&request, out, cos, sin, dim, &err);
    if (rc != ASSAY_OK) return conf_replay_refused(r, rc, &err);
    if (*dim != 0 && *dim <= rope->head_dim && (*dim == rope->table_dim || *dim == 2 * rope->table_dim))
        return true;
    conf_verdict_fail(r->verdict, CONF_CLASS_SHAPE,
                      "the engine rotates %zu of %zu elements; the recorded tables have %zu columns", *dim,
                      rope->head_dim, rope->table_dim);
    return false;
}

bool conf_replay_rope(conf_replay *r, conf_rope_answer *out)
{
    const assay_engine *e = r->engine;
    const conf_rope *rope = &r->c->rope;
    r->verdict->stage = CONF_STAGE_ROPE;
    if (!e->rope) {
        conf_verdict_set(r->verdict, CONF_SKIPPED, "the engine has no rope of its own");
        return false;
    }
    size_t n_table = rope->n_positions * rope->head_dim;
    conf_rope_answer a = {0};
    void *x = to_engine_type(e, &rope->x), *rotated = conf_nan_alloc(e, rope->x.n);
    void *cos = conf_nan_alloc(e, n_table), *sin = conf_nan_alloc(e, n_table);
    bool ok = x && rotated && cos && sin;
    if (!ok) (void)conf_replay_no_memory(r);
    if (ok) ok = call_rope(r, x, rotated, cos, sin, &a.dim);
    if (ok) {
        a.out = from_engine_type(e, rotated, rope->x.n);
        a.cos = from_engine_type(e, cos, rope->n_positions * a.dim);
        a.sin = from_engine_type(e, sin, rope->n_positions * a.dim);
        ok = a.out && a.cos && a.sin;
        if (!ok) (void)conf_replay_no_memory(r);
    }
    free(x);
    free(rotated);
    free(cos);
    free(sin);
    if (ok) *out = a;
    else conf_rope_answer_free(&a);
    return ok;
}

void conf_rope_answer_free(conf_rope_answer *a)
{
    free(a->out);
    free(a->cos);
    free(a->sin);
    *a = (conf_rope_answer){0};
}
