/* An engine that writes down what each step brings, one line each, in the file that VIEWER_LOG names: the
 * tokens, and the tensors of the items with their first and last element. It generates a token 0 and then the
 * stop id, and takes images unless the model's directory is named "blind".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/fail.h"

enum { VOCAB = 600, STOP = 418 };

struct assay_model {
    bool blind;
};

struct assay_session {
    const assay_model *model;
    FILE *log;
    size_t n_steps;
};

static assay_status viewer_model_open(const char *dir, const assay_model_options *options, assay_model **out,
                                      assay_error *err)
{
    const char *slash = strrchr(dir, '/');
    (void)options;
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    m->blind = strcmp(slash ? slash + 1 : dir, "blind") == 0;
    *out = m;
    return ASSAY_OK;
}

static void viewer_model_free(assay_model *model)
{
    free(model);
}

static size_t viewer_model_vocab(const assay_model *model)
{
    (void)model;
    return VOCAB;
}

static const int32_t *viewer_stop_ids(const assay_model *model, size_t *n)
{
    static const int32_t ids[] = {STOP};
    (void)model;
    *n = 1;
    return ids;
}

static assay_status viewer_session_open(assay_model *model, const assay_session_options *options,
                                        assay_session **out, assay_error *err)
{
    const char *path = getenv("VIEWER_LOG");
    (void)options;
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    s->log = fopen(path ? path : "/dev/null", "w");
    if (!s->log) {
        free(s);
        return fail(err, ASSAY_EIO, "no log");
    }
    *out = s;
    return ASSAY_OK;
}

static void viewer_session_free(assay_session *session)
{
    if (session) (void)fclose(session->log);
    free(session);
}

/* Writes element i of a tensor of float or int32_t. */
static void write_element(FILE *log, const assay_tensor *t, size_t i)
{
    if (t->dtype == ASSAY_F32) (void)fprintf(log, " %.6f", ((const float *)t->data)[i]);
    else (void)fprintf(log, " %" PRId32, ((const int32_t *)t->data)[i]);
}

static void write_tensor(FILE *log, const assay_tensor *t)
{
    size_t n = 1;
    (void)fprintf(log, " %s %s [", t->name,
                  t->dtype == ASSAY_F32   ? "f32"
                  : t->dtype == ASSAY_I32 ? "i32"
                                          : "?");
    for (size_t d = 0; d < t->rank; d++) {
        (void)fprintf(log, d ? ",%zu" : "%zu", t->shape[d]);
        n *= t->shape[d];
    }
    (void)fputc(']', log);
    for (size_t i = 0; i < n; i += n <= 3 ? 1 : n - 1) write_element(log, t, i);
}

static void write_step(FILE *log, const assay_step *step)
{
    (void)fputs("tokens", log);
    for (size_t i = 0; i < step->n_tokens; i++) (void)fprintf(log, " %" PRId32, step->tokens[i]);
    (void)fputc('\n', log);
    for (size_t i = 0; i < step->n_items; i++) {
        const assay_item *item = &step->items[i];
        (void)fprintf(log, "item kind %d span %zu+%zu:", (int)item->kind, item->offset, item->n_tokens);
        for (size_t k = 0; k < item->n_tensors; k++) write_tensor(log, &item->tensors[k]);
        (void)fputc('\n', log);
    }
}

static assay_status viewer_step(assay_session *s, const assay_step *steps, size_t n,
                                const assay_step_options *options, assay_error *err)
{
    (void)options;
    for (size_t i = 0; i < n; i++) {
        if (s->model->blind && steps[i].n_items > 0)
            return fail(err, ASSAY_EUNSUPPORTED, "viewer: images are not implemented");
        write_step(s->log, &steps[i]);
        float *row = steps[i].n_outputs ? steps[i].outputs->data : NULL;
        for (size_t v = 0; row && v < VOCAB; v++) row[v] = v == (s->n_steps ? STOP : 0);
    }
    s->n_steps++;
    return ASSAY_OK;
}

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof(assay_engine),
                                       .name = "viewer",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = viewer_model_open,
                                       .model_free = viewer_model_free,
                                       .model_vocab = viewer_model_vocab,
                                       .session_open = viewer_session_open,
                                       .session_free = viewer_session_free,
                                       .step = viewer_step,
                                       .model_stop_ids = viewer_stop_ids};
    return &table;
}
