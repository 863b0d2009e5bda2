/* What assay generate gives to the engine: the text of the prompt as the model sees it, and its images.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_PROMPT_H
#define CONFORMANCE_GENERATE_PROMPT_H

#include <assay/serving.h>

#include "base/buffer.h"
#include "conformance/options/options.h"
#include "serving/chat/images.h"

/* text:        the prompt with the placeholder tokens of every image.
 * written:     the same before the placeholders are expanded.
 * add_special: whether the tokenizer adds its special tokens.
 * place:       where the chat template is (serve_chat_source); NULL: none was used.
 * placeholder: the text of a placeholder token; NULL: there are no images.
 * images:      NULL: none. */
typedef struct conf_prompt {
    buffer text, written;
    bool add_special;
    char *place, *placeholder;
    serve_images *images;
} conf_prompt;

/* Makes the prompt of options->generate. text: [n], that of --prompt. serving: of the engine's module.
 * Fails naming the file: as serve_chat_source_find, serve_chat_render, image_config_open,
 * serve_placeholder_find, serve_placeholder_expand and serve_images_open do; with ASSAY_EUNSUPPORTED for
 * images if the checkpoint has no processor of images, or for a chat template if `serving` cannot render one;
 * with ASSAY_EIO if --chat or --system-prompt is given and there is no template. *out is untouched on
 * failure; free it with conf_prompt_free. */
assay_status conf_prompt_make(const conf_options *options, const assay_serving *serving, assay_text text,
                              conf_prompt *out, assay_error *err);
void conf_prompt_free(conf_prompt *prompt);

#endif
