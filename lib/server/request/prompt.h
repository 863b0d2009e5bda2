/* From the messages or the texts of a request to tokens and images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVER_REQUEST_PROMPT_H
#define SERVER_REQUEST_PROMPT_H

#include "server/request/reading.h"

/* Renders the chat template with r->messages, r->tools and the arguments of the request, expands the
 * placeholders of images and tokenises the text. Returns as the functions of reading.h do; status 400 with
 * the template's own message if it fails. */
assay_status server_prompt_render(server_reading *r, server_prompt *out);

/* The prompts of completions: a text, a list of texts, a list of token ids, or a list of such lists. */
assay_status server_prompt_read(server_reading *r, json_object *value);

#endif
