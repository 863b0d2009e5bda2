/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/fourier.h"

#include <math.h>
#include <stdlib.h>

enum { FACTOR_MAX = 5 };

struct fourier {
    size_t n;
    fourier_number roots[]; /* [n]: exp(-2 pi i k / n) */
};

fourier *fourier_new(size_t n)
{
    fourier *f = malloc(sizeof *f + n * sizeof *f->roots);
    if (!f) return NULL;
    f->n = n;
    for (size_t k = 0; k < n; k++) {
        const double angle = 2 * M_PI * (double)k / (double)n;
        f->roots[k] = (fourier_number){cos(angle), -sin(angle)};
    }
    return f;
}

void fourier_free(fourier *f)
{
    free(f);
}

static fourier_number product(fourier_number a, fourier_number b)
{
    return (fourier_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Transforms x[0], x[stride], … x[(n - 1) * stride], where n * stride is the whole length. */
static void transform(const fourier *f, const double *x, size_t n, size_t stride, fourier_number *out)
{
    if (n == 1) {
        out[0] = (fourier_number){x[0], 0};
        return;
    }
    const size_t p = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : FACTOR_MAX, m = n / p;
    for (size_t j = 0; j < p; j++) transform(f, x + j * stride, m, stride * p, out + j * m);
    for (size_t k = 0; k < m; k++) {
        fourier_number turned[FACTOR_MAX];
        for (size_t j = 0; j < p; j++) turned[j] = product(out[j * m + k], f->roots[j * k * stride]);
        for (size_t q = 0; q < p; q++) {
            fourier_number sum = turned[0];
            for (size_t j = 1; j < p; j++) {
                const fourier_number add = product(turned[j], f->roots[j * q % p * (f->n / p)]);
                sum.re += add.re;
                sum.im += add.im;
            }
            out[q * m + k] = sum;
        }
    }
}

void fourier_transform(const fourier *f, const double *x, fourier_number *out)
{
    transform(f, x, f->n, 1, out);
}
