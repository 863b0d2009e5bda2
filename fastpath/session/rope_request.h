/* The engine's RoPE as a single operation of the ABI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_ROPE_REQUEST_H
#define FASTPATH_SESSION_ROPE_REQUEST_H

#include <assay/engine.h>

#include "fastpath/kernels/rope/rope.h"

/* See assay_engine.rope; all arrays are of float. */
assay_status fp_rope_request(assay_rope_fn *kernel, const assay_rope_request *request, float *out,
                             float *cosine, float *sine, size_t *dim, assay_error *err);

#endif
