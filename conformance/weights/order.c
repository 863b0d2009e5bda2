/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/order.h"

#include <math.h>
#include <stdio.h>

enum { LOOKED_FOR = 24 };

/* A rounded row is this close to itself: the cosine of codes of 2 bits is 0.9. */
#define CLOSE 0.8

/* Rows or columns of the sample: row i begins at i * step, its elements are `apart` apart. */
typedef struct lines {
    const conf_sample *s;
    size_t n, length, step, apart;
} lines;

static double cosine(const lines *l, size_t i, size_t j)
{
    const double *x = l->s->x + i * l->step, *y = l->s->y + j * l->step;
    double xy = 0, xx = 0, yy = 0;
    for (size_t k = 0; k < l->length; k++) {
        const double a = x[k * l->apart], b = y[k * l->apart];
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* The line of y that is closest to line i of x; SIZE_MAX: none is close. */
static size_t find_line(const lines *l, size_t i)
{
    size_t best = (size_t)-1;
    double closest = CLOSE;
    for (size_t j = 0; j < l->n; j++) {
        const double c = cosine(l, i, j);
        if (c <= closest) continue;
        closest = c;
        best = j;
    }
    return best;
}

/* Where the converter of GGUF files puts row i of a matrix whose heads have d rows. */
static size_t paired_row(size_t i, size_t d)
{
    const size_t within = i % d;
    return i - within + 2 * (within % (d / 2)) + within / (d / 2);
}

/* The size of heads whose rows are in pairs, or in halves where they should be in pairs; 0: none. */
static size_t find_pairs(const size_t *from, const size_t *to, size_t n, size_t rows, bool *is_inverse)
{
    for (size_t d = 4; d <= rows; d += 2) {
        size_t n_forward = 0, n_back = 0;
        if (rows % d != 0) continue;
        for (size_t i = 0; i < n; i++) {
            n_forward += to[i] == paired_row(from[i], d);
            n_back += from[i] == paired_row(to[i], d);
        }
        *is_inverse = n_forward < n;
        if (n_forward == n || n_back == n) return d;
    }
    return 0;
}

static bool lines_are_moved(const lines *l, const char *what, bool has_heads, char *text, size_t size)
{
    size_t from[LOOKED_FOR], to[LOOKED_FOR], n = 0, n_moved = 0, first = 0;
    const size_t n_sought = l->n < LOOKED_FOR ? l->n : LOOKED_FOR;
    for (size_t t = 0; t < n_sought; t++) {
        from[n] = t * l->n / n_sought;
        to[n] = find_line(l, from[n]);
        if (to[n] == (size_t)-1) continue;
        if (to[n] != from[n] && n_moved++ == 0) first = n;
        n++;
    }
    if (4 * n < 3 * n_sought || n_moved < 2) return false;
    bool is_inverse;
    const size_t d = has_heads ? find_pairs(from, to, n, l->n, &is_inverse) : 0;
    if (d)
        (void)snprintf(text, size, "rows of heads of %zu are %s", d,
                       is_inverse ? "in halves, as if the order in pairs had been undone twice"
                                  : "in pairs, an order of GGUF files that was not undone");
    else
        (void)snprintf(text, size, "%ss are permuted: %s %zu is in place of %s %zu", what, what, from[first],
                       what, to[first]);
    return true;
}

/* Whether the bytes of the transposed matrix were taken for those of the matrix. */
static bool is_transposed(const conf_sample *s)
{
    double xy = 0, xx = 0, yy = 0;
    for (size_t i = 0; i < s->rows * s->cols; i++) {
        const double a = s->x[i % s->rows * s->cols + i / s->rows], b = s->y[i];
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return s->rows > 1 && s->cols > 1 && xx > 0 && yy > 0 && xy / sqrt(xx * yy) > CLOSE;
}

bool conf_order_differs(const conf_sample *s, char *text, size_t size)
{
    const lines rows = {s, s->rows, s->cols, s->cols, 1}, columns = {s, s->cols, s->rows, 1, s->cols};
    if (is_transposed(s)) {
        (void)snprintf(text, size, "transposed");
        return true;
    }
    if (s->cols > 1 && s->rows > 1 && lines_are_moved(&rows, "row", true, text, size)) return true;
    return s->rows > 1 && lines_are_moved(&columns, "column", false, text, size);
}
