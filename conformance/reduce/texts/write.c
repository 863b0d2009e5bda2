/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/texts/write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/case/model_name.h"
#include "conformance/support/json_add.h"

const char *conf_texts_origin(const conf_texts *texts, const conf_texts_cut *cut)
{
    if (conf_texts_computed(texts, cut))
        return "assay reduce: expected values computed by " CONF_ENGINE_REFERENCE
               ", which agrees with the recorded values of the same vectors";
    return texts->c->reduced ? texts->c->reduced
                             : "assay reduce: expected values recorded with the whole case";
}

static bool add_optional(json_object *to, const char *name, const char *text)
{
    return !text || conf_json_add_string(to, name, text);
}

static bool add_header(const conf_texts_writing *w, json_object *to)
{
    const conf_case *c = w->texts->c;
    const bool computed = conf_texts_computed(w->texts, w->cut);
    char schema[32];
    (void)snprintf(schema, sizeof schema, "assay/%d", CONF_SCHEMA_VERSION);
    bool ok = conf_json_add_string(to, "schema", schema) &&
              conf_json_add_string(to, "kind", conf_kind_of(c->kind)->name) &&
              add_optional(to, "model", c->model ? conf_model_name(c->model) : NULL) &&
              add_optional(to, "source", computed ? CONF_ENGINE_REFERENCE : c->source) &&
              add_optional(to, "recorder", c->recorder) &&
              conf_json_add_string(to, "reduced", conf_texts_origin(w->texts, w->cut));
    json_object *flags = ok && c->flags.n ? conf_json_add_array(to, "flags") : NULL;
    for (size_t i = 0; i < c->flags.n && ok; i++)
        ok = conf_json_append(flags, json_object_new_string(c->flags.at[i]));
    return ok;
}

/* Adds the kept vectors in the groups of the whole case, of which none is empty. */
static bool add_groups(const conf_texts_writing *w, json_object *to)
{
    const conf_vectors *all = &w->texts->c->vectors;
    json_object *groups = conf_json_add_array(to, "groups"), *vectors = NULL;
    bool ok = groups != NULL;
    for (size_t i = 0, group = SIZE_MAX; i < all->n && ok; i++) {
        if (!w->cut->kept[i]) continue;
        if (all->at[i].group_index != group) {
            json_object *one = conf_json_append_object(groups);
            ok = one && conf_json_add_string(one, "name", all->at[i].group);
            vectors = ok ? conf_json_add_array(one, "vectors") : NULL;
            group = all->at[i].group_index;
        }
        ok = ok && conf_json_append(vectors, json_object_get(conf_texts_vector(w->texts, w->cut, i)));
    }
    return ok;
}

/* Sets the expected values of vector i. */
static assay_status compute_vector(const conf_texts_writing *w, const void *offered, size_t i,
                                   assay_error *err)
{
    const conf_case *c = w->texts->c;
    const conf_textual *kind = &conf_kind_of(c->kind)->vectors;
    const conf_json_at at = {.name = w->path, .value = w->cut->changed[i]};
    conf_strings unknown = {0};
    assay_status rc = kind->answer(offered, c, &at, err);
    if (rc == ASSAY_OK) rc = kind->check(&c->vectors.at[i], &at, &unknown, err);
    conf_strings_free(&unknown);
    return rc;
}

/* The process ends after this: the modules stay open. */
static assay_status compute(const conf_texts_writing *w, assay_error *err)
{
    const conf_textual *kind = &conf_kind_of(w->texts->c->kind)->vectors;
    conf_verdict v = {0};
    if (!conf_texts_computed(w->texts, w->cut)) return ASSAY_OK;
    const void *offered = kind->open(w->reference, &v);
    if (!offered) return assay_fail(err, ASSAY_EUNSUPPORTED, "%s", v.reason);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < w->texts->n && rc == ASSAY_OK; i++)
        if (w->cut->kept[i] && w->cut->computed[i]) rc = compute_vector(w, offered, i, err);
    if (kind->finish) kind->finish(offered);
    return rc;
}

void conf_texts_write(const void *context, conf_verdict *v)
{
    static const int format =
        JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE;
    const conf_texts_writing *w = context;
    assay_error err = {0};
    json_object *document = json_object_new_object();
    assay_status rc = document ? compute(w, &err) : ASSAY_ENOMEM;
    if (rc == ASSAY_OK && (!add_header(w, document) || !add_groups(w, document))) rc = ASSAY_ENOMEM;
    if (rc == ASSAY_ENOMEM) rc = assay_fail(&err, rc, "%s: out of memory", w->path);
    if (rc == ASSAY_OK && json_object_to_file_ext(w->path, document, format) != 0)
        rc = assay_fail(&err, ASSAY_EIO, "%s: %s", w->path, strerror(errno));
    (void)json_object_put(document);
    if (rc != ASSAY_OK) conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
}
