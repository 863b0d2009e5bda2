/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/answer/logprob.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"

static void note_problem(probe_rows *r, const char *what, json_object *found)
{
    if (r->problem[0]) return;
    (void)snprintf(r->problem, sizeof r->problem, "row %zu: %s: found %.120s", r->n, what,
                   json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN));
}

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object)) return NULL;
    (void)json_object_object_get_ex(object, name, &value);
    return value;
}

/* A number; JSON has no infinity, and servers write "-Infinity", null or -9999 for it. */
static void read_value(probe_rows *r, json_object *value, probe_entry *e)
{
    e->is_null = !value;
    if (json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int))
        e->value = json_object_get_double(value);
    else if (value) {
        e->is_null = true;
        note_problem(r, "a log-probability", value);
    }
}

static bool parse_id(const char *text, size_t n, int32_t *id)
{
    char copy[16];
    char *end;
    if (n == 0 || n >= sizeof copy) return false;
    memcpy(copy, text, n);
    copy[n] = '\0';
    if (copy[strspn(copy, "0123456789")] != '\0') return false;
    errno = 0;
    const long found = strtol(copy, &end, 10);
    if (errno || found > INT32_MAX) return false;
    *id = (int32_t)found;
    return true;
}

static void read_text(assay_text text, probe_entry *e)
{
    static const char by_id[] = "token_id:"; /* vLLM, return_tokens_as_token_ids */
    const size_t n = sizeof by_id - 1;
    e->text = e->token = text;
    if (text.n > n && memcmp(text.at, by_id, n) == 0 && parse_id(text.at + n, text.n - n, &e->id))
        e->text = e->token = (assay_text){0};
}

static assay_text text_of(json_object *value)
{
    if (!json_object_is_type(value, json_type_string)) return (assay_text){0};
    return (assay_text){json_object_get_string(value), (size_t)json_object_get_string_len(value)};
}

/* Takes a list of bytes; the text of the entry stays as it is if the list is not one. */
static bool read_bytes(probe_rows *r, json_object *list, probe_entry *e)
{
    if (!json_object_is_type(list, json_type_array)) return true;
    const size_t n = json_object_array_length(list);
    char **all = grow_by_one(r->bytes, r->n_bytes, sizeof *all);
    if (!all) return false;
    r->bytes = all;
    char *bytes = malloc(n ? n : 1);
    if (!bytes) return false;
    r->bytes[r->n_bytes++] = bytes;
    for (size_t i = 0; i < n; i++) {
        json_object *value = json_object_array_get_idx(list, i);
        const int64_t byte = json_object_get_int64(value);
        if (!json_object_is_type(value, json_type_int) || byte < 0 || byte > 255) {
            note_problem(r, "bytes", list);
            return true;
        }
        bytes[i] = (char)byte;
    }
    e->text = (assay_text){bytes, n};
    return true;
}

/* An object with token, logprob, and perhaps bytes, id, rank. */
static bool read_entry(probe_rows *r, json_object *object, probe_entry *e)
{
    static const char *const ids[] = {"id", "token_id"};
    *e = (probe_entry){.id = -1};
    if (!json_object_is_type(object, json_type_object)) {
        note_problem(r, "an entry", object);
        e->is_null = true;
        return true;
    }
    read_value(r, member(object, "logprob"), e);
    json_object *token = member(object, "token");
    if (!token) token = member(object, "decoded_token");
    read_text(text_of(token), e);
    if (json_object_is_type(token, json_type_int)) e->id = (int32_t)json_object_get_int64(token);
    for (size_t i = 0; i < 2; i++) {
        json_object *id = member(object, ids[i]);
        if (json_object_is_type(id, json_type_int)) e->id = (int32_t)json_object_get_int64(id);
    }
    json_object *rank = member(object, "rank");
    if (json_object_is_type(rank, json_type_int) && json_object_get_int64(rank) > 0)
        e->rank = (size_t)json_object_get_int64(rank);
    return read_bytes(r, member(object, "bytes"), e);
}

static probe_entry *add_entry(probe_rows *r)
{
    if (r->n_entries == PROBE_ENTRIES_MAX) return NULL;
    probe_entry *entries = grow_by_one(r->entries, r->n_entries, sizeof *entries);
    if (!entries) return NULL;
    r->entries = entries;
    r->entries[r->n_entries] = (probe_entry){.id = -1};
    return &r->entries[r->n_entries++];
}

static probe_row *add_row(probe_rows *r)
{
    if (r->n == PROBE_ROWS_MAX) return NULL;
    probe_row *at = grow_by_one(r->at, r->n, sizeof *at);
    if (!at) return NULL;
    r->at = at;
    r->at[r->n] = (probe_row){.token = {.id = -1}, .offset = -1, .top = r->n_entries};
    return &r->at[r->n++];
}

/* The alternatives of a row as a list of entries. */
static bool read_top(probe_rows *r, json_object *list, probe_row *row)
{
    bool ok = true;
    if (!list) return true;
    if (!json_object_is_type(list, json_type_array)) {
        note_problem(r, "top_logprobs", list);
        return true;
    }
    for (size_t i = 0; ok && i < json_object_array_length(list); i++) {
        probe_entry e, *to;
        ok = read_entry(r, json_object_array_get_idx(list, i), &e) && (to = add_entry(r)) != NULL;
        if (ok) *to = e;
    }
    row->n_top = r->n_entries - row->top;
    return ok;
}

static bool read_chat_form(probe_rows *r, json_object *content)
{
    bool ok = true;
    for (size_t i = 0; ok && i < json_object_array_length(content); i++) {
        json_object *object = json_object_array_get_idx(content, i);
        probe_row *row = add_row(r);
        ok = row && read_entry(r, object, &row->token);
        if (!ok) break;
        row->has_token = !row->token.is_null || row->token.text.at || row->token.id >= 0;
        ok = read_top(r, member(object, "top_logprobs"), &r->at[r->n - 1]);
    }
    return ok;
}

/* The alternatives of a row as {text: value}. */
static bool read_texts(probe_rows *r, json_object *object, probe_row *row)
{
    if (!object) return true;
    if (json_object_is_type(object, json_type_array)) return read_top(r, object, row);
    if (!json_object_is_type(object, json_type_object)) {
        note_problem(r, "top_logprobs", object);
        return true;
    }
    row->by_text = true;
    json_object_object_foreach(object, text, value)
    {
        probe_entry *e = add_entry(r);
        if (!e) return false;
        /* "" is the name of tokens without a text, and of U+0000, which json-c cuts: unknown */
        read_text((assay_text){text, strlen(text)}, e);
        read_value(r, value, e);
    }
    row->n_top = r->n_entries - row->top;
    return true;
}

static json_object *element(json_object *list, size_t i)
{
    if (!json_object_is_type(list, json_type_array) || i >= json_object_array_length(list)) return NULL;
    return json_object_array_get_idx(list, i);
}

/* The lists have an entry for each token, where they are lists. */
static void compare_lengths(probe_rows *r, json_object *lists, size_t n)
{
    static const char *const names[] = {"token_logprobs", "top_logprobs", "text_offset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_object *list = member(lists, names[i]);
        if (r->problem[0] || !json_object_is_type(list, json_type_array) ||
            json_object_array_length(list) == n)
            continue;
        (void)snprintf(r->problem, sizeof r->problem, "%s: found %zu entries for %zu tokens", names[i],
                       json_object_array_length(list), n);
    }
}

static bool read_lists(probe_rows *r, json_object *lists, json_object *tokens)
{
    json_object *values = member(lists, "token_logprobs"), *tops = member(lists, "top_logprobs");
    json_object *offsets = member(lists, "text_offset");
    bool ok = true;
    compare_lengths(r, lists, json_object_array_length(tokens));
    for (size_t i = 0; ok && i < json_object_array_length(tokens); i++) {
        json_object *token = json_object_array_get_idx(tokens, i);
        probe_row *row = add_row(r);
        if (!row) return false;
        row->has_token = true;
        read_text(text_of(token), &row->token);
        if (json_object_is_type(token, json_type_int)) row->token.id = (int32_t)json_object_get_int64(token);
        read_value(r, element(values, i), &row->token);
        json_object *offset = element(offsets, i);
        if (json_object_is_type(offset, json_type_int)) row->offset = json_object_get_int64(offset);
        ok = read_texts(r, element(tops, i), row);
    }
    return ok;
}

/* A row of vLLM's prompt_logprobs; the token of the prompt comes first. */
static bool read_by_id(probe_rows *r, json_object *object, probe_row *row)
{
    if (!object) return true;
    if (!json_object_is_type(object, json_type_object)) {
        note_problem(r, "prompt_logprobs", object);
        return true;
    }
    json_object_object_foreach(object, name, value)
    {
        int32_t id = -1;
        probe_entry e, *to;
        if (!parse_id(name, strlen(name), &id)) note_problem(r, "an id", object);
        if (!read_entry(r, value, &e) || !(to = add_entry(r))) return false;
        e.id = id;
        *to = e;
        if (!row->has_token) row->token = e;
        row->has_token = true;
    }
    row->n_top = r->n_entries - row->top;
    return true;
}

static bool read_any(probe_rows *r, json_object *value)
{
    json_object *content = member(value, "content"), *tokens = member(value, "tokens");
    if (json_object_is_type(content, json_type_array)) return read_chat_form(r, content);
    if (json_object_is_type(tokens, json_type_array)) return read_lists(r, value, tokens);
    if (!json_object_is_type(value, json_type_array)) {
        note_problem(r, "logprobs", value);
        return true;
    }
    const size_t n = json_object_array_length(value);
    json_object *last = n ? json_object_array_get_idx(value, n - 1) : NULL;
    if (member(last, "logprob") || member(last, "token")) return read_chat_form(r, value);
    for (size_t i = 0; i < n; i++) {
        probe_row *row = add_row(r);
        if (!row || !read_by_id(r, json_object_array_get_idx(value, i), row)) return false;
    }
    return true;
}

assay_status probe_rows_read(json_object *value, probe_rows *rows)
{
    if (!rows->source) rows->source = json_object_new_array();
    if (!rows->source || json_object_array_add(rows->source, json_object_get(value)) != 0)
        return ASSAY_ENOMEM;
    return read_any(rows, value) ? ASSAY_OK : ASSAY_ENOMEM;
}

void probe_rows_free(probe_rows *rows)
{
    for (size_t i = 0; i < rows->n_bytes; i++) free(rows->bytes[i]);
    free(rows->bytes);
    free(rows->at);
    free(rows->entries);
    json_object_put(rows->source);
    *rows = (probe_rows){0};
}
