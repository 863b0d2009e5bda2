/* SPDX-License-Identifier: Apache-2.0 */
#include "model/numerics/affine.h"

#include "base/dtype.h"

bool affine_knows_bits(size_t bits)
{
    return (bits >= 2 && bits <= 6) || bits == 8;
}

bool affine_knows_group(size_t group)
{
    return group == 32 || group == 64 || group == AFFINE_GROUP_MAX;
}

size_t affine_words(size_t cols, size_t bits)
{
    return cols / 32 * bits;
}

double affine_number(const void *numbers, assay_dtype dtype, size_t index)
{
    double value;
    dtype_to_f64(&value, (const char *)numbers + index * dtype_size(dtype), dtype, 1);
    return value;
}

void affine_codes(uint8_t *out, const void *row, size_t bits, size_t first, size_t n)
{
    const unsigned char *bytes = row;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (first + i) * bits, shift = at % 8;
        unsigned seen = bytes[at / 8];
        if (shift + bits > 8) seen |= (unsigned)bytes[at / 8 + 1] << 8;
        out[i] = (uint8_t)(seen >> shift & ((1U << bits) - 1));
    }
}
