/* The forms of a response, and the state that they are written from.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_FORM_H
#define DIALOGUE_RESPONSE_FORM_H

#include <assay/serving.h>

#include "base/buffer.h"
#include "dialogue/response/reports.h"
#include "dialogue/response/request.h"
#include "dialogue/text/special.h"
#include "dialogue/tools/request.h"

/* Why generation ended. */
typedef enum serve_finish { SERVE_STOPPED, SERVE_STOP_TEXT, SERVE_LENGTH, SERVE_FILTERED } serve_finish;

/* A run: consecutive reasoning, consecutive content, or one call (ASSAY_PART_CALL). */
typedef struct serve_run {
    assay_part part;
    buffer name;            /* of a call */
    buffer text;            /* joined; of a call its arguments, one JSON value */
    size_t index;           /* index among the runs */
    size_t call;            /* index among the calls */
    bool is_cut;            /* generation reached its limit within this run */
    buffer logprobs;        /* Responses, content: of its tokens, as JSON elements */
    size_t n_logprobs_sent; /* how much of that earlier events have */
} serve_run;

/* One of the n answers that a request asks for to each prompt. */
typedef struct serve_choice {
    size_t index;
    assay_reply *reply;    /* NULL in completions, whose text is not parsed */
    serve_special special; /* state for the current content */
    serve_run *runs;       /* [n_runs], owned */
    size_t n_runs, n_calls;
    bool is_open; /* the last run is open */
    buffer space[ASSAY_PART_REASONING +
                 1]; /* leading white space that a run of content or reasoning may begin with */
    int64_t prompt_tokens, completion_tokens, reasoning_tokens;
    int64_t new_tokens;  /* completion tokens that are not counted to a part yet */
    int64_t idle_tokens; /* the latest tokens of reasoning, which added nothing to its text */
    serve_finish finish;
    buffer stop_sequence;
    serve_reports reports;
    bool has_begun, is_over;
} serve_choice;

/* Each function appends to r->out, for r->choice. A response that does not stream calls only `whole` and
 * `whole_fail`. */
typedef struct serve_form {
    bool fields; /* the form has one field per part, and no order: white space between two runs of one part
                    belongs to the field */
    bool raw;    /* the text is not parsed: a choice is one run of content, white space included */
    void (*begin)(assay_response *r);                      /* before the first run */
    void (*open)(assay_response *r, const serve_run *run); /* not called for calls */
    void (*delta)(assay_response *r, serve_run *run, assay_text text);
    void (*close)(assay_response *r, serve_run *run); /* of a call: the call is complete */
    void (*finish)(assay_response *r);                /* after the last run */
    void (*end)(assay_response *r);                   /* after the last choice; NULL: nothing */
    void (*fail)(assay_response *r, const char *text);
    void (*whole)(assay_response *r); /* all choices */
    void (*whole_fail)(assay_response *r, const char *text);
} serve_form;

extern const serve_form serve_form_chat, serve_form_completions, serve_form_messages, serve_form_responses;

struct assay_response {
    serve_request request;
    const serve_form *form;
    const assay_serving *serving;
    serve_tools_request *tools; /* the tools that the request declares */
    buffer id;                  /* terminated */
    int64_t created;
    serve_choice *choices; /* [request.n_choices] */
    serve_choice *choice;  /* that the current call is about */
    size_t n_over;         /* choices that are over */
    size_t sequence;       /* events of Responses so far */
    bool is_over, no_memory;
    buffer out; /* what the current call has written */
};

#endif
