/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/prompt.h"
#include "conformance/case/spans.h"

/* Whether another item of the sample has tokens between those of this one. */
static bool is_mixed(const conf_items *items, size_t sample, size_t item)
{
    const conf_span *span = &items->spans[item];
    for (size_t i = items->of[sample]; i < items->of[sample + 1]; i++)
        if (i != item && items->spans[i].first < span->end && span->first < items->spans[i].end) return true;
    return false;
}

static assay_status find_sizes(conf_whole *whole, assay_error *err)
{
    const conf_items *items = &whole->items;
    const size_t n_samples = whole->c->decoder.n_samples;
    whole->sizes = calloc(items->of[n_samples] + 1, sizeof *whole->sizes);
    if (!whole->sizes) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t b = 0; b < n_samples; b++)
        for (size_t i = items->of[b]; i < items->of[b + 1]; i++)
            if (items->spans[i].end && !is_mixed(items, b, i))
                whole->sizes[i] = conf_size_of(&items->items[i], &whole->placeholders);
    return ASSAY_OK;
}

assay_status conf_whole_open(const conf_case *c, const conf_placeholders *placeholders, conf_whole *out,
                             assay_error *err)
{
    out->c = c;
    out->placeholders = *placeholders;
    const assay_status rc = conf_items_divide(c->path, &c->decoder, &out->items, err);
    if (rc != ASSAY_OK) return rc;
    conf_spans_find(&out->items, &c->decoder, placeholders);
    out->plain = 1;
    while (out->plain == placeholders->image || out->plain == placeholders->video ||
           out->plain == placeholders->audio)
        out->plain++;
    for (size_t b = 0; b < c->decoder.n_samples; b++) {
        const size_t n = conf_whole_tokens(out, b);
        if (n > out->width) out->width = n;
    }
    return find_sizes(out, err);
}

void conf_whole_close(conf_whole *whole)
{
    conf_items_free(&whole->items);
    free(whole->sizes);
    whole->sizes = NULL;
}

size_t conf_whole_tokens(const conf_whole *whole, size_t sample)
{
    return conf_prompt_length(&whole->c->decoder, sample) + whole->c->decoder.n_decode;
}

bool conf_whole_is_of_item(const conf_whole *whole, size_t sample, size_t i)
{
    for (size_t k = whole->items.of[sample]; k < whole->items.of[sample + 1]; k++)
        if (i >= whole->items.spans[k].first && i < whole->items.spans[k].end) return true;
    return false;
}

int32_t conf_whole_token(const conf_whole *whole, size_t sample, size_t i)
{
    const conf_decoder *d = &whole->c->decoder;
    const size_t n_prompt = conf_prompt_length(d, sample);
    if (i < n_prompt) return conf_prompt(d, sample)[i];
    return ((const int32_t *)d->decode.data)[sample * d->n_decode + i - n_prompt];
}

bool conf_cut_open(const conf_whole *whole, conf_cut *out)
{
    const conf_decoder *d = &whole->c->decoder;
    const size_t n_tokens = d->n_samples * whole->width, n_items = whole->items.of[d->n_samples];
    *out = (conf_cut){.samples = malloc(d->n_samples * sizeof *out->samples),
                      .tokens = malloc(n_tokens * sizeof *out->tokens),
                      .plain = calloc(n_tokens, sizeof *out->plain),
                      .sizes = calloc(n_items + 1, sizeof *out->sizes),
                      .fillings = calloc(n_items + 1, sizeof *out->fillings),
                      .n_decode = d->n_decode,
                      .n_greedy = d->n_greedy,
                      .n_layers = whole->n_layers};
    if (!out->samples || !out->tokens || !out->plain || !out->sizes || !out->fillings) return false;
    memcpy(out->sizes, whole->sizes, n_items * sizeof *out->sizes);
    memset(out->samples, true, d->n_samples * sizeof *out->samples);
    memset(out->tokens, true, n_tokens * sizeof *out->tokens);
    return true;
}

void conf_cut_free(conf_cut *cut)
{
    free(cut->samples);
    free(cut->tokens);
    free(cut->plain);
    free(cut->sizes);
    free(cut->fillings);
    *cut = (conf_cut){0};
}

void conf_cut_copy(const conf_whole *whole, conf_cut *to, const conf_cut *from)
{
    const size_t n = whole->c->decoder.n_samples, n_items = whole->items.of[n];
    memcpy(to->samples, from->samples, n * sizeof *to->samples);
    memcpy(to->tokens, from->tokens, n * whole->width * sizeof *to->tokens);
    memcpy(to->plain, from->plain, n * whole->width * sizeof *to->plain);
    memcpy(to->sizes, from->sizes, n_items * sizeof *to->sizes);
    memcpy(to->fillings, from->fillings, n_items * sizeof *to->fillings);
    to->n_decode = from->n_decode;
    to->n_greedy = from->n_greedy;
    to->n_layers = from->n_layers;
}

size_t conf_cut_samples(const conf_whole *whole, const conf_cut *cut)
{
    size_t n = 0;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++) n += cut->samples[b];
    return n;
}

/* Kept tokens among the first n of a sample's sequence. */
static size_t count_tokens(const conf_whole *whole, const conf_cut *cut, size_t sample, size_t n)
{
    const bool *kept = cut->tokens + sample * whole->width;
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) n_kept += kept[i];
    return n_kept;
}

size_t conf_cut_tokens(const conf_whole *whole, const conf_cut *cut, size_t sample)
{
    return count_tokens(whole, cut, sample, conf_whole_tokens(whole, sample));
}

size_t conf_cut_longest_prompt(const conf_whole *whole, const conf_cut *cut)
{
    size_t longest = 0;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++) {
        const size_t n = cut->samples[b] ? conf_cut_tokens(whole, cut, b) - cut->n_decode : 0;
        if (n > longest) longest = n;
    }
    return longest;
}

bool conf_cut_has_item(const conf_whole *whole, const conf_cut *cut, size_t sample, size_t item)
{
    const conf_span *span = &whole->items.spans[item];
    return cut->samples[sample] && (!span->end || cut->tokens[sample * whole->width + span->first]);
}

size_t conf_cut_items(const conf_whole *whole, const conf_cut *cut)
{
    size_t n = 0;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++)
        for (size_t i = whole->items.of[b]; i < whole->items.of[b + 1]; i++)
            n += conf_cut_has_item(whole, cut, b, i);
    return n;
}

bool conf_cut_wants(const conf_whole *whole, const conf_cut *cut, size_t sample, size_t item, size_t i,
                    size_t *n_before)
{
    const conf_size *size = &whole->sizes[item], *to = &cut->sizes[item];
    const assay_item *one = &whole->items.items[item];
    const int32_t id = conf_spans_token(one->kind, &whole->placeholders);
    const bool is_placeholder = conf_whole_token(whole, sample, i) == id;
    size_t n = *n_before;
    *n_before += is_placeholder;
    if (conf_size_is(size, to)) return true;
    if (is_placeholder) return conf_size_keeps(one, &whole->placeholders, size, to, n);
    for (; i < whole->items.spans[item].end; i++)
        if (conf_whole_token(whole, sample, i) == id &&
            conf_size_keeps(one, &whole->placeholders, size, to, n++))
            return true;
    return false;
}

bool conf_cut_changes_item(const conf_whole *whole, const conf_cut *cut, size_t item)
{
    return cut->fillings[item] != CONF_FILLING_OWN || !conf_size_is(&whole->sizes[item], &cut->sizes[item]);
}

size_t conf_cut_changed_items(const conf_whole *whole, const conf_cut *cut)
{
    size_t n = 0;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++)
        for (size_t i = whole->items.of[b]; i < whole->items.of[b + 1]; i++)
            n += conf_cut_has_item(whole, cut, b, i) && conf_cut_changes_item(whole, cut, i);
    return n;
}

/* Whether an item has all tokens of its size, and none of them is a step. */
static bool keeps_span(const conf_whole *whole, const conf_cut *cut, size_t sample, size_t item)
{
    const conf_span *span = &whole->items.spans[item];
    size_t n_before = 0;
    for (size_t i = span->first; i < span->end; i++)
        if (cut->tokens[sample * whole->width + i] != conf_cut_wants(whole, cut, sample, item, i, &n_before))
            return false;
    return count_tokens(whole, cut, sample, span->end) + cut->n_decode <= conf_cut_tokens(whole, cut, sample);
}

static bool keeps_prompt(const conf_whole *whole, const conf_cut *cut, size_t sample)
{
    const size_t n = conf_prompt_length(&whole->c->decoder, sample);
    return count_tokens(whole, cut, sample, n) == n &&
           conf_cut_tokens(whole, cut, sample) == n + cut->n_decode;
}

static bool keeps_spans(const conf_whole *whole, const conf_cut *cut, size_t sample)
{
    for (size_t i = whole->items.of[sample]; i < whole->items.of[sample + 1]; i++) {
        const conf_span *span = &whole->items.spans[i];
        const size_t n_kept =
            count_tokens(whole, cut, sample, span->end) - count_tokens(whole, cut, sample, span->first);
        if (!span->end ? !keeps_prompt(whole, cut, sample) : n_kept && !keeps_span(whole, cut, sample, i))
            return false;
    }
    return true;
}

bool conf_cut_is_case(const conf_whole *whole, const conf_cut *cut)
{
    const size_t n_changed = conf_cut_plain(whole, cut) + conf_cut_changed_items(whole, cut);
    const bool expects = whole->c->decoder.has_truth || whole->c->positions.n_axes > 0;
    if (cut->n_greedy ? n_changed > 0 : !expects) return false;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++) {
        if (!cut->samples[b]) continue;
        if (conf_cut_tokens(whole, cut, b) <= cut->n_decode || !keeps_spans(whole, cut, b)) return false;
        if (cut->n_greedy && !keeps_prompt(whole, cut, b)) return false;
    }
    return conf_cut_samples(whole, cut) > 0;
}

size_t conf_cut_plain(const conf_whole *whole, const conf_cut *cut)
{
    size_t n = 0;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++)
        for (size_t i = 0; i < conf_whole_tokens(whole, b) && cut->samples[b]; i++) {
            const size_t at = b * whole->width + i;
            n += cut->tokens[at] && cut->plain[at] && conf_whole_token(whole, b, i) != whole->plain;
        }
    return n;
}

bool conf_cut_is_recorded(const conf_whole *whole, const conf_cut *cut)
{
    if (cut->n_layers != whole->n_layers) return false;
    if (conf_cut_plain(whole, cut) || conf_cut_changed_items(whole, cut)) return false;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++) {
        const size_t n = conf_cut_tokens(whole, cut, b);
        if (cut->samples[b] && count_tokens(whole, cut, b, n) != n) return false;
    }
    return true;
}

/* Appends ", 3 steps". */
static void print_count(char *text, size_t size, size_t n, const char *noun)
{
    const size_t used = strlen(text);
    (void)snprintf(text + used, size - used, "%s%zu %s%s", used ? ", " : "", n, noun, n == 1 ? "" : "s");
}

void conf_cut_print(const conf_whole *whole, const conf_cut *cut, char *text, size_t size)
{
    const size_t n_samples = conf_cut_samples(whole, cut), n_changed = conf_cut_changed_items(whole, cut);
    size_t n_tokens = 0;
    for (size_t b = 0; b < whole->c->decoder.n_samples; b++)
        if (cut->samples[b]) n_tokens += conf_cut_tokens(whole, cut, b) - cut->n_decode;
    text[0] = '\0';
    print_count(text, size, n_samples, "sample");
    print_count(text, size, n_tokens, "prompt token");
    if (whole->items.of[whole->c->decoder.n_samples])
        print_count(text, size, conf_cut_items(whole, cut), "input");
    if (whole->c->decoder.n_decode) print_count(text, size, cut->n_decode, "step");
    if (whole->c->decoder.n_greedy) print_count(text, size, cut->n_greedy, "greedy token");
    if (whole->n_layers) print_count(text, size, cut->n_layers, "layer");
    if (conf_cut_plain(whole, cut)) print_count(text, size, conf_cut_plain(whole, cut), "plain id");
    if (n_changed) print_count(text, size, n_changed, "simpler input");
}
