/* A single sample as a sequence of tokens, and as a case of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/sequence.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/decoder.h"
#include "conformance/case/prompt.h"
#include "conformance/evaluate/tokens.h"

int32_t *conf_sequence_tokens(const conf_decoder *d, const conf_sequence *s, size_t *n)
{
    size_t length = conf_prompt_length(d, s->sample), width = s->padded ? d->n_tokens : length;
    size_t n_more = s->decodes ? 0 : s->n_more;
    const int32_t *prompt = (const int32_t *)d->tokens.data + (s->sample + 1) * d->n_tokens - width;
    int32_t *tokens = calloc(width + n_more, sizeof *tokens);
    if (!tokens) return NULL;
    memcpy(tokens, prompt, width * sizeof *tokens);
    if (n_more) {
        const int32_t *more = s->greedy ? (const int32_t *)d->greedy.data + s->sample * d->n_greedy
                                        : (const int32_t *)d->decode.data + s->sample * d->n_decode;
        memcpy(tokens + width, more, n_more * sizeof *tokens);
    }
    *n = width + n_more;
    return tokens;
}

/* Selects the rows of the case by which the sequence is judged: the recorded ones of the prompt, those of the
 * steps, or the last one. False if out of memory. */
static bool choose_rows(const conf_decoder *d, const conf_sequence *s, conf_rows *out)
{
    size_t n_cols = d->rows.n_cols, length = conf_prompt_length(d, s->sample);
    size_t first = 0, n = 0;
    if (s->n_more) {
        n = s->decodes ? s->n_more : 1;
        first = conf_row_of_step(d, s->sample, s->n_more, s->greedy) + 1 - n;
    } else {
        const conf_place *place = d->rows.place;
        while (first < d->rows.n_rows && place[first].sample != s->sample) first++;
        while (first + n < d->rows.n_rows && place[first + n].sample == s->sample && !place[first + n].decode)
            n++;
    }
    out->place = calloc(n + 1, sizeof *out->place);
    out->truth = calloc(n * n_cols + 1, sizeof *out->truth);
    if (!out->place || !out->truth) return false;
    out->n_rows = n;
    out->n_cols = n_cols;
    memcpy(out->truth, d->rows.truth + first * n_cols, n * n_cols * sizeof *out->truth);
    for (size_t i = 0; i < n; i++)
        out->place[i] = (conf_place){.decode = s->decodes,
                                     .pos = s->decodes       ? i
                                            : s->n_more == 0 ? d->rows.place[first + i].pos
                                                             : length + s->n_more - 1};
    return true;
}

/* Makes an array [1, n] if is_row, otherwise [1]. data: [n], owned by the array; NULL: zeros. */
static bool make_array(conf_array *a, int32_t *data, size_t n, bool is_row)
{
    *a = (conf_array){.dtype = ASSAY_I32, .rank = is_row ? 2 : 1, .shape = {1, is_row ? n : 0}, .n = n};
    a->data = data ? data : calloc(n ? n : 1, sizeof *data);
    return a->data != NULL;
}

/* Selects the next greedy token: the recorded one, or any stop id after the end of the stream. */
static bool choose_next(const conf_decoder *d, const conf_sequence *s, conf_decoder *out)
{
    const int32_t *stream = (const int32_t *)d->greedy.data + s->sample * d->n_greedy;
    size_t n = 0;
    while (n < d->n_greedy && stream[n] >= 0) n++;
    out->stops = calloc(1, sizeof *out->stops);
    if (!out->stops || !make_array(&out->greedy, NULL, 1, true)) return false;
    out->stops[0] = d->stops[s->sample] && s->n_more + 1 >= n;
    *(int32_t *)out->greedy.data = s->n_more < n ? stream[s->n_more] : -1;
    out->n_greedy = 1;
    return true;
}

bool conf_sequence_case(const conf_case *c, const conf_sequence *s, conf_case *out)
{
    const conf_decoder *d = &c->decoder;
    *out = (conf_case){.path = c->path,
                       .kind = c->kind,
                       .model = c->model,
                       .allow_unknown = c->allow_unknown,
                       .float64_bound = c->float64_bound};
    conf_decoder *own = &out->decoder;
    *own = (conf_decoder){.n_samples = 1,
                          .whole = d,
                          .whole_sample = s->sample,
                          .caches = d->caches,
                          .has_truth = d->has_truth && !s->greedy,
                          .n_decode = s->decodes ? s->n_more : 0};
    int32_t *tokens = conf_sequence_tokens(d, s, &own->n_tokens);
    if (!tokens || !make_array(&own->tokens, tokens, own->n_tokens, true)) return false;
    if (!make_array(&own->length, NULL, 1, false)) return false;
    *(int32_t *)own->length.data = (int32_t)(s->padded ? conf_prompt_length(d, s->sample) : own->n_tokens);
    if (own->n_decode) {
        if (!make_array(&own->decode, NULL, own->n_decode, true)) return false;
        memcpy(own->decode.data, (const int32_t *)d->decode.data + s->sample * d->n_decode,
               own->n_decode * sizeof(int32_t));
    }
    return (!own->has_truth || choose_rows(d, s, &own->rows)) && (!s->greedy || choose_next(d, s, own));
}

void conf_sequence_case_free(conf_case *c)
{
    conf_decoder_free(&c->decoder);
}
