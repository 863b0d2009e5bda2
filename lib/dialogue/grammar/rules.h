/* The rules of each endpoint, and the state of the grammar that applies them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_RULES_H
#define DIALOGUE_GRAMMAR_RULES_H

#include "base/buffer.h"
#include "dialogue/grammar/breach.h"
#include "dialogue/grammar/options.h"
#include "dialogue/grammar/sse.h"

#include <json-c/json.h>

/* The rules of one endpoint. `state` is zeroed before the first event. The functions return ASSAY_EFORMAT if
 * they have reported a breach after which the rest of the event is not read; reading goes on with the next
 * event. */
typedef struct serve_grammar_rules {
    const char *name, *path;
    size_t state_bytes;
    assay_status (*read)(serve_grammar *g, void *state, json_object *event);
    assay_status (*done)(serve_grammar *g,
                         void *state); /* reads the event [DONE]; NULL: the endpoint has none */
    assay_status (*end)(serve_grammar *g, void *state); /* ends the stream */
    void (*free)(void *state);                          /* frees what the state holds, but not the state */
} serve_grammar_rules;

extern const serve_grammar_rules serve_grammar_chat, serve_grammar_completions, serve_grammar_messages,
    serve_grammar_responses;

struct serve_grammar {
    serve_grammar_options options;
    const serve_grammar_rules *rules;
    serve_sse *sse;
    void *state;
    const serve_sse_event *event; /* the current event; NULL at the end of the stream */
    serve_breaches breaches;
    size_t n_joined; /* bytes joined so far */
    buffer window;   /* the text that is searched for markers */
    bool failed;     /* the error event has come */
    bool is_full;    /* a limit was exceeded: nothing more is read */
    serve_grammar_summary summary;
};

#endif
