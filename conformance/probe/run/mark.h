/* What is wrong in the body of an answer, as a range of its bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_MARK_H
#define CONFORMANCE_PROBE_RUN_MARK_H

#include "base/buffer.h"

/* Bytes [from, to) of a body; from == to: nothing is marked. */
typedef struct probe_mark {
    size_t from, to;
} probe_mark;

/* The event of a stream whose first line begins at byte `from`: up to the empty line. */
probe_mark probe_mark_event(const buffer *body, size_t from);

/* A member of an object and its value. path: "usage.prompt_tokens", "choices[].delta.content": the names are
 * looked for one after the other in the text from byte `from` on, so that of a list the first element counts
 * that has them. Without the last name its object is marked, down to nothing. */
probe_mark probe_mark_member(const buffer *body, size_t from, const char *path);

/* The first number with a fraction or an exponent, or after the name of a log-probability, that is `value`.
 */
probe_mark probe_mark_number(const buffer *body, double value);

#endif
