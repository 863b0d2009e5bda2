/* The messages and tools of /v1/chat/completions. Each function is given the value of
 * the member, which is not null, and returns as those of reading.h do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_CHAT_H
#define SERVER_REQUEST_CHAT_H

#include "server/request/reading.h"

assay_status server_chat_messages(server_reading *r, json_object *value);
assay_status server_chat_tools(server_reading *r, json_object *value);

#endif
