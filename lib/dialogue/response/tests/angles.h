/* Parsers of a simple model that reasons between < and >, and calls tools as [name|arguments], with the
 * output of an engine, for tests of responses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_RESPONSE_TESTS_ANGLES_H
#define DIALOGUE_RESPONSE_TESTS_ANGLES_H

#include "base/buffer.h"
#include "dialogue/response/response.h"

extern const char *const angles_paths[3]; /* of the endpoints */

/* Requests with tools: of a stream that reports its usage, and of a whole body. */
extern const char angles_stream[], angles_whole[];

/* A server's options with both parsers. */
#define ANGLES_SERVER                                                                                        \
    "{\"model\": \"m\", \"reasoning_parser\": \"angles\", \"tool_parser\": \"brackets\", "                   \
    "\"auto_tool_choice\": true}"

/* A text for which reply_feed fails. */
#define ANGLES_BROKEN "\2"

/* The request that reply_open received last; "" if none. */
extern char angles_request[256];

assay_status angles_open(const char *path, const char *request, const char *server, assay_response **out,
                         assay_error *err);

/* The function `take` of an assay_byte_sink that adds to a buffer. */
void angles_collect(void *context, const char *bytes, size_t n);

/* A chunk of an engine; the last one if finish is not NULL. */
assay_status angles_say(assay_response *r, const char *text, size_t n, const char *finish, buffer *body);

/* The smallest number of bytes, at least n, at which a character ends. */
size_t angles_cut(const char *text, size_t n);

/* The whole body of a reply that is fed in pieces of about `piece` bytes, terminated; the caller frees it. */
char *angles_answer(const char *path, const char *request, const char *text, const char *finish,
                    size_t piece);

#endif
