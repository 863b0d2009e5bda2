/* From the body of a request to what the scheduler needs.
 *
 * No member of a request is accepted and ignored: it is honoured; refused, with its name, if it would change
 * the answer; or one of the few that change nothing (server/request/members.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_READ_H
#define SERVER_REQUEST_READ_H

#include "server/request/context.h"
#include "server/request/refusal.h"
#include "server/request/request.h"

/* Reads a body. body: any bytes. ASSAY_EINVAL if the request is refused, which *refusal describes;
 * ASSAY_ENOMEM, with *refusal filled in as well (500). *out is untouched on failure; free it with
 * server_request_free. Uses the caller's thread for everything: rendering, tokenising, decoding images.
 * wanted: NULL: the request is wanted until it is read; one that is not is refused. */
assay_status server_request_read(const server_requests *requests, serve_endpoint endpoint, assay_text body,
                                 const server_wanted *wanted, server_request **out, server_refusal *refusal);

/* Opens the response to a request (assay/serving.h, response_open). id, created: as there. */
assay_status server_request_respond(const server_requests *requests, const server_request *request,
                                    const char *id, int64_t created, assay_response **out, assay_error *err);

#endif
