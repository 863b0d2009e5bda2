/* The chat template of a checkpoint, chosen as transformers 5.23 does.
 *
 * A checkpoint with a processor (one that has a processor_config.json or a preprocessor_config.json) takes
 * the first of: the member chat_template of processor_config.json, chat_template.json, chat_template.jinja.
 * Where there is none of them, for which transformers fails, and in a checkpoint without a processor, it is
 * chat_template.jinja, or the member chat_template of tokenizer_config.json.
 *
 * A checkpoint without any may be one whose processor writes the prompt: dialogue/chat/frame.h.
 *
 * Named templates (additional_chat_templates/NAME.jinja beside chat_template.jinja, or a list in
 * tokenizer_config.json): "default" is taken; of a checkpoint without a processor "tool_use" for a request
 * with tools, if it has one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_SOURCE_H
#define DIALOGUE_CHAT_SOURCE_H

#include <assay/serving.h>

#include <stdbool.h>

/* place: where the template is, for messages: "chat_template.jinja", "tokenizer_config.json: chat_template",
 *        "tokenizer_config.json: chat_template tool_use". NULL: the checkpoint has no chat template.
 * text:  [n], not terminated. Both are owned.
 * is_complete: the tokenizer adds none of its special tokens to the prompt (dialogue/chat/frame.h). */
typedef struct serve_chat_source {
    char *place;
    char *text;
    size_t n;
    bool is_complete;
} serve_chat_source;

/* Finds the template of the checkpoint `dir`. Fails with ASSAY_EIO or ASSAY_EFORMAT, naming the file, for one
 * that cannot be read, with ASSAY_EFORMAT for named templates of which none is the default, or
 * ASSAY_ENOMEM. *out is untouched on failure. */
assay_status serve_chat_source_find(const char *dir, bool has_tools, serve_chat_source *out,
                                    assay_error *err);
void serve_chat_source_free(serve_chat_source *source);

/* Whether a checkpoint has a processor, which makes inputs other than text. */
bool serve_chat_has_processor(const char *dir);

#endif
