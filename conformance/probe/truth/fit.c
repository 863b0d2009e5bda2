/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TYPE_FACTOR 8 /* a type fits errors from an eighth of its noise on */

/* The range [begin, end) of the pairs of one row. */
static size_t row_end(const probe_pair *pairs, size_t n, size_t begin)
{
    size_t end = begin + 1;
    while (end < n && pairs[end].row == pairs[begin].row) end++;
    return end;
}

typedef struct means {
    double truth, found;
} means;

static means means_of(const probe_pair *pairs, size_t begin, size_t end)
{
    means m = {0};
    for (size_t i = begin; i < end; i++) {
        m.truth += pairs[i].truth;
        m.found += pairs[i].found;
    }
    m.truth /= (double)(end - begin);
    m.found /= (double)(end - begin);
    return m;
}

/* Least squares of found on truth within rows (the slope of a fixed-effects regression). */
static double slope_of(const probe_pair *pairs, size_t n)
{
    double xx = 0, xy = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = row_end(pairs, n, begin);
        const means m = means_of(pairs, begin, end);
        for (size_t i = begin; i < end; i++) {
            xx += (pairs[i].truth - m.truth) * (pairs[i].truth - m.truth);
            xy += (pairs[i].truth - m.truth) * (pairs[i].found - m.found);
        }
    }
    return xx > 0 ? xy / xx : 1;
}

/* The largest distance from the line of this slope through the means of each row. *offset: the largest offset
 * of a row. */
static double residual_of(const probe_pair *pairs, size_t n, double slope, double *offset)
{
    double worst = 0;
    *offset = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = row_end(pairs, n, begin);
        const means m = means_of(pairs, begin, end);
        const double b = m.found - slope * m.truth;
        *offset = fmax(*offset, fabs(b));
        for (size_t i = begin; i < end; i++)
            worst = fmax(worst, fabs(pairs[i].found - slope * pairs[i].truth - b));
    }
    return worst;
}

/* The largest error among tokens of the context, and among the others, each row freed of the median-like
 * offset of its tokens outside the context. */
static void split_errors(const probe_pair *pairs, size_t n, double *inside, double *outside)
{
    *inside = *outside = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        double offset = 0;
        size_t n_out = 0;
        end = row_end(pairs, n, begin);
        for (size_t i = begin; i < end; i++) {
            if (pairs[i].in_context) continue;
            offset += pairs[i].found - pairs[i].truth;
            n_out++;
        }
        if (n_out == 0) continue;
        offset /= (double)n_out;
        for (size_t i = begin; i < end; i++) {
            const double error = fabs(pairs[i].found - pairs[i].truth - offset);
            if (pairs[i].in_context) *inside = fmax(*inside, error);
            else *outside = fmax(*outside, error);
        }
    }
}

probe_fit probe_fit_of(const probe_pair *pairs, size_t n, double bound)
{
    probe_fit f = {.change = PROBE_UNCHANGED, .slope = 1, .n = n};
    double worst = 0, offset, inside, outside;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(pairs[i].found - pairs[i].truth));
    if (worst <= bound) {
        f.residual = worst;
        return f;
    }
    const double enough = fmax(bound, worst / 100);
    f.residual = residual_of(pairs, n, 1, &f.offset);
    if (f.residual <= enough) {
        f.change = PROBE_OFFSET;
        return f;
    }
    split_errors(pairs, n, &inside, &outside);
    if (inside > 0 && outside <= fmax(bound, inside / 100)) {
        f.change = PROBE_PENALISED;
        f.residual = outside;
        return f;
    }
    f.slope = slope_of(pairs, n);
    f.residual = residual_of(pairs, n, f.slope, &offset);
    f.change = f.residual <= enough ? PROBE_SCALED : PROBE_UNEXPLAINED;
    return f;
}

void probe_fit_describe(const probe_fit *f, char *text, size_t size)
{
    switch (f->change) {
    case PROBE_UNCHANGED:
        (void)snprintf(text, size, "%zu values, none scaled, shifted or penalised", f->n);
        break;
    case PROBE_SCALED:
        (void)snprintf(text, size, "values are %.4g times the truth's: a temperature of %.4g was applied",
                       f->slope, 1 / f->slope);
        break;
    case PROBE_OFFSET:
        (void)snprintf(text, size,
                       "values are shifted by up to %.4g for each row: they are normalised over other tokens",
                       f->offset);
        break;
    case PROBE_PENALISED:
        (void)snprintf(text, size, "only tokens of the context differ: a penalty or a bias was applied");
        break;
    case PROBE_UNEXPLAINED:
        (void)snprintf(text, size,
                       "no temperature, shift or penalty explains the values: the best fit leaves %.4g",
                       f->residual);
        break;
    }
}

probe_type probe_served_type(const probe_noise *noise, const double *errors)
{
    probe_type best = PROBE_TYPES;
    double nearest = INFINITY;
    for (probe_type t = 0; t < PROBE_TYPES; t++) {
        if (noise[t].noise == 0 || errors[t] * noise[t].noise > noise[t].bound) continue;
        const double distance = fabs(log(errors[t]));
        const bool finer = best == PROBE_TYPES || noise[t].noise < noise[best].noise;
        if (distance > nearest || (distance == nearest && !finer)) continue;
        best = t;
        nearest = distance;
    }
    return best;
}

void probe_served_types(const probe_noise *noise, const double *errors, char *text, size_t size)
{
    double left[PROBE_TYPES];
    size_t n = 0;
    text[0] = '\0';
    memcpy(left, errors, sizeof left);
    for (probe_type t; (t = probe_served_type(noise, left)) != PROBE_TYPES && n < size; left[t] = INFINITY)
        if (n == 0 || errors[t] * TYPE_FACTOR > 1)
            n += (size_t)snprintf(text + n, size - n, "%s%.3g times that of %s", n ? ", " : "", errors[t],
                                  probe_type_name(t));
}
