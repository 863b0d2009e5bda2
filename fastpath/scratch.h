/* Working memory of a session: a stack of buffers, which are reused by the next pass. Each is an
 * allocation of its own, so that a sanitizer detects an overflow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SCRATCH_H
#define FASTPATH_SCRATCH_H

#include <stddef.h>

enum { FP_SCRATCH_BUFFERS = 64 };

/* Zero-initialised: empty. */
typedef struct fp_scratch {
    void *buffer[FP_SCRATCH_BUFFERS];
    size_t bytes[FP_SCRATCH_BUFFERS];
    size_t n; /* number of buffers in use */
} fp_scratch;

/* Takes a buffer of n × m uninitialised elements, aligned for any kernel. NULL if out of memory, or if
 * the size overflows. The buffer is in use until s->n is restored to its earlier value. */
void *fp_scratch_alloc(fp_scratch *s, size_t n, size_t m, size_t element_bytes);
float *fp_scratch_floats(fp_scratch *s, size_t rows, size_t cols);

/* Frees the buffers; none may be in use. */
void fp_scratch_free(fp_scratch *s);

#endif
