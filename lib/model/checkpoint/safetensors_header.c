/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/safetensors_header.h"

#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/json_scan.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SHOWN_MAX  120 /* maximum bytes of a name in a message */
#define VALUE_SHOWN_MAX 40

/* Types that the format defines and assay_dtype does not. */
static const char *const UNSUPPORTED[] = {"F6_E2M3", "F6_E3M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "C64"};

typedef struct parser {
    const char *path;
    char *label; /* file name for the scanner's messages */
    json_scan *scan;
    json_scan_token token;
    const unsigned char *data;
    size_t n_data;
    char *name_end; /* end of the names stored so far */
    safetensors_header *header;
    assay_error *err;
} parser;

/* One tensor's object while it is read. name: the NAME token. */
typedef struct entry {
    json_scan_token name;
    assay_tensor tensor;
    size_t begin, end;
    bool has_dtype, has_shape, has_offsets;
    bool is_of_pairs; /* two codes in a byte: F4 */
} entry;

static assay_status out_of_memory(const parser *p)
{
    return assay_fail(p->err, ASSAY_ENOMEM, "%s: out of memory", p->path);
}

/* Fails with "path: tensor 'name': …". */
__attribute__((format(printf, 4, 5))) static assay_status entry_fail(const parser *p, const entry *e,
                                                                     assay_status status, const char *format,
                                                                     ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return assay_fail(p->err, status, "%s: tensor '%.*s': %s", p->path,
                      json_scan_clip(e->name.text, e->name.n, NAME_SHOWN_MAX), e->name.text, reason);
}

static assay_status next_token(parser *p)
{
    return json_scan_next(p->scan, &p->token, p->err);
}

/* Advances to the value of member `member` of e, which must be of `kind`. */
static assay_status next_value(parser *p, const entry *e, const char *member, json_scan_kind kind)
{
    const assay_status rc = next_token(p);
    if (rc != ASSAY_OK || p->token.kind == kind) return rc;
    return entry_fail(p, e, ASSAY_EFORMAT, "%s is %s, expected %s", member,
                      json_scan_kind_name(p->token.kind), json_scan_kind_name(kind));
}

/* Reads the next element of the array `member`, a plain decimal integer, or its end (*more false). */
static assay_status next_integer(parser *p, const entry *e, const char *member, size_t index, size_t *value,
                                 bool *more)
{
    const assay_status rc = next_token(p);
    if (rc != ASSAY_OK) return rc;
    *more = p->token.kind != JSON_SCAN_ARRAY_END;
    if (!*more) return ASSAY_OK;
    if (p->token.kind != JSON_SCAN_NUMBER)
        return entry_fail(p, e, ASSAY_EFORMAT, "%s[%zu] is %s, expected a non-negative integer", member,
                          index, json_scan_kind_name(p->token.kind));

    const int shown = json_scan_clip(p->token.text, p->token.n, VALUE_SHOWN_MAX);
    size_t result = 0;
    for (size_t i = 0; i < p->token.n; i++) {
        const char c = p->token.text[i];
        if (c < '0' || c > '9')
            return entry_fail(p, e, ASSAY_EFORMAT, "%s[%zu] is %.*s, expected a non-negative integer", member,
                              index, shown, p->token.text);
        const size_t digit = (size_t)(c - '0');
        if (result > (SIZE_MAX - digit) / 10)
            return entry_fail(p, e, ASSAY_EFORMAT, "%s[%zu] is %.*s, expected at most %zu", member, index,
                              shown, p->token.text, SIZE_MAX);
        result = result * 10 + digit;
    }
    *value = result;
    return ASSAY_OK;
}

static assay_status read_dtype(parser *p, entry *e)
{
    const assay_status rc = next_value(p, e, "dtype", JSON_SCAN_STRING);
    if (rc != ASSAY_OK) return rc;
    e->is_of_pairs = json_scan_equals(&p->token, "F4");
    if (e->is_of_pairs) {
        e->tensor.dtype = ASSAY_U8;
        return ASSAY_OK;
    }
    for (assay_dtype dtype = ASSAY_F64; dtype <= ASSAY_F8_E8M0; dtype++) {
        if (!json_scan_equals(&p->token, dtype_name(dtype))) continue;
        e->tensor.dtype = dtype;
        return ASSAY_OK;
    }
    for (size_t i = 0; i < sizeof UNSUPPORTED / sizeof UNSUPPORTED[0]; i++)
        if (json_scan_equals(&p->token, UNSUPPORTED[i]))
            return entry_fail(
                p, e, ASSAY_EUNSUPPORTED,
                "dtype %s is known but not supported, expected F64, F32, F16, BF16, F4, an F8 type, an "
                "integer type or BOOL",
                UNSUPPORTED[i]);
    return entry_fail(p, e, ASSAY_EFORMAT, "dtype is '%.*s', expected a type of the format, such as F32",
                      json_scan_clip(p->token.text, p->token.n, VALUE_SHOWN_MAX), p->token.text);
}

static assay_status read_shape(parser *p, entry *e)
{
    assay_status rc = next_value(p, e, "shape", JSON_SCAN_ARRAY);
    for (size_t extent = 0, rank = 0; rc == ASSAY_OK; rank++) {
        bool more = false;
        rc = next_integer(p, e, "shape", rank, &extent, &more);
        if (rc != ASSAY_OK || !more) break;
        if (rank == ASSAY_TENSOR_RANK_MAX)
            return entry_fail(p, e, ASSAY_EUNSUPPORTED, "shape has more than %u entries, expected at most %u",
                              ASSAY_TENSOR_RANK_MAX, ASSAY_TENSOR_RANK_MAX);
        e->tensor.shape[rank] = extent;
        e->tensor.rank = rank + 1;
    }
    return rc;
}

static assay_status read_offsets(parser *p, entry *e)
{
    size_t offset[2] = {0, 0}, n = 0;
    assay_status rc = next_value(p, e, "data_offsets", JSON_SCAN_ARRAY);
    for (; rc == ASSAY_OK; n++) {
        size_t value = 0;
        bool more = false;
        rc = next_integer(p, e, "data_offsets", n, &value, &more);
        if (rc != ASSAY_OK || !more) break;
        if (n == 2)
            return entry_fail(p, e, ASSAY_EFORMAT, "data_offsets has more than 2 entries, expected 2");
        offset[n] = value;
    }
    if (rc == ASSAY_OK && n != 2)
        return entry_fail(p, e, ASSAY_EFORMAT, "data_offsets has %zu entries, expected 2", n);
    e->begin = offset[0];
    e->end = offset[1];
    return rc;
}

/* Reads the member whose NAME token was just scanned. */
static assay_status read_member(parser *p, entry *e)
{
    static const char *const NAMES[] = {"dtype", "shape", "data_offsets"};
    static assay_status (*const READ[])(parser *, entry *) = {read_dtype, read_shape, read_offsets};
    bool *const seen[] = {&e->has_dtype, &e->has_shape, &e->has_offsets};

    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (!json_scan_equals(&p->token, NAMES[i])) continue;
        if (*seen[i])
            return entry_fail(p, e, ASSAY_EFORMAT, "member '%s' is given twice, expected it once", NAMES[i]);
        *seen[i] = true;
        return READ[i](p, e);
    }
    return entry_fail(p, e, ASSAY_EFORMAT, "found member '%.*s', expected only dtype, shape and data_offsets",
                      json_scan_clip(p->token.text, p->token.n, VALUE_SHOWN_MAX), p->token.text);
}

/* "[3, 5]", truncated if it does not fit. */
static const char *show_shape(const assay_tensor *t, char *out, size_t n)
{
    size_t used = (size_t)snprintf(out, n, "[");
    for (size_t i = 0; i < t->rank && used < n; i++)
        used += (size_t)snprintf(out + used, n - used, "%s%zu", i > 0 ? ", " : "", t->shape[i]);
    if (used < n) (void)snprintf(out + used, n - used, "]");
    return out;
}

/* Computes the size in bytes from shape and dtype. The product of the non-zero extents must fit into
 * size_t even if another extent is zero, so that products of some extents cannot overflow later. */
static assay_status count_bytes(const parser *p, const entry *e, size_t *bytes)
{
    const assay_tensor *t = &e->tensor;
    size_t product = dtype_size(t->dtype);
    bool is_empty = false;
    for (size_t i = 0; i < t->rank; i++) {
        is_empty = is_empty || t->shape[i] == 0;
        if (t->shape[i] == 0) continue;
        if (product > SIZE_MAX / t->shape[i]) {
            char shape[200];
            return entry_fail(p, e, ASSAY_EFORMAT,
                              "shape %s of %s needs more bytes than %zu, the most there can be",
                              show_shape(t, shape, sizeof shape), dtype_name(t->dtype), SIZE_MAX);
        }
        product *= t->shape[i];
    }
    *bytes = is_empty ? 0 : product;
    return ASSAY_OK;
}

/* The bytes of F4, of which the shape counts codes: pairs of neighbours in the last dimension, the first in
 * the lower half. */
static assay_status count_pairs(const parser *p, entry *e)
{
    assay_tensor *t = &e->tensor;
    char shape[200];
    if (t->rank == 0 || t->shape[t->rank - 1] % 2 != 0)
        return entry_fail(p, e, ASSAY_EFORMAT,
                          "shape %s of F4, expected an even last extent: a byte holds two",
                          show_shape(t, shape, sizeof shape));
    t->shape[t->rank - 1] /= 2;
    return ASSAY_OK;
}

static assay_status check_entry(const parser *p, const entry *e)
{
    const bool has[] = {e->has_dtype, e->has_shape, e->has_offsets};
    static const char *const NAMES[] = {"dtype", "shape", "data_offsets"};
    for (size_t i = 0; i < sizeof has / sizeof has[0]; i++)
        if (!has[i])
            return entry_fail(p, e, ASSAY_EFORMAT,
                              "member '%s' is missing, expected dtype, shape and data_offsets", NAMES[i]);

    if (e->begin > e->end)
        return entry_fail(p, e, ASSAY_EFORMAT,
                          "data_offsets [%zu, %zu] begin after their end, expected begin <= end", e->begin,
                          e->end);
    if (e->end > p->n_data)
        return entry_fail(
            p, e, ASSAY_EFORMAT,
            "data_offsets [%zu, %zu] end past the file, expected at most the %zu bytes of its data", e->begin,
            e->end, p->n_data);
    size_t bytes = 0;
    const assay_status rc = count_bytes(p, e, &bytes);
    if (rc != ASSAY_OK || bytes == e->end - e->begin) return rc;
    char shape[200];
    return entry_fail(p, e, ASSAY_EFORMAT, "data_offsets [%zu, %zu] hold %zu bytes, shape %s of %s needs %zu",
                      e->begin, e->end, e->end - e->begin, show_shape(&e->tensor, shape, sizeof shape),
                      dtype_name(e->tensor.dtype), bytes);
}

static assay_status keep_tensor(parser *p, entry *e)
{
    safetensors_header *h = p->header;
    assay_tensor *tensors = grow_by_one(h->tensors, h->n, sizeof *tensors);
    if (!tensors) return out_of_memory(p);
    h->tensors = tensors;
    /* A name with its terminator is at most as long as the quoted name in the header. */
    e->tensor.name = p->name_end;
    p->name_end += json_scan_unescape(p->name_end, &e->name);
    *p->name_end++ = '\0';
    e->tensor.data = p->data + e->begin;
    h->tensors[h->n++] = e->tensor;
    return ASSAY_OK;
}

static assay_status read_tensor(parser *p)
{
    entry e = {.name = p->token};
    assay_status rc = next_token(p);
    if (rc != ASSAY_OK) return rc;
    if (p->token.kind != JSON_SCAN_OBJECT)
        return entry_fail(p, &e, ASSAY_EFORMAT,
                          "found %s, expected an object with dtype, shape and data_offsets",
                          json_scan_kind_name(p->token.kind));
    for (;;) {
        rc = next_token(p);
        if (rc != ASSAY_OK) return rc;
        if (p->token.kind == JSON_SCAN_OBJECT_END) break;
        rc = read_member(p, &e);
        if (rc != ASSAY_OK) return rc;
    }
    if (e.is_of_pairs) rc = count_pairs(p, &e);
    if (rc == ASSAY_OK) rc = check_entry(p, &e);
    return rc == ASSAY_OK ? keep_tensor(p, &e) : rc;
}

static assay_status read_metadata(parser *p)
{
    assay_status rc = next_token(p);
    if (rc != ASSAY_OK) return rc;
    if (p->token.kind != JSON_SCAN_OBJECT)
        return assay_fail(p->err, ASSAY_EFORMAT, "%s: __metadata__ is %s, expected an object of strings",
                          p->path, json_scan_kind_name(p->token.kind));
    for (;;) {
        rc = next_token(p);
        if (rc != ASSAY_OK || p->token.kind == JSON_SCAN_OBJECT_END) return rc;
        const json_scan_token name = p->token;
        rc = next_token(p);
        if (rc != ASSAY_OK) return rc;
        if (p->token.kind != JSON_SCAN_STRING)
            return assay_fail(p->err, ASSAY_EFORMAT,
                              "%s: __metadata__ member '%.*s' is %s, expected a string", p->path,
                              json_scan_clip(name.text, name.n, NAME_SHOWN_MAX), name.text,
                              json_scan_kind_name(p->token.kind));
    }
}

static assay_status read_header(parser *p)
{
    assay_status rc = next_token(p);
    while (rc == ASSAY_OK) {
        rc = next_token(p);
        if (rc != ASSAY_OK || p->token.kind == JSON_SCAN_OBJECT_END) break;
        rc = json_scan_equals(&p->token, "__metadata__") ? read_metadata(p) : read_tensor(p);
    }
    return rc == ASSAY_OK ? next_token(p) : rc; /* the end: nothing but white space may pad the header */
}

assay_status safetensors_header_parse(const char *path, const char *text, size_t n, const unsigned char *data,
                                      size_t n_data, safetensors_header *out, assay_error *err)
{
    static const char SUFFIX[] = ": header";
    safetensors_header header = {0};
    parser p = {.path = path, .data = data, .n_data = n_data, .header = &header, .err = err};

    if (n == 0 || text[0] != '{')
        return assay_fail(err, ASSAY_EFORMAT, "%s: header: byte 0: found byte 0x%02x, expected '{'", path,
                          n > 0 ? (unsigned)(unsigned char)text[0] : 0U);
    header.names = p.name_end = malloc(n);
    p.label = malloc(strlen(path) + sizeof SUFFIX);
    assay_status rc = header.names && p.label ? ASSAY_OK : out_of_memory(&p);
    if (rc == ASSAY_OK) {
        memcpy(p.label, path, strlen(path));
        memcpy(p.label + strlen(path), SUFFIX, sizeof SUFFIX);
        rc = json_scan_open(p.label, text, n, &p.scan, err);
    }
    if (rc == ASSAY_OK) rc = read_header(&p);
    json_scan_free(p.scan);
    free(p.label);
    if (rc == ASSAY_OK) *out = header;
    else safetensors_header_free(&header);
    return rc;
}

void safetensors_header_free(safetensors_header *header)
{
    free(header->tensors);
    free(header->names);
}
