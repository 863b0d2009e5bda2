/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/reports.h"

#include "base/grow.h"
#include "dialogue/response/logprobs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Begins the next element of a list. */
static buffer *next_element(buffer *list)
{
    if (list->n) buffer_append_string(list, ",");
    return list;
}

static void append_offset(buffer *list, size_t n)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%zu", n);
    buffer_append_string(next_element(list), text);
}

static void append_ids(buffer *list, const int32_t *ids, size_t n)
{
    char text[16];
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%" PRId32, ids[i]);
        buffer_append_string(next_element(list), text);
    }
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xC0U) == 0x80U;
}

/* The number of characters that begin in text. */
static size_t count_characters(assay_text text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += !continues_character(text.at[i]);
    return n;
}

static void add_listed(serve_reports *r, const assay_logprobs *l, size_t offset, bool ids_as_tokens)
{
    serve_logprobs_token(next_element(&r->tokens), &l->token, ids_as_tokens);
    serve_logprobs_number(next_element(&r->values), l->token.logprob);
    serve_logprobs_map(next_element(&r->maps), l, ids_as_tokens);
    append_offset(&r->offsets, offset);
}

/* A position in a text. */
typedef struct text_place {
    size_t at;      /* in bytes */
    size_t n_chars; /* that begin before it */
} text_place;

/* Where the token begins in the prompt from *place on, in characters; *place moves to its end. Tokens that
 * the tokenizer adds are not in the text; some tokenizers give the first word a space that is not there
 * either. */
static size_t place_in_prompt(assay_text prompt, text_place *place, assay_text token)
{
    const size_t begin = place->at, left = prompt.n - begin;
    const size_t offset = place->n_chars - (left > 0 && continues_character(prompt.at[begin]));
    if (token.n > 1 && *token.at == ' ' && (left == 0 || prompt.at[begin] != ' '))
        token = (assay_text){token.at + 1, token.n - 1};
    if (token.n == 0 || token.n > left || memcmp(prompt.at + begin, token.at, token.n) != 0) return offset;
    place->at += token.n;
    place->n_chars += count_characters(token);
    return offset;
}

/* Completions with echo: the prompt's tokens come first. */
static void add_echo(serve_reports *r, const serve_request *q, const assay_response_chunk *chunk)
{
    text_place place = {0};
    for (size_t i = 0; q->logprobs && i < chunk->n_prompt_logprobs; i++) {
        const assay_logprobs *l = &chunk->prompt_logprobs[i];
        add_listed(r, l, place_in_prompt(chunk->prompt_text, &place, l->token.text), q->ids_as_tokens);
    }
    r->n_chars = count_characters(chunk->prompt_text);
}

static void add_generated(serve_reports *r, const serve_request *q, const assay_logprobs *l)
{
    const assay_text text = l->token.text;
    if (q->endpoint == SERVE_COMPLETIONS) {
        const bool within = r->n_chars > 0 && text.n > 0 && continues_character(*text.at);
        add_listed(r, l, r->n_chars - within, q->ids_as_tokens);
        r->n_chars += count_characters(text);
        return;
    }
    serve_logprobs_object(next_element(&r->objects), l, q->ids_as_tokens);
    if (q->endpoint != SERVE_RESPONSES) return;
    serve_waiting *waiting = grow_by_one(r->waiting, r->n_waiting, sizeof *waiting);
    r->no_memory = r->no_memory || !waiting;
    if (!waiting) return;
    buffer_append(&r->waiting_text, text.at, text.n);
    r->waiting = waiting;
    r->waiting[r->n_waiting++] = (serve_waiting){r->waiting_text.n, r->objects.n};
}

void serve_reports_add(serve_reports *r, const serve_request *q, const assay_response_chunk *chunk)
{
    if (q->echo && chunk->prompt_text.at) add_echo(r, q, chunk);
    for (size_t i = 0; q->prompt_logprobs && i < chunk->n_prompt_logprobs; i++)
        serve_logprobs_by_id(next_element(&r->prompt), &chunk->prompt_logprobs[i]);
    for (size_t i = 0; q->logprobs && i < chunk->n_logprobs; i++) add_generated(r, q, &chunk->logprobs[i]);
    if (q->token_ids) {
        append_ids(&r->ids, chunk->token_ids, chunk->n_token_ids);
        append_ids(&r->prompt_ids, chunk->prompt_token_ids, chunk->n_prompt_token_ids);
        r->has_prompt_ids = r->has_prompt_ids || chunk->n_prompt_token_ids > 0;
    }
    r->no_memory = r->no_memory || r->objects.failed || r->tokens.failed || r->values.failed ||
                   r->maps.failed || r->offsets.failed || r->prompt.failed || r->ids.failed ||
                   r->prompt_ids.failed || r->waiting_text.failed;
}

/* Drops the first n waiting tokens, after their logprobs were moved. */
static void drop_waiting(serve_reports *r, size_t n)
{
    const size_t text = n ? r->waiting[n - 1].text_end : 0, object = n ? r->waiting[n - 1].object_end : 0;
    for (size_t i = n; i < r->n_waiting; i++) {
        r->waiting[i - n].text_end = r->waiting[i].text_end - text;
        r->waiting[i - n].object_end = r->waiting[i].object_end - object;
    }
    r->n_waiting -= n;
    buffer_drop(&r->waiting_text, text);
    buffer_drop(&r->objects, object);
    if (r->objects.n && *r->objects.data == ',') { /* before the next element */
        buffer_drop(&r->objects, 1);
        for (size_t i = 0; i < r->n_waiting; i++) r->waiting[i].object_end--;
    }
}

void serve_reports_match(serve_reports *r, assay_text text, buffer *out)
{
    if (r->n_waiting == 0 || text.n == 0 || r->no_memory) return;
    const char *data = buffer_text(&r->waiting_text).at;
    const char *found = memmem(data, r->waiting_text.n, text.at, text.n);
    size_t first = 0, end = r->n_waiting;
    if (found) {
        const size_t begin = (size_t)(found - data), past = begin + text.n;
        while (r->waiting[first].text_end <= begin) first++;
        end = first;
        while (end < r->n_waiting && (end == first || r->waiting[end - 1].text_end < past)) end++;
    }
    const size_t from = first ? r->waiting[first - 1].object_end + 1 : 0; /* after the comma */
    buffer_append(next_element(out), r->objects.data + from, r->waiting[end - 1].object_end - from);
    drop_waiting(r, end);
}

void serve_reports_free(serve_reports *r)
{
    buffer *const all[] = {&r->objects, &r->tokens, &r->values,     &r->maps,        &r->offsets,
                           &r->prompt,  &r->ids,    &r->prompt_ids, &r->waiting_text};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) buffer_free(all[i]);
    free(r->waiting);
}
