/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pnm_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MAGIC_MAX = 6 };

static const struct {
    const char *magic;
    pnm_kind kind;
    bool is_plain;
    size_t n_bands;
} MAGICS[] = {{"P1", PNM_BIT, true, 1},       {"P2", PNM_GRAY, true, 1},     {"P3", PNM_RGB, true, 3},
              {"P4", PNM_BIT, false, 1},      {"P5", PNM_GRAY, false, 1},    {"P6", PNM_RGB, false, 3},
              {"P0CMYK", PNM_CMYK, false, 4}, {"Pf", PNM_FLOAT, false, 1},   {"PyP", PNM_INDEX, false, 1},
              {"PyRGBA", PNM_RGB, false, 4},  {"PyCMYK", PNM_CMYK, false, 4}};

typedef struct head_text {
    const uint8_t *data; /* [n] */
    size_t n, at;
} head_text;

bool pnm_is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

bool pnm_parse_integer(const uint8_t *text, size_t n, long long *out)
{
    const bool has_sign = n > 0 && (text[0] == '+' || text[0] == '-');
    long long value = 0;
    if (n == has_sign || !is_digit(text[n - 1])) return false;
    for (size_t i = has_sign; i < n; i++) {
        const bool is_between =
            i > has_sign && is_digit(text[i - 1]) && is_digit(text[i + 1 < n ? i + 1 : i]);
        if (is_digit(text[i])) value = value * 10 + (text[i] - '0');
        else if (text[i] != '_' || !is_between) return false;
    }
    *out = has_sign && text[0] == '-' ? -value : value;
    return true;
}

/* As Python's float(). */
static bool parse_number(const uint8_t *token, size_t n, double *out)
{
    char digits[PNM_TOKEN_MAX + 1] = "", *end;
    size_t n_digits = 0;
    for (size_t i = 0; i < n; i++) {
        const bool is_between = i > 0 && i + 1 < n && is_digit(token[i - 1]) && is_digit(token[i + 1]);
        if (token[i] == '_' && is_between) continue;
        if (!is_digit(token[i]) && !memchr("+-.eE", token[i], 5)) return false;
        digits[n_digits++] = (char)token[i];
    }
    *out = strtod(digits, &end);
    return n_digits > 0 && *end == '\0';
}

/* Reads a token and one white space behind it. Returns its length: 0 at the end, more than PNM_TOKEN_MAX for
 * a longer one. */
static size_t read_token(head_text *t, uint8_t token[PNM_TOKEN_MAX + 1])
{
    size_t n = 0;
    while (n <= PNM_TOKEN_MAX && t->at < t->n) {
        const uint8_t c = t->data[t->at++];
        if (pnm_is_space(c) && n == 0) continue;
        if (pnm_is_space(c)) break;
        if (c != '#') token[n++] = c;
        else
            while (t->at < t->n && t->data[t->at] != '\n' && t->data[t->at] != '\r') t->at++;
        if (c == '#' && t->at < t->n) t->at++;
    }
    return n;
}

static assay_status read_number(const pnm_head *h, head_text *t, const char *what, long long most,
                                size_t *out)
{
    uint8_t token[PNM_TOKEN_MAX + 1];
    const size_t n = read_token(t, token);
    long long value;
    if (n > PNM_TOKEN_MAX || !pnm_parse_integer(token, n, &value) || value < 1 || value > most)
        return assay_fail(h->err, ASSAY_EFORMAT, "%s: %s: expected a whole number from 1 to %lld", h->name,
                          what, most);
    *out = (size_t)value;
    return ASSAY_OK;
}

static assay_status read_scale(pnm_head *h, head_text *t)
{
    uint8_t token[PNM_TOKEN_MAX + 1];
    const size_t n = read_token(t, token);
    double scale;
    if (n > PNM_TOKEN_MAX || !parse_number(token, n, &scale) || scale == 0 || !isfinite(scale))
        return assay_fail(h->err, ASSAY_EFORMAT, "%s: scale: expected a finite number other than 0", h->name);
    h->is_little = scale < 0;
    return ASSAY_OK;
}

static assay_status read_magic(pnm_head *h, head_text *t)
{
    size_t n = 0;
    while (n < MAGIC_MAX && n < t->n && !pnm_is_space(t->data[n])) n++;
    /* A magic number of the greatest length needs no white space behind it. */
    t->at = n < MAGIC_MAX && n < t->n ? n + 1 : n;
    for (size_t i = 0; i < sizeof MAGICS / sizeof *MAGICS; i++)
        if (strlen(MAGICS[i].magic) == n && memcmp(MAGICS[i].magic, t->data, n) == 0) {
            h->kind = MAGICS[i].kind;
            h->is_plain = MAGICS[i].is_plain;
            h->n_bands = MAGICS[i].n_bands;
            return ASSAY_OK;
        }
    return assay_fail(
        h->err, ASSAY_EUNSUPPORTED,
        "%s: found the magic number \"%.*s\", expected that of a PNG, JPEG, WebP, GIF or BMP file, or "
        "P1 to P6 or Pf and white space",
        h->name, (int)n, (const char *)t->data);
}

assay_status pnm_head_read(const char *name, const uint8_t *data, size_t n, pnm_head *out, assay_error *err)
{
    pnm_head h = {.name = name, .err = err};
    head_text t = {data, n, 0};
    assay_status rc = read_magic(&h, &t);
    if (rc == ASSAY_OK) rc = read_number(&h, &t, "width", 9999999999, &h.width);
    if (rc == ASSAY_OK) rc = read_number(&h, &t, "height", 9999999999, &h.height);
    if (rc == ASSAY_OK && h.kind == PNM_FLOAT) rc = read_scale(&h, &t);
    else if (rc == ASSAY_OK && h.kind != PNM_BIT) rc = read_number(&h, &t, "largest value", 65535, &h.maxval);
    h.n_bytes = t.at;
    if (rc == ASSAY_OK) *out = h;
    return rc;
}
