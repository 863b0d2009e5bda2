/* A model that thinks between < and >, and calls tools as [name|arguments], for tests of responses: its
 * parsers, and what an engine says of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_RESPONSE_TESTS_ANGLES_H
#define SERVING_RESPONSE_TESTS_ANGLES_H

#include "serving/response/response.h"
#include "serving/text/bytes.h"

extern const char *const angles_paths[3]; /* of the endpoints */

/* The options of a server with both parsers. */
#define ANGLES_SERVER                                                                                        \
    "{\"model\": \"m\", \"reasoning_parser\": \"angles\", \"tool_parser\": \"brackets\", "                   \
    "\"auto_tool_choice\": true}"

/* What cannot be read: reply_feed fails there. */
#define ANGLES_BROKEN "\2"

/* The request that reply_open was given last, "" where it was none. */
extern char angles_request[256];

assay_status angles_open(const char *path, const char *request, const char *server, assay_response **out,
                         assay_error *err);

/* A take of assay_byte_sink that adds to serve_bytes. */
void angles_collect(void *context, const char *bytes, size_t n);

/* A chunk of an engine; the last one where finish is not NULL. */
assay_status angles_say(assay_response *r, const char *text, size_t n, const char *finish, serve_bytes *body);

#endif
