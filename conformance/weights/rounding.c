/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/weights/rounding.h"

#include <math.h>
#include <stdlib.h>

#include "base/dtype.h"

/* value = scale * level + shift */
typedef struct grid {
    double scale, shift;
} grid;

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static unsigned code_bits(const assay_layout *l)
{
    unsigned bits = 0;
    for (size_t p = 0; p < l->n_planes; p++) bits += l->planes[p].width;
    return bits;
}

void conf_levels_read(const assay_stored *s, conf_levels *out)
{
    const assay_layout *l = s->codes.layout;
    *out = (conf_levels){.number = (assay_dtype)l->number, .shifts = s->zero.layout || s->min.layout};
    if (l->number != ASSAY_U8 && l->number != ASSAY_I8) {
        if (!s->scale.layout) return;
    }
    const size_t n_codes = (size_t)1 << (code_bits(l) <= 8 ? code_bits(l) : 0);
    double sorted[CONF_LEVELS_MAX] = {0};
    size_t n = 0;
    for (size_t code = 0; code < n_codes; code++) {
        const double number = l->table                ? l->table[code]
                              : l->number == ASSAY_I8 ? (double)(int8_t)(uint8_t)code
                                                      : (double)code;
        if (isfinite(number)) sorted[n++] = (number - l->minus) * l->times;
    }
    qsort(sorted, n, sizeof *sorted, ascending);
    for (size_t i = 0; i < n; i++)
        if (!out->n || sorted[i] != out->at[out->n - 1]) out->at[out->n++] = sorted[i];
    out->is_even = out->n > 1;
    for (size_t i = 2; i < out->n; i++)
        out->is_even = out->is_even && out->at[i] - out->at[i - 1] == out->at[1] - out->at[0];
}

/* The level nearest to x. */
static double nearest(const conf_levels *l, double x)
{
    size_t low = 0, high = l->n - 1;
    if (!(x > l->at[0])) return l->at[0];
    if (x >= l->at[high]) return l->at[high];
    if (l->is_even) return l->at[(size_t)((x - l->at[0]) / (l->at[1] - l->at[0]) + 0.5)];
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (l->at[middle] <= x) low = middle;
        else high = middle;
    }
    return x - l->at[low] < l->at[high] - x ? l->at[low] : l->at[high];
}

/* The squared error on a grid, and the grid that fits these codes best. */
static double try_grid(const conf_levels *l, const double *x, size_t n, grid *g)
{
    double sum = 0, c1 = 0, c2 = 0, x1 = 0, cx = 0;
    for (size_t i = 0; i < n; i++) {
        const double c = nearest(l, (x[i] - g->shift) / g->scale), e = x[i] - (c * g->scale + g->shift);
        sum += e * e;
        c1 += c;
        c2 += c * c;
        x1 += x[i];
        cx += c * x[i];
    }
    const double det = l->shifts ? (double)n * c2 - c1 * c1 : c2;
    if (!(det > 0)) return sum;
    const double scale = l->shifts ? ((double)n * cx - c1 * x1) / det : cx / c2;
    if (scale == 0 || !isfinite(scale)) return sum;
    g->scale = scale;
    g->shift = l->shifts ? (x1 - scale * c1) / (double)n : 0;
    return sum;
}

/* The grid on which the lowest and the highest level are min and max, its width times factor. */
static grid first_grid(const conf_levels *l, double min, double max, double factor)
{
    const double low = l->at[0], high = l->at[l->n - 1];
    grid g = {.scale = 0, .shift = 0};
    if (l->shifts) {
        g.scale = (max - min) / (high - low) * factor;
        g.shift = (max + min) / 2 - g.scale * (high + low) / 2;
        return g;
    }
    if (max > 0 && high > 0) g.scale = max / high;
    if (min < 0 && low < 0) g.scale = fmax(g.scale, min / low);
    if (g.scale == 0) g.scale = fmax(fabs(min), fabs(max)) / fmax(fabs(low), fabs(high));
    g.scale *= factor;
    return g;
}

static double best_coded(const conf_levels *l, const double *x, size_t n)
{
    double min = x[0], max = x[0], best = 0;
    for (size_t i = 0; i < n; i++) {
        min = fmin(min, x[i]);
        max = fmax(max, x[i]);
        best += x[i] * x[i];
    }
    const int n_signs = !l->shifts && l->at[0] != -l->at[l->n - 1] ? 2 : 1;
    for (int sign = 0; best > 0 && sign < n_signs; sign++) {
        for (int step = 0; step < 12; step++) {
            grid g = first_grid(l, sign ? -max : min, sign ? -min : max, 1.05 - 0.05 * step);
            if (sign) g.scale = -g.scale;
            if (g.scale == 0 || !isfinite(g.scale)) continue;
            for (int again = 0; again < 3; again++) best = fmin(best, try_grid(l, x, n, &g));
        }
    }
    return best;
}

double conf_rounding_best(const conf_levels *levels, const double *x, size_t n)
{
    double sum = 0;
    if (levels->n) return levels->n > 1 && n ? best_coded(levels, x, n) : 0;
    for (size_t i = 0; i < n; i++) {
        double bits, value;
        dtype_from_f64(&bits, &x[i], levels->number, 1);
        dtype_to_f64(&value, &bits, levels->number, 1);
        sum += (value - x[i]) * (value - x[i]);
    }
    return sum;
}
