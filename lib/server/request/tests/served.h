/* Requests to the checkpoint in tests/model: its tokenizer has a token for each byte, and its template prints
 * the variables as JSON: messages, tools, then whether the reply's header follows, enable_thinking, eos_token
 * and the argument `extra`; then the placeholders of images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_TESTS_SERVED_H
#define SERVER_REQUEST_TESTS_SERVED_H

#include "base/tests/support.h"
#include "server/request/read.h"

#define SERVED_POSITIONS 4096
#define SERVED_VOCAB     262 /* bytes, and six tokens from 256 on */

extern const char *served_files; /* the directory of files; NULL: none. Set before the first request */
extern server_request_limits served_limits;
extern const char *served_model; /* the checkpoint, below the source tree */
extern size_t served_vocab;      /* of it */

/* Opened by the first call. */
const server_requests *served_requests(void);

/* Reads a body; the caller frees the request. A refusal fails the test. */
server_request *served_read(serve_endpoint endpoint, const char *body);

/* Expects a refusal with this status and member, whose text begins with the member and contains `words`. */
void served_refuse(serve_endpoint endpoint, const char *body, int status, const char *member,
                   const char *words);

/* The text of a prompt's tokens; valid until the next call. */
const char *served_prompt(const server_request *q, size_t prompt);

#endif
