/* Parses a reply while it is generated: raw text in, fields for the client out. The reasoning parser runs
 * first; the tool-call parser reads the content that is left.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_REPLY_H
#define DIALOGUE_REPLY_H

#include <assay/serving.h>

/* The members reply_open, reply_feed, reply_end and reply_free of assay_serving. */
assay_status serve_reply_open(const assay_reply_options *options, assay_reply **out, assay_error *err);
assay_status serve_reply_feed(assay_reply *reply, const char *delta, size_t n, const assay_sink *sink,
                              assay_error *err);
assay_status serve_reply_end(assay_reply *reply, const assay_sink *sink, assay_error *err);
void serve_reply_free(assay_reply *reply);

#endif
