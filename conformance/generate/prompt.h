/* What assay generate gives to the engine: the text of the prompt as the model sees it, and its images and
 * audio clips.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_GENERATE_PROMPT_H
#define CONFORMANCE_GENERATE_PROMPT_H

#include <assay/serving.h>

#include "base/buffer.h"
#include "conformance/options/options.h"
#include "dialogue/chat/audio.h"
#include "dialogue/chat/images.h"

/* text:        the prompt with the placeholder tokens of every image and audio clip.
 * written:     the same before the placeholders are expanded.
 * add_special: whether the tokenizer adds its special tokens.
 * place:       where the chat template is (serve_chat_source); NULL: none was used.
 * placeholder, audio_placeholder: the text of a placeholder token of images and of audio clips; NULL: there
 * are none. images, audio: NULL: none. items:       [n_items], those of the images, then those of the audio
 * clips. */
typedef struct conf_prompt {
    buffer text, written;
    bool add_special;
    char *place, *placeholder, *audio_placeholder;
    serve_images *images;
    serve_audio *audios;
    assay_item *items;
    size_t n_items;
} conf_prompt;

/* Makes the prompt of options->generate. text: [n], that of --prompt. serving: of the engine's module.
 * Fails naming the file: as serve_chat_source_find, serve_chat_render, image_config_open,
 * serve_placeholder_find, serve_placeholder_expand, serve_images_open and serve_audio_open do; with
 * ASSAY_EUNSUPPORTED for images or audio if the checkpoint has no processor of them, or for a chat template
 * if `serving` cannot render one; with ASSAY_EIO if --chat or --system-prompt is given and there is no
 * template. *out is untouched on failure; free it with conf_prompt_free. */
assay_status conf_prompt_make(const conf_options *options, const assay_serving *serving, assay_text text,
                              conf_prompt *out, assay_error *err);
void conf_prompt_free(conf_prompt *prompt);

#endif
