/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/stop.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/json.h"
#include "gguf/container.h"
#include "gguf/document.h"
#include "model/checkpoint/config.h"
#include "model/checkpoint/stop_tokenizer.h"
#include "model/checkpoint/token_ids.h"

/* An id, and the documents that name it. */
typedef struct stop_id {
    int32_t id;
    unsigned origin;
} stop_id;

struct stop_set {
    stop_id *named; /* [n_named] first in the order of the documents; in the finished set [n], sorted by id,
                       without duplicates */
    size_t n_named;
    int32_t *id; /* [n] */
    size_t n;
    char *nameless;
};

/* A document of either kind: in memory, or in a file. */
typedef struct document {
    const char *name; /* for messages */
    unsigned origin;
    json_object *value;
} document;

/* In reading order. */
static const struct {
    unsigned origin;
    const char *name;
} ORIGINS[STOP_N_ORIGINS] = {{ASSAY_STOP_TOKENIZER, "tokenizer"},
                             {ASSAY_STOP_CONFIG, "config.json"},
                             {ASSAY_STOP_GENERATION_CONFIG, "generation_config.json"}};

static assay_status add_id(stop_set *s, int32_t id, unsigned origin, assay_error *err)
{
    stop_id *grown = grow_by_one(s->named, s->n_named, sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "stop set: out of memory");
    s->named = grown;
    s->named[s->n_named++] = (stop_id){id, origin};
    return ASSAY_OK;
}

static int by_id(const void *a, const void *b)
{
    const int32_t x = ((const stop_id *)a)->id, y = ((const stop_id *)b)->id;
    return (x > y) - (x < y);
}

/* Sorts the ids, and merges the origins of equal ids. */
static assay_status merge_ids(stop_set *s, assay_error *err)
{
    if (s->n_named == 0) return ASSAY_OK;
    s->id = calloc(s->n_named, sizeof *s->id);
    if (!s->id) return assay_fail(err, ASSAY_ENOMEM, "stop set: out of memory");
    qsort(s->named, s->n_named, sizeof *s->named, by_id);
    for (size_t i = 0; i < s->n_named; i++) {
        const stop_id next = s->named[i];
        if (s->n > 0 && s->id[s->n - 1] == next.id) {
            s->named[s->n - 1].origin |= next.origin;
            continue;
        }
        s->named[s->n] = next;
        s->id[s->n++] = next.id;
    }
    return ASSAY_OK;
}

static assay_status add_value(stop_set *s, const document *d, const char *member, json_object *value,
                              assay_error *err)
{
    int32_t id;
    const assay_status rc = token_id_read(d->name, member, value, &id, err);
    return rc == ASSAY_OK ? add_id(s, id, d->origin, err) : rc;
}

/* Adds a member of the document or of its text_config; *found: whether it contained an id. */
static assay_status add_member(stop_set *s, const document *d, json_object *object, const char *member,
                               bool *found, assay_error *err)
{
    char place[64];
    json_object *value = NULL;
    assay_status rc = ASSAY_OK;
    (void)snprintf(place, sizeof place, "%s%s", object == d->value ? "" : "text_config.", member);
    *found = json_object_object_get_ex(object, member, &value) && value;
    if (!*found) return ASSAY_OK;
    if (!json_object_is_type(value, json_type_array)) return add_value(s, d, place, value, err);
    const size_t n = json_object_array_length(value);
    *found = n > 0;
    rc = token_ids_count(d->name, place, n, err);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = add_value(s, d, place, json_object_array_get_idx(value, i), err);
    return rc;
}

static assay_status add_document(stop_set *s, const document *d, assay_error *err)
{
    json_object *text = NULL;
    bool found = false;
    if (!json_object_is_type(d->value, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "%s: expected an object", d->name);
    assay_status rc = add_member(s, d, d->value, "eos_token_id", &found, err);
    if (rc != ASSAY_OK) return rc;
    if (d->origin == ASSAY_STOP_TOKENIZER) return add_member(s, d, d->value, "eos_token_ids", &found, err);
    if (!found && json_object_object_get_ex(d->value, "text_config", &text))
        rc = add_member(s, d, text, "eos_token_id", &found, err);
    return rc;
}

assay_status stop_set_parse(const assay_stop_documents *documents, stop_set **out, assay_error *err)
{
    const assay_text *texts[STOP_N_ORIGINS] = {&documents->tokenizer, &documents->config,
                                               &documents->generation_config};
    stop_set *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "stop set: out of memory");
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < STOP_N_ORIGINS; i++) {
        document d = {.name = ORIGINS[i].name, .origin = ORIGINS[i].origin};
        if (!texts[i]->at) continue;
        rc = json_parse_within(d.name, texts[i]->at, texts[i]->n, &config_document_limits, &d.value, err);
        if (rc == ASSAY_OK) rc = add_document(s, &d, err);
        json_object_put(d.value);
    }
    if (rc == ASSAY_OK) rc = merge_ids(s, err);
    if (rc == ASSAY_OK) *out = s;
    else stop_set_free(s);
    return rc;
}

static assay_status add_tokenizer(stop_set *s, const char *dir, assay_error *err)
{
    stop_token token;
    assay_status rc = stop_tokenizer_read(dir, &token, err);
    if (rc != ASSAY_OK || !token.text) return rc;
    if (!token.found) {
        s->nameless = token.text;
        return ASSAY_OK;
    }
    if (token.id < 0 || token.id > INT32_MAX)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: the tokenizer gives eos_token \"%.80s\" the id %s, expected 0 to %" PRId32, dir,
                        token.text, token.written, INT32_MAX);
    else rc = add_id(s, (int32_t)token.id, ASSAY_STOP_TOKENIZER, err);
    free(token.text);
    return rc;
}

/* config.json must exist, but in a GGUF file, whose ids are all in its generation_config.json. */
static assay_status read_document(const char *dir, const char *name, bool is_required, gguf_document *out,
                                  assay_error *err)
{
    const size_t most = config_document_limits.bytes;
    return is_required ? gguf_document_require(dir, name, most, out, err)
                       : gguf_document_read(dir, name, most, out, err);
}

static assay_status add_file(stop_set *s, const char *dir, size_t i, assay_error *err)
{
    gguf_document file;
    document d = {.origin = ORIGINS[i].origin};
    const bool is_required = d.origin == ASSAY_STOP_CONFIG && !gguf_is_file(dir);
    assay_status rc = read_document(dir, ORIGINS[i].name, is_required, &file, err);
    if (rc == ASSAY_OK && file.text) {
        d.name = file.label;
        rc = json_parse_within(d.name, file.text, file.n, &config_document_limits, &d.value, err);
        if (rc == ASSAY_OK) rc = config_check_document(d.name, d.value, err);
        if (rc == ASSAY_OK) rc = add_document(s, &d, err);
        json_object_put(d.value);
    }
    gguf_document_free(&file);
    return rc;
}

assay_status stop_set_read(const char *dir, stop_set **out, assay_error *err)
{
    stop_set *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = add_tokenizer(s, dir, err);
    for (size_t i = 1; rc == ASSAY_OK && i < STOP_N_ORIGINS; i++) rc = add_file(s, dir, i, err);
    if (rc == ASSAY_OK) rc = merge_ids(s, err);
    if (rc == ASSAY_OK) *out = s;
    else stop_set_free(s);
    return rc;
}

void stop_set_free(stop_set *s)
{
    if (!s) return;
    free(s->id);
    free(s->named);
    free(s->nameless);
    free(s);
}

const int32_t *stop_set_ids(const stop_set *s, size_t *n)
{
    *n = s->n;
    return s->id;
}

unsigned stop_set_origin(const stop_set *s, size_t index)
{
    return s->named[index].origin;
}

const char *stop_set_nameless(const stop_set *s)
{
    return s->nameless;
}

void stop_origin_print(char *text, size_t size, unsigned origin)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < STOP_N_ORIGINS && n < size; i++)
        if (origin & ORIGINS[i].origin)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", ORIGINS[i].name);
}
