/* SPDX-License-Identifier: Apache-2.0 */
#include "image/exif.h"

#include <string.h>

enum { TAG_ORIENTATION = 0x112, HEAD_BYTES = 8, ENTRY_BYTES = 12, INLINE_BYTES = 4, UPRIGHT = 1 };

typedef enum value_kind { NO_NUMBER, UNSIGNED, SIGNED, FLOATING, RATIONAL, SIGNED_RATIONAL } value_kind;

/* The types of TIFF, by number. No bytes: unknown, and ignored. */
static const struct {
    uint8_t n_bytes;
    value_kind kind;
} TYPES[] = {[1] = {1, NO_NUMBER}, [2] = {1, NO_NUMBER},        [3] = {2, UNSIGNED},  [4] = {4, UNSIGNED},
             [5] = {8, RATIONAL},  [6] = {1, SIGNED},           [7] = {1, NO_NUMBER}, [8] = {2, SIGNED},
             [9] = {4, SIGNED},    [10] = {8, SIGNED_RATIONAL}, [11] = {4, FLOATING}, [12] = {8, FLOATING},
             [13] = {4, UNSIGNED}, [16] = {8, UNSIGNED}};
enum { N_TYPES = sizeof TYPES / sizeof *TYPES };

typedef struct tiff {
    const uint8_t *data; /* [n] */
    size_t n;
    bool little;
} tiff;

/* An unsigned integer of n_bytes, at most 8. */
static uint64_t read_integer(const tiff *t, const uint8_t *at, size_t n_bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n_bytes; i++) value = value << 8 | at[t->little ? n_bytes - 1 - i : i];
    return value;
}

static double read_signed(const tiff *t, const uint8_t *at, size_t n_bytes)
{
    const uint64_t value = read_integer(t, at, n_bytes), sign = UINT64_C(1) << (8 * n_bytes - 1);
    return (double)value - (value & sign ? 2 * (double)sign : 0);
}

static double read_floating(const tiff *t, const uint8_t *at, size_t n_bytes)
{
    const uint64_t bits = read_integer(t, at, n_bytes);
    double value;
    if (n_bytes == sizeof(float)) {
        const uint32_t half = (uint32_t)bits;
        float narrow;
        memcpy(&narrow, &half, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Whether numerator / denominator is a whole number from 1 to 8, which *out is then. */
static bool divide(double numerator, double denominator, double *out)
{
    for (int i = 1; i <= 8 && denominator != 0; i++)
        if (numerator == i * denominator) {
            *out = i;
            return true;
        }
    return false;
}

static int orientation_of(const tiff *t, value_kind kind, size_t n_bytes, const uint8_t *at)
{
    double value = 0;
    switch (kind) {
    case NO_NUMBER: return UPRIGHT;
    case UNSIGNED: value = (double)read_integer(t, at, n_bytes); break;
    case SIGNED: value = read_signed(t, at, n_bytes); break;
    case FLOATING: value = read_floating(t, at, n_bytes); break;
    case RATIONAL:
        (void)divide((double)read_integer(t, at, 4), (double)read_integer(t, at + 4, 4), &value);
        break;
    case SIGNED_RATIONAL: (void)divide(read_signed(t, at, 4), read_signed(t, at + 4, 4), &value); break;
    }
    for (int i = 1; i <= 8; i++)
        if (value == i) return i;
    return UPRIGHT;
}

/* Where the value of an entry lies. *skips: the entry is ignored. Returns NULL if the value lies beyond the
 * data. n_outside: bytes of values outside entries so far; Pillow ignores those beyond as many as the data
 * has. */
static const uint8_t *find_value(const tiff *t, const uint8_t *entry, uint64_t size, uint64_t *n_outside,
                                 bool *skips)
{
    const uint64_t offset = read_integer(t, entry + 8, INLINE_BYTES);
    if (size <= INLINE_BYTES) return entry + 8;
    *n_outside += size;
    *skips = *n_outside > t->n;
    if (*skips) return entry;
    return offset <= t->n && size <= t->n - offset ? t->data + offset : NULL;
}

static void read_directory(const tiff *t, size_t at, int *orientation, bool *has_tag)
{
    uint8_t seen[65536 / 8] = {
        0}; /* tags whose value was read: later ones with the same number are ignored */
    uint64_t n_outside = 0;
    if (at > t->n || t->n - at < 2) return;
    const size_t n_entries = read_integer(t, t->data + at, 2);
    for (size_t i = 0; i < n_entries && (i + 1) * ENTRY_BYTES <= t->n - at - 2; i++) {
        const uint8_t *entry = t->data + at + 2 + i * ENTRY_BYTES;
        const size_t tag = read_integer(t, entry, 2), type = read_integer(t, entry + 2, 2);
        if (seen[tag / 8] & 1 << tag % 8 || type >= N_TYPES || TYPES[type].n_bytes == 0) continue;
        const uint64_t size = read_integer(t, entry + 4, 4) * TYPES[type].n_bytes;
        bool skips = size == 0;
        const uint8_t *value = find_value(t, entry, size, &n_outside, &skips);
        if (!value) return;
        if (skips) continue;
        seen[tag / 8] |= (uint8_t)(1 << tag % 8);
        if (tag != TAG_ORIENTATION) continue;
        *has_tag = true;
        *orientation = orientation_of(t, TYPES[type].kind, TYPES[type].n_bytes, value);
    }
}

bool image_exif_read(const uint8_t *data, size_t n, int *orientation, bool *has_tag)
{
    static const char head[] = "Exif\0";
    for (int i = 0; i < 2 && n >= sizeof head && memcmp(data, head, sizeof head) == 0; i++) {
        data += sizeof head;
        n -= sizeof head;
    }
    if (n == 0) return true;
    /* Pillow reads the last three, which are not those of TIFF, as well. */
    static const char marks[][4] = {
        {'M', 'M', 0, '*'}, {'I', 'I', '*', 0}, {'M', 'M', '*', 0}, {'I', 'I', 0, '*'}, {'M', 'M', 0, '+'}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks && n >= HEAD_BYTES; i++) {
        if (memcmp(data, marks[i], sizeof marks[i]) != 0) continue;
        const tiff t = {data, n, data[0] == 'I'};
        read_directory(&t, read_integer(&t, data + 4, 4), orientation, has_tag);
        return true;
    }
    return false;
}
