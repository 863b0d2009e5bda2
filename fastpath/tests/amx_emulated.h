/* The tile instructions in plain C, as Intel's Software Developer's Manual defines them (volume 2,
 * LDTILECFG, TDPBF16PS, TDPBSUD …), instead of amx_tile.h, so that matmul__amx.c runs without AMX.
 * Operands on which an instruction would fault abort the program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_MATMUL_AMX_TILE_H
#define FASTPATH_KERNELS_MATMUL_AMX_TILE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AMX_ROWS = 16, AMX_BYTES = 64 };
enum { AMX_SUMS = 0, AMX_X = 4, AMX_WEIGHTS = 6, AMX_TILES = 8 };

typedef struct amx_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} amx_config;

typedef union amx_row {
    uint8_t bytes[AMX_BYTES];
    int8_t codes[AMX_BYTES];
    uint16_t halves[AMX_BYTES / 2];
    int32_t ints[AMX_BYTES / 4];
    float floats[AMX_BYTES / 4];
} amx_row;

static _Thread_local struct { /* tiles are registers: each thread has its own */
    amx_config config;        /* palette 0: none, as after TILERELEASE */
    amx_row tile[AMX_TILES][AMX_ROWS];
} amx_state;

static inline void amx_expect(bool holds, const char *what)
{
    if (holds) return;
    printf("Bail out! the tiles would fault: %s\n", what);
    exit(EXIT_FAILURE);
}

static inline void amx_expect_tile(size_t t)
{
    amx_expect(amx_state.config.palette == 1, "no configuration");
    amx_expect(amx_state.config.rows[t] && amx_state.config.row_bytes[t], "a tile without rows");
}

static inline void amx_configure(const amx_config *config)
{
    amx_expect(sizeof *config == 64 && config->palette == 1 && config->start_row == 0, "another palette");
    for (size_t i = 0; i < sizeof config->reserved; i++) amx_expect(!config->reserved[i], "reserved bytes");
    for (size_t t = 0; t < 16; t++) {
        amx_expect(!config->rows[t] == !config->row_bytes[t], "half a size");
        amx_expect(config->rows[t] <= AMX_ROWS && config->row_bytes[t] <= AMX_BYTES, "too large a tile");
        amx_expect(t < AMX_TILES || !config->rows[t], "no such tile");
    }
    memset(&amx_state, 0, sizeof amx_state);
    amx_state.config = *config;
}

static inline void amx_release(void)
{
    memset(&amx_state, 0, sizeof amx_state);
}

static inline bool amx_is_released(void)
{
    return amx_state.config.palette == 0;
}

static inline void amx_zero(size_t t)
{
    amx_expect_tile(t);
    memset(amx_state.tile[t], 0, sizeof amx_state.tile[t]);
}

/* Elements outside a tile's rows and bytes become 0. */
static inline void amx_load(size_t t, const void *from, size_t stride)
{
    amx_zero(t);
    for (size_t r = 0; r < amx_state.config.rows[t]; r++)
        memcpy(&amx_state.tile[t][r], (const char *)from + r * stride, amx_state.config.row_bytes[t]);
}

static inline void amx_store(size_t t, void *to, size_t stride)
{
    amx_expect_tile(t);
    for (size_t r = 0; r < amx_state.config.rows[t]; r++)
        memcpy((char *)to + r * stride, &amx_state.tile[t][r], amx_state.config.row_bytes[t]);
}

/* Checks the sizes of the product sums += a·b. */
static inline void amx_expect_product(size_t sums, size_t a, size_t b)
{
    const amx_config *c = &amx_state.config;
    amx_expect_tile(sums);
    amx_expect_tile(a);
    amx_expect_tile(b);
    amx_expect(c->rows[sums] == c->rows[a] && c->row_bytes[sums] == c->row_bytes[b], "sums of another size");
    amx_expect(c->row_bytes[a] == 4 * c->rows[b] && c->row_bytes[a] % 4 == 0, "inner sizes that differ");
}

/* Subnormal inputs and outputs are treated as 0, independently of MXCSR. */
static inline float amx_flush(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

static inline float amx_wide(uint16_t bf16)
{
    const uint32_t bits = (uint32_t)bf16 << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return amx_flush(x);
}

static inline float amx_fma(float a, float b, float c)
{
    return amx_flush(fmaf(a, b, c));
}

/* Even and odd inputs are summed separately, from 0; then both sums are added to the tile's. */
static inline void amx_product_pairs(size_t sums, size_t a, size_t b)
{
    amx_expect_product(sums, a, b);
    for (size_t m = 0; m < amx_state.config.rows[sums]; m++) {
        float even[AMX_BYTES / 4] = {0}, odd[AMX_BYTES / 4] = {0};
        for (size_t k = 0; k < amx_state.config.row_bytes[a] / 4U; k++) {
            const amx_row *x = &amx_state.tile[a][m], *w = &amx_state.tile[b][k];
            const float first = amx_wide(x->halves[2 * k]), second = amx_wide(x->halves[2 * k + 1]);
            for (size_t n = 0; n < amx_state.config.row_bytes[sums] / 4U; n++) {
                even[n] = amx_fma(first, amx_wide(w->halves[2 * n]), even[n]);
                odd[n] = amx_fma(second, amx_wide(w->halves[2 * n + 1]), odd[n]);
            }
        }
        for (size_t n = 0; n < amx_state.config.row_bytes[sums] / 4U; n++) {
            float *sum = &amx_state.tile[sums][m].floats[n];
            *sum = amx_flush(amx_flush(*sum) + amx_flush(even[n] + odd[n]));
        }
    }
}

/* Signed bytes of a, unsigned ones of b; a sum that overflows would wrap. */
static inline void amx_product_codes(size_t sums, size_t a, size_t b)
{
    amx_expect_product(sums, a, b);
    for (size_t m = 0; m < amx_state.config.rows[sums]; m++)
        for (size_t k = 0; k < amx_state.config.row_bytes[a] / 4U; k++)
            for (size_t n = 0; n < amx_state.config.row_bytes[sums] / 4U; n++)
                for (size_t i = 0; i < 4; i++)
                    amx_state.tile[sums][m].ints[n] +=
                        amx_state.tile[a][m].codes[4 * k + i] * amx_state.tile[b][k].bytes[4 * n + i];
}

/* From here on: the functions of amx_tile.h, over functions instead of instructions. */

static inline void amx_zero_sums(bool two)
{
    for (size_t t = 0; t < (two ? 4U : 2U); t++) amx_zero(AMX_SUMS + t);
}

static inline void amx_load_x(const void *x, size_t stride, bool two)
{
    amx_load(AMX_X, x, stride);
    if (two) amx_load(AMX_X + 1, (const char *)x + AMX_ROWS * stride, stride);
}

static inline void amx_load_weights(const void *weights, size_t stride)
{
    amx_load(AMX_WEIGHTS, weights, stride);
    amx_load(AMX_WEIGHTS + 1, (const char *)weights + AMX_BYTES, stride);
}

static inline void amx_multiply_pairs(bool two)
{
    for (size_t t = 0; t < (two ? 4U : 2U); t++)
        amx_product_pairs(AMX_SUMS + t, AMX_X + t / 2, AMX_WEIGHTS + t % 2);
}

static inline void amx_multiply_codes(bool two)
{
    for (size_t t = 0; t < (two ? 4U : 2U); t++)
        amx_product_codes(AMX_SUMS + t, AMX_X + t / 2, AMX_WEIGHTS + t % 2);
}

static inline void amx_store_sums(void *to, bool two)
{
    for (size_t t = 0; t < (two ? 4U : 2U); t++)
        amx_store(AMX_SUMS + t, (char *)to + t / 2 * AMX_ROWS * 2 * AMX_BYTES + t % 2 * AMX_BYTES,
                  2UL * AMX_BYTES);
}

#endif
