/* The special tokens that a checkpoint's tokenizer_config.json names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_SPECIAL_H
#define DIALOGUE_CHAT_SPECIAL_H

#include <assay/status.h>

#include "base/json.h"

/* Reads the named tokens of the checkpoint `dir` into an object of strings, as transformers 5.23 finds them:
 * the members of tokenizer_config.json whose name ends in _token, and those of its extra_special_tokens and
 * model_specific_special_tokens; where it has no added_tokens_decoder, special_tokens_map.json overrides
 * them. A token is a string, or an object with the string `content`. Defaults of tokenizer classes are not
 * included. The caller owns *out (json_object_put). Fails as json_read does. */
assay_status serve_chat_special_read(const char *dir, json_object **out, assay_error *err);

/* Whether templates see this token: the seven names that every tokenizer may have. */
bool serve_chat_special_is_common(const char *name);

#endif
