/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "conformance/weights/groups.h"
#include "conformance/weights/rounding.h"

enum { ROWS_ROUNDED = 256 };

/* Errors below these parts of the RMS are sound: of arithmetic in float32, in which formats have their
 * scales; and of plain numbers, since a checkpoint in bfloat16 may have been between the two. */
#define EXACT    1e-6
#define BFLOAT16 0x1p-9

typedef struct measurer {
    const conf_weight *original, *stored;
    conf_levels levels;
    size_t cols;
    double *x, *y, *taken; /* [cols]: a row of the original, of the stored weight, a group of it */
    size_t *group;         /* [cols] */
    size_t n_groups;
    double best,
        floor; /* of the whole weight, as parts of the RMS: the smallest error, and what is compared with */
} measurer;

static double squares(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sum;
}

static void read_groups(measurer *m, size_t row)
{
    if (row > 0 && conf_groups_are_regular(&m->stored->is->stored)) return;
    m->n_groups = conf_groups_read(&m->stored->is->stored, row, m->group);
}

/* Takes group g of the row. */
static size_t take_group(measurer *m, size_t g)
{
    size_t n = 0;
    for (size_t k = 0; k < m->cols; k++)
        if (m->group[k] == g) m->taken[n++] = m->x[k] - m->stored->added;
    return n;
}

/* The groups are runs of columns but in matrices with group_of. */
static double best_of_row(measurer *m, size_t row)
{
    double sum = 0;
    conf_weight_rows(m->original, row, 1, m->x);
    read_groups(m, row);
    if (m->stored->is->stored.group_of) {
        for (size_t g = 0; g < m->n_groups; g++) {
            const size_t n = take_group(m, g);
            sum += conf_rounding_best(&m->levels, m->taken, n);
        }
        return sum;
    }
    for (size_t k = 0; k < m->cols;) {
        size_t n = 0;
        for (; k + n < m->cols && m->group[k + n] == m->group[k]; n++)
            m->taken[n] = m->x[k + n] - m->stored->added;
        sum += conf_rounding_best(&m->levels, m->taken, n);
        k += n;
    }
    return sum;
}

static void measure_best(measurer *m)
{
    const size_t rows = m->original->is->rows, n = rows < ROWS_ROUNDED ? rows : ROWS_ROUNDED;
    double error = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        error += best_of_row(m, i * rows / n);
        size += squares(m->x, m->cols);
    }
    m->best = size > 0 ? sqrt(error / size) : 0;
    m->floor = fmax(m->best, m->levels.n ? EXACT : BFLOAT16);
}

/* Compares the error of group g of the row with the smallest of its numbers, or of numbers as large as the
 * row's where that is larger: scales of groups are themselves rounded to parts of a larger one. */
static void judge_group(measurer *m, size_t row, size_t g, const double *sum, const size_t *n, double row_rms,
                        conf_weight_error *out)
{
    const double rmse = sqrt(sum[g] / (double)n[g]);
    double floor = m->floor * row_rms;
    const double looked_at = fmin(out->group_multiple, CONF_GROUP_MULTIPLE_MAX);
    out->n_groups++;
    if (!(rmse > floor * looked_at)) return;
    const size_t n_taken = take_group(m, g);
    floor = fmax(floor, sqrt(conf_rounding_best(&m->levels, m->taken, n_taken) / (double)n_taken));
    if (rmse > floor * CONF_GROUP_MULTIPLE_MAX) out->n_wrong++;
    if (!(rmse > floor * out->group_multiple)) return;
    out->group_multiple = floor > 0 ? rmse / floor : INFINITY;
    out->row = row;
    for (out->column = 0; m->group[out->column] != g;) out->column++;
}

static void measure_row(measurer *m, size_t row, double *sum, size_t *n, conf_weight_error *out,
                        double totals[2])
{
    conf_weight_rows(m->original, row, 1, m->x);
    conf_weight_rows(m->stored, row, 1, m->y);
    read_groups(m, row);
    for (size_t g = 0; g < m->n_groups; g++) sum[g] = 0;
    for (size_t g = 0; g < m->n_groups; g++) n[g] = 0;
    for (size_t k = 0; k < m->cols; k++) {
        double e = fabs(m->y[k] - m->x[k]);
        if (isnan(e)) e = INFINITY;
        out->largest = fmax(out->largest, e);
        sum[m->group[k]] += e * e;
        n[m->group[k]]++;
    }
    const double size = squares(m->x, m->cols), row_rms = sqrt(size / (double)m->cols);
    for (size_t g = 0; g < m->n_groups; g++) {
        totals[0] += sum[g];
        if (n[g]) judge_group(m, row, g, sum, n, row_rms, out);
    }
    totals[1] += size;
}

assay_status conf_weight_measure(const conf_weight *original, const conf_weight *stored,
                                 conf_weight_error *out, assay_error *err)
{
    const size_t rows = original->is->rows, cols = original->is->cols;
    double totals[2] = {0};
    measurer m = {.original = original, .stored = stored, .cols = cols};
    *out = (conf_weight_error){0};
    double *numbers = calloc(cols, 4 * sizeof *numbers);
    size_t *indices = calloc(cols, 2 * sizeof *indices);
    if (numbers && indices) {
        m.x = numbers;
        m.y = numbers + cols;
        m.taken = numbers + 2 * cols;
        m.group = indices;
        conf_levels_read(&stored->is->stored, &m.levels);
        measure_best(&m);
        for (size_t r = 0; r < rows; r++) measure_row(&m, r, numbers + 3 * cols, indices + cols, out, totals);
    }
    const bool is_short = !numbers || !indices;
    free(numbers);
    free(indices);
    if (is_short) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", stored->place);
    out->original_rms = sqrt(totals[1] / (double)(rows * cols));
    const double unit = out->original_rms > 0 ? out->original_rms : 1;
    out->rmse = sqrt(totals[0] / (double)(rows * cols)) / unit;
    out->largest /= unit;
    out->best = fmin(m.best, out->rmse);
    out->multiple = out->rmse / m.floor;
    return ASSAY_OK;
}

double conf_weight_excess(const conf_weight_error *e)
{
    return fmax(e->multiple / CONF_WEIGHT_MULTIPLE_MAX, e->group_multiple / CONF_GROUP_MULTIPLE_MAX);
}

bool conf_weight_is_sound(const conf_weight_error *e)
{
    return conf_weight_excess(e) <= 1;
}
