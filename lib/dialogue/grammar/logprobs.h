/* The shape of logprobs in a chunk; their values are no matter of a grammar.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_LOGPROBS_H
#define DIALOGUE_GRAMMAR_LOGPROBS_H

#include "dialogue/grammar/checks.h"

/* Rule chat-logprobs: the member `logprobs` of a choice of chat completions, which may be absent or null. */
assay_status serve_grammar_logprobs_chat(serve_grammar *g, json_object *choice);

/* Rule completions-logprobs: the same of completions. */
assay_status serve_grammar_logprobs_listed(serve_grammar *g, json_object *choice);

#endif
