/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/rows.h"

#include "conformance/case/prompt.h"

size_t conf_cut_sample(const conf_cut *cut, size_t sample)
{
    size_t n = 0;
    for (size_t b = 0; b < sample; b++) n += cut->samples[b];
    return n;
}

void conf_cut_sequence(const conf_whole *whole, const conf_cut *cut, size_t sample, int32_t *tokens)
{
    const size_t n = conf_whole_tokens(whole, sample);
    for (size_t i = 0; i < n; i++)
        if (cut->tokens[sample * whole->width + i])
            *tokens++ =
                cut->plain[sample * whole->width + i] ? whole->plain : conf_whole_token(whole, sample, i);
}

bool conf_cut_place(const conf_whole *whole, const conf_cut *cut, size_t row, conf_place *out)
{
    const conf_place *place = &whole->c->decoder.rows.place[row];
    const size_t b = place->sample;
    const size_t token = place->pos + (place->decode ? conf_prompt_length(&whole->c->decoder, b) : 0);
    const bool *kept = cut->tokens + b * whole->width;
    if (!cut->samples[b] || !kept[token]) return false;
    const size_t n_prompt = conf_cut_tokens(whole, cut, b) - cut->n_decode;
    size_t at = 0;
    for (size_t i = 0; i < token; i++) at += kept[i];
    *out = (conf_place){.sample = conf_cut_sample(cut, b),
                        .decode = at >= n_prompt,
                        .pos = at >= n_prompt ? at - n_prompt : at};
    return true;
}

bool conf_cut_has_rows(const conf_whole *whole, const conf_cut *cut)
{
    size_t n_prefill = 0, n_decode = 0;
    for (size_t i = 0; i < whole->c->decoder.rows.n_rows; i++) {
        conf_place place;
        if (!conf_cut_place(whole, cut, i, &place)) continue;
        if (place.decode) n_decode++;
        else n_prefill++;
    }
    return n_prefill > 0 && n_decode == conf_cut_samples(whole, cut) * cut->n_decode;
}
