/* A response under way (assay/serving.h, response_open): what an engine says goes through the parsers, and
 * becomes the body that a client is sent.
 *
 * What the parsers hand out comes in *runs*: reasoning, content, or one call. A run of text begins with its
 * first character that is no white space (what stands before it is kept until then), and ends where another
 * one begins; so a block or an item is never empty, never opened twice, and the order is that of the text.
 * A call is handed on when it is whole.
 *
 * Memory: the answer. Time: linear.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_RESPONSE_RESPONSE_H
#define SERVING_RESPONSE_RESPONSE_H

#include <assay/serving.h>

/* serving: whose reply_open, reply_feed, reply_end and reply_free read the reply; borrowed until the response
 * is freed. The rest is that of the members of assay_serving. */
assay_status serve_response_open(const assay_serving *serving, const assay_response_options *options,
                                 assay_response **out, assay_error *err);
assay_status serve_response_chunk(assay_response *r, const assay_response_chunk *chunk,
                                  const assay_byte_sink *sink, assay_error *err);
assay_status serve_response_fail(assay_response *r, const char *text, const assay_byte_sink *sink,
                                 assay_error *err);
assay_status serve_response_end(assay_response *r, const assay_byte_sink *sink, assay_error *err);
void serve_response_free(assay_response *r);

#endif
