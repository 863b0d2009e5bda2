/* SPDX-License-Identifier: Apache-2.0 */
#include "model/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/dtype.h"
#include "model/error.h"

enum { NAME_MAX_LENGTH = 256, SHAPE_MAX_LENGTH = 8 * 21 + 3 };

/* Where published checkpoints keep the language model: alone, inside a multimodal model, inside an older one.
 */
static const char *const PREFIXES[] = {"model.language_model.", "language_model.model.", "model."};

void bind_begin(bind *b, const weights *w, const char *dir, config *c, assay_error *err)
{
    *b = (bind){.weights = w, .dir = dir, .config = c, .err = err};
    b->used = calloc(weights_count(w) + 1, sizeof *b->used);
    if (!b->used) {
        bind_fail(b, ASSAY_ENOMEM, "out of memory");
        return;
    }
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        (void)snprintf(b->prefix, sizeof b->prefix, "%s", PREFIXES[i]);
        if (bind_exists(b, "embed_tokens.weight")) return;
    }
    bind_fail(b, ASSAY_EFORMAT,
              "tensor 'model.embed_tokens.weight' is missing (looked below model.language_model. "
              "and language_model.model. as well)");
}

assay_status bind_end(bind *b)
{
    for (size_t i = 0; b->status == ASSAY_OK && i < weights_count(b->weights); i++)
        if (!b->used[i])
            b->status = assay_fail(b->err, ASSAY_EFORMAT,
                                   "%s: tensor '%s' is left over: the config does not account for it",
                                   weights_file(b->weights, i), weights_at(b->weights, i)->name);
    free(b->used);
    b->used = NULL;
    return b->status;
}

assay_status bind_fail(bind *b, assay_status status, const char *format, ...)
{
    if (b->status == ASSAY_OK) b->status = b->config->status;
    if (b->status != ASSAY_OK) return b->status;
    char reason[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    b->status = b->config->status = assay_fail(b->err, status, "%s: %s", b->dir, reason);
    return b->status;
}

static void shape_text(char *out, size_t rank, const size_t *shape)
{
    size_t at = (size_t)sprintf(out, "[");
    for (size_t i = 0; i < rank; i++) at += (size_t)sprintf(out + at, "%s%zu", i ? ", " : "", shape[i]);
    (void)sprintf(out + at, "]");
}

static const assay_tensor *find(bind *b, const char *name)
{
    const assay_tensor *t = b->status == ASSAY_OK ? weights_find(b->weights, name) : NULL;
    if (t && !dtype_is_float(t->dtype)) {
        bind_fail(b, ASSAY_EUNSUPPORTED, "tensor '%s': found type %s, expected F64, F32, F16 or BF16", name,
                  dtype_name(t->dtype));
        return NULL;
    }
    if (!t) bind_fail(b, ASSAY_EFORMAT, "tensor '%s' is missing", name);
    return t;
}

static void mark(bind *b, const assay_tensor *t)
{
    size_t n = 1, i = weights_index(b->weights, t->name);
    for (size_t d = 0; d < t->rank; d++) n *= t->shape[d];
    if (!b->used[i]) b->n_parameters += n;
    b->used[i] = true;
}

/* The tensor of that full name and shape, marked as used; NULL after a failure. */
static const assay_tensor *take(bind *b, const char *name, size_t rank, const size_t *shape)
{
    const assay_tensor *t = find(b, name);
    if (!t) return NULL;
    if (t->rank != rank || memcmp(t->shape, shape, rank * sizeof *shape) != 0) {
        char is[SHAPE_MAX_LENGTH], wanted[SHAPE_MAX_LENGTH];
        shape_text(is, t->rank, t->shape);
        shape_text(wanted, rank, shape);
        bind_fail(b, ASSAY_EFORMAT, "tensor '%s': found shape %s, expected %s", name, is, wanted);
        return NULL;
    }
    mark(b, t);
    return t;
}

static plan_weight weight_of(const assay_tensor *t, size_t rows, size_t cols)
{
    if (!t) return (plan_weight){0};
    return (plan_weight){.name = t->name, .data = t->data, .dtype = t->dtype, .rows = rows, .cols = cols};
}

/* Writes prefix + the formatted name + suffix. */
static void full_name(const bind *b, char name[NAME_MAX_LENGTH], const char *suffix, const char *format,
                      va_list args)
{
    char middle[NAME_MAX_LENGTH - 80];
    (void)vsnprintf(middle, sizeof middle, format, args);
    (void)snprintf(name, NAME_MAX_LENGTH, "%s%s%s", b->prefix, middle, suffix);
}

#define FULL_NAME(name, suffix, format)                                                                      \
    do {                                                                                                     \
        va_list args;                                                                                        \
        va_start(args, format);                                                                              \
        full_name(b, name, suffix, format, args);                                                            \
        va_end(args);                                                                                        \
    } while (0)

plan_weight bind_matrix(bind *b, size_t rows, size_t cols, const char *format, ...)
{
    char name[NAME_MAX_LENGTH];
    FULL_NAME(name, "", format);
    return weight_of(take(b, name, 2, (const size_t[]){rows, cols}), rows, cols);
}

plan_weight bind_vector(bind *b, size_t n, const char *format, ...)
{
    char name[NAME_MAX_LENGTH];
    FULL_NAME(name, "", format);
    return weight_of(take(b, name, 1, (const size_t[]){n}), 1, n);
}

plan_linear bind_linear(bind *b, size_t rows, size_t cols, bool has_bias, const char *format, ...)
{
    char name[NAME_MAX_LENGTH];
    plan_linear linear = {0};
    FULL_NAME(name, ".weight", format);
    linear.weight = weight_of(take(b, name, 2, (const size_t[]){rows, cols}), rows, cols);
    if (has_bias) {
        FULL_NAME(name, ".bias", format);
        linear.bias = weight_of(take(b, name, 1, (const size_t[]){rows}), 1, rows);
    }
    return linear;
}

plan_norm bind_norm(bind *b, size_t n, double epsilon, const char *format, ...)
{
    char name[NAME_MAX_LENGTH];
    FULL_NAME(name, ".weight", format);
    plan_weight weight = weight_of(take(b, name, 1, (const size_t[]){n}), 1, n);
    return (plan_norm){.present = true, .epsilon = epsilon, .weight = weight};
}

bool bind_exists(const bind *b, const char *format, ...)
{
    char name[NAME_MAX_LENGTH];
    FULL_NAME(name, "", format);
    return weights_find(b->weights, name) != NULL;
}

plan_weight bind_rows(const plan_weight *whole, size_t first, size_t rows)
{
    plan_weight part = *whole;
    if (!whole->data) return part;
    part.data = (const char *)whole->data + first * whole->cols * dtype_size(whole->dtype);
    part.rows = rows;
    return part;
}

/* One fused tensor of all experts, [E, rows, cols] or its transpose: expert e's matrix goes to out[e]. */
static void take_fused(bind *b, size_t n, size_t rows, size_t cols, const char *name, plan_weight *out)
{
    const assay_tensor *found = find(b, name);
    bool transposed =
        found && rows != cols && found->rank == 3 && found->shape[1] == cols && found->shape[2] == rows;
    const size_t shape[] = {n, transposed ? cols : rows, transposed ? rows : cols};
    const assay_tensor *t = take(b, name, 3, shape);
    for (size_t e = 0; t && e < n; e++) {
        out[e] = weight_of(t, rows, cols);
        out[e].data = (const char *)t->data + e * rows * cols * dtype_size(t->dtype);
        out[e].transposed = transposed;
    }
}

/* Splits gate over up into its halves. A transposed one, [D, 2I], has gate in its first I columns: its rows
 * stay whole, and `stride` says how long they are. */
static void split_gate_up(plan_experts *x, size_t e, plan_weight both)
{
    x->gate[e] = x->up[e] = both;
    x->gate[e].rows = x->up[e].rows = x->intermediate;
    size_t element = dtype_size(both.dtype);
    size_t skip = both.transposed ? x->intermediate : x->intermediate * both.cols;
    x->gate[e].stride = x->up[e].stride = both.transposed ? 2 * x->intermediate : 0;
    if (both.data) x->up[e].data = (const char *)both.data + skip * element;
}

void bind_experts(bind *b, plan_experts *x, size_t hidden, const char *base)
{
    char name[NAME_MAX_LENGTH];
    size_t n = x->n_experts, inner = x->intermediate;
    if (b->status != ASSAY_OK) return; /* the router, bound before, vouches for their number */
    x->gate = calloc(n, sizeof *x->gate);
    x->up = calloc(n, sizeof *x->up);
    x->down = calloc(n, sizeof *x->down);
    if (!x->gate || !x->up || !x->down) {
        bind_fail(b, ASSAY_ENOMEM, "out of memory");
        return;
    }
    if (bind_exists(b, "%s.gate_up_proj", base)) {
        (void)snprintf(name, sizeof name, "%s%s.gate_up_proj", b->prefix, base);
        take_fused(b, n, 2 * inner, hidden, name, x->gate);
        for (size_t e = 0; e < n; e++) split_gate_up(x, e, x->gate[e]);
        (void)snprintf(name, sizeof name, "%s%s.down_proj", b->prefix, base);
        take_fused(b, n, hidden, inner, name, x->down);
        return;
    }
    for (size_t e = 0; b->status == ASSAY_OK && e < n; e++) {
        x->gate[e] = bind_matrix(b, inner, hidden, "%s.%zu.gate_proj.weight", base, e);
        x->up[e] = bind_matrix(b, inner, hidden, "%s.%zu.up_proj.weight", base, e);
        x->down[e] = bind_matrix(b, hidden, inner, "%s.%zu.down_proj.weight", base, e);
    }
}

void bind_ignore(bind *b, config_notes *notes, const char *start, const char *why)
{
    char below[NAME_MAX_LENGTH];
    (void)snprintf(below, sizeof below, "%s%s", b->prefix, start);
    size_t n = 0;
    for (size_t i = 0; b->status == ASSAY_OK && i < weights_count(b->weights); i++) {
        const assay_tensor *t = weights_at(b->weights, i);
        if (b->used[i] ||
            (strncmp(t->name, start, strlen(start)) != 0 && strncmp(t->name, below, strlen(below)) != 0))
            continue;
        size_t before = b->n_parameters;
        mark(b, t);
        b->n_ignored += b->n_parameters - before;
        b->n_parameters = before;
        n++;
    }
    if (n) config_note(notes, "%zu tensor%s below %s passed over: %s", n, n == 1 ? "" : "s", start, why);
}

/* lm_head.weight stands beside the prefix's "model." or below "language_model.". */
static const assay_tensor *find_head(const bind *b)
{
    const assay_tensor *t = weights_find(b->weights, "lm_head.weight");
    return t ? t : weights_find(b->weights, "language_model.lm_head.weight");
}

void bind_head(bind *b, plan *p, bool tied)
{
    const assay_tensor *t = find_head(b);
    p->tied = tied;
    p->head = p->embedding;
    if (!tied || t) {
        const char *name = t ? t->name : "lm_head.weight";
        p->head = weight_of(take(b, name, 2, (const size_t[]){p->vocab, p->hidden}), p->vocab, p->hidden);
    }
    if (!tied || b->status != ASSAY_OK || !t) return;
    size_t n_bytes = p->vocab * p->hidden * dtype_size(p->head.dtype);
    if (p->head.dtype != p->embedding.dtype || memcmp(p->head.data, p->embedding.data, n_bytes) != 0)
        bind_fail(b, ASSAY_EFORMAT,
                  "tensor '%s': differs from the embedding, but tie_word_embeddings is true", t->name);
    b->n_parameters -= p->vocab * p->hidden;
}
