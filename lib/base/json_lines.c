/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_lines.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct json_lines {
    int fd;
    char *path, *place;
    json_limits limits;
    json_lines_at next;
    buffer line; /* the bytes of the last line, and what was read after it */
};

static assay_status fail_memory(const json_lines *l, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", l->path);
}

assay_status json_lines_open(const char *path, const json_limits *limits, json_lines **out, assay_error *err)
{
    int fd = -1;
    size_t size;
    const assay_status rc = file_open(path, &fd, &size, err);
    if (rc != ASSAY_OK) return rc;
    json_lines *l = calloc(1, sizeof *l);
    char *copy = strdup(path), *place = malloc(strlen(path) + 40);
    if (!l || !copy || !place) {
        (void)close(fd);
        free(l);
        free(copy);
        free(place);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    *l = (json_lines){.fd = fd, .path = copy, .place = place, .limits = *limits, .next = {0, 1}};
    (void)strcpy(place, path);
    *out = l;
    return ASSAY_OK;
}

void json_lines_close(json_lines *lines)
{
    if (!lines) return;
    (void)close(lines->fd);
    free(lines->path);
    free(lines->place);
    buffer_free(&lines->line);
    free(lines);
}

/* Appends more of the file to the bytes that were read. *n: how many; 0: the file ends. */
static assay_status read_more(json_lines *l, size_t *n, assay_error *err)
{
    enum { STEP = 65536 };
    ssize_t got;
    if (!buffer_reserve(&l->line, STEP)) return fail_memory(l, err);
    do got = pread(l->fd, l->line.data + l->line.n, STEP, (off_t)(l->next.offset + l->line.n));
    while (got < 0 && errno == EINTR);
    if (got < 0) return assay_fail(err, ASSAY_EIO, "%s: %s", l->path, strerror(errno));
    *n = (size_t)got;
    l->line.n += *n;
    return ASSAY_OK;
}

/* Reads until the bytes have a whole line of *n bytes before its line feed. *more: false at the end of the
 * file. */
static assay_status read_line(json_lines *l, size_t *n, bool *more, assay_error *err)
{
    for (size_t seen = 0, got = 0;;) {
        const char *end = l->line.n > seen ? memchr(l->line.data + seen, '\n', l->line.n - seen) : NULL;
        *n = end ? (size_t)(end - l->line.data) : l->line.n;
        *more = end || l->line.n > 0;
        if (*n > l->limits.bytes)
            return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: found more than %zu bytes, expected no more",
                              l->place, l->limits.bytes);
        if (end) return ASSAY_OK;
        seen = l->line.n;
        const assay_status rc = read_more(l, &got, err);
        if (rc != ASSAY_OK) return rc;
        if (got > 0) continue;
        if (l->line.n == 0) return ASSAY_OK;
        return assay_fail(
            err, ASSAY_EFORMAT,
            "%s: found the end of the file after %zu bytes, expected a line feed: the file is cut off",
            l->place, l->line.n);
    }
}

assay_status json_lines_next(json_lines *lines, json_object **value, bool *more, assay_error *err)
{
    size_t n = 0;
    (void)sprintf(lines->place, "%s, line %zu", lines->path, lines->next.number);
    assay_status rc = read_line(lines, &n, more, err);
    if (rc != ASSAY_OK || !*more) return rc;
    rc = json_parse_within(lines->place, lines->line.data, n, &lines->limits, value, err);
    buffer_drop(&lines->line, n + 1);
    lines->next.offset += n + 1;
    lines->next.number++;
    return rc;
}

json_lines_at json_lines_tell(const json_lines *lines)
{
    return lines->next;
}

void json_lines_seek(json_lines *lines, json_lines_at at)
{
    lines->line.n = 0;
    lines->next = at;
}

const char *json_lines_place(const json_lines *lines)
{
    return lines->place;
}
