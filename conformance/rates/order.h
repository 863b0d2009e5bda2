/* Orders of summation: the ways in which sound engines add up the products of a dot product.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_RATES_ORDER_H
#define CONFORMANCE_RATES_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDER_LANES_MAX = 16, ORDER_WIDTH_MAX = 64 };

/* The n terms of a sum are cut into `parts` pieces, as tensor-parallel engines cut a matrix. Each piece is
 * visited in an order, `block` terms at a time: the terms of a block go to `lanes` accumulators in turn, as
 * in a SIMD register, which are added in pairs; the block is added to the piece, and the piece to the sum.
 * The default is one accumulator that adds up all terms, first to last. */
typedef struct rates_order {
    enum { ORDER_FORWARD, ORDER_BACKWARD, ORDER_SHUFFLED } direction;
    size_t seed;         /* of a shuffled order */
    size_t lanes;        /* 1 … ORDER_LANES_MAX, a power of two */
    size_t block, parts; /* at least 1; block 0: the whole piece */
    bool fused;          /* a product is not rounded before it is added */
    bool rounded;        /* pieces, and their sum, are rounded to bfloat16 */
    int planted;         /* not 0: sums are wrong by the relative error 2^-planted, of either sign */
} rates_order;

/* Parses "forward", "backward" or "shuffled:SEED", then any of ",lanes:N", ",block:N", ",parts:N", ",fused",
 * ",rounded", ",planted:N". NULL is "forward". Returns false for anything else. */
bool rates_order_parse(const char *text, rates_order *order);

/* The numbers that weights are multiplied with: one of the two, the other is NULL. */
typedef struct rates_row {
    const float *f32;
    const uint16_t *bf16;
} rates_row;

/* y[k] = Σ x[i] w[i, k] in float. x: [n]; w: [n, width], ld_w numbers from one row to the next; y: [width],
 * width at most ORDER_WIDTH_MAX. An element of y depends on its own column alone. */
void rates_order_sum(const rates_order *order, float *y, size_t width, rates_row x, const float *w,
                     size_t ld_w, size_t n);

/* x rounded to bfloat16, to the nearest, ties to even. */
float rates_to_bf16(float x);

/* The sum number `output` with the planted error. */
float rates_order_plant(const rates_order *order, float sum, size_t output);

#endif
