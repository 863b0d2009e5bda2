/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bmp_runs.h"

#include <string.h>

enum { END_OF_LINE = 0, END_OF_IMAGE = 1, MOVE = 2 };

typedef struct runs {
    const uint8_t *data; /* [n_data] */
    size_t n_data, at;
    bool has_4_bits;
    size_t width, x; /* x: of the row, as the runs count; a run ends at the end of its row */
    uint8_t *out;    /* [n] */
    size_t n, done;
} runs;

static void put(runs *r, uint8_t index)
{
    if (r->done < r->n) r->out[r->done++] = index;
}

static void put_zeros(runs *r, size_t n)
{
    for (size_t i = 0; i < n && r->done < r->n; i++) put(r, 0);
}

static void repeat(runs *r, size_t n, uint8_t byte)
{
    const size_t rest = r->x < r->width ? r->width - r->x : 0;
    if (n > rest) n = rest;
    for (size_t i = 0; i < n; i++) put(r, !r->has_4_bits ? byte : i % 2 == 0 ? byte >> 4 : byte & 15);
    r->x += n;
}

/* Returns false if the data ends. The next code begins at an even offset of the file. */
static bool copy(runs *r, size_t n)
{
    const size_t most = r->n - r->done, wanted = n < most ? n : most, per_byte = r->has_4_bits ? 2 : 1;
    const size_t n_bytes = (wanted + per_byte - 1) / per_byte, rest = r->n_data - r->at;
    for (size_t i = 0; i < wanted && i / per_byte < rest; i++) {
        const uint8_t byte = r->data[r->at + i / per_byte];
        put(r, !r->has_4_bits ? byte : i % 2 == 0 ? byte >> 4 : byte & 15);
    }
    if (rest < n_bytes) return false;
    r->at += n_bytes;
    r->x += n;
    if (r->at % 2 != 0 && r->at < r->n_data) r->at++;
    return true;
}

/* Returns false at the end of the image or of the data. */
static bool read_escape(runs *r, uint8_t code)
{
    if (code == END_OF_IMAGE) return false;
    if (code > MOVE) return copy(r, code);
    if (code == END_OF_LINE) {
        put_zeros(r, (r->width - r->done % r->width) % r->width);
        r->x = 0;
        return true;
    }
    if (r->n_data - r->at < 2) return false;
    put_zeros(r, r->data[r->at] + r->data[r->at + 1] * r->width);
    r->at += 2;
    r->x = r->done % r->width;
    return true;
}

bool bmp_runs_read(const uint8_t *data, size_t n_data, size_t at, bool has_4_bits, size_t width, uint8_t *out,
                   size_t n)
{
    runs r = {data, n_data, at < n_data ? at : n_data, has_4_bits, width, 0, out, n, 0};
    while (r.done < n && r.n_data - r.at >= 2) {
        const uint8_t count = r.data[r.at], byte = r.data[r.at + 1];
        r.at += 2;
        if (count > 0) repeat(&r, count, byte);
        else if (!read_escape(&r, byte)) break;
    }
    return r.done == n;
}
