/* Why a request is refused, as HTTP status and as the body that the protocol of its endpoint prescribes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_REFUSAL_H
#define SERVER_REQUEST_REFUSAL_H

#include <assay/status.h>

#include "base/buffer.h"
#include "dialogue/grammar/options.h"

#include <stdbool.h>

typedef struct server_refusal {
    int status;      /* of HTTP: 400, 404 (an unknown model), 413 (over a limit), 500 (out of memory) */
    char member[96]; /* the path of the member that is at fault: "messages[0].content"; "": none */
    char text[512];  /* what was found and what was expected; begins with the member */
} server_refusal;

/* Fills in *refusal, with `member` and ": " before the text unless member is "". Returns ASSAY_EINVAL, or
 * ASSAY_ENOMEM for status 500. */
assay_status server_refuse(server_refusal *refusal, int status, const char *member, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends the body of an error, for any status: {"error": {"message", "type", "param", "code"}} as OpenAI
 * publishes it, or {"type": "error", "error": {"type", "message"}} as Anthropic does. text: the message;
 * member: "" for none. False if out of memory. */
bool server_refusal_write(serve_endpoint endpoint, int status, const char *member, const char *text,
                          buffer *out);

#endif
