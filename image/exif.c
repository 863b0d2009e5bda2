/* SPDX-License-Identifier: Apache-2.0 */
#include "image/exif.h"

#include <stdbool.h>
#include <string.h>

enum { TAG_ORIENTATION = 0x112, TYPE_BYTE = 1, TYPE_SHORT = 3, TYPE_LONG = 4, ENTRY_BYTES = 12, UPRIGHT = 1 };

/* An unsigned integer of n_bytes. */
static uint32_t read_integer(const uint8_t *at, size_t n_bytes, bool little)
{
    uint32_t value = 0;
    for (size_t i = 0; i < n_bytes; i++) value = value << 8 | at[little ? n_bytes - 1 - i : i];
    return value;
}

int image_exif_orientation(const uint8_t *data, size_t n)
{
    if (n < 8 || (memcmp(data, "II*\0", 4) != 0 && memcmp(data, "MM\0*", 4) != 0)) return UPRIGHT;
    const bool little = data[0] == 'I';
    const size_t at = read_integer(data + 4, 4, little);
    if (at > n - 2) return UPRIGHT;
    const size_t n_entries = read_integer(data + at, 2, little);
    for (size_t i = 0; i < n_entries && (i + 1) * ENTRY_BYTES <= n - at - 2; i++) {
        const uint8_t *entry = data + at + 2 + i * ENTRY_BYTES;
        if (read_integer(entry, 2, little) != TAG_ORIENTATION) continue;
        const uint32_t type = read_integer(entry + 2, 2, little);
        const size_t n_bytes = type == TYPE_BYTE ? 1 : type == TYPE_SHORT ? 2 : type == TYPE_LONG ? 4 : 0;
        const uint32_t value = read_integer(entry + 8, n_bytes, little);
        return read_integer(entry + 4, 4, little) == 1 && value >= 1 && value <= 8 ? (int)value : UPRIGHT;
    }
    return UPRIGHT;
}
