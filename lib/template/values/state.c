/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define CHUNK_BYTES ((size_t)16384)

struct tpl_chunk {
    tpl_chunk *next;
    size_t n, capacity; /* bytes of data */
    max_align_t data[];
};

void tpl_free(tpl *t)
{
    while (t->chunks) {
        tpl_chunk *chunk = t->chunks;
        t->chunks = chunk->next;
        free(chunk);
    }
}

bool tpl_fail(tpl *t, assay_status status, const char *format, ...)
{
    char text[512];
    va_list args;
    if (t->status != ASSAY_OK) return false;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    t->status = assay_fail(t->err, status, "line %u: %s", t->line, text);
    return false;
}

void tpl_fail_text(tpl *t, const char *text, size_t n)
{
    if (t->status != ASSAY_OK) return;
    if (n == 0) (void)tpl_fail(t, ASSAY_EFORMAT, "raise_exception was called with an empty text");
    else
        t->status = assay_fail(t->err, ASSAY_EFORMAT, "%.*s",
                               (int)(n < sizeof t->err->text ? n : sizeof t->err->text), text);
}

void *tpl_alloc(tpl *t, size_t n, size_t element_bytes)
{
    if (t->status != ASSAY_OK) return NULL;
    if (n > TPL_BYTES_MAX / element_bytes || n * element_bytes > TPL_BYTES_MAX - t->bytes) {
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the values of the template exceed %zu bytes", TPL_BYTES_MAX);
        return NULL;
    }
    size_t bytes = n * element_bytes;
    bytes += -bytes % sizeof(max_align_t);
    if (!t->chunks || bytes > t->chunks->capacity - t->chunks->n) {
        const size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        tpl_chunk *chunk = malloc(sizeof *chunk + capacity);
        if (!chunk) {
            (void)tpl_fail(t, ASSAY_ENOMEM, "out of memory");
            return NULL;
        }
        *chunk = (tpl_chunk){.next = t->chunks, .capacity = capacity};
        t->chunks = chunk;
    }
    char *data = (char *)t->chunks->data + t->chunks->n;
    t->chunks->n += bytes;
    t->bytes += bytes;
    return memset(data, 0, bytes);
}

void *tpl_grow(tpl *t, void *array, size_t n, size_t *capacity, size_t element_bytes)
{
    if (n < *capacity) return array;
    const size_t wanted = *capacity ? 2 * *capacity : 4;
    void *grown = tpl_alloc(t, wanted, element_bytes);
    if (!grown) return NULL;
    if (n > 0) memcpy(grown, array, n * element_bytes);
    *capacity = wanted;
    return grown;
}

bool tpl_step(tpl *t, size_t n)
{
    if (t->status != ASSAY_OK) return false;
    t->steps += n < TPL_STEPS_MAX ? n : TPL_STEPS_MAX;
    return t->steps < TPL_STEPS_MAX ||
           tpl_fail(t, ASSAY_EUNSUPPORTED, "the template takes more than %zu steps", TPL_STEPS_MAX);
}

bool tpl_enter(tpl *t)
{
    t->depth++;
    return tpl_step(t, 1) &&
           (t->depth <= TPL_DEPTH_MAX ||
            tpl_fail(t, ASSAY_EUNSUPPORTED, "the evaluation is nested more than %u deep", TPL_DEPTH_MAX));
}

void tpl_leave(tpl *t)
{
    t->depth--;
}
