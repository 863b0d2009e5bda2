/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/inputs.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/text.h"

static double round_to_quarters(double x)
{
    return rint(4 * x) / 4;
}

static double make_one(double x)
{
    (void)x;
    return 1;
}

static double make_zero(double x)
{
    (void)x;
    return 0;
}

static const struct {
    const char *name;
    double (*value)(double own);
} fillings[CONF_N_FILLINGS] = {
    [CONF_FILLING_OWN] = {"own", NULL},
    [CONF_FILLING_ROUNDED] = {"rounded to multiples of 1/4", round_to_quarters},
    [CONF_FILLING_ONES] = {"1", make_one},
    [CONF_FILLING_ZEROS] = {"0", make_zero},
};

const char *conf_filling_name(conf_filling filling)
{
    return fillings[filling].name;
}

/* Settings of an item, such as the seconds between frames, have one axis, and keep their values. */
static bool has_values(const assay_tensor *t)
{
    return t->rank > 1 && dtype_is_float(t->dtype);
}

static assay_status fill(assay_tensor *t, void *data, conf_filling filling, assay_error *err)
{
    const size_t n = dtype_elements(t);
    double *values = malloc(n * sizeof *values + 1);
    if (!values) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    dtype_to_f64(values, t->data, t->dtype, n);
    for (size_t i = 0; i < n; i++) values[i] = fillings[filling].value(values[i]);
    dtype_from_f64(data, values, t->dtype, n);
    free(values);
    return ASSAY_OK;
}

/* Whether a filling leaves the values of a tensor as they are. False if out of memory. */
static bool is_filled(const assay_tensor *t, conf_filling filling)
{
    const size_t n = dtype_elements(t);
    double *values = malloc(n * sizeof *values + 1);
    bool same = values != NULL;
    if (same) dtype_to_f64(values, t->data, t->dtype, n);
    for (size_t i = 0; i < n && same; i++) same = fillings[filling].value(values[i]) == values[i];
    free(values);
    return same;
}

conf_filling conf_filling_of(const conf_whole *whole, size_t item)
{
    const assay_item *one = &whole->items.items[item];
    for (conf_filling f = CONF_N_FILLINGS; --f > CONF_FILLING_OWN;) {
        bool same = true;
        for (size_t i = 0; i < one->n_tensors && same; i++)
            same = !has_values(&one->tensors[i]) || is_filled(&one->tensors[i], f);
        if (same) return f;
    }
    return CONF_FILLING_OWN;
}

/* Keeps the rows of kept patches, in place. */
static void drop_patches(assay_tensor *t, char *data, const conf_size *whole, const conf_size *to,
                         size_t side)
{
    const size_t n = t->shape[0], n_bytes = dtype_elements(t) / n * dtype_size(t->dtype);
    t->shape[0] = 0;
    for (size_t i = 0; i < n; i++)
        if (conf_size_keeps_patch(whole, to, side, i))
            memmove(data + t->shape[0]++ * n_bytes, data + i * n_bytes, n_bytes);
}

/* Keeps the rows of kept places, in place and in their order; the other rows become padding. */
static void drop_places(const assay_tensor *t, char *data, const assay_tensor *places, const conf_size *to)
{
    const bool is_places = strcmp(t->name, places->name) == 0;
    const size_t n = dtype_elements(places) / 2, n_bytes = dtype_elements(t) / n * dtype_size(t->dtype);
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (conf_size_keeps_place(places, to, i))
            memmove(data + n_kept++ * n_bytes, data + i * n_bytes, n_bytes);
    /* All bits set are the integer -1. */
    memset(data + n_kept * n_bytes, is_places ? 0xff : 0, (n - n_kept) * n_bytes);
}

static void put_integer(const assay_tensor *t, char *data, size_t i, int32_t value)
{
    const int64_t wide = value;
    if (t->dtype == ASSAY_I32) memcpy(data + i * sizeof value, &value, sizeof value);
    else memcpy(data + i * sizeof wide, &wide, sizeof wide);
}

/* Keeps the first n frames of a mask. */
static void drop_frames(const assay_tensor *t, char *data, size_t n)
{
    for (size_t i = 0, n_kept = 0; i < dtype_elements(t); i++)
        if (dtype_integer(t, i) == 1 && n_kept++ >= n) put_integer(t, data, i, 0);
}

/* Resizes one tensor of an item of which the size is known, in place. */
static void resize(const conf_whole *whole, const conf_cut *cut, size_t item, assay_tensor *t, char *data)
{
    const conf_size *size = &whole->sizes[item], *to = &cut->sizes[item];
    const assay_tensor *places = conf_size_places(&whole->items.items[item]);
    if (strcmp(t->name, "feature_attention_mask") == 0) drop_frames(t, data, to->n[0]);
    else if (whole->items.items[item].kind == ASSAY_ITEM_AUDIO) return;
    else if (places) drop_places(t, data, places, to);
    else if (string_ends_with(t->name, "_grid_thw"))
        for (size_t i = 0; i < CONF_SIZE_AXES; i++) put_integer(t, data, i, (int32_t)to->n[i]);
    else if (has_values(t)) drop_patches(t, data, size, to, whole->placeholders.side);
}

/* *data: owned, for the tensor, which has the data of the case at first. */
static assay_status change(const conf_whole *whole, const conf_cut *cut, size_t item, assay_tensor *t,
                           void **data, assay_error *err)
{
    const size_t n_bytes = dtype_elements(t) * dtype_size(t->dtype);
    assay_status rc = ASSAY_OK;
    *data = malloc(n_bytes + 1);
    if (!*data) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    memcpy(*data, t->data, n_bytes);
    if (has_values(t) && cut->fillings[item] != CONF_FILLING_OWN)
        rc = fill(t, *data, cut->fillings[item], err);
    if (!conf_size_is(&whole->sizes[item], &cut->sizes[item])) resize(whole, cut, item, t, *data);
    t->data = *data;
    return rc;
}

assay_status conf_cut_inputs_open(const conf_whole *whole, const conf_cut *cut, conf_cut_inputs *out,
                                  assay_error *err)
{
    const size_t n_items = whole->items.of[whole->c->decoder.n_samples], n = whole->items.n_tensors;
    *out = (conf_cut_inputs){.items = malloc(n_items * sizeof *out->items + 1),
                             .tensors = malloc(n * sizeof *out->tensors + 1),
                             .data = calloc(n + 1, sizeof *out->data),
                             .n_tensors = n};
    if (!out->items || !out->tensors || !out->data) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (n_items) memcpy(out->items, whole->items.items, n_items * sizeof *out->items);
    if (n) memcpy(out->tensors, whole->items.tensors, n * sizeof *out->tensors);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n_items; i++) {
        const size_t first = (size_t)(whole->items.items[i].tensors - whole->items.tensors);
        out->items[i].tensors = out->tensors + first;
        for (size_t k = 0; k < out->items[i].n_tensors && conf_cut_changes_item(whole, cut, i); k++)
            if (rc == ASSAY_OK)
                rc = change(whole, cut, i, &out->tensors[first + k], &out->data[first + k], err);
    }
    return rc;
}

void conf_cut_inputs_free(conf_cut_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n_tensors && inputs->data; i++) free(inputs->data[i]);
    free(inputs->items);
    free(inputs->tensors);
    free(inputs->data);
    *inputs = (conf_cut_inputs){0};
}
