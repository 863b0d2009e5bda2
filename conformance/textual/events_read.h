/* Reads vectors of kind events.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_EVENTS_READ_H
#define CONFORMANCE_TEXTUAL_EVENTS_READ_H

#include <assay/serving.h>

#include "conformance/textual/textual.h"
#include "dialogue/grammar/grammar.h"

/* A parsed vector. Borrows the document and the vector's conf_json_at. */
typedef struct conf_events_case {
    conf_json_at input, request, server, chunks, expect, folded;
    const char *path; /* of the endpoint, as in the file */
    serve_endpoint endpoint;
    bool usage; /* the request asks for usage */
    size_t n_chunks;
    size_t raise_at; /* the engine fails before this chunk; SIZE_MAX: it does not fail */
} conf_events_case;

/* One chunk of a vector; borrows the document. */
typedef struct conf_events_chunk {
    assay_text text;
    int64_t prompt_tokens, completion_tokens;
    bool finished;
    const char *finish_reason; /* NULL: none */
} conf_events_chunk;

/* Reads input and expect of the vector at `at`. *out points into itself and to *at: neither may be
 * moved or copied. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM. */
assay_status conf_events_read(const conf_json_at *at, conf_events_case *out, assay_error *err);

/* Reads chunk i < e->n_chunks. */
assay_status conf_events_chunk_at(const conf_events_case *e, size_t i, conf_events_chunk *out,
                                  assay_error *err);

/* conf_textual.check for kind events. */
assay_status conf_events_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                               assay_error *err);

#endif
