/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/fold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { READERS_MAX = 8 };

/* What makes inputs, and the matrices of the same layer that read them. */
typedef struct rule {
    const char *maker;
    bool is_norm;
    const char *readers[READERS_MAX];
    const char *other;             /* or NULL: what makes the inputs of those below, */
    const char *rest[READERS_MAX]; /* which are readers too if the layer lacks it */
} rule;

#define OF_MIXER "q", "k", "v", "delta.qkv", "delta.z", "delta.a", "delta.b"
#define OF_MLP                                                                                               \
    "mlp.gate", "mlp.up", "experts.router", "experts.gate", "experts.up", "shared.gate", "shared.mlp.gate",  \
        "shared.mlp.up"

static const rule RULES[] = {
    {"mixer_in", true, {OF_MIXER}, "mlp_in", {OF_MLP}},
    {"mlp_in", true, {OF_MLP}, NULL, {NULL}},
    {"v", false, {"o"}, NULL, {NULL}},
    {"mlp.up", false, {"mlp.down"}, NULL, {NULL}},
    {"experts.up", false, {"experts.down"}, NULL, {NULL}},
};

/* A rule at one place. */
typedef struct fold {
    conf_weight_comparison *c;
    const rule *is;
    conf_weight_pair *layer; /* [n_layer]: the pairs of the maker's layer, which follow each other */
    size_t n_layer;
    conf_weight_pair *maker, *bias; /* bias: of the maker, or NULL */
    size_t *readers;                /* [n_readers] of layer's pairs */
    size_t n_readers, width;
    double *scale, *inverse; /* [width], owned by the comparison */
    assay_error *err;
} fold;

/* The part of a place before the name, which an index may follow; NULL: it has another name. */
static const char *find_name(const char *place, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = place; (at = strstr(at, name)) != NULL; at++)
        if ((at == place || at[-1] == '.') && (at[n] == '\0' || at[n] == '[')) return at;
    return NULL;
}

/* Whether a place has a name in the layer of the maker, and, between two matrices, its index. */
static bool is_beside(const fold *f, const char *place, const char *name)
{
    const char *maker = f->maker->original.place, *end = find_name(maker, f->is->maker),
               *at = find_name(place, name);
    if (!at || at - place != end - maker || memcmp(place, maker, (size_t)(at - place)) != 0) return false;
    return f->is->is_norm || strcmp(at + strlen(name), end + strlen(f->is->maker)) == 0;
}

static conf_weight_pair *find_beside(const fold *f, const char *name)
{
    for (size_t i = 0; i < f->n_layer; i++)
        if (is_beside(f, f->layer[i].original.place, name)) return &f->layer[i];
    return NULL;
}

static bool has_values(const conf_weight_pair *p)
{
    return p->state == CONF_WEIGHT_SOUND || p->state == CONF_WEIGHT_WRONG;
}

static bool is_one_of(const fold *f, const char *place, const char *const names[READERS_MAX])
{
    for (size_t i = 0; i < READERS_MAX && names[i]; i++)
        if (is_beside(f, place, names[i])) return true;
    return false;
}

/* Lists the readers. False: there are none, or one has no pair, another width, or is sound as it is. */
static bool find_readers(fold *f)
{
    const bool has_rest = f->is->other && !find_beside(f, f->is->other);
    f->n_readers = 0;
    for (size_t i = 0; i < f->n_layer; i++) {
        const conf_weight_pair *p = &f->layer[i];
        const char *place = p->original.place;
        if (!is_one_of(f, place, f->is->readers) && !(has_rest && is_one_of(f, place, f->is->rest))) continue;
        if (p->state != CONF_WEIGHT_WRONG || p->original.column_factor || p->original.is->cols != f->width)
            return false;
        f->readers[f->n_readers++] = i;
    }
    return f->n_readers > 0;
}

/* The factors by which the rows, or the columns, of the stored matrix are those of the original, by least
 * squares. Numbers of the original that are all 0 give a NaN. */
static bool fit_factors(const conf_weight_pair *p, bool of_columns, size_t width, double *out)
{
    const size_t rows = p->original.is->rows, cols = p->original.is->cols;
    double *numbers = calloc(2 * cols + width, sizeof *numbers);
    if (!numbers) return false;
    double *x = numbers, *y = numbers + cols, *sizes = numbers + 2 * cols;
    memset(out, 0, width * sizeof *out);
    for (size_t r = 0; r < rows; r++) {
        conf_weight_rows(&p->original, r, 1, x);
        conf_weight_rows(&p->stored, r, 1, y);
        for (size_t k = 0; k < cols; k++) {
            const size_t at = of_columns ? k : r;
            out[at] += x[k] * y[k];
            sizes[at] += x[k] * x[k];
        }
    }
    for (size_t i = 0; i < width; i++) out[i] /= sizes[i];
    free(numbers);
    return true;
}

/* Finds the scales of the readers' columns, and their inverses. A norm has them exactly. *found: they are
 * positive. */
static assay_status find_scales(fold *f, bool *found)
{
    const conf_weight_pair *reader = &f->layer[f->readers[0]];
    bool ok = fit_factors(f->maker, f->is->is_norm, f->width, f->inverse);
    if (ok && !f->is->is_norm) ok = fit_factors(reader, true, f->width, f->scale);
    if (!ok) return assay_fail(f->err, ASSAY_ENOMEM, "%s: out of memory", f->maker->original.place);
    *found = true;
    for (size_t k = 0; k < f->width; k++) {
        const double scale = f->is->is_norm ? 1 / f->inverse[k] : sqrt(f->scale[k] / f->inverse[k]);
        f->scale[k] = scale;
        f->inverse[k] = 1 / scale;
        *found = *found && isfinite(scale) && scale > 0;
    }
    return ASSAY_OK;
}

/* Measures a pair after a move. */
static assay_status measure(conf_weight_pair *p, assay_error *err)
{
    const assay_status rc = conf_weight_measure(&p->original, &p->stored, &p->error, err);
    if (rc != ASSAY_OK) return rc;
    p->state = conf_weight_excess(&p->error) <= CONF_UNEXPLAINED ? CONF_WEIGHT_SOUND : CONF_WEIGHT_WRONG;
    return ASSAY_OK;
}

/* Moves the scales. *n_sound: readers that are sound after it. */
static assay_status move_scales(fold *f, bool *maker_is_sound, size_t *n_sound)
{
    assay_status rc = ASSAY_OK;
    conf_weight *made[] = {&f->maker->original, f->bias ? &f->bias->original : NULL};
    for (size_t i = 0; i < 2 && made[i]; i++)
        *(f->is->is_norm || i ? &made[i]->column_factor : &made[i]->row_factor) = f->inverse;
    rc = measure(f->maker, f->err);
    if (rc == ASSAY_OK && f->bias) rc = measure(f->bias, f->err);
    *maker_is_sound = f->maker->state == CONF_WEIGHT_SOUND;
    for (size_t i = 0; rc == ASSAY_OK && i < f->n_readers; i++) {
        conf_weight_pair *p = &f->layer[f->readers[i]];
        p->original.column_factor = f->scale;
        (void)snprintf(p->scaled_with, sizeof p->scaled_with, "%s", f->maker->original.place);
        rc = measure(p, f->err);
        *n_sound += p->state == CONF_WEIGHT_SOUND;
    }
    (void)snprintf(f->maker->scaled_with, sizeof f->maker->scaled_with, "%s",
                   f->layer[f->readers[0]].original.place);
    return rc;
}

/* Finds the pairs around the maker whose places begin as its own does, before its name. */
static void find_layer(fold *f)
{
    const conf_weight_pair *first = f->c->pairs, *end = first + f->c->n;
    const char *maker = f->maker->original.place;
    const size_t n = (size_t)(find_name(maker, f->is->maker) - maker);
    conf_weight_pair *from = f->maker, *to = f->maker + 1;
    while (from > first && strncmp(from[-1].original.place, maker, n) == 0) from--;
    while (to < end && strncmp(to->original.place, maker, n) == 0) to++;
    f->layer = from;
    f->n_layer = (size_t)(to - from);
}

static double *keep_scales(conf_weight_comparison *c, size_t n)
{
    conf_weight_scales *kept = malloc(sizeof *kept + n * sizeof *kept->at);
    if (!kept) return NULL;
    kept->next = c->scales;
    c->scales = kept;
    return kept->at;
}

static assay_status try_rule(fold *f)
{
    char name[CONF_PLACE_MAX];
    const plan_weight *w = f->maker->original.is;
    f->width = f->is->is_norm ? w->cols : w->rows;
    if (f->maker->state != CONF_WEIGHT_WRONG || (f->is->is_norm && w->rows != 1)) return ASSAY_OK;
    find_layer(f);
    if (!find_readers(f)) return ASSAY_OK;
    (void)snprintf(name, sizeof name, "%s.bias", f->is->maker);
    f->bias = find_beside(f, name);
    if (f->bias && !has_values(f->bias)) return ASSAY_OK;
    bool found = false, maker_is_sound = false;
    size_t n_sound = 0;
    f->scale = keep_scales(f->c, 2 * f->width);
    conf_weight_pair *before = calloc(f->n_layer, sizeof *before);
    assay_status rc = before && f->scale
                          ? ASSAY_OK
                          : assay_fail(f->err, ASSAY_ENOMEM, "%s: out of memory", f->maker->original.place);
    if (rc == ASSAY_OK) {
        f->inverse = f->scale + f->width;
        rc = find_scales(f, &found);
    }
    if (rc == ASSAY_OK && found) {
        memcpy(before, f->layer, f->n_layer * sizeof *before);
        rc = move_scales(f, &maker_is_sound, &n_sound);
        if (n_sound == 0 || !maker_is_sound) memcpy(f->layer, before, f->n_layer * sizeof *before);
    }
    free(before);
    return rc;
}

assay_status conf_weights_fold(conf_weight_comparison *c, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    size_t *readers = calloc(c->n + 1, sizeof *readers);
    if (!readers) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t r = 0; r < sizeof RULES / sizeof *RULES; r++)
        for (size_t i = 0; i < c->n && rc == ASSAY_OK; i++) {
            if (!find_name(c->pairs[i].original.place, RULES[r].maker)) continue;
            fold f = {.c = c, .is = &RULES[r], .maker = &c->pairs[i], .readers = readers, .err = err};
            rc = try_rule(&f);
        }
    free(readers);
    return rc;
}
