/* Untrusted files of JSON lines: a strict JSON value (json.h) and a line feed, again and again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_JSON_LINES_H
#define BASE_JSON_LINES_H

#include "base/json.h"

#include <stdint.h>

typedef struct json_lines json_lines;

/* Where a line begins. */
typedef struct json_lines_at {
    uint64_t offset; /* in bytes */
    size_t number;   /* from 1 */
} json_lines_at;

/* limits: of one line. Fails as file_open does, or with ASSAY_ENOMEM. */
assay_status json_lines_open(const char *path, const json_limits *limits, json_lines **out, assay_error *err);
void json_lines_close(json_lines *lines);

/* Reads the next line. *value: the caller's (json_object_put), NULL for the value null; *more: false at the
 * end of the file. Fails as json_parse_within does, naming the file and the line; with ASSAY_EFORMAT if the
 * file ends within a line; with ASSAY_EIO. Lines longer than the limit are never held in memory. */
assay_status json_lines_next(json_lines *lines, json_object **value, bool *more, assay_error *err);

/* The line that json_lines_next reads next, and going there. */
json_lines_at json_lines_tell(const json_lines *lines);
void json_lines_seek(json_lines *lines, json_lines_at at);

/* "FILE, line N" of the line that was read last, for messages; borrowed until the next line is read. */
const char *json_lines_place(const json_lines *lines);

#endif
