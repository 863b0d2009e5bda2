/* Edits of the event streams in dialogue/grammar/tests/streams, each of which breaks one rule.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_TESTS_STREAM_EDITS_H
#define DIALOGUE_GRAMMAR_TESTS_STREAM_EDITS_H

#include <stddef.h>

/* As `after`: all of `from` are replaced, so that the stream agrees with itself. */
#define STREAM_EDIT_ALL "*"

/* Replaces the first `from` after the first `after` by `to`, which breaks `rule`. A rule that ends in " +2"
 * is broken two events after the (first) edited one. */
typedef struct stream_edit {
    const char *name, *after, *from, *to, *rule;
} stream_edit;

extern const stream_edit stream_edits[]; /* [n_stream_edits] */
extern const size_t n_stream_edits;

#endif
