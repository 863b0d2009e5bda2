/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/shift_kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/step.h"
#include "conformance/evaluate/shift_tokens.h"
#include "model/loader.h"
#include "model/plan/feature.h"

bool conf_shift_kept_supports(const char *model, const char *const *allow_unknown)
{
    plan *p = NULL;
    if (plan_open_allowing(model, allow_unknown, &p, NULL) != ASSAY_OK) return false;
    const plan_feature_set features = plan_features(p);
    bool keeps =
        !features.has[FEATURE_DELTA] && !features.has[FEATURE_ALTUP] && !features.has[FEATURE_HEAD_SCALES];
    for (size_t i = 0; i < p->n_ropes; i++)
        keeps = keeps && p->ropes[i].type != ROPE_DYNAMIC && p->ropes[i].type != ROPE_LONGROPE;
    plan_free(p);
    return keeps;
}

/* The outputs of a layer, which are the inputs of the next one. */
typedef struct layer_rows {
    double *rows; /* [n, width], by the index of the token; NULL: not seen yet */
    size_t width;
} layer_rows;

/* A sequence, and the step that is evaluated: the tokens that remain in the cache. The last n_new of them are
 * evaluated for the first time; of the others, `layers` has the rows of their first evaluation. */
typedef struct shifting {
    const conf_shift_engine *e;
    const int32_t *tokens;
    size_t n;
    int32_t *kept; /* [n]: the indices of the tokens of the step, in order */
    size_t n_kept, n_new;
    int32_t *kept_tokens; /* [n]: their ids */
    layer_rows *layers;
    size_t n_layers;
    assay_error err; /* of the tap */
} shifting;

static bool find_layer(shifting *s, size_t i, size_t width, layer_rows **out)
{
    if (i >= s->n_layers) {
        layer_rows *grown = realloc(s->layers, (i + 1) * sizeof *grown);
        if (!grown) return false;
        memset(grown + s->n_layers, 0, (i + 1 - s->n_layers) * sizeof *grown);
        s->layers = grown;
        s->n_layers = i + 1;
    }
    *out = &s->layers[i];
    if (!(*out)->rows) **out = (layer_rows){calloc(s->n * width, sizeof(double)), width};
    return (*out)->rows != NULL;
}

/* assay_tap_fn: gives the tokens before the new ones the rows that they had, and keeps those of the new ones.
 */
static bool exchange_rows(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    shifting *s = context;
    layer_rows *layer = NULL;
    size_t i;
    int end = 0;
    (void)sample;
    if (sscanf(tensor->name, "layer.%zu.out%n", &i, &end) != 1 || end == 0 || tensor->name[end] != '\0')
        return true;
    if (!data || tensor->dtype != ASSAY_F64 || tensor->rank != 2 || tensor->shape[0] != s->n_kept)
        (void)assay_fail(&s->err, ASSAY_EUNSUPPORTED, "its tap cannot write the rows of %s", tensor->name);
    else if (!find_layer(s, i, tensor->shape[1], &layer))
        (void)assay_fail(&s->err, ASSAY_ENOMEM, "out of memory for the rows of %s", tensor->name);
    if (s->err.status != ASSAY_OK) return false;
    for (size_t r = 0; r < s->n_kept; r++) {
        double *stored = layer->rows + (size_t)s->kept[r] * layer->width,
               *row = (double *)data + r * layer->width;
        if (r < s->n_kept - s->n_new) memcpy(row, stored, layer->width * sizeof *row);
        else memcpy(stored, row, layer->width * sizeof *row);
    }
    return true;
}

/* One step of the tokens that are kept. row: [V], the logits of the last one. */
static assay_status evaluate_kept(shifting *s, double *row, assay_error *err)
{
    const assay_tap tap = {.size = sizeof tap, .fn = exchange_rows, .context = s};
    const conf_sample_step step = {
        .tokens = s->kept_tokens, .n_tokens = s->n_kept, .logits = row, .n_last = 1};
    for (size_t i = 0; i < s->n_kept; i++) s->kept_tokens[i] = s->tokens[s->kept[i]];
    const assay_status rc =
        conf_step_alone(s->e->engine, s->e->model, (conf_cache_limit){0}, &step, &tap, err);
    return s->err.status == ASSAY_OK ? rc : assay_fail(err, s->err.status, "%.500s", s->err.text);
}

/* Evaluates the first caches.limit tokens in one step, then each later one in a step with the tokens that are
 * kept. indices: [n], scratch. logits: [n, V]; the rows from limit - 1 on are written. */
static assay_status shift_sequence(shifting *s, conf_cache_limit caches, size_t n_dropped, int32_t *indices,
                                   double *logits, assay_error *err)
{
    for (size_t i = 0; i < s->n; i++) indices[i] = s->kept[i] = (int32_t)i;
    s->n_kept = s->n_new = caches.limit;
    assay_status rc = evaluate_kept(s, logits + (caches.limit - 1) * s->e->vocab, err);
    s->n_new = 1;
    for (size_t t = caches.limit; rc == ASSAY_OK && t < s->n; t++) {
        s->n_kept = conf_shift_tokens(indices, t, caches, n_dropped, s->kept);
        rc = evaluate_kept(s, logits + t * s->e->vocab, err);
    }
    return rc;
}

assay_status conf_shift_kept_logits(const conf_shift_engine *e, conf_cache_limit caches, size_t n_dropped,
                                    const int32_t *tokens, size_t n, double *logits, assay_error *err)
{
    shifting s = {.e = e, .tokens = tokens, .n = n};
    int32_t *indices = calloc(n, sizeof *indices);
    s.kept = calloc(n, sizeof *s.kept);
    s.kept_tokens = calloc(n, sizeof *s.kept_tokens);
    assay_status rc = indices && s.kept && s.kept_tokens
                          ? shift_sequence(&s, caches, n_dropped, indices, logits, err)
                          : assay_fail(err, ASSAY_ENOMEM, "out of memory for %zu tokens", n);
    for (size_t i = 0; i < s.n_layers; i++) free(s.layers[i].rows);
    free(s.layers);
    free(s.kept_tokens);
    free(s.kept);
    free(indices);
    return rc;
}
