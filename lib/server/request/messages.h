/* The messages, the system prompt and the tools of /v1/messages. Each function is given the value of
 * the member, which is not null, and returns as those of reading.h do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_MESSAGES_H
#define SERVER_REQUEST_MESSAGES_H

#include "server/request/reading.h"

/* With the member `system` of the body. */
assay_status server_messages_messages(server_reading *r, json_object *value);
assay_status server_messages_tools(server_reading *r, json_object *value);

#endif
