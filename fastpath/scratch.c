/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/scratch.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "fastpath/kernels/matmul/matmul.h"

void *fp_scratch_alloc(fp_scratch *s, size_t n, size_t m, size_t element_bytes)
{
    assert(s->n < FP_SCRATCH_BUFFERS);
    if (m && n > (SIZE_MAX - ASSAY_ALIGNMENT) / element_bytes / m) return NULL;
    size_t bytes = (n * m * element_bytes / ASSAY_ALIGNMENT + 1) * ASSAY_ALIGNMENT;
    if (bytes > s->bytes[s->n]) {
        free(s->buffer[s->n]);
        s->buffer[s->n] = aligned_alloc(ASSAY_ALIGNMENT, bytes);
        s->bytes[s->n] = s->buffer[s->n] ? bytes : 0;
    }
    return s->buffer[s->n] ? s->buffer[s->n++] : NULL;
}

float *fp_scratch_floats(fp_scratch *s, size_t rows, size_t cols)
{
    return fp_scratch_alloc(s, rows, cols, sizeof(float));
}

void fp_scratch_free(fp_scratch *s)
{
    assert(s->n == 0);
    for (size_t i = 0; i < FP_SCRATCH_BUFFERS; i++) free(s->buffer[i]);
    *s = (fp_scratch){0};
}
