/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/support/text.h"

/* 2^53: JSON parsers that keep numbers as doubles represent whole numbers exactly up to here. */
#define ID_MAX ((int64_t)1 << 53)

static assay_status read_rule(const conf_json_at *at, conf_vector_rule *out, assay_error *err)
{
    static const char *const names[] = {"match", "reject", "either"};
    conf_json_at verdict;
    const char *reason;
    size_t rule = CONF_VECTOR_MATCH;
    assay_status rc = ASSAY_OK;
    if (conf_json_find(at, "verdict", &verdict))
        rc = conf_json_choose(&verdict, names, sizeof names / sizeof *names, &rule, err);
    if (rc == ASSAY_OK && rule == CONF_VECTOR_EITHER) rc = conf_json_member_text(at, "reason", &reason, err);
    *out = (conf_vector_rule)rule;
    return rc;
}

static assay_status check_flags(const conf_json_at *at, assay_error *err)
{
    conf_json_at flags;
    if (!conf_json_find(at, "flags", &flags)) return ASSAY_OK;
    assay_status rc = conf_json_expect(&flags, json_type_array, err);
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(flags.value); i++) {
        const conf_json_at flag = conf_json_element(&flags, i);
        rc = conf_json_expect(&flag, json_type_string, err);
    }
    return rc;
}

static assay_status read_vector(const conf_json_at *at, conf_vector *out, conf_strings *unknown,
                                assay_error *err)
{
    static const char *const known[] = {"id",     "comment", "flags",  "verdict",
                                        "reason", "input",   "expect", NULL};
    conf_json_at body;
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(at, known, unknown, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(at, "id", 0, ID_MAX, &out->id, err);
    if (rc == ASSAY_OK) rc = conf_json_optional_text(at, "comment", &out->comment, err);
    if (rc == ASSAY_OK) rc = check_flags(at, err);
    if (rc == ASSAY_OK) rc = read_rule(at, &out->rule, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "input", json_type_object, &body, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &body, err);
    return rc;
}

/* Names appear on command lines and in reports: no control characters, limited length. */
static assay_status read_name(const conf_json_at *group, const char **out, assay_error *err)
{
    conf_json_at at;
    assay_status rc = conf_json_member(group, "name", json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_text(&at, out, err);
    if (rc != ASSAY_OK) return rc;
    if (**out && strlen(*out) <= CONF_GROUP_NAME_MAX && conf_text_is_clean(*out)) return ASSAY_OK;
    return conf_json_fail(&at, err, "found \"%.80s\", expected 1 to %d bytes without control characters",
                          *out, CONF_GROUP_NAME_MAX);
}

/* Adds the vectors of one group. */
static assay_status read_group(conf_vector_place *place, conf_vectors *out, conf_strings *unknown,
                               assay_error *err)
{
    assay_error why;
    static const char *const known[] = {"name", "vectors", NULL};
    const char *name = NULL;
    assay_status rc = conf_json_expect(&place->group, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&place->group, known, unknown, err);
    if (rc == ASSAY_OK) rc = read_name(&place->group, &name, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member(&place->group, "vectors", json_type_array, &place->vectors, err);
    size_t n = rc == ASSAY_OK ? json_object_array_length(place->vectors.value) : 0;
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++) {
        conf_vector *grown = grow_by_one(out->at, out->n, sizeof *grown);
        if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", place->document.name);
        out->at = grown;
        conf_vector vector = {.group = name, .id = -1, .group_index = place->group.index, .index = i};
        place->vector = conf_json_element(&place->vectors, i);
        const bool is_audio = read_vector(&place->vector, &vector, unknown, &why) == ASSAY_OK;
        out->at[out->n++] = vector;
        if (!is_audio) rc = conf_vectors_break(out, out->n - 1, &why, err);
    }
    return rc;
}

/* Orders by group and id, then by index in the file. */
static int compare_names(const void *a, const void *b)
{
    const conf_vector *const *x = a, *const *y = b;
    int order = strcmp((*x)->group, (*y)->group);
    if (order) return order;
    if ((*x)->id != (*y)->id) return (*x)->id < (*y)->id ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Groups of the same name count as one group. If two vectors of a group have the same id, the later is
 * broken. */
static assay_status check_ids(conf_vectors *v, const char *path, assay_error *err)
{
    const conf_vector **order = malloc(v->n * sizeof *order);
    if (!order) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    for (size_t i = 0; i < v->n; i++) order[i] = &v->at[i];
    qsort(order, v->n, sizeof *order, compare_names);
    assay_status rc = ASSAY_OK;
    const conf_vector *a = NULL; /* the first vector with the current group and id */
    for (size_t i = 0; rc == ASSAY_OK && i < v->n; i++) {
        const conf_vector *b = order[i];
        if (b->broken) continue;
        if (!a || a->id != b->id || strcmp(a->group, b->group) != 0) {
            a = b;
            continue;
        }
        conf_vector_place place;
        const size_t at_index = (size_t)(b - v->at);
        const conf_json_at id = {.above = conf_vector_find(v, at_index, path, &place), .name = "id"};
        assay_error why;
        (void)conf_json_fail(&id, &why,
                             "found %" PRId64 ", which groups[%zu].vectors[%zu] has in the same group", b->id,
                             a->group_index, a->index);
        rc = conf_vectors_break(v, at_index, &why, err);
    }
    free(order);
    return rc;
}

assay_status conf_vectors_break(conf_vectors *vectors, size_t i, const assay_error *why, assay_error *err)
{
    if (why->status != ASSAY_EFORMAT) return assay_fail(err, why->status, "%s", why->text);
    if (vectors->n_broken == CONF_VECTORS_BROKEN_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s; %d vectors before it are broken as well", why->text,
                          CONF_VECTORS_BROKEN_MAX);
    vectors->at[i].broken = strdup(why->text);
    if (!vectors->at[i].broken) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    vectors->n_broken++;
    return ASSAY_OK;
}

assay_status conf_vectors_require(const conf_vectors *vectors, const char *path, assay_error *err)
{
    size_t i = 0;
    if (vectors->n_broken == 0) return ASSAY_OK;
    while (!vectors->at[i].broken) i++;
    return assay_fail(err, ASSAY_EFORMAT, "%s: %zu of %zu vectors %s broken: %s", path, vectors->n_broken,
                      vectors->n, vectors->n_broken == 1 ? "is" : "are", vectors->at[i].broken);
}

assay_status conf_vectors_read(const char *path, json_object *document, conf_vectors *out,
                               conf_strings *unknown, assay_error *err)
{
    conf_vectors v = {.document = document};
    conf_vector_place place = {.document = {.name = path, .value = document}};
    assay_status rc = conf_json_member(&place.document, "groups", json_type_array, &place.groups, err);
    if (rc == ASSAY_OK) v.n_groups = json_object_array_length(place.groups.value);
    for (size_t i = 0; rc == ASSAY_OK && i < v.n_groups; i++) {
        place.group = conf_json_element(&place.groups, i);
        rc = read_group(&place, &v, unknown, err);
    }
    if (rc == ASSAY_OK && v.n == 0) rc = conf_json_fail(&place.groups, err, "found no vector, expected some");
    if (rc == ASSAY_OK) rc = check_ids(&v, path, err);
    if (rc != ASSAY_OK) conf_vectors_free(&v);
    else *out = v;
    return rc;
}

void conf_vectors_free(conf_vectors *vectors)
{
    (void)json_object_put(vectors->document);
    for (size_t i = 0; i < vectors->n; i++) free(vectors->at[i].broken);
    free(vectors->at);
    *vectors = (conf_vectors){0};
}

const conf_json_at *conf_vector_find(const conf_vectors *vectors, size_t i, const char *path,
                                     conf_vector_place *out)
{
    const conf_vector *v = &vectors->at[i];
    out->document = (conf_json_at){.name = path, .value = vectors->document};
    (void)conf_json_find(&out->document, "groups", &out->groups);
    out->group = conf_json_element(&out->groups, v->group_index);
    (void)conf_json_find(&out->group, "vectors", &out->vectors);
    out->vector = conf_json_element(&out->vectors, v->index);
    return &out->vector;
}

const char *conf_vectors_group(const conf_vectors *vectors, size_t i, size_t *n)
{
    json_object *groups = NULL, *name = NULL, *of = NULL;
    (void)json_object_object_get_ex(vectors->document, "groups", &groups);
    json_object *group = json_object_array_get_idx(groups, i);
    (void)json_object_object_get_ex(group, "name", &name);
    (void)json_object_object_get_ex(group, "vectors", &of);
    *n = json_object_array_length(of);
    return json_object_get_string(name);
}

void conf_vector_print_name(char name[CONF_VECTOR_NAME_MAX], const conf_vector *vector)
{
    (void)snprintf(name, CONF_VECTOR_NAME_MAX, "%s/%" PRId64, vector->group, vector->id);
}
