/* Changes of the event streams in serving/grammar/tests/streams, each of which breaks one rule.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_TESTS_STREAM_EDITS_H
#define SERVING_GRAMMAR_TESTS_STREAM_EDITS_H

#include <stddef.h>

/* A word that is changed, and the rule which that breaks: `to` in the place of what stands first behind the
 * first `after`. A rule " +2" is found broken two events behind the one that is changed. */
typedef struct stream_edit {
    const char *name, *after, *from, *to, *rule;
} stream_edit;

extern const stream_edit stream_edits[]; /* [n_stream_edits] */
extern const size_t n_stream_edits;

#endif
