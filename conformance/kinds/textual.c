/* Reading a textual case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/kinds/textual.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/case/header.h"
#include "conformance/kinds/kinds.h"
#include "conformance/support/text_file.h"
#include "conformance/textual/textual.h"

/* json-c needs at most 3 GB for this many values. */
static const json_limits limits = {.bytes = (size_t)256 << 20, .values = (size_t)4 << 20};

static assay_status copy_text(const conf_json_at *document, const char *name, char **out, assay_error *err)
{
    const char *text = NULL;
    assay_status rc = conf_json_optional_text(document, name, &text, err);
    if (rc != ASSAY_OK || !text) return rc;
    *out = strdup(text);
    return *out ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", document->name);
}

static assay_status read_flags(const conf_json_at *document, conf_strings *out, assay_error *err)
{
    conf_json_at flags;
    if (!conf_json_find(document, "flags", &flags)) return ASSAY_OK;
    assay_status rc = conf_json_expect(&flags, json_type_array, err);
    const size_t n = rc == ASSAY_OK ? json_object_array_length(flags.value) : 0;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at flag = conf_json_element(&flags, i);
        const char *text;
        rc = conf_json_text(&flag, &text, err);
        if (rc == ASSAY_OK && !conf_strings_add(out, text))
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", document->name);
    }
    return rc;
}

/* Finds the checkpoint of a kind that has one: the directory "model" if the file does not name
 * another. */
static assay_status find_model(const conf_json_at *document, conf_case *c, assay_error *err)
{
    const char *model = "model";
    const assay_status rc = conf_json_optional_text(document, "model", &model, err);
    return rc == ASSAY_OK ? conf_case_find_model(c, model, err) : rc;
}

/* Of a schedule only schema and kind are read: conf_schedule_read reads the rest. */
static assay_status read_header(const conf_json_at *document, conf_case *c, assay_error *err)
{
    static const char *const known[] = {"schema",  "kind",  "source", "recorder", "catches",
                                        "reduced", "flags", "groups", NULL};
    static const char *const known_with_model[] = {"schema",  "kind",  "source", "recorder", "catches",
                                                   "reduced", "flags", "groups", "model",    NULL};
    const char *schema, *kind;
    assay_status rc = conf_json_member_text(document, "schema", &schema, err);
    if (rc == ASSAY_OK) rc = conf_schema_check(c->path, schema, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(document, "kind", &kind, err);
    if (rc == ASSAY_OK) rc = conf_kind_find(c->path, kind, true, &c->kind, err);
    if (rc == ASSAY_OK && c->kind == CONF_SCHEDULE) return ASSAY_OK;
    if (rc == ASSAY_OK) rc = copy_text(document, "source", &c->source, err);
    if (rc == ASSAY_OK) rc = copy_text(document, "recorder", &c->recorder, err);
    if (rc == ASSAY_OK) rc = copy_text(document, "catches", &c->catches, err);
    if (rc == ASSAY_OK) rc = copy_text(document, "reduced", &c->reduced, err);
    if (rc == ASSAY_OK) rc = read_flags(document, &c->flags, err);
    const bool has_model = rc == ASSAY_OK && conf_kind_of(c->kind)->has_model;
    if (rc == ASSAY_OK && has_model) rc = find_model(document, c, err);
    if (rc == ASSAY_OK)
        rc = conf_json_note_unknown(document, has_model ? known_with_model : known, &c->unknown, err);
    return rc;
}

/* A file without a valid vector fails with the error of its first vector. */
static assay_status check_vectors(conf_case *c, const conf_textual *vectors, assay_error *err)
{
    conf_vectors *v = &c->vectors;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < v->n; i++) {
        conf_vector_place place;
        assay_error why;
        const conf_json_at *at = conf_vector_find(v, i, c->path, &place);
        if (!v->at[i].broken && vectors->check(&v->at[i], at, &c->unknown, &why) != ASSAY_OK)
            rc = conf_vectors_break(v, i, &why, err);
    }
    if (rc == ASSAY_OK && v->n_broken == v->n) rc = assay_fail(err, ASSAY_EFORMAT, "%s", v->at[0].broken);
    return rc;
}

static assay_status read_text(const char *path, json_object **out, assay_error *err)
{
    char *text;
    size_t n;
    assay_status rc = conf_text_file_read(path, limits.bytes, &text, &n, err);
    if (rc != ASSAY_OK) return rc;
    rc = json_parse_within(path, text, n, &limits, out, err);
    free(text);
    return rc;
}

assay_status conf_textual_read(conf_case *c, assay_error *err)
{
    json_object *root;
    assay_status rc = read_text(c->path, &root, err);
    if (rc != ASSAY_OK) return rc;
    const conf_json_at document = {.name = c->path, .value = root};
    rc = read_header(&document, c, err);
    const conf_textual *vectors = &conf_kind_of(c->kind)->vectors;
    if (rc != ASSAY_OK || !vectors->check) {
        (void)json_object_put(root);
        return rc;
    }
    rc = conf_vectors_read(c->path, root, &c->vectors, &c->unknown, err);
    return rc == ASSAY_OK ? check_vectors(c, vectors, err) : rc;
}
