/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stop.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/error.h"
#include "model/json.h"
#include "model/stop_tokenizer.h"

struct stop_set {
    int32_t *id;
    unsigned *origin;
    size_t n;
    char *nameless;
};

/* A document of either kind: in memory, or in a file. */
typedef struct document {
    const char *name; /* for messages */
    unsigned origin;
    json_object *value;
} document;

/* In the order in which they are read. */
static const struct {
    unsigned origin;
    const char *name;
} ORIGINS[STOP_N_ORIGINS] = {{ASSAY_STOP_TOKENIZER, "tokenizer"},
                             {ASSAY_STOP_CONFIG, "config.json"},
                             {ASSAY_STOP_GENERATION_CONFIG, "generation_config.json"}};

static assay_status add(stop_set *s, int32_t id, unsigned origin, assay_error *err)
{
    size_t at = 0;
    while (at < s->n && s->id[at] < id) at++;
    if (at < s->n && s->id[at] == id) {
        s->origin[at] |= origin;
        return ASSAY_OK;
    }
    int32_t *ids = realloc(s->id, (s->n + 1) * sizeof *ids);
    if (ids) s->id = ids;
    unsigned *origins = ids ? realloc(s->origin, (s->n + 1) * sizeof *origins) : NULL;
    if (!origins) return assay_fail(err, ASSAY_ENOMEM, "stop set: out of memory");
    s->origin = origins;
    memmove(ids + at + 1, ids + at, (s->n - at) * sizeof *ids);
    memmove(origins + at + 1, origins + at, (s->n - at) * sizeof *origins);
    ids[at] = id;
    origins[at] = origin;
    s->n++;
    return ASSAY_OK;
}

static assay_status add_value(stop_set *s, const document *d, const char *member, json_object *value,
                              assay_error *err)
{
    int64_t id = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
    if (id < 0 || id > INT32_MAX)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s: found %.80s, expected a token id, a list of them or null", d->name, member,
                          json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
    return add(s, (int32_t)id, d->origin, err);
}

/* Adds a member of the document or of its text_config; *found tells whether it named any. */
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
    *found = json_object_array_length(value) > 0;
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++)
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
        rc = json_parse(d.name, texts[i]->at, texts[i]->n, &d.value, err);
        if (rc == ASSAY_OK) rc = add_document(s, &d, err);
        json_object_put(d.value);
    }
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
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: the tokenizer gives eos_token \"%.80s\" the id %" PRId64,
                        dir, token.text, token.id);
    else rc = add(s, (int32_t)token.id, ASSAY_STOP_TOKENIZER, err);
    free(token.text);
    return rc;
}

static assay_status add_file(stop_set *s, const char *dir, size_t i, assay_error *err)
{
    char *path = NULL;
    document d = {.origin = ORIGINS[i].origin};
    assay_status rc = ASSAY_OK;
    if (asprintf(&path, "%s/%s", dir, ORIGINS[i].name) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    d.name = path;
    if (d.origin == ASSAY_STOP_CONFIG || access(path, F_OK) == 0) {
        rc = json_read(path, &d.value, err);
        if (rc == ASSAY_OK) rc = add_document(s, &d, err);
        json_object_put(d.value);
    }
    free(path);
    return rc;
}

assay_status stop_set_read(const char *dir, stop_set **out, assay_error *err)
{
    stop_set *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = add_tokenizer(s, dir, err);
    for (size_t i = 1; rc == ASSAY_OK && i < STOP_N_ORIGINS; i++) rc = add_file(s, dir, i, err);
    if (rc == ASSAY_OK) *out = s;
    else stop_set_free(s);
    return rc;
}

void stop_set_free(stop_set *s)
{
    if (!s) return;
    free(s->id);
    free(s->origin);
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
    return s->origin[index];
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
