/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/eos.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/serving.h"
#include "conformance/support/json_add.h"
#include "conformance/textual/answer.h"
#include "model/checkpoint/stop.h"

#define IDS_MAX 1024 /* size of a stop set: far more than any published checkpoint has */

/* A parsed vector. Strings are borrowed from the document. */
typedef struct eos_case {
    assay_stop_documents documents;
    conf_json_at expect, ids, origin; /* point to the vector's conf_json_at */
    bool refuses;                     /* expect has `error` instead of `ids` */
    bool has_origin;
} eos_case;

/* Reads a document as a string; null or missing: the checkpoint does not have it, *out is unchanged. */
static assay_status read_document(const conf_json_at *input, const char *name, assay_text *out,
                                  assay_error *err)
{
    conf_json_at at;
    if (!conf_json_find(input, name, &at) || !at.value) return ASSAY_OK;
    assay_status rc = conf_json_expect(&at, json_type_string, err);
    if (rc != ASSAY_OK) return rc;
    out->at = json_object_get_string(at.value);
    out->n = (size_t)json_object_get_string_len(at.value);
    return ASSAY_OK;
}

/* The tokenizer's document is given as a JSON object. *out is its serialised text, owned by the
 * object. */
static assay_status read_tokenizer(const conf_json_at *input, assay_text *out, assay_error *err)
{
    conf_json_at at;
    if (!conf_json_find(input, "tokenizer", &at) || !at.value) return ASSAY_OK;
    assay_status rc = conf_json_expect(&at, json_type_object, err);
    if (rc != ASSAY_OK) return rc;
    out->at = json_object_to_json_string_length(at.value, JSON_C_TO_STRING_PLAIN, &out->n);
    return out->at ? ASSAY_OK : conf_json_fail(&at, err, "out of memory");
}

static assay_status read_ids(eos_case *e, assay_error *err)
{
    int64_t before = -1;
    assay_status rc = conf_json_member(&e->expect, "ids", json_type_array, &e->ids, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(e->ids.value); i++) {
        const conf_json_at id = conf_json_element(&e->ids, i);
        rc = conf_json_whole(&id, before + 1, INT32_MAX, &before, err);
    }
    return rc;
}

/* Checks `origin`, which maps expected ids to the documents that name them: {"1": ["tokenizer",
 * "config"]}. */
static assay_status check_origin(const eos_case *e, assay_error *err)
{
    static const char *const names[] = {"config", "generation_config", "tokenizer"};
    json_object_object_foreach(e->origin.value, id, list)
    {
        const conf_json_at at = {.above = &e->origin, .name = id, .value = list};
        size_t which;
        assay_status rc = conf_json_expect(&at, json_type_array, err);
        for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(list); i++) {
            const conf_json_at name = conf_json_element(&at, i);
            rc = conf_json_choose(&name, names, sizeof names / sizeof *names, &which, err);
        }
        if (rc != ASSAY_OK) return rc;
    }
    return ASSAY_OK;
}

/* *e points to *input, which must outlive it. */
static assay_status read_vector(const conf_json_at *at, conf_json_at *input, eos_case *e, assay_error *err)
{
    const char *error = NULL;
    *e = (eos_case){0};
    assay_status rc = conf_json_member(at, "input", json_type_object, input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &e->expect, err);
    if (rc == ASSAY_OK) rc = read_tokenizer(input, &e->documents.tokenizer, err);
    if (rc == ASSAY_OK) rc = read_document(input, "config", &e->documents.config, err);
    if (rc == ASSAY_OK) rc = read_document(input, "generation_config", &e->documents.generation_config, err);
    if (rc == ASSAY_OK) rc = conf_json_optional_text(&e->expect, "error", &error, err);
    if (rc != ASSAY_OK) return rc;
    e->refuses = error != NULL;
    if (!e->refuses) rc = read_ids(e, err);
    e->has_origin = conf_json_find(&e->expect, "origin", &e->origin) && e->origin.value;
    if (rc == ASSAY_OK && e->has_origin) rc = conf_json_expect(&e->origin, json_type_object, err);
    return rc == ASSAY_OK && e->has_origin ? check_origin(e, err) : rc;
}

assay_status conf_eos_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                            assay_error *err)
{
    static const char *const inputs[] = {"tokenizer", "config", "generation_config", NULL};
    static const char *const expects[] = {"ids", "error", "origin", NULL};
    conf_json_at input;
    eos_case e;
    assay_status rc = read_vector(at, &input, &e, err);
    if (rc == ASSAY_OK && e.refuses != (vector->rule == CONF_VECTOR_REJECT))
        rc = conf_json_fail(at, err, "expects %s, and its verdict is %sreject",
                            e.refuses ? "an error" : "ids", e.refuses ? "not " : "");
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&input, inputs, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&e.expect, expects, unknown, err) : rc;
}

const void *conf_eos_open(const char *module, conf_verdict *v)
{
    return conf_serving_offered(module, CONF_SERVING_STOP_SET, v);
}

/* The documents as vectors call them. */
static const struct {
    const char *name;
    unsigned origin;
} documents[] = {{"config", ASSAY_STOP_CONFIG},
                 {"generation_config", ASSAY_STOP_GENERATION_CONFIG},
                 {"tokenizer", ASSAY_STOP_TOKENIZER}};
enum { N_DOCUMENTS = sizeof documents / sizeof *documents };

/* The expected origin of an id, bits of assay_stop_origin; id->origin if the vector does not state
 * it. */
static unsigned expected_origin(const eos_case *e, const assay_stop_id *id)
{
    char key[16];
    json_object *list;
    unsigned origin = 0;
    (void)snprintf(key, sizeof key, "%" PRId32, id->id);
    if (!e->has_origin || !json_object_object_get_ex(e->origin.value, key, &list)) return id->origin;
    for (size_t i = 0; i < json_object_array_length(list); i++)
        for (size_t k = 0; k < N_DOCUMENTS; k++)
            if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), documents[k].name) == 0)
                origin |= documents[k].origin;
    return origin;
}

static void print_ids(char *text, size_t size, const assay_stop_id *ids, size_t n)
{
    size_t used = (size_t)snprintf(text, size, "{");
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId32, i ? ", " : "", ids[i].id);
    if (used < size) (void)snprintf(text + used, size - used, "}");
}

static bool same_ids(const eos_case *e, const assay_stop_id *ids, size_t n)
{
    if (n != json_object_array_length(e->ids.value)) return false;
    for (size_t i = 0; i < n; i++)
        if (json_object_get_int64(json_object_array_get_idx(e->ids.value, i)) != ids[i].id) return false;
    return true;
}

static void judge_stop_ids(const eos_case *e, const assay_stop_id *ids, size_t n, conf_verdict *v)
{
    char found[256], expected_text[80], found_text[80];
    print_ids(found, sizeof found, ids, n);
    if (!same_ids(e, ids, n)) {
        conf_verdict_fail(v, CONF_CLASS_STOPS, "the stop set: expected %s, found %s",
                          json_object_to_json_string_ext(e->ids.value, JSON_C_TO_STRING_PLAIN), found);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned expected = expected_origin(e, &ids[i]);
        if (expected == ids[i].origin) continue;
        stop_origin_print(expected_text, sizeof expected_text, expected);
        stop_origin_print(found_text, sizeof found_text, ids[i].origin);
        conf_verdict_fail(v, CONF_CLASS_STOPS, "stop id %" PRId32 ": expected from %s, found from %s",
                          ids[i].id, expected_text, found_text);
        return;
    }
}

/* Allocates nothing: all strings belong to the document. */
void conf_eos_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                     const conf_json_at *at, conf_verdict *v)
{
    const assay_serving *serving = offered;
    assay_stop_id ids[IDS_MAX];
    conf_json_at input;
    eos_case e;
    size_t n = 0;
    assay_error err = {0};
    (void)c;
    (void)vector;
    if (read_vector(at, &input, &e, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    assay_status rc = serving->stop_set(&e.documents, ids, IDS_MAX, &n, &err);
    if (rc == ASSAY_OK && n > IDS_MAX)
        conf_verdict_fail(v, CONF_CLASS_STOPS, "the stop set: found %zu ids", n);
    else if (rc == ASSAY_OK && e.refuses)
        conf_verdict_fail(v, CONF_CLASS_STOPS, "the stop set: expected a refusal, found %zu ids", n);
    else if (rc == ASSAY_OK) judge_stop_ids(&e, ids, n, v);
    else if (!e.refuses) conf_verdict_fail(v, CONF_CLASS_REFUSED, "stop_set: %s", err.text);
}

/* The documents that name each id, as `origin` lists them; NULL: out of memory. */
static json_object *new_origin(const assay_stop_id *ids, size_t n)
{
    json_object *origin = json_object_new_object();
    bool ok = origin != NULL;
    for (size_t i = 0; i < n && ok; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "%" PRId32, ids[i].id);
        json_object *list = conf_json_add_array(origin, name);
        for (size_t k = 0; k < N_DOCUMENTS && ok; k++)
            ok = list && (!(ids[i].origin & documents[k].origin) ||
                          conf_json_append(list, json_object_new_string(documents[k].name)));
    }
    if (ok) return origin;
    (void)json_object_put(origin);
    return NULL;
}

assay_status conf_eos_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                             assay_error *err)
{
    const assay_serving *serving = offered;
    assay_stop_id ids[IDS_MAX];
    int32_t numbers[IDS_MAX];
    conf_json_at input;
    eos_case e;
    size_t n = 0;
    (void)c;
    assay_status rc = read_vector(at, &input, &e, err);
    if (rc != ASSAY_OK) return rc;
    rc = serving->stop_set(&e.documents, ids, IDS_MAX, &n, err);
    if (e.refuses) return rc == ASSAY_EFORMAT ? ASSAY_OK : conf_answer_refused(&e.expect, "a stop set", err);
    if (rc != ASSAY_OK) return rc;
    if (n > IDS_MAX) return conf_answer_refused(&e.expect, "too many ids", err);
    for (size_t i = 0; i < n; i++) numbers[i] = ids[i].id;
    rc = conf_answer_ids(&e.expect, "ids", numbers, n, err);
    if (rc != ASSAY_OK || !e.has_origin) return rc;
    json_object *origin = new_origin(ids, n);
    return origin ? conf_answer_set(&e.expect, "origin", origin, err)
                  : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}
