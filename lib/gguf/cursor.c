/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/cursor.h"

#include "base/error.h"
#include "base/json_scan.h"
#include "base/shown.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "values are used where they lie, in the little-endian order of the format"
#endif

#define NAME_SHOWN_MAX 120

void gguf_cursor_set_place(gguf_cursor *c, const char *what, assay_text name)
{
    c->place[0] = '\0';
    if (!what) return;
    char shown[NAME_SHOWN_MAX + 1];
    (void)snprintf(shown, sizeof shown, "%.*s", json_scan_clip(name.at, name.n, NAME_SHOWN_MAX), name.at);
    shown_clean(shown, sizeof shown);
    (void)snprintf(c->place, sizeof c->place, "%s '%s': ", what, shown);
}

assay_status gguf_cursor_fail(const gguf_cursor *c, assay_status status, const char *format, ...)
{
    char reason[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return assay_fail(c->err, status, "%s: %s%s", c->path, c->place, reason);
}

static assay_status fail_short(const gguf_cursor *c, const char *what, uint64_t expected)
{
    return gguf_cursor_fail(c, ASSAY_EFORMAT,
                            "%s at byte %zu: found %zu bytes to the end of the file, expected %" PRIu64, what,
                            c->at, c->n - c->at, expected);
}

static assay_status read_bytes(gguf_cursor *c, const char *what, void *out, size_t size)
{
    if (c->n - c->at < size) return fail_short(c, what, size);
    memcpy(out, c->bytes + c->at, size);
    c->at += size;
    return ASSAY_OK;
}

assay_status gguf_cursor_u32(gguf_cursor *c, const char *what, uint32_t *out)
{
    return read_bytes(c, what, out, sizeof *out);
}

assay_status gguf_cursor_u64(gguf_cursor *c, const char *what, uint64_t *out)
{
    return read_bytes(c, what, out, sizeof *out);
}

assay_status gguf_cursor_text(gguf_cursor *c, const char *what, assay_text *out)
{
    uint64_t n;
    const assay_status rc = gguf_cursor_u64(c, what, &n);
    if (rc != ASSAY_OK) return rc;
    if (n > c->n - c->at) return fail_short(c, what, n);
    *out = (assay_text){(const char *)c->bytes + c->at, (size_t)n};
    c->at += (size_t)n;
    return ASSAY_OK;
}

assay_status gguf_cursor_skip(gguf_cursor *c, const char *what, uint64_t n, size_t size)
{
    if (n > (c->n - c->at) / size)
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "%s at byte %zu: found %zu bytes to the end of the file, expected %" PRIu64
                                " elements of %zu bytes",
                                what, c->at, c->n - c->at, n, size);
    c->at += (size_t)n * size;
    return ASSAY_OK;
}

static bool has_control(assay_text text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.at[i] < 0x20 || text.at[i] == 0x7f) return true;
    return false;
}

assay_status gguf_cursor_name(gguf_cursor *c, const char *what, size_t most, assay_text *out)
{
    const size_t begin = c->at;
    assay_text name;
    const assay_status rc = gguf_cursor_text(c, what, &name);
    if (rc != ASSAY_OK) return rc;
    if (name.n == 0 || name.n > most)
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "%s at byte %zu: found %zu bytes, expected 1 to %zu", what,
                                begin, name.n, most);
    if (utf8_valid_prefix(name.at, name.n) != name.n)
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "%s at byte %zu: found bytes that are no UTF-8", what,
                                begin);
    if (has_control(name))
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "%s at byte %zu: found a control character, expected a name without", what,
                                begin);
    *out = name;
    return ASSAY_OK;
}
