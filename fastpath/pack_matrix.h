/* Packs matrices: chooses their panels and kernels.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_PACK_MATRIX_H
#define FASTPATH_PACK_MATRIX_H

#include "fastpath/pack.h"

/* Fills in *to, which must not move: it has no panels until p->arrays is realised, which fails with
 * ASSAY_ENOMEM, or with ASSAY_EUNSUPPORTED if external kernels lack a required product. *from is borrowed
 * until then. Plain weights keep their type, except that float64 becomes float32, and all become bfloat16 if
 * activations are bfloat16. Codes keep their bits where a library's matmul_stored takes them, or where panels
 * of codes hold them (kernels/stored/form.h), else they become float32; only affine groups are multiplied by
 * int8 activations. Columns of ordered groups are sorted by group. An absent weight (data NULL) gives a
 * matrix without panels. Pages of a mapped file that hold only this weight are released to the system; a
 * later reader loads them again. */
void fp_pack_matrix(fp_packer *p, fp_matrix *to, const plan_weight *from);

/* A matrix and its bias. */
void fp_pack_linear(fp_packer *p, fp_linear *to, const plan_linear *from);

/* As fp_pack_matrix, for a matrix whose rows are unpacked: its columns keep their order. */
void fp_pack_table(fp_packer *p, fp_matrix *to, const plan_weight *from);

/* Output o of a matrix of fp_pack_table, [n_in]. */
void fp_matrix_unpack(const fp_matrix *m, size_t o, float *row);

#endif
