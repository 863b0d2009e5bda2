/* SPDX-License-Identifier: Apache-2.0 */
#include "image/gif_codes.h"

enum { CODE_BITS = 12, N_CODES = 1 << CODE_BITS };

typedef struct codes {
    const uint8_t *data;     /* [n] */
    size_t n, at, n_block;   /* n_block: bytes of the current block that follow */
    uint32_t bits;           /* read, not used */
    unsigned n_bits, n_code; /* of them; of a code */
    unsigned clear, n_table; /* the code that empties the table; codes of the table, with clear and end */
    /* The string of a code: its last index, and the code of those before. */
    uint8_t last[N_CODES];
    uint16_t prefix[N_CODES];
    uint8_t string[N_CODES]; /* of the last code, reversed */
    size_t n_string;
} codes;

static void empty_table(codes *c)
{
    unsigned n_bits = 0;
    while (1U << n_bits < c->clear) n_bits++;
    c->n_table = c->clear + 2;
    c->n_code = n_bits + 1;
}

/* The next code. Returns false if there is none: a block counts only if it is complete. */
static bool read_code(codes *c, unsigned *out)
{
    while (c->n_bits < c->n_code) {
        if (c->n_block > 0) {
            c->n_block--;
            c->bits |= (uint32_t)c->data[c->at++] << c->n_bits;
            c->n_bits += 8;
            continue;
        }
        if (c->at >= c->n || c->n - c->at <= c->data[c->at]) return false;
        c->n_block = c->data[c->at++];
    }
    *out = c->bits & ((1U << c->n_code) - 1);
    c->bits >>= c->n_code;
    c->n_bits -= c->n_code;
    return true;
}

/* Appends the indices of a code to the string, last first. Returns false if the table does not have it. */
static bool expand_code(codes *c, unsigned code)
{
    while (code >= c->clear) {
        if (code >= N_CODES || c->n_string >= N_CODES) return false;
        c->string[c->n_string++] = c->last[code];
        code = c->prefix[code];
    }
    if (c->n_string >= N_CODES) return false;
    c->string[c->n_string++] = (uint8_t)code;
    return true;
}

static void add_to_table(codes *c, unsigned previous, uint8_t index)
{
    if (c->n_table >= N_CODES) return;
    c->last[c->n_table] = index;
    c->prefix[c->n_table] = (uint16_t)previous;
    if (c->n_table == (1U << c->n_code) - 1 && c->n_code < CODE_BITS) c->n_code++;
    c->n_table++;
}

/* Makes the string of a code. *previous: the code before, and c->clear behind a clear code. Returns false if
 * the table does not have the code. */
static bool read_string(codes *c, unsigned code, unsigned *previous)
{
    const bool is_first = *previous == c->clear, is_new = !is_first && code == c->n_table;
    const uint8_t first_index = c->n_string > 0 ? c->string[c->n_string - 1] : 0;
    c->n_string = 0;
    if (is_first ? code > c->clear : code > c->n_table) return false;
    /* The code that is just being defined: the string before, and its first index again. */
    if (is_new) c->string[c->n_string++] = first_index;
    if (!expand_code(c, is_new ? *previous : code)) return false;
    if (!is_first) add_to_table(c, *previous, c->string[c->n_string - 1]);
    *previous = code;
    return true;
}

const char *gif_codes_read(const uint8_t *data, size_t n, unsigned n_bits, size_t n_pixels,
                           void (*put)(void *user, uint8_t index), void *user)
{
    codes c = {.data = data, .n = n};
    unsigned code, previous;
    if (n_bits > CODE_BITS) return "found a code size that GIF does not have";
    c.clear = 1U << n_bits;
    empty_table(&c);
    previous = c.clear;
    while (read_code(&c, &code)) {
        if (code == c.clear) {
            empty_table(&c);
            previous = c.clear;
            continue;
        }
        if (code == c.clear + 1) break;
        if (!read_string(&c, code, &previous)) return "found a code that the table of codes does not have";
        for (size_t i = c.n_string; i-- > 0;) {
            put(user, c.string[i]);
            if (--n_pixels == 0) return NULL;
        }
    }
    return "the file is truncated: pixels are missing";
}
