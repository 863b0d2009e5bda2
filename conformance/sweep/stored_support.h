/* Which stored matrices a library takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_STORED_SUPPORT_H
#define CONFORMANCE_SWEEP_STORED_SUPPORT_H

#include "conformance/sweep/stored_formats.h"

enum { SWEEP_STORED_GROUPS = 3 }; /* of codes of x: 32, 256, and all inputs */

/* The inputs that share a scale. codes: which of them. */
size_t sweep_stored_group(size_t codes, size_t n_in);

/* A matrix, and whether its rows are codes. */
typedef struct sweep_wanted {
    size_t format, n_out, n_in;
    bool is_coded;
    size_t codes;
} sweep_wanted;

/* Whether the library, which has the operation, takes it with some types of scales. */
bool sweep_stored_is_supported(const assay_kernels *kernels, const sweep_wanted *wanted);

/* Whether it takes any matrix of the format. */
bool sweep_format_is_supported(const assay_kernels *kernels, size_t format);

#endif
