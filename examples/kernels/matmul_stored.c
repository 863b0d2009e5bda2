/* y = x Wᵀ, W in one of two formats of quantised checkpoints, read from the raw bytes: Q4_K of GGUF files,
 * and e4m3 with a scale for each block ("fp8"). A panel is the float32 values of PANEL outputs, [n_in,
 * PANEL], so that one product serves both.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "example.h"

/* Q4_K: 256 inputs in 144 bytes: d and dmin of binary16, 12 bytes of scales, 128 bytes of codes. */
enum { Q4_K_INPUTS = 256, Q4_K_BYTES = 144, Q4_K_GROUPS = 8 };

static float widen_f16(const unsigned char *bytes)
{
    const unsigned bits = bytes[0] | (unsigned)bytes[1] << 8, fraction = bits & 0x3FF,
                   exponent = bits >> 10 & 31;
    const float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                            : exponent     ? ldexpf((float)(fraction | 0x400), (int)exponent - 25)
                                           : ldexpf((float)fraction, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* Scale and minimum of group g: of the first four groups the low 6 bits of a byte, of the others 4 bits here
 * and the upper 2 bits of such a byte. */
static void q4_k_scale(const unsigned char *scales, size_t g, unsigned *scale, unsigned *min)
{
    *scale = g < 4 ? scales[g] & 63U : (scales[g + 4] & 15U) | (unsigned)scales[g - 4] >> 6 << 4;
    *min = g < 4 ? scales[g + 4] & 63U : (unsigned)scales[g + 4] >> 4 | (unsigned)scales[g] >> 6 << 4;
}

/* Every product of two is exact in double, so that a value is rounded once. */
static float q4_k_value(const unsigned char *row, size_t k)
{
    const unsigned char *block = row + k / Q4_K_INPUTS * Q4_K_BYTES;
    const size_t at = k % Q4_K_INPUTS, g = at / 32;
    unsigned scale, min;
    q4_k_scale(block + 4, g, &scale, &min);
    const unsigned byte = block[16 + at / 64 * 32 + at % 32], code = g % 2 ? byte >> 4 : byte & 15U;
    return (float)((double)widen_f16(block) * scale * code - (double)widen_f16(block + 2) * min);
}

static double e4m3_value(unsigned char code)
{
    const unsigned fraction = code & 7U, exponent = code >> 3 & 15U;
    const double magnitude = (code & 0x7F) == 0x7F ? (double)NAN
                             : exponent            ? ldexp(8 + fraction, (int)exponent - 10)
                                                   : ldexp(fraction, -9);
    return code & 0x80 ? -magnitude : magnitude;
}

/* The number of a grid of scales, one for block_rows x block_cols weights, each float32. */
static float grid_scale(const assay_field *f, size_t row, size_t col)
{
    const assay_plane *plane = &f->layout->planes[0];
    size_t byte = plane->base / 8;
    float scale;
    for (size_t i = 0; i < plane->n_digits; i++) {
        const assay_digit *d = &plane->digits[i];
        byte += (d->index == ASSAY_INDEX_ROW ? row : col) / d->div * d->stride / 8;
    }
    memcpy(&scale, (const char *)f->bytes + byte, sizeof scale);
    return scale;
}

static bool is_q4_k(const assay_stored *w)
{
    return strcmp(w->format, "Q4_K") == 0;
}

/* The name of a format implies its layouts, but the types of the scales. */
bool matmul_stored_supports(const assay_stored *w)
{
    return is_q4_k(w) || (strcmp(w->format, "FP8") == 0 && w->scale.layout->number == ASSAY_F32);
}

/* Row r of the stored array for output o. */
static size_t row_of(const assay_stored *w, size_t o)
{
    size_t row = w->first_row;
    if (!w->n_row_digits) return row + o;
    for (size_t i = 0; i < w->n_row_digits; i++) {
        const assay_digit *d = &w->row_digits[i];
        const size_t value = (o * d->mul + d->add) / d->div;
        row += (d->mod ? value % d->mod : value) * d->stride;
    }
    return row;
}

static float value_of(const assay_stored *w, size_t row, size_t k)
{
    const unsigned char *bytes = w->codes.bytes;
    if (is_q4_k(w)) return q4_k_value(bytes + row * (w->n_in / Q4_K_INPUTS) * Q4_K_BYTES, k);
    return (float)(e4m3_value(bytes[row * w->n_in + k]) * grid_scale(&w->scale, row, k));
}

size_t matmul_stored_bytes(const assay_stored *w)
{
    const size_t bytes = w->n_in * PANEL * sizeof(float);
    return (bytes + ASSAY_ALIGNMENT - 1) / ASSAY_ALIGNMENT * ASSAY_ALIGNMENT;
}

void matmul_stored_pack(void *panel, const assay_stored *w, size_t index)
{
    float *to = panel;
    memset(panel, 0, matmul_stored_bytes(w));
    for (size_t k = 0; k < PANEL && index * PANEL + k < w->n_out; k++) {
        const size_t row = row_of(w, index * PANEL + k);
        for (size_t i = 0; i < w->n_in; i++) to[i * PANEL + k] = value_of(w, row, i);
    }
}

static const float *panel_of(const assay_stored_matrix *w, size_t index)
{
    return (const float *)(const void *)((const char *)w->panels + index * w->panel_bytes);
}

void matmul_stored_unpack(float *row, const assay_stored_matrix *w, size_t o)
{
    const float *panel = panel_of(w, o / PANEL);
    for (size_t i = 0; i < w->from->n_in; i++) row[i] = panel[i * PANEL + o % PANEL];
}

/* Element i of a row. */
typedef float element_fn(const assay_stored_product *p, size_t row, size_t i);

static float element_f32(const assay_stored_product *p, size_t row, size_t i)
{
    return ((const float *)p->x)[row * p->ld_x + i];
}

static float element_bf16(const assay_stored_product *p, size_t row, size_t i)
{
    const uint32_t wide = (uint32_t)((const uint16_t *)p->x)[row * p->ld_x + i] << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

static float element_i8(const assay_stored_product *p, size_t row, size_t i)
{
    const size_t n_groups = (p->w->from->n_in + p->group - 1) / p->group;
    return p->x_scale[row * n_groups + i / p->group] * ((const int8_t *)p->x)[row * p->ld_x + i];
}

/* Sums in double. */
static void multiply(const assay_stored_product *p, element_fn *element)
{
    const assay_stored *w = p->w->from;
    for (size_t index = p->first_panel; index < p->first_panel + p->n_panels; index++) {
        const float *panel = panel_of(p->w, index);
        const size_t left = w->n_out - index * PANEL, n_out = left < PANEL ? left : PANEL;
        for (size_t row = 0; row < p->n_rows; row++) {
            double sum[PANEL] = {0};
            for (size_t i = 0; i < w->n_in; i++) {
                const double x = element(p, row, i);
                for (size_t k = 0; k < PANEL; k++) sum[k] += x * panel[i * PANEL + k];
            }
            for (size_t k = 0; k < n_out; k++) p->y[row * p->ld_y + index * PANEL + k] = (float)sum[k];
        }
    }
}

void matmul_stored_f32(const assay_stored_product *p)
{
    multiply(p, element_f32);
}

void matmul_stored_bf16(const assay_stored_product *p)
{
    multiply(p, element_bf16);
}

void matmul_stored_i8(const assay_stored_product *p)
{
    multiply(p, element_i8);
}

/* ggml multiplies Q4_K by codes with a scale for 256 inputs; fp8 is multiplied by floats. */
bool matmul_stored_supports_i8(const assay_stored *w, size_t group)
{
    return is_q4_k(w) && group == Q4_K_INPUTS;
}
