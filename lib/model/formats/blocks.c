/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/blocks.h"

#include <math.h>
#include <string.h>

#include "model/formats/codes.h"

/* The layouts of a type within one block; the digits of the block and of the row are added when the number of
 * columns is known. number ASSAY_DTYPE_NONE: absent. */
typedef struct block_row {
    const char *type;
    assay_layout codes, scale, scale2, min, min2;
    void (*scale_table)(double table[256]); /* of the codes of `scale`; NULL: they are numbers */
} block_row;

/* Digits of the column k: of k / div % mod. */
#define DIGIT(div, mod, stride)                                                                              \
    {                                                                                                        \
        ASSAY_INDEX_COLUMN, 1, 0, (div), (mod), (stride)                                                     \
    }

/* A number of binary16, one for a block, at a byte. */
#define HALF(byte, times_)                                                                                   \
    {                                                                                                        \
        .number = ASSAY_F16, .n_planes = 1, .times = (times_), .planes = { {.width = 16, .base = (byte)*8} } \
    }

/* "nib16": the elements 0 to 15 of a block in the low halves of 16 bytes, 16 to 31 in their high halves. */
#define HALVES(byte)                                                                                         \
    {                                                                                                        \
        4, 2, (byte)*8,                                                                                      \
        {                                                                                                    \
            DIGIT(1, 16, 8), DIGIT(16, 2, 4)                                                                 \
        }                                                                                                    \
    }

/* Two bits of each of 128 elements in 32 bytes. */
#define PAIRS(byte)                                                                                          \
    {                                                                                                        \
        2, 3, (byte)*8,                                                                                      \
        {                                                                                                    \
            DIGIT(128, 2, 256), DIGIT(32, 4, 2), DIGIT(1, 32, 8)                                             \
        }                                                                                                    \
    }

/* The scales of 6 bits of Q4_K and Q5_K: eight of scales and eight of minimums in 12 bytes from byte 4 on. */
#define SIX_BITS(low, far_, high)                                                                            \
    {                                                                                                        \
        .number = ASSAY_U8, .n_planes = 2, .times = 1, .planes = {                                           \
            {4, 2, (low), {DIGIT(32, 4, 8), DIGIT(128, 2, far_)}},                                           \
            {2, 2, (high), {DIGIT(32, 4, 8), DIGIT(128, 2, 2)}}                                              \
        }                                                                                                    \
    }

static const double IQ4[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static const double SIGNS[2] = {-1, 1};

/* 2^(code - 127), 255 included. */
static void mxfp4_scales(double table[256])
{
    codes_e8m0(table);
    table[255] = 0x1p128;
}

/* e4m3 without a sign: 0x7f is 0, 0xff is 480 (ggml_ue4m3_to_fp32). */
static void nvfp4_scales(double table[256])
{
    codes_e4m3(table);
    for (int code = 128; code < 255; code++) table[code] = table[code - 128];
    table[0x7f] = 0;
    table[0xff] = 480;
}

static const block_row ROWS[] = {
    {.type = "Q4_0",
     .codes = {.number = ASSAY_U8, .n_planes = 1, .minus = 8, .times = 1, .planes = {HALVES(2)}},
     .scale = HALF(0, 1)},
    {.type = "Q4_1",
     .codes = {.number = ASSAY_U8, .n_planes = 1, .times = 1, .planes = {HALVES(4)}},
     .scale = HALF(0, 1),
     .min = HALF(2, -1)},
    {.type = "Q5_0",
     .codes = {.number = ASSAY_U8,
               .n_planes = 2,
               .minus = 16,
               .times = 1,
               .planes = {HALVES(6), {1, 1, 16, {DIGIT(1, 32, 1)}}}},
     .scale = HALF(0, 1)},
    {.type = "Q5_1",
     .codes = {.number = ASSAY_U8,
               .n_planes = 2,
               .times = 1,
               .planes = {HALVES(8), {1, 1, 32, {DIGIT(1, 32, 1)}}}},
     .scale = HALF(0, 1),
     .min = HALF(2, -1)},
    {.type = "Q8_0",
     .codes = {.number = ASSAY_I8, .n_planes = 1, .times = 1, .planes = {{8, 1, 16, {DIGIT(1, 32, 8)}}}},
     .scale = HALF(0, 1)},
    {.type = "Q2_K",
     .codes = {.number = ASSAY_U8, .n_planes = 1, .times = 1, .planes = {PAIRS(16)}},
     .scale = {.number = ASSAY_U8, .n_planes = 1, .times = 1, .planes = {{4, 1, 0, {DIGIT(16, 16, 8)}}}},
     .scale2 = HALF(80, 1),
     .min = {.number = ASSAY_U8, .n_planes = 1, .times = 1, .planes = {{4, 1, 4, {DIGIT(16, 16, 8)}}}},
     .min2 = HALF(82, 1)},
    {.type = "Q3_K",
     .codes = {.number = ASSAY_U8,
               .n_planes = 2,
               .minus = 4,
               .times = 1,
               .planes = {PAIRS(32), {1, 2, 0, {DIGIT(1, 32, 8), DIGIT(32, 8, 1)}}}},
     .scale = {.number = ASSAY_U8,
               .n_planes = 2,
               .minus = 32,
               .times = 1,
               .planes = {{4, 2, 768, {DIGIT(16, 8, 8), DIGIT(128, 2, 4)}},
                          {2, 2, 832, {DIGIT(16, 4, 8), DIGIT(64, 4, 2)}}}},
     .scale2 = HALF(108, 1)},
    {.type = "Q4_K",
     .codes = {.number = ASSAY_U8,
               .n_planes = 1,
               .times = 1,
               .planes = {{4, 3, 128, {DIGIT(64, 4, 256), DIGIT(32, 2, 4), DIGIT(1, 32, 8)}}}},
     .scale = SIX_BITS(32, 64, 36),
     .scale2 = HALF(0, 1),
     .min = SIX_BITS(64, 36, 68),
     .min2 = HALF(2, 1)},
    {.type = "Q5_K",
     .codes = {.number = ASSAY_U8,
               .n_planes = 2,
               .times = 1,
               .planes = {{4, 3, 384, {DIGIT(64, 4, 256), DIGIT(32, 2, 4), DIGIT(1, 32, 8)}},
                          {1, 2, 128, {DIGIT(1, 32, 8), DIGIT(32, 8, 1)}}}},
     .scale = SIX_BITS(32, 64, 36),
     .scale2 = HALF(0, 1),
     .min = SIX_BITS(64, 36, 68),
     .min2 = HALF(2, 1)},
    {.type = "Q6_K",
     .codes = {.number = ASSAY_U8,
               .n_planes = 2,
               .minus = 32,
               .times = 1,
               .planes = {{4, 3, 0, {DIGIT(128, 2, 512), DIGIT(64, 2, 4), DIGIT(1, 64, 8)}}, PAIRS(128)}},
     .scale = {.number = ASSAY_I8, .n_planes = 1, .times = 1, .planes = {{8, 1, 1536, {DIGIT(16, 16, 8)}}}},
     .scale2 = HALF(208, 1)},
    {.type = "IQ4_NL",
     .codes = {.number = ASSAY_U8, .n_planes = 1, .table = IQ4, .times = 1, .planes = {HALVES(2)}},
     .scale = HALF(0, 1)},
    {.type = "IQ4_XS",
     .codes = {.number = ASSAY_U8,
               .n_planes = 1,
               .table = IQ4,
               .times = 1,
               .planes = {{4, 3, 64, {DIGIT(32, 8, 128), DIGIT(1, 16, 8), DIGIT(16, 2, 4)}}}},
     .scale = {.number = ASSAY_U8,
               .n_planes = 2,
               .minus = 32,
               .times = 1,
               .planes = {{4, 1, 32, {DIGIT(32, 8, 4)}}, {2, 1, 16, {DIGIT(32, 8, 2)}}}},
     .scale2 = HALF(0, 1)},
    {.type = "MXFP4",
     .codes = {.number = ASSAY_U8, .n_planes = 1, .table = CODES_E2M1, .times = 1, .planes = {HALVES(1)}},
     .scale = {.number = ASSAY_U8, .n_planes = 1, .times = 1, .planes = {{.width = 8, .base = 0}}},
     .scale_table = mxfp4_scales},
    {.type = "NVFP4",
     .codes = {.number = ASSAY_U8,
               .n_planes = 1,
               .table = CODES_E2M1,
               .times = 1,
               .planes = {{4, 3, 32, {DIGIT(16, 4, 64), DIGIT(1, 8, 8), DIGIT(8, 2, 4)}}}},
     .scale = {.number = ASSAY_U8, .n_planes = 1, .times = 1, .planes = {{8, 1, 0, {DIGIT(16, 4, 8)}}}},
     .scale_table = nvfp4_scales},
    {.type = "TQ2_0",
     .codes = {.number = ASSAY_U8, .n_planes = 1, .minus = 1, .times = 1, .planes = {PAIRS(0)}},
     .scale = HALF(64, 1)},
    {.type = "Q1_0",
     .codes = {.number = ASSAY_U8,
               .n_planes = 1,
               .table = SIGNS,
               .times = 1,
               .planes = {{1, 1, 16, {DIGIT(1, 128, 1)}}}},
     .scale = HALF(0, 1)},
    {.type = "Q2_0",
     .codes = {.number = ASSAY_U8,
               .n_planes = 1,
               .minus = 1,
               .times = 1,
               .planes = {{2, 1, 16, {DIGIT(1, 64, 2)}}}},
     .scale = HALF(0, 1)},
};

static const block_row *find_row(const gguf_type *type)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++)
        if (strcmp(ROWS[i].type, type->name) == 0) return &ROWS[i];
    return NULL;
}

bool blocks_is_coded(const gguf_type *type)
{
    return type->block > 1;
}

bool blocks_is_known(const gguf_type *type)
{
    return find_row(type) != NULL;
}

/* Keeps the layout with digits of the row and of the block in every plane. */
static bool set_field(layout_list *all, const gguf_type *type, const assay_layout *of_block, size_t row_bytes,
                      const void *data, size_t n_bytes, assay_field *out)
{
    if (of_block->number == ASSAY_DTYPE_NONE) return true;
    assay_layout layout = *of_block;
    for (size_t p = 0; p < layout.n_planes; p++) {
        assay_plane *plane = &layout.planes[p];
        plane->digits[plane->n_digits++] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, 1, 0, row_bytes * 8};
        plane->digits[plane->n_digits++] = (assay_digit)DIGIT(type->block, 0, type->n_bytes * 8);
    }
    *out = (assay_field){layouts_keep(all, &layout), data, n_bytes};
    return out->layout;
}

bool blocks_describe(const gguf_type *type, const void *data, const void *scale, size_t rows, size_t cols,
                     layout_list *all, assay_stored *out)
{
    static const assay_layout ONE = {
        .number = ASSAY_F32, .n_planes = 1, .times = 1, .planes = {{.width = 32}}};
    double table[256];
    const block_row *row = find_row(type);
    assay_layout scales = row->scale;
    const size_t row_bytes = cols / type->block * type->n_bytes, n = rows * row_bytes;
    *out = (assay_stored){.format = type->name, .n_out = rows, .n_in = cols};
    if (row->scale_table) {
        row->scale_table(table);
        scales.table = layouts_keep_table(all, table, 256);
        if (!scales.table) return false;
    }
    if (scale) out->scale2 = (assay_field){layouts_keep(all, &ONE), scale, sizeof(float)};
    return set_field(all, type, &row->codes, row_bytes, data, n, &out->codes) &&
           set_field(all, type, &scales, row_bytes, data, n, &out->scale) &&
           set_field(all, type, &row->scale2, row_bytes, data, n, &out->scale2) &&
           set_field(all, type, &row->min, row_bytes, data, n, &out->min) &&
           set_field(all, type, &row->min2, row_bytes, data, n, &out->min2) && (!scale || out->scale2.layout);
}
