/* A server that answers from recorded truth: what it returns is right by construction, except for the fault
 * that a test plants.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_TESTS_ORACLE_H
#define CONFORMANCE_PROBE_TESTS_ORACLE_H

#include "conformance/probe/truth/truth.h"

typedef enum oracle_bug {
    ORACLE_SOUND,
    ORACLE_WARM,           /* log-probabilities after a temperature */
    ORACLE_SAMPLED_VALUES, /* … after that of the request */
    ORACLE_ZERO,           /* every log-probability is 0 */
    ORACLE_COARSE,         /* errors of the size of bfloat16's */
    ORACLE_OTHER_TOKEN,    /* a row reports another token than the one that was taken */
    ORACLE_OTHER_VALUE,    /* the token's value is that of another one */
    ORACLE_LAST_MISSING,   /* the least of the alternatives is another token */
    ORACLE_SHIFTED_PROMPT, /* log-probabilities of a prompt are one token late */
    ORACLE_NO_USAGE,       /* the prompt is said to have no tokens */
    ORACLE_MORE_INPUT,     /* … one token more than it has */
    ORACLE_MORE_OUTPUT,    /* the answer is said to have one token more than it has */
    ORACLE_NO_STOP_TEXT,   /* stop texts have no effect */
    ORACLE_NO_LIMIT,       /* the limit of tokens has no effect */
    ORACLE_ANY_MODEL,      /* unknown models are served */
    ORACLE_ANY_BODY,       /* malformed bodies get an answer */
    ORACLE_NO_SEED,        /* the seed has no effect */
    ORACLE_NO_BIAS,        /* logit_bias has no effect */
    ORACLE_ONE_CHOICE,     /* n has no effect */
    ORACLE_NO_LOGPROBS,    /* requests for log-probabilities have no effect */
    ORACLE_NEIGHBOURS,     /* another request under way changes an answer */
    ORACLE_TAIL,           /* an answer begins with the end of an earlier one */
    ORACLE_ALTERNATE,      /* every second answer has other log-probabilities */
    ORACLE_CACHES,         /* none: prompts are cached, unless a request says otherwise */
    ORACLE_ALWAYS_CACHES,  /* … whatever a request says */
    ORACLE_STRICT,         /* none: members that it does not know are refused */
    ORACLE_STALE,          /* prompts are cached, and an answer to a cached one differs */
    ORACLE_UNCACHED,       /* … an answer differs if the request turns the cache off */
    ORACLE_LEAK,           /* a request whose client leaves is still counted as running */
    ORACLE_ENDLESS,        /* a limit below zero is no limit: the answer does not end */
    ORACLE_HANGS,          /* the first stream of chat completions never ends */
    ORACLE_CRASH           /* a malformed body ends the server */
} oracle_bug;

/* from, to: a text that is replaced in every body of an answer; NULL: none. streams: only in streams (1),
 * only in whole bodies (-1), in both (0).
 * most: alternatives of a token that completions return; 0: the whole vocabulary.
 * n_positions: of a prompt and its answer, as the list of models says; 0: any. */
typedef struct oracle {
    const probe_truth *truth;
    oracle_bug bug;
    const char *from, *to;
    int streams;
    int most, n_positions;
    int port;
    int listener;
    long child;
    struct oracle_shared *shared;
} oracle;

/* Starts it in a process of its own; fails the test if that is impossible. */
void oracle_start(oracle *o);
void oracle_stop(oracle *o);

#endif
