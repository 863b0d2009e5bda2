/* What a response reports of its tokens besides their text: logprobs and ids, as JSON. Elements are collected
 * here and taken by the form that writes them: in a stream with the next event of their choice, so that
 * nothing is lost while a parser withholds text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_REPORTS_H
#define DIALOGUE_RESPONSE_REPORTS_H

#include <assay/serving.h>

#include "base/buffer.h"
#include "dialogue/response/request.h"

/* A token whose logprobs wait for the text that it is part of. */
typedef struct serve_waiting {
    size_t text_end;   /* of its bytes in waiting_text */
    size_t object_end; /* of its JSON in objects */
} serve_waiting;

/* JSON elements, each list with commas between them. Zeroed at the beginning. */
typedef struct serve_reports {
    buffer objects;                       /* chat and Responses: of the form serve_logprobs_object */
    buffer tokens, values, maps, offsets; /* completions: of the four lists */
    buffer prompt;                        /* of prompt_logprobs */
    buffer ids, prompt_ids;
    serve_waiting *waiting; /* [n_waiting], Responses */
    size_t n_waiting;
    buffer waiting_text; /* the bytes of the waiting tokens */
    size_t n_chars;      /* completions: characters of the tokens so far, where the next text_offset is */
    bool has_prompt_ids; /* prompt_ids were given; the list may be empty */
    bool no_memory;
} serve_reports;

/* Adds the members of a chunk that the request asks for. */
void serve_reports_add(serve_reports *reports, const serve_request *request,
                       const assay_response_chunk *chunk);

/* Responses: moves the logprobs of the tokens that `text` is made of to *out, and drops those of tokens
 * before them, which belong to no text (a marker of a parser). The tokens are found by their bytes; if text
 * does not occur among those of the waiting tokens, all of them are moved. */
void serve_reports_match(serve_reports *reports, assay_text text, buffer *out);

void serve_reports_free(serve_reports *reports);

#endif
