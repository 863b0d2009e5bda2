/* The members of each endpoint that hold what the model reads. Each function is given the value of the
 * member, which is not null, and returns as those of reading.h do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_ENDPOINTS_H
#define SERVER_REQUEST_ENDPOINTS_H

#include "server/request/reading.h"

assay_status server_chat_messages(server_reading *r, json_object *value);
assay_status server_chat_tools(server_reading *r, json_object *value);

/* With the member `system` of the body. */
assay_status server_messages_messages(server_reading *r, json_object *value);
assay_status server_messages_tools(server_reading *r, json_object *value);

/* With the member `instructions` of the body. */
assay_status server_responses_input(server_reading *r, json_object *value);
assay_status server_responses_tools(server_reading *r, json_object *value);

#endif
