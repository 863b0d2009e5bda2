/* Placeholders of images and audio in the text of a prompt, as the published processors write them. What
 * depends on a processor is one row of a table in placeholder.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_PLACEHOLDER_H
#define DIALOGUE_CHAT_PLACEHOLDER_H

#include "base/buffer.h"

#include <stdbool.h>

/* The texts around the placeholder of an image or an audio clip; all owned but `noun`, "" for none.
 * noun:          "image" or "audio clip", for messages.
 * token:         the placeholder in a rendered template, and of each token of it.
 * begin, end:    what the processor writes before and after these tokens.
 * before, after: what templates write around a placeholder, for prompts without one.
 * is_first:      every prompt begins with this token, also one without an image. */
typedef struct serve_placeholder {
    const char *noun;
    char *token;
    char *begin, *end;
    char *before, *after;
    bool is_first;
} serve_placeholder;

/* Finds the placeholder of the checkpoint `dir`: by the member processor_class of its processor_config.json,
 * preprocessor_config.json or tokenizer_config.json; without one, by the class of its image processor.
 * image_processor: that class (image_config.type).
 * Fails with ASSAY_EUNSUPPORTED for a class that is not in the table, with ASSAY_EFORMAT if the tokenizer
 * names no token that the class needs, and as json_read does. Free *out with serve_placeholder_free. */
assay_status serve_placeholder_find(const char *dir, const char *image_processor, serve_placeholder *out,
                                    assay_error *err);

/* The same for the placeholder of audio clips: by processor_class alone. Fails with ASSAY_EUNSUPPORTED if no
 * file names a class, or the class takes no audio clips. */
assay_status serve_placeholder_find_audio(const char *dir, serve_placeholder *out, assay_error *err);
void serve_placeholder_free(serve_placeholder *placeholder);

/* Appends `text` with its i-th placeholder replaced by the n_tokens[i] tokens of image (or audio clip) i,
 * within begin and end. name: of the text, for messages ("the rendered chat template"). Fails with
 * ASSAY_EINVAL unless the text has n placeholders, with the number that it has, and with ASSAY_ENOMEM. */
assay_status serve_placeholder_expand(const serve_placeholder *placeholder, const char *name, assay_text text,
                                      const size_t *n_tokens, size_t n, buffer *out, assay_error *err);

/* The items of a kind, whose placeholders are in a text; n 0: there are none, and the text is left as it is.
 */
typedef struct serve_placed {
    const serve_placeholder *placeholder;
    const size_t *n_tokens; /* [n] */
    size_t n;
} serve_placed;

/* The same for several kinds, one after the other. */
assay_status serve_placeholder_expand_kinds(const serve_placed *kinds, size_t n_kinds, const char *name,
                                            assay_text text, buffer *out, assay_error *err);

#endif
