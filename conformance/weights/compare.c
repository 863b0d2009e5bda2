/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/weights/fold.h"

static const char *format_of(const conf_weight_pair *p)
{
    return p->stored.is->data ? p->stored.is->stored.format : "(none)";
}

/* Pairs weights by their order, which the places confirm. */
static assay_status pair_weights(const plan *a, const plan *b, conf_weight_comparison *out, assay_error *err)
{
    conf_weight_list x, y = {0};
    assay_status rc = conf_weights_of(a, &x, err);
    if (rc == ASSAY_OK) rc = conf_weights_of(b, &y, err);
    for (size_t i = 0; rc == ASSAY_OK && i < (x.n > y.n ? x.n : y.n); i++) {
        const char *one = i < x.n ? x.at[i].place : "none", *other = i < y.n ? y.at[i].place : "none";
        if (strcmp(one, other) != 0)
            rc =
                assay_fail(err, ASSAY_EINVAL,
                           "%s: weight %zu: found %s, expected %s, as %s has: not a checkpoint of this model",
                           b->dir, i, other, one, a->dir);
    }
    if (rc == ASSAY_OK) out->pairs = calloc(x.n + 1, sizeof *out->pairs);
    if (rc == ASSAY_OK && !out->pairs) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", b->dir);
    for (size_t i = 0; rc == ASSAY_OK && i < x.n; i++) {
        if (!x.at[i].is->data && !y.at[i].is->data) continue;
        if (x.at[i].is_tied && y.at[i].is_tied) continue;
        out->pairs[out->n++] = (conf_weight_pair){.original = x.at[i], .stored = y.at[i]};
    }
    free(x.at);
    free(y.at);
    return rc;
}

static assay_status measure_pair(conf_weight_pair *p, assay_error *err)
{
    const plan_weight *a = p->original.is, *b = p->stored.is;
    p->state = !b->data                                   ? CONF_WEIGHT_MISSING
               : !a->data                                 ? CONF_WEIGHT_ADDED
               : a->rows != b->rows || a->cols != b->cols ? CONF_WEIGHT_SHAPE
                                                          : CONF_WEIGHT_SOUND;
    if (p->state != CONF_WEIGHT_SOUND) return ASSAY_OK;
    const assay_status rc = conf_weight_measure(&p->original, &p->stored, &p->error, err);
    if (rc == ASSAY_OK && !conf_weight_is_sound(&p->error)) p->state = CONF_WEIGHT_WRONG;
    return rc;
}

static int worst_first(const void *a, const void *b)
{
    const conf_weight_pair *x = a, *y = b;
    const bool x_wrong = x->state != CONF_WEIGHT_SOUND, y_wrong = y->state != CONF_WEIGHT_SOUND;
    const double m = conf_weight_excess(&x->error), n = conf_weight_excess(&y->error);
    if (x_wrong != y_wrong) return x_wrong ? -1 : 1;
    return m != n ? (m > n ? -1 : 1) : strcmp(x->original.place, y->original.place);
}

static int most_first(const void *a, const void *b)
{
    const conf_weight_format *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->name, y->name);
}

static assay_status count_formats(conf_weight_comparison *c, assay_error *err)
{
    c->formats = calloc(c->n + 1, sizeof *c->formats);
    if (!c->formats) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < c->n; i++) {
        const conf_weight_pair *p = &c->pairs[i];
        size_t f = 0;
        while (f < c->n_formats && strcmp(c->formats[f].name, format_of(p)) != 0) f++;
        conf_weight_format *is = &c->formats[f];
        if (f == c->n_formats) c->formats[c->n_formats++].name = format_of(p);
        is->n++;
        is->n_wrong += p->state != CONF_WEIGHT_SOUND;
        c->n_wrong += p->state != CONF_WEIGHT_SOUND;
        is->rmse = fmax(is->rmse, p->error.rmse);
        is->best = fmax(is->best, p->error.best);
        is->multiple = fmax(is->multiple, p->error.multiple);
    }
    qsort(c->formats, c->n_formats, sizeof *c->formats, most_first);
    return ASSAY_OK;
}

static assay_status explain_wrong(conf_weight_comparison *c, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < c->n; i++) {
        conf_weight_pair *p = &c->pairs[i];
        if (p->state != CONF_WEIGHT_WRONG) continue;
        for (size_t o = 0; rc == ASSAY_OK && o < c->n && !*p->fault; o++)
            if (o != i)
                rc = conf_weight_is_other(&p->stored, &p->error, &c->pairs[o].original, p->fault, err);
        bool is_explained = *p->fault != '\0';
        if (rc == ASSAY_OK && !is_explained)
            rc = conf_weight_explain(&p->original, &p->stored, &p->error, p->fault, &is_explained, err);
        if (is_explained || conf_weight_excess(&p->error) > CONF_UNEXPLAINED) continue;
        p->state = CONF_WEIGHT_SOUND;
        *p->fault = '\0';
    }
    return rc;
}

assay_status conf_weights_compare(const plan *original, const plan *stored, conf_weight_comparison *out,
                                  assay_error *err)
{
    *out = (conf_weight_comparison){0};
    assay_status rc = pair_weights(original, stored, out, err);
    for (size_t i = 0; rc == ASSAY_OK && i < out->n; i++) rc = measure_pair(&out->pairs[i], err);
    if (rc == ASSAY_OK) rc = conf_weights_fold(out, err);
    if (rc == ASSAY_OK) rc = explain_wrong(out, err);
    if (rc == ASSAY_OK && out->n) qsort(out->pairs, out->n, sizeof *out->pairs, worst_first);
    if (rc == ASSAY_OK) rc = count_formats(out, err);
    if (rc != ASSAY_OK) conf_weights_free(out);
    return rc;
}

void conf_weights_free(conf_weight_comparison *c)
{
    for (conf_weight_scales *next; c->scales; c->scales = next) {
        next = c->scales->next;
        free(c->scales);
    }
    free(c->pairs);
    free(c->formats);
    *c = (conf_weight_comparison){0};
}
