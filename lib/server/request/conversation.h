/* The messages that a chat template receives, built from those of any endpoint: a list of objects with role,
 * content (a text, or parts of type text, image and audio), reasoning_content, tool_calls, tool_call_id and
 * name.
 *
 * Functions return as those of reading.h do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_CONVERSATION_H
#define SERVER_REQUEST_CONVERSATION_H

#include "server/request/reading.h"

/* The content of a message while it is read. Zeroed at the beginning. */
typedef struct server_content {
    json_object *parts; /* owned by the reading until server_conversation_content */
    bool has_media;     /* an image or an audio clip */
} server_content;

/* A new message of this role at the end, borrowed; NULL after a failure, which *rc is. path: for a message
 * when there are too many. */
json_object *server_conversation_add(server_reading *r, const server_path *path, const char *role,
                                     assay_status *rc);

/* Adds a part. text: a JSON string, borrowed. */
assay_status server_content_text(server_reading *r, server_content *c, json_object *text);
assay_status server_content_image(server_reading *r, server_content *c); /* the image that was added last */
assay_status server_content_audio(server_reading *r,
                                  server_content *c); /* the audio clip that was added last */

/* Sets the content of a message, and takes the parts: the text parts joined by newlines or, if one is an
 * image or an audio clip, the list of all parts. No part: "" if `empty`, else null. */
assay_status server_conversation_content(server_reading *r, json_object *message, server_content *c,
                                         bool empty);
void server_content_drop(server_content *c);

/* Adds a call to a message. arguments: a JSON object, borrowed. id may be NULL. */
assay_status server_conversation_call(server_reading *r, json_object *message, json_object *id,
                                      json_object *name, json_object *arguments);

/* Parses the arguments of a call, a JSON object as text; the caller owns *out. path: of the text. */
assay_status server_conversation_arguments(server_reading *r, const server_path *path, json_object *text,
                                           json_object **out);

/* Appends to a text member of a message, which it makes. */
assay_status server_conversation_append(server_reading *r, json_object *message, const char *member,
                                        json_object *text);

/* Reads `tools` of a request: a list, of whose elements each is an object that `read` adds. */
assay_status server_conversation_tools(server_reading *r, json_object *value,
                                       assay_status (*read)(server_reading *r, const server_path *path,
                                                            json_object *tool));

/* Adds a tool to r->tools, as chat completions declares it. description, schema: NULL: none; borrowed. */
assay_status server_conversation_tool(server_reading *r, json_object *name, json_object *description,
                                      json_object *schema);

#endif
