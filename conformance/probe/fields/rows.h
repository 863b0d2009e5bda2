/* Shorthand of the tables of fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_FIELDS_ROWS_H
#define CONFORMANCE_PROBE_FIELDS_ROWS_H

#include "conformance/probe/fields/rules.h"

/* Types in a letter: null, bool, integer, number (integers included), text, list, object. */
enum {
    Z = PROBE_TYPE_NULL,
    B = PROBE_TYPE_BOOL,
    I = PROBE_TYPE_INT,
    N = PROBE_TYPE_NUMBER,
    T = PROBE_TYPE_TEXT,
    L = PROBE_TYPE_LIST,
    O = PROBE_TYPE_OBJECT,
    ANY = Z | B | N | T | L | O
};

/* A row: its path, its types, and what judges its value. NEEDS: a required field whose absence departs from
 * the specification; BREAKS: one that clients read without a default. MAY and MAY_BREAK: an optional field,
 * of which a wrong value is graded likewise. HOLDS: an object or list whose members are rows of their own. */
#define NEEDS(path, types, ...)                                                                              \
    {                                                                                                        \
        path, types, true, PROBE_DEPARTS, __VA_ARGS__                                                        \
    }
#define BREAKS(path, types, ...)                                                                             \
    {                                                                                                        \
        path, types, true, PROBE_BREAKS, __VA_ARGS__                                                         \
    }
#define MAY(path, types, ...)                                                                                \
    {                                                                                                        \
        path, types, false, PROBE_DEPARTS, __VA_ARGS__                                                       \
    }
#define MAY_BREAK(path, types, ...)                                                                          \
    {                                                                                                        \
        path, types, false, PROBE_BREAKS, __VA_ARGS__                                                        \
    }
#define HOLDS(path, types)                                                                                   \
    {                                                                                                        \
        path, types, false, PROBE_DEPARTS, NULL, NULL, NULL, NULL                                            \
    }
/* What judges a value: a rule; a rule with the value that it compares with; a check of another group; or
 * nothing, for a reason. */
#define RULE(rule)        &probe_rule_##rule, NULL, NULL, NULL
#define WITH(rule, value) &probe_rule_##rule, value, NULL, NULL
#define BY(check)         NULL, NULL, check, NULL
#define FREE(reason)      NULL, NULL, NULL, reason
#define TABLE(name)                                                                                          \
    const probe_field_list name = {rows_of_##name, sizeof rows_of_##name / sizeof *rows_of_##name}

#define FINISH   "protocol/{e}/{f}/*/finish"
#define TEXTS    "protocol/{e}/{f}/*/fields"
#define USAGE    "protocol/{e}/{f}/*/usage"
#define GRAMMAR  "protocol/{e}/{f}/*/grammar"
#define THOUGHTS "protocol/{e}/{f}/*/reasoning-tokens"
#define CACHED   "protocol/{e}/{f}/cached-tokens"
#define IDS      "protocol/{e}/{f}/effects/token-ids"
#define DEPLOYED "describes the deployment, not the answer"

/* Of a token and its alternatives, in the log-probabilities of chat completions; completions of some servers
 * have them, too. */
#define TOKEN_ROWS                                                                                           \
    HOLDS("choices[].logprobs.content[]", O),                                                                \
        NEEDS("choices[].logprobs.content[].token", T, BY("numerics/{way}/text")),                           \
        NEEDS("choices[].logprobs.content[].logprob", N | Z, BY("numerics/{way}/logprob")),                  \
        MAY("choices[].logprobs.content[].bytes", L | Z, NULL, NULL, NULL, NULL),                            \
        MAY("choices[].logprobs.content[].bytes[]", I, BY("numerics/{way}/text")),                           \
        MAY("choices[].logprobs.content[].id", I, BY("numerics/{way}/token")),                               \
        MAY("choices[].logprobs.content[].token_id", I, BY("numerics/{way}/token")),                         \
        MAY("choices[].logprobs.content[].rank", I | Z, BY("numerics/{way}/rank")),                          \
        MAY("choices[].logprobs.content[].top_logprobs", L | Z, BY("numerics/{way}/count")),                 \
        HOLDS("choices[].logprobs.content[].top_logprobs[]", O),                                             \
        NEEDS("choices[].logprobs.content[].top_logprobs[].token", T, BY("numerics/{way}/text")),            \
        NEEDS("choices[].logprobs.content[].top_logprobs[].logprob", N | Z, BY("numerics/{way}/logprob")),   \
        MAY("choices[].logprobs.content[].top_logprobs[].bytes", L | Z, NULL, NULL, NULL, NULL),             \
        MAY("choices[].logprobs.content[].top_logprobs[].bytes[]", I, BY("numerics/{way}/text")),            \
        MAY("choices[].logprobs.content[].top_logprobs[].id", I, BY("numerics/{way}/top")),                  \
        MAY("choices[].logprobs.content[].top_logprobs[].token_id", I, BY("numerics/{way}/top")),            \
        MAY("choices[].logprobs.content[].top_logprobs[].rank", I | Z, BY("numerics/{way}/rank"))

/* What a usage holds. */
#define USAGE_ROWS                                                                                           \
    NEEDS("usage.prompt_tokens", I, BY(USAGE)), NEEDS("usage.completion_tokens", I, BY(USAGE)),              \
        NEEDS("usage.total_tokens", I, RULE(sum)), HOLDS("usage.prompt_tokens_details", O | Z),              \
        MAY("usage.prompt_tokens_details.cached_tokens", I | Z, BY(CACHED)),                                 \
        MAY("usage.prompt_tokens_details.audio_tokens", I | Z, WITH(is, "0|null")),                          \
        HOLDS("usage.completion_tokens_details", O | Z),                                                     \
        MAY("usage.completion_tokens_details.reasoning_tokens", I | Z, BY(THOUGHTS)),                        \
        MAY("usage.completion_tokens_details.audio_tokens", I | Z, WITH(is, "0|null")),                      \
        MAY("usage.completion_tokens_details.accepted_prediction_tokens", I | Z, WITH(is, "0|null")),        \
        MAY("usage.completion_tokens_details.rejected_prediction_tokens", I | Z, WITH(is, "0|null"))

/* What is said of the server beside an answer. */
#define DEPLOYMENT_ROWS                                                                                      \
    MAY("system_fingerprint", T | Z, FREE(DEPLOYED)), MAY("service_tier", T | Z, FREE(DEPLOYED)),            \
        MAY("kv_transfer_params", ANY, FREE(DEPLOYED))

#endif
