/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/weights/changes.h"
#include "conformance/weights/groups.h"
#include "conformance/weights/order.h"
#include "conformance/weights/readings.h"
#include "model/numerics/stored.h"

/* Numbers that are looked at; of a larger matrix, its first rows. */
enum { NUMBERS_MAX = 1 << 24, ROWS_COMPARED = 32 };

/* The part of a pair that is to be explained: columns first … end - 1 of rows from `row` on, in x, y, z
 * [rows, cols]; z is for changed numbers. */
typedef struct subject {
    const conf_weight *original, *stored;
    const conf_weight_error *error;
    size_t row, rows, cols, first, end;
    double *x, *y, *z;
    size_t *group;  /* [cols], of the first row */
    bool is_narrow; /* one group alone */
    double allowed; /* of the error of a change that explains the fault, as a part of the RMS */
} subject;

static void free_subject(subject *s)
{
    free(s->x);
    free(s->y);
    free(s->z);
    free(s->group);
}

static assay_status open_subject(subject *s, assay_error *err)
{
    const plan_weight *w = s->original->is;
    s->cols = w->cols;
    s->row = s->is_narrow ? s->error->row : 0;
    s->rows = s->is_narrow ? 1 : w->rows < NUMBERS_MAX / w->cols + 1 ? w->rows : NUMBERS_MAX / w->cols + 1;
    const size_t n = s->rows * s->cols;
    s->x = malloc(n * sizeof *s->x);
    s->y = malloc(n * sizeof *s->y);
    s->z = malloc(n * sizeof *s->z);
    s->group = malloc(s->cols * sizeof *s->group);
    if (!s->x || !s->y || !s->z || !s->group)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", s->stored->place);
    conf_weight_rows(s->original, s->row, s->rows, s->x);
    conf_weight_rows(s->stored, s->row, s->rows, s->y);
    (void)conf_groups_read(&s->stored->is->stored, s->row, s->group);
    s->end = s->cols;
    if (s->is_narrow) {
        s->first = s->error->column;
        for (s->end = s->first; s->end < s->cols && s->group[s->end] == s->group[s->first];) s->end++;
    }
    s->allowed = 1.5 * CONF_WEIGHT_MULTIPLE_MAX * conf_weight_floor(s->error);
    return ASSAY_OK;
}

/* The error of numbers z [rows, cols], as a part of the RMS. */
static double error_of(const subject *s, const double *z, size_t first_row, size_t end_row, size_t first,
                       size_t end)
{
    double sum = 0, size = 0;
    for (size_t r = first_row; r < end_row; r++) {
        for (size_t k = first; k < end; k++) {
            const double x = s->x[r * s->cols + k], e = z[r * s->cols + k] - x;
            sum += e * e;
            size += x * x;
        }
    }
    return size > 0 && isfinite(sum) ? sqrt(sum / size) : INFINITY;
}

/* Whether numbers with that error explain the fault: as good as sound ones, and clearly better than those
 * that are stored. */
static bool explains(const subject *s, double error)
{
    return error <= s->allowed && error < error_of(s, s->y, 0, s->rows, s->first, s->end) / 2;
}

static bool is_another_reading(subject *s, char fault[CONF_FAULT_MAX])
{
    conf_reading r;
    const char *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; conf_reading_at(&s->stored->is->stored, i, &r); i++) {
        const size_t first = r.first_column > s->first ? r.first_column : s->first,
                     end = r.end_column < s->end ? r.end_column : s->end,
                     last = r.end_row < s->row + s->rows ? r.end_row : s->row + s->rows;
        const size_t from = r.first_row > s->row ? r.first_row : s->row;
        if (!r.fault || first >= end || from >= last) continue;
        for (size_t row = from; row < last; row++) {
            double *to = s->z + (row - s->row) * s->cols;
            for (size_t k = first; k < end; k += STORED_BLOCK)
                stored_block(&r.is, row, 1, k, end - k < STORED_BLOCK ? end - k : STORED_BLOCK, to + k,
                             s->cols);
        }
        const double error = error_of(s, s->z, from - s->row, last - s->row, first, end);
        if (error >= least) continue;
        least = error;
        best = r.fault;
    }
    if (!best || !explains(s, least)) return false;
    (void)snprintf(fault, CONF_FAULT_MAX, "%s", best);
    return true;
}

static bool is_changed(subject *s, char fault[CONF_FAULT_MAX])
{
    const conf_changed c = {s->x, s->y, s->rows, s->cols, s->first, s->end, s->group};
    for (size_t i = 0; conf_change_undo(&c, i, s->z, fault); i++)
        if (*fault && explains(s, error_of(s, s->z, 0, s->rows, s->first, s->end))) return true;
    *fault = '\0';
    return false;
}

static bool is_reordered(const subject *s, char fault[CONF_FAULT_MAX])
{
    const conf_sample sample = {s->x, s->y, s->rows, s->cols};
    return !s->is_narrow && s->rows == s->original->is->rows &&
           conf_order_differs(&sample, fault, CONF_FAULT_MAX);
}

static void describe_likeness(const subject *s, char fault[CONF_FAULT_MAX])
{
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < s->rows; i++) {
        for (size_t k = s->first; k < s->end; k++) {
            const double x = s->x[i * s->cols + k], y = s->y[i * s->cols + k];
            xy += x * y;
            xx += x * x;
            yy += y * y;
        }
    }
    const double cosine = xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
    (void)snprintf(fault, CONF_FAULT_MAX, "no single cause was found; the cosine with the original is %.3f",
                   cosine);
}

/* Explains the whole weight, or its worst group. */
static assay_status explain_part(subject *s, bool is_narrow, char fault[CONF_FAULT_MAX], assay_error *err)
{
    s->is_narrow = is_narrow;
    const assay_status rc = open_subject(s, err);
    *fault = '\0';
    if (rc == ASSAY_OK && !is_another_reading(s, fault) && !is_changed(s, fault)) {
        if (!is_reordered(s, fault)) *fault = '\0';
    }
    const size_t length = strlen(fault);
    if (rc == ASSAY_OK && is_narrow && length)
        (void)snprintf(fault + length, CONF_FAULT_MAX - length, "; in row %zu, columns %zu to %zu", s->row,
                       s->first, s->end - 1);
    return rc;
}

assay_status conf_weight_explain(const conf_weight *original, const conf_weight *stored,
                                 const conf_weight_error *error, char fault[CONF_FAULT_MAX],
                                 bool *is_explained, assay_error *err)
{
    const bool is_narrow = error->n_groups > 1 && (error->multiple <= CONF_WEIGHT_MULTIPLE_MAX ||
                                                   error->n_wrong <= 1 + error->n_groups / 100);
    subject s = {.original = original, .stored = stored, .error = error}, group = s;
    assay_status rc = ASSAY_OK;
    if (!is_narrow) rc = explain_part(&s, false, fault, err);
    if (rc == ASSAY_OK && (is_narrow || !*fault) && error->n_groups > 1)
        rc = explain_part(&group, true, fault, err);
    *is_explained = *fault != '\0';
    if (rc == ASSAY_OK && !*fault) describe_likeness(s.x ? &s : &group, fault);
    free_subject(&s);
    free_subject(&group);
    return rc;
}

assay_status conf_weight_is_other(const conf_weight *stored, const conf_weight_error *error,
                                  const conf_weight *other, char fault[CONF_FAULT_MAX], assay_error *err)
{
    const plan_weight *w = stored->is, *o = other->is;
    double sum = 0, size = 0;
    *fault = '\0';
    if (!o->data || w->rows != o->rows || w->cols != o->cols || error->multiple <= CONF_WEIGHT_MULTIPLE_MAX)
        return ASSAY_OK;
    double *x = malloc(w->cols * sizeof *x), *y = malloc(w->cols * sizeof *y);
    const size_t n = w->rows < ROWS_COMPARED ? w->rows : ROWS_COMPARED;
    for (size_t i = 0; x && y && i < n; i++) {
        conf_weight_rows(other, i * w->rows / n, 1, x);
        conf_weight_rows(stored, i * w->rows / n, 1, y);
        for (size_t k = 0; k < w->cols; k++) {
            sum += (x[k] - y[k]) * (x[k] - y[k]);
            size += x[k] * x[k];
        }
    }
    const bool is_short = !x || !y;
    free(x);
    free(y);
    if (is_short) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", stored->place);
    if (sqrt(sum) <= 1.5 * CONF_WEIGHT_MULTIPLE_MAX * conf_weight_floor(error) * sqrt(size) &&
        sqrt(sum / size) < error->rmse / 2)
        (void)snprintf(fault, CONF_FAULT_MAX, "has the values of %s, %.100s", other->place, o->name);
    return ASSAY_OK;
}
