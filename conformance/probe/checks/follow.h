/* Follows an answer's log-probabilities along the recorded tokens, and collects what a prompt's own say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_FOLLOW_H
#define CONFORMANCE_PROBE_CHECKS_FOLLOW_H

#include "conformance/probe/truth/judge.h"

/* How an answer's rows fit the recorded tokens.
 * n_skipped: the first tokens of the answer, which have no row: reasoning that a server took out.
 * n_joined: tokens without a row of their own: those of a character before its last one.
 * n_followed: rows that were judged.
 * tie: the server took another token than the truth at a near tie; what follows has no truth.
 * misplaced: a row's token is not the one that the prompt has there. */
typedef struct probe_follow {
    size_t n_skipped, n_joined, n_followed;
    bool tie, misplaced;
} probe_follow;

/* What is known of an answer beside its rows.
 * n_before: ids of the prompt that were asked.
 * is_recorded: its text is that of the recorded tokens: a row with another token reports a wrong one.
 * n_before_content: tokens of the recorded answer before its content, which may have no rows: reasoning; 0:
 * all have rows. n_with_content: tokens of the recorded answer to the end of its content; 0: unknown, or
 * none. content_only: only those of the content have rows (Responses). */
typedef struct probe_asked {
    const probe_prompt *prompt;
    size_t n_before;
    bool is_recorded, content_only;
    size_t n_before_content, n_with_content;
} probe_asked;

/* Judges the rows of an answer. Stops at the first token that is not the recorded one, unless the text says
 * that the recorded one was taken: the rule `token` tells a tie from an error. */
probe_follow probe_follow_answer(probe_judge *j, const probe_rows *rows, const probe_asked *asked);

/* Judges the rows of a prompt of the first n ids: row i is that of token i, given those before it. */
probe_follow probe_follow_prompt(probe_judge *j, const probe_rows *rows, const probe_prompt *p, size_t n);

#endif
