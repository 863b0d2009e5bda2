/* The input items, the instructions and the tools of /v1/responses. Each function is given the value of
 * the member, which is not null, and returns as those of reading.h do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_RESPONSES_H
#define SERVER_REQUEST_RESPONSES_H

#include "server/request/reading.h"

/* With the member `instructions` of the body. */
assay_status server_responses_input(server_reading *r, json_object *value);
assay_status server_responses_tools(server_reading *r, json_object *value);

#endif
