/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/changes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sums over numbers that may have been multiplied by one factor. */
typedef struct sums {
    double xy, xx;
} sums;

/* The smallest and the largest factor of lines. */
typedef struct span {
    double min, max;
} span;

static void add_part(const conf_changed *c, size_t row, size_t first, size_t end, sums *s)
{
    for (size_t k = first; k < end; k++) {
        const double x = c->x[row * c->cols + k];
        s->xy += x * c->y[row * c->cols + k];
        s->xx += x * x;
    }
}

static double factor_of(const sums *s)
{
    const double f = s->xx > 0 ? s->xy / s->xx : 1;
    return f != 0 && isfinite(f) ? f : 1;
}

static void divide(const conf_changed *c, size_t row, size_t first, size_t end, double factor, double *z)
{
    for (size_t k = first; k < end; k++) z[row * c->cols + k] = c->y[row * c->cols + k] / factor;
}

static void widen(span *s, double factor)
{
    s->min = fmin(s->min, factor);
    s->max = fmax(s->max, factor);
}

static bool negated(const conf_changed *c, double *z)
{
    for (size_t i = 0; i < c->rows * c->cols; i++) z[i] = -c->y[i];
    return true;
}

static bool without_signs(const conf_changed *c, double *z)
{
    size_t n_negative = 0;
    for (size_t i = 0; i < c->rows * c->cols; i++) {
        z[i] = copysign(c->y[i], c->x[i]);
        n_negative += c->y[i] < 0 && i % c->cols >= c->first && i % c->cols < c->end;
    }
    return n_negative == 0;
}

static double undo_factor(const conf_changed *c, double *z)
{
    sums all = {0};
    for (size_t r = 0; r < c->rows; r++) add_part(c, r, c->first, c->end, &all);
    for (size_t r = 0; r < c->rows; r++) divide(c, r, c->first, c->end, factor_of(&all), z);
    return factor_of(&all);
}

static double undo_summand(const conf_changed *c, double *z)
{
    double sum = 0;
    for (size_t i = 0; i < c->rows * c->cols; i++) sum += c->y[i] - c->x[i];
    const double mean = sum / (double)(c->rows * c->cols);
    for (size_t i = 0; i < c->rows * c->cols; i++) z[i] = c->y[i] - mean;
    return mean;
}

static span undo_row_factors(const conf_changed *c, double *z)
{
    span s = {INFINITY, -INFINITY};
    for (size_t r = 0; r < c->rows; r++) {
        sums row = {0};
        add_part(c, r, c->first, c->end, &row);
        divide(c, r, c->first, c->end, factor_of(&row), z);
        widen(&s, factor_of(&row));
    }
    return s;
}

static span undo_column_factors(const conf_changed *c, double *z)
{
    span s = {INFINITY, -INFINITY};
    for (size_t k = c->first; k < c->end; k++) {
        sums column = {0};
        for (size_t r = 0; r < c->rows; r++) add_part(c, r, k, k + 1, &column);
        for (size_t r = 0; r < c->rows; r++) divide(c, r, k, k + 1, factor_of(&column), z);
        widen(&s, factor_of(&column));
    }
    return s;
}

static span undo_group_factors(const conf_changed *c, double *z)
{
    span s = {INFINITY, -INFINITY};
    for (size_t r = 0; r < c->rows; r++) {
        for (size_t k = c->first, end; k < c->end; k = end) {
            sums group = {0};
            for (end = k; end < c->end && c->group[end] == c->group[k];) end++;
            add_part(c, r, k, end, &group);
            divide(c, r, k, end, factor_of(&group), z);
            widen(&s, factor_of(&group));
        }
    }
    return s;
}

static void name_span(char fault[CONF_CHANGE_MAX], const char *what, span s)
{
    (void)snprintf(fault, CONF_CHANGE_MAX, "%s are multiplied by factors from %.4g to %.4g", what, s.min,
                   s.max);
}

/* Groups of few columns, and single rows and columns, would fit anything. */
enum { FITTED_MIN = 8 };

bool conf_change_undo(const conf_changed *c, size_t i, double *z, char fault[CONF_CHANGE_MAX])
{
    double by;
    *fault = '\0';
    switch (i) {
    case 0:
        if (without_signs(c, z)) (void)snprintf(fault, CONF_CHANGE_MAX, "signs are lost");
        return true;
    case 1:
        if (negated(c, z)) (void)snprintf(fault, CONF_CHANGE_MAX, "signs are reversed");
        return true;
    case 2:
        by = undo_factor(c, z);
        if (c->end - c->first > 1) (void)snprintf(fault, CONF_CHANGE_MAX, "multiplied by %.6g", by);
        return true;
    case 3:
        by = undo_summand(c, z);
        if (c->cols * c->rows > 1)
            (void)snprintf(fault, CONF_CHANGE_MAX, "%.6g is added to every number", by);
        return true;
    case 4:
        if (c->rows > 1 && c->end - c->first >= FITTED_MIN) name_span(fault, "rows", undo_row_factors(c, z));
        return true;
    case 5:
        if (c->cols > 1 && c->rows >= FITTED_MIN) name_span(fault, "columns", undo_column_factors(c, z));
        return true;
    case 6:
        if (c->group[c->cols - 1] > 0 && c->cols / (c->group[c->cols - 1] + 1) >= FITTED_MIN)
            name_span(fault, "blocks", undo_group_factors(c, z));
        return true;
    default: return false;
    }
}
