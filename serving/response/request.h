/* What a request and the options of a server say about how a reply is answered.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_RESPONSE_REQUEST_H
#define SERVING_RESPONSE_REQUEST_H

#include <assay/serving.h>

#include "serving/grammar/grammar.h"
#include "serving/text/bytes.h"

typedef struct serve_request {
    serve_endpoint endpoint;
    bool streams;
    bool usage;          /* chat completions: a chunk for usage was asked for */
    bool thinking_off;   /* by the request, by its arguments of the template, or by the server's */
    serve_bytes model;   /* terminated, as are the next two */
    serve_bytes parser;  /* of reasoning; empty: none */
    serve_bytes tools;   /* the parser of tool calls; empty: none is asked */
    serve_bytes request; /* a JSON object with the tools, in the form of chat completions; empty: none */
} serve_request;

/* On failure *out needs no freeing. ASSAY_EFORMAT where a member is not what it must be, ASSAY_EUNSUPPORTED
 * where there is no such endpoint, ASSAY_ENOMEM. */
assay_status serve_request_read(const assay_response_options *options, serve_request *out, assay_error *err);
void serve_request_free(serve_request *r);

#endif
