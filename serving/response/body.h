/* Writes the body of a response: each function appends to r->out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_RESPONSE_BODY_H
#define SERVING_RESPONSE_BODY_H

#include "serving/response/form.h"

void serve_put(assay_response *r, const char *literal);
void serve_put_text(assay_response *r, assay_text text); /* as a JSON string */
void serve_put_count(assay_response *r, int64_t n);
void serve_put_id(assay_response *r, const char *prefix);                  /* "prefix_id", with quotes */
void serve_put_id_of(assay_response *r, const char *prefix, size_t index); /* "prefix_id_index" */

assay_text serve_text_of(const char *terminated);

#endif
