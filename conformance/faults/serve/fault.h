/* Faults of `assay serve`: the server with one bug planted on purpose, to check that `assay probe` names it.
 *
 * The server does not know of faults. A fault acts at a seam: a function that one file of the server calls in
 * another, which the linker (--wrap) replaces by the one in seams*.c, in a program that only the tests build.
 * ASSAY_FAULT names the planted fault; without it the program is assay.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_SERVE_FAULT_H
#define CONFORMANCE_FAULTS_SERVE_FAULT_H

#include <json-c/json.h>

#include "server/evaluate/batch.h"
#include "server/evaluate/logprobs.h"
#include "server/evaluate/task.h"

/* The rows of the probe's report that name a fault. truth: the directory of the cases by which the server is
 * judged, which holds the checkpoint that it serves, below the source directory. group: of checks; check:
 * their names, divided by spaces; text: a part of the text or the rule of each. */
typedef struct served_row {
    const char *truth, *group, *check, *verdict, *grade, *text;
} served_row;

/* What a fault does at each seam; NULL and false leave it as it is. All but `request` run on the evaluating
 * thread. */
typedef struct served_fault {
    const char *name;
    const char *breaks; /* description of the bug, in one sentence */
    served_row row;
    /* Faults with one set do not disturb each other: they are planted together. NULL: it is planted alone. */
    const char *set;
    /* Of conformance/faults, in the engine: the server itself is correct. */
    const char *engine;

    /* Each piece of an answer, whole events or a whole body: replaced, or changed by `piece`, which appends
     * to *out what is sent. */
    const char *from, *to;
    void (*piece)(const char *bytes, size_t n, buffer *out);
    /* The body of a request: members that have no effect, divided by spaces; one that has a value where it is
     * missing, as "name=value"; anything else. */
    const char *ignored, *otherwise;
    void (*body)(json_object *body);
    /* Changes a model that was opened. */
    void (*model)(server_model *m);
    /* Changes a request that was read. */
    void (*request)(server_request *q);
    /* Changes a chunk of an answer. */
    void (*chunk)(assay_response_chunk *chunk);
    /* … given the request that it answers. */
    void (*report)(const server_request *q, assay_response_chunk *chunk);
    /* Changes logits of a row before logprobs are computed from them. */
    void (*logits)(const server_run *run, float *logits, size_t n);
    /* Changes the logprobs of a row. */
    void (*logprobs)(assay_logprobs *row, assay_token_logprob *top);
    /* before: called before a step, with room for its tokens; after: after it. */
    void (*before)(server_turn *turns, size_t n);
    void (*after)(server_turn *turns, size_t n, size_t vocab);
    /* Stop texts of requests are not passed on. */
    bool no_stop_texts;
    /* All choices are the first one. */
    bool one_choice;
    /* An unknown model is answered with status 200 and an empty body. */
    bool silent;
    /* The sample of a request whose client has gone is never removed. */
    bool leaks;
} served_fault;

/* A table of faults, [n]. */
typedef struct served_fault_list {
    const served_fault *at;
    size_t n;
} served_fault_list;

extern const served_fault_list served_faults, served_call_faults;

/* The i-th fault of all tables; NULL: there are no more. */
const served_fault *served_fault_at(size_t i);

/* The i-th planted fault; NULL: there are no more. ASSAY_FAULT names them, divided by commas. */
const served_fault *served_planted(size_t i);

/* Functions of the table. */
void served_stop_tokenizer(server_model *m);
void served_usage_zero(assay_response_chunk *chunk);
void served_usage_more(assay_response_chunk *chunk);
void served_finish_stop(assay_response_chunk *chunk);
void served_tail(assay_response_chunk *chunk);
void served_no_seed(server_request *q);
void served_block_twice(const char *bytes, size_t n, buffer *out);
void served_done_early(const char *bytes, size_t n, buffer *out);
void served_think_in_content(const char *bytes, size_t n, buffer *out);
void served_call_again(const char *bytes, size_t n, buffer *out);
void served_one_call_id(const char *bytes, size_t n, buffer *out);
void served_drop_call(const char *bytes, size_t n, buffer *out);
void served_merge_calls(const char *bytes, size_t n, buffer *out);
void served_number_call(const char *bytes, size_t n, buffer *out);
void served_null_arguments(const char *bytes, size_t n, buffer *out);
void served_blank_arguments(const char *bytes, size_t n, buffer *out);
void served_lose_input(const char *bytes, size_t n, buffer *out);
void served_short_history(json_object *body);
void served_strip(json_object *body);
void served_one_call(json_object *body);
void served_no_empty_call(json_object *body);
void served_first_picture(json_object *body);
void served_reversed(assay_logprobs *row, assay_token_logprob *top);
void served_fewer(assay_logprobs *row, assay_token_logprob *top);
void served_other_text(assay_logprobs *row, assay_token_logprob *top);
void served_no_first(const server_request *q, assay_response_chunk *chunk);
void served_no_third(const server_request *q, assay_response_chunk *chunk);
void served_no_streamed(const server_request *q, assay_response_chunk *chunk);
void served_late(const server_request *q, assay_response_chunk *chunk);
void served_other_id(assay_logprobs *row, assay_token_logprob *top);
void served_all_zero(assay_logprobs *row, assay_token_logprob *top);
void served_warm(const server_run *run, float *logits, size_t n);
void served_cache_off(server_turn *turns, size_t n);
void served_slowly(server_turn *turns, size_t n);
void served_neighbours(server_turn *turns, size_t n, size_t vocab);

#endif
