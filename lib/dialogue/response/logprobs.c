/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/response/logprobs.h"

#include "base/json_escape.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST (-9999.0)

void serve_logprobs_number(buffer *out, double logprob)
{
    char text[32];
    if (isnan(logprob)) {
        buffer_append_string(out, "null");
        return;
    }
    (void)snprintf(text, sizeof text, "%.17g", logprob < LEAST ? LEAST : logprob);
    buffer_append_string(out, text);
}

static void append_count(buffer *out, uint64_t n)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, n);
    buffer_append_string(out, text);
}

static void append_id(buffer *out, int32_t id)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%" PRId32, id);
    buffer_append_string(out, text);
}

/* The text in quotes, with one U+FFFD for each incomplete character, as decoders of tokens write it. */
static void append_text(buffer *out, assay_text text)
{
    buffer_append_string(out, "\"");
    for (size_t at = 0; at < text.n;) {
        const size_t n = utf8_valid_prefix(text.at + at, text.n - at);
        uint32_t codepoint;
        json_append_escaped(out, (assay_text){text.at + at, n});
        at += n;
        if (at == text.n) break;
        at += utf8_decode(text.at + at, text.n - at, &codepoint, NULL);
        buffer_append_char(out, codepoint);
    }
    buffer_append_string(out, "\"");
}

void serve_logprobs_token(buffer *out, const assay_token_logprob *token, bool ids_as_tokens)
{
    if (ids_as_tokens) {
        buffer_append_string(out, "\"token_id:");
        append_id(out, token->id);
        buffer_append_string(out, "\"");
    } else {
        append_text(out, token->text);
    }
}

/* The members of a token, without the braces. */
static void append_members(buffer *out, const assay_token_logprob *token, bool ids_as_tokens)
{
    buffer_append_string(out, "\"id\":");
    append_id(out, token->id);
    buffer_append_string(out, ",\"token\":");
    serve_logprobs_token(out, token, ids_as_tokens);
    buffer_append_string(out, ",\"logprob\":");
    serve_logprobs_number(out, token->logprob);
    buffer_append_string(out, ",\"bytes\":[");
    for (size_t i = 0; i < token->text.n; i++) {
        if (i) buffer_append_string(out, ",");
        append_count(out, (unsigned char)token->text.at[i]);
    }
    buffer_append_string(out, "]");
}

void serve_logprobs_object(buffer *out, const assay_logprobs *l, bool ids_as_tokens)
{
    buffer_append_string(out, "{");
    append_members(out, &l->token, ids_as_tokens);
    buffer_append_string(out, ",\"top_logprobs\":[");
    for (size_t i = 0; i < l->n_top; i++) {
        buffer_append_string(out, i ? ",{" : "{");
        append_members(out, &l->top[i], ids_as_tokens);
        buffer_append_string(out, "}");
    }
    buffer_append_string(out, "]}");
}

/* A member of a map: the name as it is written, and its place in the list. */
typedef struct map_member {
    assay_text name;
    size_t begin, place;
    bool repeats; /* the name of a member before this one */
} map_member;

static int compare_names(const void *left, const void *right)
{
    const map_member *a = left, *b = right;
    const size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
    const int order = memcmp(a->name.at, b->name.at, n);
    if (order != 0) return order;
    if (a->name.n != b->name.n) return a->name.n < b->name.n ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int compare_places(const void *left, const void *right)
{
    const map_member *a = left, *b = right;
    return a->place < b->place ? -1 : 1;
}

static const assay_token_logprob *token_at(const assay_logprobs *l, size_t place)
{
    return place == 0 ? &l->token : &l->top[place - 1];
}

/* Writes the names of all members to *names, and finds those that repeat one. members: [n_top + 1]. */
static void name_members(const assay_logprobs *l, bool ids_as_tokens, buffer *names, map_member *members)
{
    const size_t n = l->n_top + 1;
    for (size_t i = 0; i < n; i++) {
        members[i] = (map_member){.begin = names->n, .place = i};
        serve_logprobs_token(names, token_at(l, i), ids_as_tokens);
        members[i].name.n = names->n - members[i].begin;
    }
    if (names->failed) return;
    for (size_t i = 0; i < n; i++) members[i].name.at = names->data + members[i].begin;
    qsort(members, n, sizeof *members, compare_names);
    for (size_t i = 1; i < n; i++)
        members[i].repeats = members[i].name.n == members[i - 1].name.n &&
                             memcmp(members[i].name.at, members[i - 1].name.at, members[i].name.n) == 0;
    qsort(members, n, sizeof *members, compare_places);
}

void serve_logprobs_map(buffer *out, const assay_logprobs *l, bool ids_as_tokens)
{
    buffer names = {0};
    if (isnan(l->token.logprob)) {
        buffer_append_string(out, "null");
        return;
    }
    map_member *members = calloc(l->n_top + 1, sizeof *members);
    if (members) name_members(l, ids_as_tokens, &names, members);
    if (!members || names.failed) {
        out->failed = true;
        buffer_free(&names);
        free(members);
        return;
    }
    for (size_t i = 0; i <= l->n_top; i++) {
        if (members[i].repeats) continue;
        buffer_append_string(out, i ? "," : "{");
        buffer_append_text(out, members[i].name);
        buffer_append_string(out, ":");
        serve_logprobs_number(out, token_at(l, i)->logprob);
    }
    buffer_append_string(out, "}");
    buffer_free(&names);
    free(members);
}

static void append_ranked(buffer *out, const assay_token_logprob *token)
{
    buffer_append_string(out, "\"");
    append_id(out, token->id);
    buffer_append_string(out, "\":{\"logprob\":");
    serve_logprobs_number(out, token->logprob);
    buffer_append_string(out, ",\"rank\":");
    if (token->rank) append_count(out, token->rank);
    else buffer_append_string(out, "null");
    buffer_append_string(out, ",\"decoded_token\":");
    append_text(out, token->text);
    buffer_append_string(out, "}");
}

void serve_logprobs_by_id(buffer *out, const assay_logprobs *l)
{
    if (isnan(l->token.logprob)) {
        buffer_append_string(out, "null");
        return;
    }
    buffer_append_string(out, "{");
    append_ranked(out, &l->token);
    for (size_t i = 0; i < l->n_top; i++) {
        if (l->top[i].id == l->token.id) continue;
        buffer_append_string(out, ",");
        append_ranked(out, &l->top[i]);
    }
    buffer_append_string(out, "}");
}
