/* The prompt of a chat: a checkpoint's chat template, rendered with one message of a user.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_CHAT_H
#define DIALOGUE_CHAT_CHAT_H

#include "base/buffer.h"
#include "base/json.h"
#include "dialogue/chat/source.h"

/* system:       the text of a message of role system before it; .at NULL: no such message.
 * prompt:       the text of the user's message. Invalid UTF-8 in both becomes U+FFFD.
 * n_images, n_audios: how many images, and then audio clips, come before the text; the content is then a list
 * of parts, else a string. thinking_off: the variable enable_thinking is false; otherwise it is not set. now:
 * as in assay_template_options. */
typedef struct serve_chat_request {
    assay_text system, prompt;
    size_t n_images, n_audios;
    bool thinking_off;
    int64_t now;
} serve_chat_request;

/* Appends the prompt to *out, the header of the reply included (add_generation_prompt). The template sees the
 * variables that transformers' apply_chat_template sets, among them the common special tokens of `dir`.
 * serving: has template_render. *add_special: whether the tokenizer adds its special tokens to the prompt: if
 * the template is not complete without them, the checkpoint has a processor, and the prompt does not begin
 * with the bos_token. Fails as template_render does, with the place of the template before the message. */
assay_status serve_chat_render(const assay_serving *serving, const char *dir, const serve_chat_source *source,
                               const serve_chat_request *request, buffer *out, bool *add_special,
                               assay_error *err);

/* Appends the template rendered with these variables, an object that is not changed; after a failure *out may
 * hold a part. Fails as template_render does, with the place of the template before the message. */
assay_status serve_chat_render_variables(const assay_serving *serving, const char *dir,
                                         const serve_chat_source *source, json_object *variables, int64_t now,
                                         buffer *out, assay_error *err);

#endif
