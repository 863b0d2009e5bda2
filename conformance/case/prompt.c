/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/prompt.h"

size_t conf_prompt_length(const conf_decoder *d, size_t sample)
{
    return (size_t)((const int32_t *)d->length.data)[sample];
}

size_t conf_prompt_padding(const conf_decoder *d, size_t sample)
{
    return d->n_tokens - conf_prompt_length(d, sample);
}

const int32_t *conf_prompt(const conf_decoder *d, size_t sample)
{
    return (const int32_t *)d->tokens.data + sample * d->n_tokens + conf_prompt_padding(d, sample);
}
