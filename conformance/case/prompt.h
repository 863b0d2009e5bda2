/* The prompts of a case, which lie left-padded in d->tokens [B, T].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_PROMPT_H
#define CONFORMANCE_CASE_PROMPT_H

#include "conformance/case/case.h"

/* Tokens of the sample's prompt, without its padding. */
size_t conf_prompt_length(const conf_decoder *d, size_t sample);

/* Tokens of padding in front of it. */
size_t conf_prompt_padding(const conf_decoder *d, size_t sample);

/* The tokens of the prompt [conf_prompt_length], borrowed. */
const int32_t *conf_prompt(const conf_decoder *d, size_t sample);

#endif
