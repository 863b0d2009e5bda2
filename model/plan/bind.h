/* Binding a checkpoint's tensors to a plan: found by name, checked for type and shape, and counted, so that
 * what is left over can be named.
 *
 * Errors stick, as in model/checkpoint/config.h: after the first failure every further call returns an absent
 * weight.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_H
#define MODEL_PLAN_BIND_H

#include "model/checkpoint/config.h"
#include "model/checkpoint/weights.h"
#include "model/plan/plan.h"

typedef struct bind {
    const weights *weights;
    const char *dir;     /* for messages */
    char prefix[64];     /* of every name below the language model: "model.", "model.language_model.", … */
    bool *used;          /* [weights_count] */
    size_t n_parameters; /* elements bound so far */
    size_t n_ignored;    /* elements of tensors that bind_ignore passed over */
    array_list *arrays;  /* borrowed: where vectors are converted */
    plan_storage *storages; /* [n_storages]: how what was bound is stored; for the plan to own */
    size_t n_storages;
    config_quantization quantization; /* what the config says of MLX's groups; set by the family */
    config *config; /* fails with it: err holds one text, that of the first failure of either */
    assay_status status;
    assay_error *err;
} bind;

/* Takes the prefix below which `embed_tokens.weight` is found. w, arrays, dir and c, the document's reader,
 * are borrowed; a failure of c is a failure of b, and the other way round. */
void bind_begin(bind *b, const weights *w, array_list *arrays, const char *dir, config *c, assay_error *err);

/* Fails unless every tensor was bound or ignored, naming the first that was not. Frees what bind_begin made.
 */
assay_status bind_end(bind *b);

assay_status bind_fail(bind *b, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The matrix prefix + name (printf-formatted), of shape [rows, cols]: of a floating type or, where
 * b->quantization and the tensors at hand agree on it, packed by MLX: name is X.weight, beside X.scales and
 * X.biases. */
plan_weight bind_matrix(bind *b, size_t rows, size_t cols, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a vector, of shape [n]. */
plan_weight bind_vector(bind *b, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* name.weight [rows, cols], and name.bias [rows] where has_bias. */
plan_linear bind_linear(bind *b, size_t rows, size_t cols, bool has_bias, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* name.weight [n]. */
plan_norm bind_norm(bind *b, size_t n, double epsilon, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Rows first … first + rows of a bound matrix. */
plan_weight bind_rows(const plan_weight *whole, size_t first, size_t rows);

bool bind_exists(const bind *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The experts of one layer below prefix + base, in a published layout: base.E.{gate,up,down}_proj.weight
 * per expert; fused base.gate_up_proj [E, 2I, D] (or [E, D, 2I]) with base.down_proj [E, D, I] (or
 * [E, I, D]), gate first; or mlx-lm's stacked.{gate,up,down}_proj.weight, [E, out, in]. Where a matrix is
 * square its orientation cannot be told: the published one, [out, in], is taken. Fills x->gate, x->up,
 * x->down for x->n_experts and x->intermediate. */
void bind_experts(bind *b, plan_experts *x, size_t hidden, const char *base, const char *stacked);

/* Passes over every tensor whose full name starts with `start`, or whose name below the prefix does, and
 * notes how many there were. */
void bind_ignore(bind *b, config_notes *notes, const char *start, const char *why);

/* The output head: lm_head.weight, or the embedding where tied. A tied checkpoint may hold lm_head.weight
 * too, provided that its bytes are those of the embedding. */
void bind_head(bind *b, plan *p, bool tied);

#endif
