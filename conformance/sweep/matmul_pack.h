/* Packing of matrices, which is an operation of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_MATMUL_PACK_H
#define CONFORMANCE_SWEEP_MATMUL_PACK_H

#include "conformance/sweep/matmul_parts.h"

/* Sets panel_bytes of p->packed, whose other sizes are set. False, with a fault noted, if it is invalid or
 * too large. */
bool sweep_pack_sizes(sweep_product *p, sweep *s);

/* The same, and packs all panels by p->pack; all inputs are read-only from then on. */
bool sweep_pack_panels(sweep_product *p, sweep *s);

/* Judges the panels and the rows that are unpacked from them. */
void sweep_judge_panels(const sweep_product *p, sweep *s);

/* Packs p->stored into p->packed; all inputs are read-only from then on. False, with a fault noted, on
 * failure. */
bool sweep_pack(sweep_product *p, sweep *s);

/* For SWEEP_MATMUL. kind: index of {f32, f16, bf16, affine}. */
bool sweep_pack_is_provided(const assay_kernels *kernels, const sweep_op *op);
void sweep_pack_shapes(sweep *s, const sweep_op *op);
bool sweep_pack_allows(const sweep *s, const sweep_op *op, const size_t *shape);
void sweep_pack_run(sweep *s, const sweep_op *op, const size_t *shape, sweep_numbers numbers);
void sweep_pack_fit(const sweep *s, const sweep_op *op, size_t *shape);
enum { SWEEP_PACK_DIMS = 4 };
extern const sweep_dim SWEEP_PLAIN_PACK_DIMS[SWEEP_PACK_DIMS], SWEEP_AFFINE_PACK_DIMS[SWEEP_PACK_DIMS];

#endif
