/* A vector of kind events as it stands in its file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_EVENTS_READ_H
#define CONFORMANCE_TEXTUAL_EVENTS_READ_H

#include <assay/serving.h>

#include "conformance/textual/textual.h"
#include "serving/grammar/grammar.h"

/* Borrows the document. */
typedef struct conf_events_case {
    conf_json_at input, request, server, chunks, expect, folded;
    const char *path; /* of the endpoint */
    serve_endpoint endpoint;
    bool usage; /* was asked for */
    size_t n_chunks;
    size_t raise_at; /* the engine fails before this chunk; SIZE_MAX: it does not fail */
} conf_events_case;

/* One chunk of a vector that has been read. */
typedef struct conf_events_chunk {
    assay_text text;
    int64_t prompt_tokens, completion_tokens;
    bool finished;
    const char *finish_reason; /* NULL: none */
} conf_events_chunk;

/* Places borrow *out and the vector's: neither may move. */
assay_status conf_events_read(const conf_json_at *at, conf_events_case *out, assay_error *err);
assay_status conf_events_chunk_at(const conf_events_case *e, size_t i, conf_events_chunk *out,
                                  assay_error *err);

/* For conf_textual. */
assay_status conf_events_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                               assay_error *err);

#endif
