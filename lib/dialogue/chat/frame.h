/* The prompts that a published processor writes itself, as a chat template.
 *
 * Moondream 3's checkpoints have no chat template: mlx-vlm's processor (models/moondream3/
 * processing_moondream3.py) puts the user's text between the tokens of an image and that of an answer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_FRAME_H
#define DIALOGUE_CHAT_FRAME_H

#include <assay/status.h>

#define SERVE_CHAT_FRAME_PLACE "Moondream3Processor" /* where the template is, for messages */

/* Makes the template of such a checkpoint; *out is NULL, with ASSAY_OK, for any other. It takes one message
 * of the user, with one image or without; it fails for other conversations, for which the published processor
 * has no form. Fails as json_read does, and with ASSAY_EFORMAT, naming the file, if the tokenizer lacks one
 * of the tokens. The caller frees *out. */
assay_status serve_chat_frame_find(const char *dir, char **out, assay_error *err);

/* The text of id 0, with which prompts of Moondream 3 begin, and which stands for each token of an image.
 * The caller frees *out. Fails in the same way. */
assay_status serve_chat_frame_placeholder(const char *dir, char **out, assay_error *err);

#endif
