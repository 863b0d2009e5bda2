/* Dense arrays in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_ARRAY_H
#define CONFORMANCE_SUPPORT_ARRAY_H

#include <assay/engine.h>

/* Dense, row-major, of the machine's byte order. */
typedef struct conf_array {
    assay_dtype dtype; /* never F16 or BF16, which are widened to F32 */
    size_t rank;
    size_t shape[ASSAY_TENSOR_RANK_MAX];
    size_t n; /* elements */
    void *data;
} conf_array;

void conf_array_free(conf_array *a);

/* "[2,*,19]": a shape [rank] as text; SIZE_MAX: any length. */
void conf_shape_print(char *text, size_t size, const size_t *shape, size_t rank);

#endif
