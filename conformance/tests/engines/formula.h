/* A model of integers, shared by the test engines and the tests that record cases of it: logits are
 * exact in float32, so that every difference is intended.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_FORMULA_H
#define CONFORMANCE_TESTS_ENGINES_FORMULA_H

#include <stddef.h>
#include <stdint.h>

#define FORMULA_VOCAB 19
#define FORMULA_STOP  5
#define FORMULA_WIDTH 4
#define FORMULA_NOISE (1.0 / 8192) /* of the recorded float32 run; the bound is four times that */

#define FORMULA_NARROW (1.0 / 256) /* of a run written by support_write_narrow */

/* The largest padding of the tests' recorded cases. */
#define FORMULA_PADDING_MAX 2

/* The token whose embedding comes from an image, in cases with images: its id plus a pixel and a deep pixel.
 */
#define FORMULA_IMAGE 11

/* The state of a sequence after one more token. */
static inline uint32_t formula_step(uint32_t state, int32_t token)
{
    return (state * 31U + (uint32_t)token + 7U) % 1009U;
}

static inline double formula_logit(uint32_t state, size_t id)
{
    uint32_t v = (uint32_t)id;
    return (double)((state * (v + 3U) * 5U + v * v * 17U) % 97U) / 16.0 - 3.0 + (double)v / 1024.0;
}

static inline int32_t formula_best(uint32_t state)
{
    int32_t best = 0;
    for (int32_t v = 1; v < FORMULA_VOCAB; v++)
        if (formula_logit(state, (size_t)v) > formula_logit(state, (size_t)best)) best = v;
    return best;
}

/* A token that is neither the best one of a state nor the stop id. */
static inline int32_t formula_other(uint32_t state)
{
    int32_t other = (formula_best(state) + 1) % FORMULA_VOCAB;
    return other == FORMULA_STOP ? other + 1 : other;
}

#define LAYERED_NOISE (1.0 / 1024) /* of the recorded tensors of the layered engine */

/* Element d of the tensor after layer `layer` (0: embed). */
static inline double formula_trace(uint32_t state, size_t layer, size_t d)
{
    return (double)(state % 89U) / 8.0 + (double)(layer * FORMULA_WIDTH + d);
}

#endif
