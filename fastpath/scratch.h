/* Working memory of a session: buffers that are taken and given back like a stack and kept for the next pass.
 * Each is an allocation of its own, so that a sanitizer sees where it ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SCRATCH_H
#define FASTPATH_SCRATCH_H

#include <stddef.h>

enum { FP_SCRATCH_BUFFERS = 64 };

/* All zero: empty. */
typedef struct fp_scratch {
    void *buffer[FP_SCRATCH_BUFFERS];
    size_t bytes[FP_SCRATCH_BUFFERS];
    size_t n; /* taken */
} fp_scratch;

/* A buffer of n × m elements, with any content, aligned for any kernel; NULL where memory is short or the
 * product overflows. It is taken until n is set back to what it was before. */
void *fp_scratch_take(fp_scratch *s, size_t n, size_t m, size_t element_bytes);
float *fp_scratch_floats(fp_scratch *s, size_t rows, size_t cols);

/* Gives the memory back; nothing may be taken. */
void fp_scratch_free(fp_scratch *s);

#endif
