/* The kernel ABI, version 2: how single operations of an engine are replaced from outside.
 *
 * A kernel library is a shared object that exports one function, `assay_kernels_v2`, which returns a table
 * of operations:
 *
 *     const assay_kernels *assay_kernels_v2(void);
 *
 * It returns NULL where the library has no kernels for this processor. Any threads may call it at once. The
 * table, and the operations and texts that it points to, live as long as the object is loaded and do not
 * change once the function has returned them.
 *
 * The table and each operation begin with the size that the library was built with, and later headers append
 * members to them: members beyond the size are NULL, and an engine does not read members that it does not
 * know. Operations that are NULL are not provided: the engine uses its own kernels, which have the same
 * contracts. An operation that is provided has its required functions. It replaces the engine's operation as
 * a whole, so that a function that it lacks is missing, not the engine's own.
 *
 * The structs that a kernel receives, and its parameters, have no size and never change: an older kernel
 * would ignore an appended member and compute something else without notice. A new meaning is a new function
 * of an operation, or a new operation.
 *
 * A kernel does not allocate, keeps no state, writes only its outputs and reads only its
 * inputs; several threads call it at once. Pointers are borrowed for the call. Arrays are row-major; an array
 * with a stride (`ld_`, in elements) need not be dense, and rows have the alignment of one element, no more.
 * Callers observe the stated sizes and rules of overlap; a kernel need not check them.
 *
 * Kernels are batch-invariant: the result of a row depends only on that row and on data that all rows share
 * (weights, keys, parameters). It is bit-identical for any number of rows, any index of the row, any address,
 * and any division of the work. Engines batch, chunk and distribute work in reliance on that. NaN and
 * infinity propagate as in the mathematics: zero times NaN or infinity is NaN, so zeros must not be skipped.
 *
 * Bounds: |y - truth| <= 16 (u M + ½ ulp(truth)), with truth from exact arithmetic on the same inputs, u =
 * 2^-24, and M as stated for each operation.
 *
 * `assay kernels LIBRARY` checks all of this; `assay run --kernels LIBRARY` runs models with the library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/engine.h>
#include <assay/stored.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_KERNELS_ABI    2U
#define ASSAY_KERNELS_SYMBOL "assay_kernels_v2"

#define ASSAY_ALIGNMENT ((size_t)64)  /* in bytes, of packed panels and of pages of keys and values */
#define ASSAY_PAGE      ((size_t)64)  /* positions in a page */
#define ASSAY_PANEL_MAX ((size_t)256) /* outputs in a panel */

/* A matrix of weights, [n_out, n_in], as a checkpoint stores it.
 * Plain numbers: dtype is ASSAY_F32, ASSAY_F16 or ASSAY_BF16; bits is 0.
 * Affine groups (mlx.core.quantize): dtype is ASSAY_U32, w = scale * code + bias, with a scale and a bias for
 * every `group` inputs of an output. The codes of an output are one stream of bits in little-endian 32-bit
 * words: code i has the bits from i * bits on, lowest first. */
typedef struct assay_weight {
    size_t n_out, n_in;
    assay_dtype dtype;
    size_t bits, group;          /* bits: 2, 3, 4, 5, 6 or 8; group: 32, 64 or 128, a divisor of n_in */
    const void *rows;            /* numbers, or words of codes; at any address, as in a file */
    size_t stride;               /* numbers or words from one output to the next */
    const void *scales, *biases; /* [n_out, n_in / group], each ASSAY_F32, ASSAY_F16 or ASSAY_BF16; at any
                                  * address */
    assay_dtype scale_dtype, bias_dtype;
} assay_weight;

/* The same matrix, packed. */
typedef struct assay_matrix {
    size_t n_out, n_in;
    assay_dtype dtype;
    size_t bits, group;
    assay_dtype scale_dtype, bias_dtype;
    size_t panel, panel_bytes; /* of the kernel that packed it */
    void *panels;              /* [panels of the matrix, panel_bytes], aligned to ASSAY_ALIGNMENT */
} assay_matrix;

/* y = x Wᵀ for some of the outputs. All sizes are at least 1.
 * y: [n_rows, n_out], ld_y >= n_out; must not overlap anything else. The kernel writes the existing
 *    outputs of panels first_panel … first_panel + n_panels - 1, and nothing else.
 * x: [n_rows, n_in], ld_x >= n_in, of float, or of bfloat16 (uint16_t), or of codes (int8_t): then an
 *    element is x_scale[r, g] * code, g its group of `group` inputs; x_scale, x_sum: [n_rows, n_in / group],
 *    x_sum the sum of the group's codes; |code| <= 127. Bits between rows, and in x beyond n_in, are
 *    unspecified. */
typedef struct assay_product {
    float *y;
    size_t ld_y;
    const void *x;
    size_t ld_x;
    const float *x_scale;
    const int32_t *x_sum;
    size_t n_rows;
    const assay_matrix *w;
    size_t first_panel, n_panels;
} assay_product;

/* Sums are made in float32 or better, products of bfloat16 and float32 likewise, those of codes in integers.
 * M = Σ|x||w| of the values that x and W represent; with affine groups |w| counts as
 * |scale| (2^(bits-1) + |code - 2^(bits-1)|) + |bias + 2^(bits-1) scale|. Where every x, w (and scale, bias)
 * is a small integer, so that no sum of any products reaches 2^24, y is exact. With affine groups a sum
 * that is NaN or infinite may be either, but never finite. */
typedef void assay_product_fn(const assay_product *p);

/* Products with weights of one kind. Panel k holds outputs k * panel … k * panel + panel - 1, those beyond
 * n_out included, in a layout that the kernel chooses. Required: panel, panel_bytes, pack, unpack and at
 * least one product. */
typedef struct assay_matmul {
    uint32_t size;  /* sizeof(assay_matmul) that the library was built with */
    uint32_t panel; /* outputs of a panel, 1 … ASSAY_PANEL_MAX */
    /* Bytes of each packed panel, a multiple of ASSAY_ALIGNMENT. They depend only on n_in and on the types,
     * bits and group of w; the function is called before there are rows, and for parts of a matrix. */
    size_t (*panel_bytes)(const assay_weight *w);
    /* Packs panel number `index` of w; w->dtype, bits and group are those that the kernel supports. It
     * writes all bytes of the panel, padding included. They are the same as those of panel 0 of a matrix that
     * begins with the panel's first output, so that engines may pack a matrix panel by panel. */
    void (*pack)(void *panel, const assay_weight *w, size_t index);
    /* Output o, unpacked. row: [n_in]. Plain numbers are exact, affine groups are rounded once. */
    void (*unpack)(float *row, const assay_matrix *w, size_t o);
    /* By the type of x; NULL: not supported. i8: with affine groups only. */
    assay_product_fn *f32, *bf16, *i8;
} assay_matmul;

/* Matrices in the formats of quantised checkpoints, whose weights are described by fields of bits
 * (assay/stored.h). */

#define ASSAY_CODE_SUM ((size_t)16) /* inputs whose codes are summed for products with codes */

/* The same matrix, packed. */
typedef struct assay_stored_matrix {
    const assay_stored *from;  /* that was packed; its fields' bytes and group_of may be gone, so that only
                                * other  members are read */
    size_t panel, panel_bytes; /* of the kernel that packed it */
    void *panels;              /* [panels of the matrix, panel_bytes], aligned to ASSAY_ALIGNMENT */
} assay_stored_matrix;

/* As assay_product. x as codes: an element is x_scale[r, k / group] * code; group: 32 (ggml's q8_0), 256
 * (q8_K), another multiple of ASSAY_CODE_SUM, or n_in (one scale for a row). x_scale: [n_rows, n_in / group
 * rounded up]. x_sum: [n_rows, n_in / ASSAY_CODE_SUM rounded up], the sum of the codes of ASSAY_CODE_SUM
 * inputs. |code| <= 127. group is 0 with other types of x. */
typedef struct assay_stored_product {
    float *y;
    size_t ld_y;
    const void *x;
    size_t ld_x;
    size_t group;
    const float *x_scale;
    const int32_t *x_sum;
    size_t n_rows;
    const assay_stored_matrix *w;
    size_t first_panel, n_panels;
} assay_stored_product;

/* M = Σ|x||w|, where |w| counts as (c + |zero|) |f| + |m| + 2^-126, f = scale scale2 + offset, m = min min2;
 * c is 2^b with codes of b bits without a table, the largest |code| with a table of whole and half numbers up
 * to 128, and |code| with others. A sum that is NaN or infinite may be either, but never finite. Numbers that
 * are finite are below 2^100: scale, scale2, f, m. */
typedef void assay_stored_product_fn(const assay_stored_product *p);

/* Required: panel, supports, panel_bytes, pack, unpack and at least one product; with i8, supports_i8. */
typedef struct assay_matmul_stored {
    uint32_t size;  /* sizeof(assay_matmul_stored) that the library was built with */
    uint32_t panel; /* outputs of a panel, 1 … ASSAY_PANEL_MAX */
    /* Whether the other functions take the matrix. A library tells the format by its name, which implies the
     * layouts of all fields but the types of scales, or by the layouts alone. It reads no bytes of fields. */
    bool (*supports)(const assay_stored *w);
    /* Bytes of each packed panel, a multiple of ASSAY_ALIGNMENT. They do not depend on n_out, first_row or
     * row_digits, nor on the bytes of fields. */
    size_t (*panel_bytes)(const assay_stored *w);
    /* Packs panel number `index` of w. It writes all bytes of the panel, padding included. They are the same
     * as those of panel 0 of a matrix that begins with the panel's first output. */
    void (*pack)(void *panel, const assay_stored *w, size_t index);
    /* Output o, unpacked. row: [n_in]. Every number is the exact value, rounded once; one that is NaN or
     * infinite may be either. */
    void (*unpack)(float *row, const assay_stored_matrix *w, size_t o);
    /* By the type of x; NULL: not supported. */
    assay_stored_product_fn *f32, *bf16, *i8;
    /* Whether i8 takes the matrix with x in codes of such groups. */
    bool (*supports_i8)(const assay_stored *w, size_t group);
} assay_matmul_stored;

/* Softmax attention of some rows over one key/value head: out = softmax(scale q Kᵀ) V, for each row over its
 * own range of keys. All sizes are at least 1.
 *
 * out, q:      [n_rows, n_heads, head_dim], ld_out and ld_q elements from one row to the next; the query
 *              heads that share this key/value head. Where keys and values are bfloat16, every number of q is
 *              one, too: a float whose lower half is 0.
 * k, v:        pages of [head_dim, ASSAY_PAGE] (a key stands in a column) and of [ASSAY_PAGE, head_dim],
 *              aligned to ASSAY_ALIGNMENT. Elements of a page outside a row's range are unspecified, NaN
 *              included, and must not change its result.
 * first, last: [n_rows], positions counted from the first of page 0, first <= last.
 * sink_tokens: number of attention sink tokens. Every row also attends to those of positions
 *              0 … sink_tokens - 1 that are before its first. If sink_tokens is 0, at least one row's first
 *              is in page 0. Otherwise the pages of the sink tokens come first; pages after them to which no
 *              row attends may be missing, and positions count existing pages.
 * cap:         0, or scores become cap tanh(score / cap).
 * sinks:       NULL, or [n_heads]: an additional score for each head, whose weight in the softmax has no
 *              value.
 *
 * A query is a row of one head: other rows, other heads, and pages to which it does not attend do not change
 * its bits. So the order of additions follows from positions: a page is summed, and then added to the sum of
 * the pages before it. In a page that holds both, sink tokens and the row's own range may be summed
 * separately. M = Σ share |v| (1 + e + Σ share e), e the error of a score in units of u: Σ|scale q k|, plus
 * twice the score with a cap, plus its distance from the largest. The result is exact if a power of two of
 * the scores are equal whole numbers, and all others are so much smaller that their share is 0. */
typedef struct assay_attention_call {
    float *out;
    const float *q;
    size_t ld_out, ld_q;
    size_t n_rows, n_heads, head_dim;
    const void *const *k, *const *v;
    const size_t *first, *last;
    float scale, cap;
    const float *sinks;
    size_t sink_tokens;
} assay_attention_call;

typedef void assay_attention_fn(const assay_attention_call *c);

/* f32: the type of q and out. Required. */
typedef struct assay_attention {
    uint32_t size;     /* sizeof(assay_attention) that the library was built with */
    uint32_t reserved; /* 0 */
    assay_attention_fn *f32;
    /* attention_bf16 only: the same with the weights of values rounded to bfloat16, each relative to the
     * largest score so far, and divided by the sum of either; engines that compute in bfloat16 or narrower
     * prefer it. M has an additional term 2^12 Σ share |v|: a rounding of each weight, and one of the sum, by
     * 2^-9. NULL: not supported. */
    assay_attention_fn *bf16_shares;
} assay_attention;

/* y = x / sqrt(mean(x²) + epsilon) * weight, row by row (RMSNorm, Zhang & Sennrich 2019).
 * x: [n_rows, width], y likewise; y may be x with the same stride, and must not overlap it otherwise.
 * weight: [width]; NULL: no scaling. n_rows, width >= 1. The squares are summed in double, or to the same
 * accuracy. M = |y|. */
typedef void assay_rms_norm_fn(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows,
                               size_t width, const float *weight, double epsilon);

/* The functions of this operation and of those below, by the type of their rows. Required: f32. */
typedef struct assay_rms_norm {
    uint32_t size;     /* sizeof(assay_rms_norm) that the library was built with */
    uint32_t reserved; /* 0 */
    assay_rms_norm_fn *f32;
} assay_rms_norm;

/* Rotates the leading dim elements of every head of one position in place (Su et al. 2021); the others stay.
 * x:            [n_heads, head_dim]. dim: even, 2 … head_dim.
 * cosine, sine: [dim / 2], attention scaling included; must not overlap x.
 * adjacent:     pairs are 2i and 2i + 1; otherwise i and i + dim / 2.
 * A pair (a, b) becomes a cos - b sin, b cos + a sin. A row is a head. M = |a cos| + |b sin|, |b cos| + |a
 * sin|; for small integers the result is exact. */
typedef void assay_rope_fn(float *x, size_t n_heads, size_t head_dim, size_t dim, bool adjacent,
                           const float *cosine, const float *sine);

typedef struct assay_rope {
    uint32_t size;     /* sizeof(assay_rope) that the library was built with */
    uint32_t reserved; /* 0 */
    assay_rope_fn *f32;
} assay_rope;

typedef enum assay_activation {
    ASSAY_SILU,       /* x sigmoid(x) */
    ASSAY_GELU,       /* x Φ(x), exact */
    ASSAY_GELU_TANH,  /* x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) */
    ASSAY_QUICK_GELU, /* x sigmoid(1.702 x) */
    ASSAY_RELU
} assay_activation;

/* y = activation(gate) * up, element by element. y, gate, up: [n]; y may be gate or up, and must not overlap
 * them otherwise. A row is an element; elements of a tail are computed like all others.
 * M = |y|, for GELU_TANH times 1 + 3 |the exponent|, for QUICK_GELU times 1 + 1.702 |gate|, plus 2^-126 |gate
 * up| for exponentials that are subnormal. Where activation(gate) is 0, its product with an infinite up may
 * be NaN. */
typedef void assay_gate_fn(float *y, const float *gate, const float *up, size_t n,
                           assay_activation activation);

typedef struct assay_gate {
    uint32_t size;     /* sizeof(assay_gate) that the library was built with */
    uint32_t reserved; /* 0 */
    assay_gate_fn *f32;
} assay_gate;

/* x = tanh(x / cap) * cap over x: [n], in place; cap > 0. A row is an element. M = |the result|. */
typedef void assay_cap_fn(float *x, size_t n, float cap);

typedef struct assay_cap {
    uint32_t size;     /* sizeof(assay_cap) that the library was built with */
    uint32_t reserved; /* 0 */
    assay_cap_fn *f32;
} assay_cap;

/* The router of a mixture of experts: softmax over all experts, then the n_active best.
 * scores: [n_rows, n_experts], the router's logits; overwritten with unspecified values.
 * chosen: [n_rows, n_active], the experts with the n_active largest probabilities (the lower index among
 *         equals), in ascending order. Which experts are chosen among those whose probability is below the
 *         smallest float32 is unspecified.
 * share:  [n_rows, n_active], their probabilities, divided by their sum where renormalize.
 * 1 <= n_active <= n_experts. No two arrays overlap. M = share (1 + |score - the largest score|). For all
 * scores, NaN included, every index is below n_experts and occurs once. */
typedef void assay_router_fn(int32_t *chosen, float *share, float *scores, size_t n_rows, size_t n_experts,
                             size_t n_active, bool renormalize);

typedef struct assay_router {
    uint32_t size;     /* sizeof(assay_router) that the library was built with */
    uint32_t reserved; /* 0 */
    assay_router_fn *f32;
} assay_router;

typedef struct assay_kernels {
    uint32_t abi;     /* ASSAY_KERNELS_ABI */
    uint32_t size;    /* sizeof(assay_kernels) that the library was built with */
    const char *name; /* one word, for reports */
    const char *version;
    const assay_matmul *matmul_f32, *matmul_f16, *matmul_bf16, *matmul_affine; /* by the kind of weights */
    const assay_attention *attention_f32, *attention_bf16; /* by the type of keys and values */
    const assay_rms_norm *rms_norm;
    const assay_rope *rope;
    const assay_gate *gate;
    const assay_cap *cap;
    const assay_router *router;
    const assay_matmul_stored *matmul_stored; /* of weights that the operations above do not take */
} assay_kernels;

typedef const assay_kernels *assay_kernels_fn(void);

#ifdef __cplusplus
}
#endif

#endif
