/* The prompts of a case, stored left-padded in conf_decoder.tokens [samples, longest prompt].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_PROMPT_H
#define CONFORMANCE_CASE_PROMPT_H

#include "conformance/case/case.h"

/* Number of tokens in the sample's prompt, without padding. */
size_t conf_prompt_length(const conf_decoder *d, size_t sample);

/* Number of padding tokens before the prompt. */
size_t conf_prompt_padding(const conf_decoder *d, size_t sample);

/* The prompt's tokens [conf_prompt_length], borrowed from d. */
const int32_t *conf_prompt(const conf_decoder *d, size_t sample);

#endif
