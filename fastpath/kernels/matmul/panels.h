/* How weights are packed for the kernels of this project: in panels of FP_PANEL outputs. A panel holds one of
 *
 *   numbers  [n_in, FP_PANEL]: f32 or f16, the weights of input 0 of all outputs, then those of input 1, …
 *   pairs    [n_in / 2 rounded up, FP_PANEL, 2]: bf16; two inputs of an output stand together, as products of
 *            bfloat16 take them. The second half of an odd last pair is 0.
 *   groups   [n_in / group] blocks of affine groups: FP_PANEL scales, FP_PANEL biases (as they were stored),
 * then the codes, in planes. A matrix whose bias_dtype is ASSAY_DTYPE_NONE has no biases: code 2^(bits - 1)
 * stands for 0.
 *   tables   the values of all codes as float, [2^bits], and then groups without biases, of codes of 4 or 8
 * bits; a weight is scale * value. A matrix whose dtype is FP_TABLE. The kernels of affine groups take these,
 * too, by rows of floats and of bfloat16; the kernels of the ABI have neither.
 *   supers   groups, or a table and groups, in which FP_PANEL floats, and as many if there are biases, come
 * before the groups of each FP_SUPER inputs: those multiply the scales of these groups, and these the biases.
 * A matrix whose dtype is FP_SUPERS or FP_TABLE_SUPERS.
 *
 * A plane holds `width` bits of each code: 8, 4, 2 or 1, whichever add up to the code's (3 = 2 + 1, 5 = 4 +
 * 1, 6 = 4 + 2), the wider plane first and of the lower bits. It is [group * width / 32, FP_PANEL] words of
 * 32 bits; a word has the bits of 32 / width inputs of one output. Input i of them is in byte i % 4, from bit
 * width * (i / 4) on: so a shift and a mask of words give the bytes of four inputs that follow each other.
 *
 * Outputs beyond n_out are 0 throughout.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_MATMUL_PANELS_H
#define FASTPATH_KERNELS_MATMUL_PANELS_H

#include <assay/kernel.h>

#define FP_PANEL ((size_t)32)

/* The smallest group of the kernels of this project, which take codes of 2, 4, 6 and 8 bits in groups of 16,
 * too: the ABI has none below 32. */
#define FP_GROUP_MIN ((size_t)16)

/* assay_matrix.dtype of the kinds beside the ABI's ASSAY_U32. */
#define FP_TABLE        ASSAY_U8
#define FP_SUPERS       ASSAY_U64
#define FP_TABLE_SUPERS ASSAY_U16

#define FP_SUPER ((size_t)256)

static inline bool fp_has_table(assay_dtype dtype)
{
    return dtype == FP_TABLE || dtype == FP_TABLE_SUPERS;
}

static inline bool fp_has_supers(assay_dtype dtype)
{
    return dtype == FP_SUPERS || dtype == FP_TABLE_SUPERS;
}

size_t fp_numbers_bytes(const assay_weight *w);
void fp_numbers_pack(void *panel, const assay_weight *w, size_t index);
void fp_numbers_unpack(float *row, const assay_matrix *w, size_t o);

size_t fp_pairs_bytes(const assay_weight *w);
void fp_pairs_pack(void *panel, const assay_weight *w, size_t index);
void fp_pairs_unpack(float *row, const assay_matrix *w, size_t o);

size_t fp_groups_bytes(const assay_weight *w);
void fp_groups_pack(void *panel, const assay_weight *w, size_t index);
void fp_groups_unpack(float *row, const assay_matrix *w, size_t o);

/* Converts inputs from … from + n - 1 of output o to double, exactly; with affine groups they lie in
 * one group. */
void fp_numbers_widen(double *out, const assay_matrix *w, size_t o, size_t from, size_t n);
void fp_pairs_widen(double *out, const assay_matrix *w, size_t o, size_t from, size_t n);
void fp_groups_widen(double *out, const assay_matrix *w, size_t o, size_t from, size_t n);

/* Bytes of the table at the beginning of a panel, or 0. */
static inline size_t fp_table_bytes(assay_dtype dtype, size_t bits)
{
    return fp_has_table(dtype) ? sizeof(float) << bits : 0;
}

/* Bytes of FP_PANEL scales or biases of a type. */
static inline size_t fp_group_numbers_bytes(assay_dtype dtype)
{
    return dtype == ASSAY_DTYPE_NONE ? 0 : FP_PANEL * (dtype == ASSAY_F32 ? sizeof(float) : sizeof(uint16_t));
}

static inline size_t fp_group_codes_bytes(size_t bits, size_t group)
{
    return FP_PANEL * group * bits / 8;
}

static inline size_t fp_group_bytes(const assay_matrix *w)
{
    return fp_group_numbers_bytes(w->scale_dtype) + fp_group_numbers_bytes(w->bias_dtype) +
           fp_group_codes_bytes(w->bits, w->group);
}

/* Bytes of the floats before FP_SUPER inputs, or 0. */
static inline size_t fp_super_bytes(const assay_matrix *w)
{
    if (!fp_has_supers(w->dtype)) return 0;
    return FP_PANEL * sizeof(float) * (w->bias_dtype == ASSAY_DTYPE_NONE ? 1 : 2);
}

/* Where the floats of FP_SUPER inputs begin in a panel, and where group `index` does. */
static inline size_t fp_super_offset(const assay_matrix *w, size_t index)
{
    return fp_table_bytes(w->dtype, w->bits) +
           index * (fp_super_bytes(w) + FP_SUPER / w->group * fp_group_bytes(w));
}

static inline size_t fp_group_offset(const assay_matrix *w, size_t index)
{
    const size_t n_supers = fp_has_supers(w->dtype) ? index * w->group / FP_SUPER + 1 : 0;
    return fp_table_bytes(w->dtype, w->bits) + n_supers * fp_super_bytes(w) + index * fp_group_bytes(w);
}

/* The number of bits of a code in the first plane; the rest is in the second, if any. */
static inline size_t fp_first_plane(size_t bits)
{
    return bits == 8 ? 8 : bits >= 4 ? 4 : 2;
}

#endif
