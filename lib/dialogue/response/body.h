/* Writes the body of a response: each function appends to r->out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_BODY_H
#define DIALOGUE_RESPONSE_BODY_H

#include "dialogue/response/form.h"
#include "dialogue/text/span.h"

void serve_put(assay_response *r, const char *literal);
void serve_put_text(assay_response *r, assay_text text); /* as a JSON string */
void serve_put_count(assay_response *r, int64_t n);
void serve_put_id(assay_response *r, const char *prefix);                  /* "prefix_id", with quotes */
void serve_put_id_of(assay_response *r, const char *prefix, size_t index); /* "prefix_id_index" */

/* The members `usage` of chat completions and of completions, of all choices. */
void serve_put_usage(assay_response *r);

/* `head`, literally, and the list of these elements, which are emptied. */
void serve_put_list(assay_response *r, const char *head, buffer *elements);

/* A failure as OpenAI's protocols report it: an object with a member `error`. */
void serve_put_error(assay_response *r, const char *text);

#endif
