/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

bool base64_append(buffer *out, const char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i += 3) {
        const size_t more = n - i < 3 ? n - i : 3;
        const uint32_t bits = (uint32_t)from[i] << 16 | (more > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                              (more > 2 ? (uint32_t)from[i + 2] : 0);
        char four[] = "====";
        for (size_t k = 0; k <= more; k++) four[k] = digits[bits >> (18 - 6 * k) & 63];
        (void)buffer_append(out, four, 4);
    }
    return !out->failed;
}

/* The value of a base64 digit; -1: none. */
static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

assay_status base64_decode(const char *text, size_t n, buffer *out)
{
    const size_t n_padding = n < 4 || text[n - 1] != '=' ? 0 : text[n - 2] != '=' ? 1 : 2;
    if (n % 4 != 0) return ASSAY_EINVAL;
    for (size_t i = 0; i < n - n_padding; i++)
        if (digit_of(text[i]) < 0) return ASSAY_EINVAL;
    /* the bits after the last byte are 0 in canonical text */
    if (n_padding && digit_of(text[n - n_padding - 1]) % (n_padding == 2 ? 16 : 4) != 0) return ASSAY_EINVAL;
    if (!buffer_reserve(out, n / 4 * 3)) return ASSAY_ENOMEM;
    for (size_t i = 0; i < n; i += 4) {
        uint32_t bits = 0;
        for (size_t k = i; k < i + 4; k++)
            bits = bits << 6 | (k < n - n_padding ? (uint32_t)digit_of(text[k]) : 0);
        for (int shift = 16; shift >= 0; shift -= 8)
            out->data[out->n++] = (char)(unsigned char)(bits >> shift);
    }
    out->n -= n_padding;
    return ASSAY_OK;
}
