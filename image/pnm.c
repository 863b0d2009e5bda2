/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pnm.h"

#include <math.h>

#include "base/error.h"

#define NUMBER_MAX   1000000000U
#define MAXVAL_LARGE 255 /* larger ones have two bytes a sample */

typedef struct reading {
    const char *name;
    const uint8_t *at, *end;
    bool plain, gray;
    size_t height, width, maxval;
    assay_error *err;
} reading;

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* White space and comments. */
static void skip_space(reading *r)
{
    while (r->at < r->end && (is_space(*r->at) || *r->at == '#')) {
        if (*r->at == '#')
            while (r->at < r->end && *r->at != '\n' && *r->at != '\r') r->at++;
        else r->at++;
    }
}

static assay_status read_number(reading *r, const char *what, size_t least, size_t most, size_t *out)
{
    size_t value = 0;
    skip_space(r);
    const uint8_t *start = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && value < NUMBER_MAX; r->at++)
        value = value * 10 + (size_t)(*r->at - '0');
    const bool ends = r->at == r->end || is_space(*r->at) || *r->at == '#';
    if (r->at == start || !ends || value < least || value > most)
        return assay_fail(r->err, ASSAY_EFORMAT, "%s: %s: expected a whole number from %zu to %zu", r->name,
                          what, least, most);
    *out = value;
    return ASSAY_OK;
}

static assay_status read_header(reading *r)
{
    r->plain = r->at[1] < '4';
    r->gray = r->at[1] == '2' || r->at[1] == '5';
    r->at += 2;
    assay_status rc = read_number(r, "width", 1, NUMBER_MAX, &r->width);
    if (rc == ASSAY_OK) rc = read_number(r, "height", 1, NUMBER_MAX, &r->height);
    if (rc == ASSAY_OK) rc = read_number(r, "largest value", 1, 65535, &r->maxval);
    if (rc == ASSAY_OK && r->at < r->end) r->at++; /* one white space ends the header */
    return rc;
}

static assay_status read_sample(reading *r, size_t *out)
{
    if (r->plain) return read_number(r, "sample", 0, r->maxval, out);
    const size_t n = r->maxval > MAXVAL_LARGE ? 2 : 1;
    if ((size_t)(r->end - r->at) < n)
        return assay_fail(r->err, ASSAY_EFORMAT, "%s: the file is truncated", r->name);
    *out = n == 2 ? (size_t)r->at[0] << 8 | r->at[1] : r->at[0];
    r->at += n;
    return ASSAY_OK;
}

/* PIL scales samples to 0 … 255, half to even, but grays of two bytes to 0 … 65535, which convert("RGB")
 * clips. */
static uint8_t level(const reading *r, size_t sample)
{
    const double most = r->gray && r->maxval > MAXVAL_LARGE ? 65535 : 255;
    const double x = (double)sample / (double)r->maxval * most, below = floor(x), part = x - below;
    const bool up = part > 0.5 || (part == 0.5 && fmod(below, 2) != 0);
    const double rounded = below + (up ? 1 : 0);
    return (uint8_t)(rounded > 255 ? 255 : rounded);
}

static assay_status read_samples(reading *r, image_pixels *pixels)
{
    const size_t n = pixels->height * pixels->width * (r->gray ? 1 : 3);
    for (size_t i = 0; i < n; i++) {
        size_t sample;
        const assay_status rc = read_sample(r, &sample);
        if (rc != ASSAY_OK) return rc;
        const uint8_t value = level(r, sample);
        if (!r->gray) pixels->rgb[i] = value;
        else
            for (size_t c = 0; c < 3; c++) pixels->rgb[i * 3 + c] = value;
    }
    return ASSAY_OK;
}

assay_status image_pnm_decode(const char *name, const uint8_t *data, size_t n, image_pixels *out,
                              assay_error *err)
{
    reading r = {.name = name, .at = data, .end = data + n, .err = err};
    image_pixels pixels;
    assay_status rc = read_header(&r);
    if (rc == ASSAY_OK) rc = image_pixels_open(name, r.height, r.width, &pixels, err);
    if (rc != ASSAY_OK) return rc;
    rc = read_samples(&r, &pixels);
    if (rc == ASSAY_OK) *out = pixels;
    else image_pixels_free(&pixels);
    return rc;
}
