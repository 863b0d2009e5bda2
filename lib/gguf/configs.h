/* The tokenizer_config.json and the generation_config.json that a GGUF file's metadata stand for. For
 * document.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_CONFIGS_H
#define GGUF_CONFIGS_H

#include "base/buffer.h"
#include "gguf/container.h"

/* Appends the special tokens, whether bos and eos are added, and chat_template: a string, or a list of named
 * ones if the file has any (tokenizer.chat_template.NAME). Fails as gguf_vocabulary_read and
 * gguf_settings_read do. */
assay_status gguf_tokenizer_config_write(const gguf *f, buffer *to, assay_error *err);

/* Appends eos_token_id: the ids of eos, eot and eom, those that the file states; and bos_token_id and
 * pad_token_id. */
assay_status gguf_generation_config_write(const gguf *f, buffer *to, assay_error *err);

#endif
