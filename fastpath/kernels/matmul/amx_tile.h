/* Tiles of AMX, by their roles in a block of products: two tiles of rows of x times two tiles of outputs'
 * weights, and a tile of sums for each pair of them. A tile has up to 16 rows of up to 64 bytes.
 *
 * All tile instructions are reached through here, so that a test can put others in their place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_KERNELS_MATMUL_AMX_TILE_H
#define FASTPATH_KERNELS_MATMUL_AMX_TILE_H

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AMX_ROWS = 16, AMX_BYTES = 64 };

/* Operand of LDTILECFG. */
typedef struct amx_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} amx_config;

/* Tiles 0 … 3: the sums, [half of the rows][half of the outputs]; 4, 5: halves of x; 6, 7: of the weights. */
enum { AMX_SUMS = 0, AMX_X = 4, AMX_WEIGHTS = 6, AMX_TILES = 8 };

/* Compiler barrier: compilers do not know which memory the instructions read. */
static inline void amx_see_memory(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Zeroes all tiles. They belong to the thread until amx_release. */
static inline void amx_configure(const amx_config *config)
{
    amx_see_memory();
    _tile_loadconfig(config);
}

static inline void amx_release(void)
{
    _tile_release();
}

/* two: both halves of the rows, otherwise only the first. */
static inline void amx_zero_sums(bool two)
{
    _tile_zero(0);
    _tile_zero(1);
    if (!two) return;
    _tile_zero(2);
    _tile_zero(3);
}

/* stride: bytes between rows; the second half of the rows follows the first. */
static inline void amx_load_x(const void *x, size_t stride, bool two)
{
    amx_see_memory();
    _tile_loadd(4, x, stride);
    if (two) _tile_loadd(5, (const char *)x + AMX_ROWS * stride, stride);
}

/* The second half of the outputs is next to the first within each row. */
static inline void amx_load_weights(const void *weights, size_t stride)
{
    amx_see_memory();
    _tile_loadd(6, weights, stride);
    _tile_loadd(7, (const char *)weights + AMX_BYTES, stride);
}

/* Sums of float += pairs of bfloat16 in x times pairs in the weights. */
static inline void amx_multiply_pairs(bool two)
{
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if (!two) return;
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
}

/* Sums of int32_t += four signed bytes in x times four unsigned ones in the weights. */
static inline void amx_multiply_codes(bool two)
{
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
    if (!two) return;
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
}

/* [rows of the block, 32] float or int32_t. */
static inline void amx_store_sums(void *to, bool two)
{
    enum { STRIDE = 2 * AMX_BYTES };
    _tile_stored(0, to, STRIDE);
    _tile_stored(1, (char *)to + AMX_BYTES, STRIDE);
    if (two) {
        _tile_stored(2, (char *)to + AMX_ROWS * STRIDE, STRIDE);
        _tile_stored(3, (char *)to + AMX_ROWS * STRIDE + AMX_BYTES, STRIDE);
    }
    amx_see_memory();
}

#endif
