/* Products with AMX tiles: six tiles of sums, to hide latency, and two tiles of factors that are used
 * again and again. A tile has 16 rows of 64 bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <config.h>

#include "conformance/bench/machine_loops.h"

#ifdef FP_HAVE_AMX
#include <immintrin.h>
#include <stdint.h>

#include "base/processor.h"

enum { TILES = 8, SUMS = 6, ROWS = 16, LANES = 16, BYTES = 64, TILE = ROWS * BYTES };

/* The operand of LDTILECFG. */
typedef struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;

/* Sets all sums to 0, and all factors to one bit pattern. */
__attribute__((target("amx-tile"))) static void load_tiles(uint32_t bits)
{
    uint32_t factors[ROWS][LANES];
    tile_config config = {.palette = 1};
    for (size_t i = 0; i < TILES; i++) {
        config.rows[i] = ROWS;
        config.row_bytes[i] = BYTES;
    }
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < LANES; i++) factors[r][i] = bits;
    __asm__ volatile("" ::: "memory"); /* compilers do not know what memory the instructions read */
    _tile_loadconfig(&config);
    _tile_loadd(6, factors, BYTES);
    _tile_loadd(7, factors, BYTES);
}

__attribute__((target("amx-tile"))) static void store_tiles(void *sums)
{
    char *to = sums;
    _tile_stored(0, to, BYTES);
    _tile_stored(1, to + TILE, BYTES);
    _tile_stored(2, to + 2 * TILE, BYTES);
    _tile_stored(3, to + 3 * TILE, BYTES);
    _tile_stored(4, to + 4 * TILE, BYTES);
    _tile_stored(5, to + 5 * TILE, BYTES);
    __asm__ volatile("" ::: "memory");
    _tile_release();
}

__attribute__((target("amx-tile,amx-bf16"))) static float tiles_bf16(size_t n_rounds, float half)
{
    float sums[SUMS * ROWS * LANES], sum = 0;
    load_tiles(half == 0.5F ? 0x3F003F00 : 0); /* two times 0.5 in bfloat16 */
    for (size_t r = 0; r < n_rounds; r++) {
        _tile_dpbf16ps(0, 6, 7);
        _tile_dpbf16ps(1, 6, 7);
        _tile_dpbf16ps(2, 6, 7);
        _tile_dpbf16ps(3, 6, 7);
        _tile_dpbf16ps(4, 6, 7);
        _tile_dpbf16ps(5, 6, 7);
    }
    store_tiles(sums);
    for (size_t i = 0; i < SUMS * ROWS * LANES; i++) sum += sums[i];
    return sum;
}

__attribute__((target("amx-tile,amx-int8"))) static float tiles_i8(size_t n_rounds, float half)
{
    int32_t sums[SUMS * ROWS * LANES];
    float sum = 0;
    load_tiles(half == 0.5F ? 0x01010101 : 0); /* four bytes of 1 */
    for (size_t r = 0; r < n_rounds; r++) {
        _tile_dpbsud(0, 6, 7);
        _tile_dpbsud(1, 6, 7);
        _tile_dpbsud(2, 6, 7);
        _tile_dpbsud(3, 6, 7);
        _tile_dpbsud(4, 6, 7);
        _tile_dpbsud(5, 6, 7);
    }
    store_tiles(sums);
    for (size_t i = 0; i < SUMS * ROWS * LANES; i++) sum += (float)sums[i];
    return sum;
}

static const conf_dots bf16 = {.name = "TDPBF16PS",
                               .dtype = ASSAY_BF16,
                               .multiply_add = tiles_bf16,
                               .n_lanes = (size_t)SUMS * ROWS * LANES * BYTES / 2};
static const conf_dots i8 = {.name = "TDPBSUD",
                             .dtype = ASSAY_I8,
                             .multiply_add = tiles_i8,
                             .n_lanes = (size_t)SUMS * ROWS * LANES * BYTES};

const conf_dots *conf_dots_of_tiles(assay_dtype dtype)
{
    if ((dtype != ASSAY_BF16 && dtype != ASSAY_I8) || !processor_runs_tiles()) return NULL;
    return dtype == ASSAY_BF16 ? &bf16 : &i8;
}
#else
const conf_dots *conf_dots_of_tiles(assay_dtype dtype)
{
    (void)dtype;
    return NULL;
}
#endif
