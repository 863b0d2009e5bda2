/* The discrete Fourier transform of real numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AUDIO_FOURIER_H
#define AUDIO_FOURIER_H

#include <stddef.h>

typedef struct fourier_number {
    double re, im;
} fourier_number;

/* A transform of one length; constant after fourier_new. */
typedef struct fourier fourier;

/* n: a product of 2, 3 and 5. NULL if out of memory; free it with fourier_free. */
fourier *fourier_new(size_t n);
void fourier_free(fourier *f);

/* out[k] = sum over i of x[i] * exp(-2 pi i k / n), by decimation in time (Cooley and Tukey 1965).
 * x: [n]; out: [n], must not overlap x. */
void fourier_transform(const fourier *f, const double *x, fourier_number *out);

#endif
