/* Compares a tensor with its truth, element by element.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/diff/tensors.h"

#include <math.h>
#include <pthread.h>
#include <stdint.h>

#include "base/error.h"
#include "conformance/diff/slab.h"
#include "conformance/diff/state.h"
#include "conformance/judge/tensor.h"

typedef struct tensor_walk {
    pthread_mutex_t mutex;
    double unit;
    double largest;
    size_t not_finite; /* the first element that is not finite; SIZE_MAX: none */
    double value;      /* value of that element */
    conf_diff_tensor *out;
} tensor_walk;

/* The index in the whole tensor of row i's first element. */
static size_t element_of(const conf_slab *slab, size_t i)
{
    size_t sample, pos;
    conf_slab_place(slab, i, &sample, &pos);
    return (sample * slab->n_tokens + pos) * slab->n_cols[0];
}

static bool find_largest(void *context, const conf_slab *slab, size_t from, size_t to)
{
    tensor_walk *w = context;
    double largest = 0;
    for (size_t i = from; i < to; i++) {
        conf_row row = conf_slab_row(slab, 0, i);
        largest = fmax(largest, conf_row_max_abs(&row, slab->n_cols[0]));
        for (size_t k = 0; k < slab->n_cols[0]; k++) {
            if (isfinite(conf_row_at(&row, k))) continue;
            (void)pthread_mutex_lock(&w->mutex);
            if (element_of(slab, i) + k < w->not_finite) {
                w->not_finite = element_of(slab, i) + k;
                w->value = conf_row_at(&row, k);
            }
            (void)pthread_mutex_unlock(&w->mutex);
            break;
        }
    }
    (void)pthread_mutex_lock(&w->mutex);
    w->largest = fmax(w->largest, largest);
    (void)pthread_mutex_unlock(&w->mutex);
    return true;
}

assay_status conf_diff_largest(const conf_diff_state *d, conf_h5_rows *s, bool finite, double *largest,
                               assay_error *err)
{
    tensor_walk w = {.largest = *largest, .not_finite = SIZE_MAX};
    (void)pthread_mutex_init(&w.mutex, NULL);
    assay_status rc = conf_slabs_walk(&s, 1, d->n_workers, find_largest, &w, err);
    (void)pthread_mutex_destroy(&w.mutex);
    if (rc == ASSAY_OK && finite && w.not_finite != SIZE_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %g", conf_h5_rows_path(s),
                          conf_h5_rows_name(s), w.not_finite, w.value);
    if (rc == ASSAY_OK) *largest = w.largest;
    return rc;
}

static bool judge_elements(void *context, const conf_slab *slab, size_t from, size_t to)
{
    tensor_walk *w = context;
    for (size_t i = from; i < to; i++) {
        conf_row truth = conf_slab_row(slab, 0, i), found = conf_slab_row(slab, 1, i);
        conf_tensor_judgement j = conf_row_judge(&truth, &found, slab->n_cols[0], w->unit);
        if (j.multiple == 0) continue;
        double expected = conf_row_at(&truth, j.at), got = conf_row_at(&found, j.at);
        j.at += element_of(slab, i);
        (void)pthread_mutex_lock(&w->mutex);
        const conf_tensor_judgement *worst = &w->out->worst;
        if (j.multiple > worst->multiple || (!(j.multiple < worst->multiple) && j.at < worst->at))
            *w->out = (conf_diff_tensor){.worst = j, .expected = expected, .found = got};
        (void)pthread_mutex_unlock(&w->mutex);
    }
    return true;
}

assay_status conf_diff_tensor_judge(const conf_diff_state *d, conf_h5_rows *truth, conf_h5_rows *found,
                                    double unit, conf_diff_tensor *out, assay_error *err)
{
    conf_diff_tensor tensor = {0};
    tensor_walk w = {.unit = unit, .out = &tensor};
    conf_h5_rows *const streams[] = {truth, found};
    (void)pthread_mutex_init(&w.mutex, NULL);
    assay_status rc = conf_slabs_walk(streams, 2, d->n_workers, judge_elements, &w, err);
    (void)pthread_mutex_destroy(&w.mutex);
    if (rc == ASSAY_OK) *out = tensor;
    return rc;
}
