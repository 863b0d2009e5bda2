/* A response in progress (assay/serving.h, response_open): parses an engine's output and writes the body that
 * the client receives.
 *
 * The output of the parsers is divided into *runs*: reasoning, content, or one call. A run of text begins
 * with its first character that is not white space (white space before it is held until then) and ends where
 * another run begins. So a block or an item is never empty and never opened twice, and their order is that of
 * the text. A call is written when it is complete.
 *
 * Memory: the answer. Time: linear.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_RESPONSE_H
#define DIALOGUE_RESPONSE_RESPONSE_H

#include <assay/serving.h>

/* serving: its reply_open, reply_feed, reply_end and reply_free parse the reply; borrowed until the response
 * is freed. The rest is as for the members of assay_serving. */
assay_status serve_response_open(const assay_serving *serving, const assay_response_options *options,
                                 assay_response **out, assay_error *err);
assay_status serve_response_chunk(assay_response *r, const assay_response_chunk *chunk,
                                  const assay_byte_sink *sink, assay_error *err);
assay_status serve_response_fail(assay_response *r, const char *text, const assay_byte_sink *sink,
                                 assay_error *err);
assay_status serve_response_end(assay_response *r, const assay_byte_sink *sink, assay_error *err);
void serve_response_free(assay_response *r);

#endif
