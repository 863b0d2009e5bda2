/* An engine that only gives positions: those of M-RoPE, of text and of images without merging (Qwen2-VL).
 * Rules that it breaks: "off" (the width of the last token), "delta", "unwritten" (the last axis),
 * "padding" (positions begin at 1), "refuses" (items), "fails".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include "conformance/tests/engines/rule.h"

enum { IMAGE_TOKEN = 9 };

struct assay_model {
    int unused;
};

static assay_status placing_model_open(const char *dir, const assay_model_options *options, assay_model **out,
                                       assay_error *err)
{
    static assay_model model;
    (void)dir;
    (void)options;
    (void)err;
    *out = &model;
    return ASSAY_OK;
}

static void placing_model_free(assay_model *model)
{
    (void)model;
}

static size_t placing_vocab(const assay_model *model)
{
    (void)model;
    return 10;
}

static assay_status placing_session_open(assay_model *model, const assay_session_options *options,
                                         assay_session **out, assay_error *err)
{
    (void)model;
    (void)options;
    (void)out;
    return fail(err, ASSAY_EUNSUPPORTED, "it only gives positions");
}

static void placing_session_free(assay_session *session)
{
    (void)session;
}

static assay_status placing_step(assay_session *session, const assay_step *steps, size_t n,
                                 const assay_step_options *options, assay_error *err)
{
    (void)session;
    (void)steps;
    (void)n;
    (void)options;
    return fail(err, ASSAY_EUNSUPPORTED, "it only gives positions");
}

/* Places an image of h rows and w columns, whose first token is t, at `start`. Returns the number of its
 * tokens. */
static size_t place_image(const assay_item *item, size_t t, size_t n, int32_t start, int32_t *out)
{
    const int32_t *grid = item->tensors[0].data;
    for (int32_t i = 0; i < grid[1] * grid[2]; i++) {
        out[t + (size_t)i] = start;
        out[n + t + (size_t)i] = start + i / grid[2];
        out[2 * n + t + (size_t)i] = start + i % grid[2];
    }
    return (size_t)(grid[1] * grid[2]);
}

static assay_status placing_positions(const assay_model *model, const assay_step *step, int32_t *out,
                                      int32_t *delta, assay_error *err)
{
    const size_t n = step->n_tokens;
    int32_t next = errs("padding");
    (void)model;
    if (errs("fails")) return fail(err, ASSAY_EINVAL, "no positions today");
    if (errs("refuses") && step->n_items) return fail(err, ASSAY_EUNSUPPORTED, "images are not supported");
    for (size_t t = 0, image = 0; t < n;) {
        if (step->tokens[t] == IMAGE_TOKEN && image < step->n_items) {
            const int32_t *grid = step->items[image].tensors[0].data;
            t += place_image(&step->items[image++], t, n, next, out);
            next += grid[1] > grid[2] ? grid[1] : grid[2];
            continue;
        }
        for (size_t a = 0; a < 3; a++) out[a * n + t] = next;
        next++;
        t++;
    }
    *delta = next - (int32_t)n;
    if (errs("off")) out[3 * n - 1]++;
    if (errs("delta")) *delta += 2;
    for (size_t t = 0; errs("unwritten") && t < n; t++) out[2 * n + t] = INT32_MIN;
    return ASSAY_OK;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof table,
                                       .name = "placing",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = placing_model_open,
                                       .model_free = placing_model_free,
                                       .model_vocab = placing_vocab,
                                       .session_open = placing_session_open,
                                       .session_free = placing_session_free,
                                       .step = placing_step,
                                       .positions = placing_positions};
    return &table;
}
