/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_make.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/matmul_make.h"
#include "model/numerics/stored.h"

/* Scales of codes: two of them, a code and an activation have a product far below the largest float32. */
#define LARGEST 0x1p40

/* One field that is being drawn. */
typedef struct drawn_field {
    const assay_stored *of;
    const assay_field *field;
    bool is_code, is_divisor;
    size_t n_codes; /* that have been drawn */
    unsigned first;
} drawn_field;

static float draw_extreme(sweep *s, assay_dtype dtype)
{
    const float subnormal = dtype == ASSAY_F16    ? 0x1p-24F
                            : dtype == ASSAY_BF16 ? 0x1p-133F
                                                  : 0x1p-149F,
                largest = dtype == ASSAY_F16 ? 65504.0F : (float)LARGEST;
    float x;
    switch (sweep_between(s, 0, 7)) {
    case 0: return sweep_zero(s);
    case 1: return subnormal;
    case 2: return -3 * subnormal;
    case 3: return largest;
    default: sweep_fill(s, &x, 1, SWEEP_RANDOM); return x;
    }
}

static float draw_scale(const sweep_product *p, sweep *s, const drawn_field *f)
{
    float x;
    if (f->is_divisor)
        return ldexpf(1 + (float)sweep_between(s, 0, 99) / 128, (int)sweep_between(s, 0, 6) - 3);
    if (p->numbers == SWEEP_LARGE) return draw_extreme(s, (assay_dtype)f->field->layout->number);
    const bool is_sparse = p->numbers == SWEEP_ZEROS && !p->zeros_in_x;
    if (is_sparse && sweep_bits(s) % 2) return sweep_zero(s);
    sweep_fill(s, &x, 1, p->numbers == SWEEP_ZEROS ? (is_sparse ? SWEEP_RANDOM : SWEEP_SPECIAL) : p->numbers);
    return x;
}

/* Whether a code of the table may be drawn. */
static bool is_usable(const sweep_product *p, sweep *s, const drawn_field *f, double value)
{
    if (!isfinite(value)) return p->numbers == SWEEP_SPECIAL && sweep_bits(s) % 16 == 0;
    if (f->is_code) return true;
    const double smallest = p->numbers == SWEEP_LARGE ? 0 : 1 / LARGEST;
    return fabs(value) <= LARGEST && (value == 0 || fabs(value) >= smallest);
}

/* Every pattern once, while there are codes to draw; then any. */
static unsigned next_code(sweep *s, drawn_field *f, size_t n)
{
    if (f->n_codes == 0) f->first = (unsigned)sweep_between(s, 0, n - 1);
    if (f->n_codes < n) return f->first ^ (unsigned)f->n_codes++;
    return (unsigned)sweep_between(s, 0, n - 1);
}

static unsigned draw_pattern(const sweep_product *p, sweep *s, drawn_field *f, size_t n)
{
    const assay_layout *l = f->field->layout;
    unsigned code;
    if (p->numbers == SWEEP_ZEROS && !p->zeros_in_x && !f->is_code && sweep_bits(s) % 2) return 0;
    do code = next_code(s, f, n);
    while (l->table && !is_usable(p, s, f, l->table[code]));
    return code;
}

/* Sets the bits of a plane. */
static void put_bits(unsigned char *bytes, size_t at, size_t width, unsigned code)
{
    for (size_t i = 0; i < width; i++, at++) {
        const unsigned char bit = (unsigned char)(1U << at % 8);
        bytes[at / 8] = (unsigned char)(code >> i & 1U ? bytes[at / 8] | bit : bytes[at / 8] & ~bit);
    }
}

static void put_number(const sweep_product *p, sweep *s, drawn_field *f, const size_t *bits)
{
    const assay_layout *l = f->field->layout;
    unsigned char *bytes = (unsigned char *)(uintptr_t)f->field->bytes;
    size_t n = 0;
    if (l->number != ASSAY_U8 && l->number != ASSAY_I8) {
        const double x = (double)draw_scale(p, s, f);
        dtype_from_f64(bytes + bits[0] / 8, &x, (assay_dtype)l->number, 1);
        return;
    }
    for (size_t i = 0; i < l->n_planes; i++) n += l->planes[i].width;
    unsigned code = draw_pattern(p, s, f, (size_t)1 << n);
    for (size_t i = 0; i < l->n_planes; code >>= l->planes[i++].width)
        put_bits(bytes, bits[i], l->planes[i].width, code);
}

/* Draws each number once for neighbours that share it. */
static void draw_field(const sweep_product *p, sweep *s, drawn_field *f)
{
    const size_t n_planes = f->field->layout ? f->field->layout->n_planes : 0;
    size_t last[ASSAY_LAYOUT_PLANES] = {SIZE_MAX};
    for (size_t r = 0; r < f->of->n_out && n_planes; r++)
        for (size_t k = 0; k < f->of->n_in; k++) {
            size_t bits[ASSAY_LAYOUT_PLANES];
            stored_locate(f->of, f->field, r, k, bits);
            if (memcmp(bits, last, n_planes * sizeof *bits) != 0) put_number(p, s, f, bits);
            memcpy(last, bits, n_planes * sizeof *bits);
        }
}

/* What stands for every |code|; 0: each for itself. */
static double largest_code(const assay_layout *l)
{
    double largest = 0;
    size_t n = 1;
    for (size_t i = 0; i < l->n_planes; i++) n <<= l->planes[i].width;
    if (!l->table) return (double)n;
    for (size_t code = 0; code < n; code++) {
        const double x = fabs(l->table[code]);
        if (!(x <= 128) || 2 * x > floor(2 * x)) return 0;
        if (x > largest) largest = x;
    }
    return largest;
}

/* What stands for |w| in the bound (assay_stored_product_fn). */
static void find_magnitudes(const assay_stored *w, size_t row, size_t col, size_t n, double *out)
{
    static const double absent[STORED_FIELDS] = {[STORED_SCALE] = 1, [STORED_SCALE2] = 1, [STORED_MIN2] = 1};
    const assay_layout *l = w->codes.layout;
    double v[STORED_FIELDS][STORED_BLOCK];
    const double largest = largest_code(l);
    for (size_t i = 0; i < STORED_FIELDS; i++)
        stored_field_or(w, stored_field_at(w, i), absent[i], row, 1, col, n, v[i], n);
    for (size_t i = 0; i < n; i++) {
        const double code = (largest > 0 ? largest : fabs(v[STORED_CODES][i])) + fabs(v[STORED_ZERO][i]);
        const double scale = v[STORED_SCALE][i], scale2 = v[STORED_SCALE2][i];
        const double f = w->scale2_divides ? scale / scale2 : scale * scale2 + v[STORED_OFFSET][i];
        out[i] = code * fabs(f) + fabs(v[STORED_MIN][i] * v[STORED_MIN2][i]) + 0x1p-126;
    }
}

void sweep_make_stored(sweep_product *p, sweep *s, const assay_stored *w)
{
    sweep_make_values(p, s);
    for (size_t i = 0; i < STORED_FIELDS; i++)
        draw_field(p, s,
                   &(drawn_field){.of = w,
                                  .field = stored_field_at(w, i),
                                  .is_code = i == STORED_CODES,
                                  .is_divisor = i == STORED_SCALE2 && w->scale2_divides});
    for (size_t r = 0; r < w->n_out; r++)
        for (size_t k = 0; k < w->n_in; k += STORED_BLOCK) {
            const size_t n = w->n_in - k < STORED_BLOCK ? w->n_in - k : STORED_BLOCK;
            stored_block(w, r, 1, k, n, p->w + r * w->n_in + k, n);
            find_magnitudes(w, r, k, n, p->magnitude + r * w->n_in + k);
        }
}
