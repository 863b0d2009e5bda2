/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gguf/metadata.h"
#include "model/checkpoint/config.h"
#include "model/families/families.h"
#include "model/gguf/config.h"
#include "model/gguf/names.h"

/* What renaming depends on. */
typedef struct renaming {
    const gguf_architecture *architecture;
    size_t n_heads, n_kv_heads;
} renaming;

static void rename_tensor(const void *context, const gguf_tensor *t, char name[WEIGHTS_NAME_MAX],
                          size_t *head_rows)
{
    const renaming *r = context;
    gguf_published_name(r->architecture, t->name, name);
    if (!r->architecture->has_permuted_rows) return;
    const size_t n = strstr(name, ".self_attn.q_proj.")   ? r->n_heads
                     : strstr(name, ".self_attn.k_proj.") ? r->n_kv_heads
                                                          : 0;
    const size_t rows = t->ne[t->n_dims - 1];
    if (n && rows % n == 0 && rows / n % 2 == 0) *head_rows = rows / n;
}

static assay_status find_architecture(const gguf *file, const family_type **out, assay_error *err)
{
    static const char KEY[] = "general.architecture";
    char names[300] = "";
    assay_text name = {0};
    assay_status rc = gguf_require(file, KEY, err);
    if (rc == ASSAY_OK) rc = gguf_get_text(file, KEY, &name, err);
    if (rc != ASSAY_OK) return rc;
    *out = family_type_of_gguf(name.at, name.n);
    if (*out) return ASSAY_OK;
    family_gguf_names(names, sizeof names);
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: key %s: found \"%.*s\", expected one of %s",
                      gguf_path(file), KEY, (int)(name.n < 60 ? name.n : 60), name.at, names);
}

static size_t member_count(json_object *object, const char *name)
{
    json_object *value = NULL;
    return json_object_object_get_ex(object, name, &value) ? (size_t)json_object_get_int64(value) : 0;
}

/* The config of an open file. */
static assay_status make_config(const gguf *file, const family_type **type, json_object **out,
                                assay_error *err)
{
    const assay_status rc = find_architecture(file, type, err);
    return rc == ASSAY_OK ? gguf_config_make(file, (*type)->gguf, (*type)->model_type, out, err) : rc;
}

static assay_status open_gguf(const char *path, source *out, assay_error *err)
{
    gguf *file = NULL;
    const family_type *type = NULL;
    if (asprintf(&out->label, "%s: config.json", path) < 0) {
        out->label = NULL;
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    assay_status rc = gguf_open(path, &file, err);
    if (rc != ASSAY_OK) return rc;
    rc = make_config(file, &type, &out->config, err);
    if (rc == ASSAY_OK) {
        const size_t n_heads = member_count(out->config, "num_attention_heads"),
                     n_kv = member_count(out->config, "num_key_value_heads");
        const renaming r = {type->gguf, n_heads, n_kv ? n_kv : n_heads};
        rc = weights_open_gguf(file, rename_tensor, &r, &out->weights, err);
        out->architecture = type->gguf;
    }
    if (rc != ASSAY_OK) gguf_free(file);
    return rc;
}

assay_status source_open(const char *checkpoint, source *out, assay_error *err)
{
    *out = (source){0};
    if (gguf_is_file(checkpoint)) return open_gguf(checkpoint, out, err);
    if (asprintf(&out->label, "%s/config.json", checkpoint) < 0) {
        out->label = NULL;
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
    }
    const assay_status rc = config_read_document(out->label, &out->config, err);
    return rc == ASSAY_OK ? weights_open(checkpoint, &out->weights, err) : rc;
}

void source_free(source *s)
{
    json_object_put(s->config);
    free(s->label);
    weights_free(s->weights);
    *s = (source){0};
}

assay_status source_config(const char *checkpoint, json_object **out, assay_error *err)
{
    gguf *file = NULL;
    const family_type *type = NULL;
    char *path = NULL;
    if (gguf_is_file(checkpoint)) {
        assay_status rc = gguf_open(checkpoint, &file, err);
        if (rc == ASSAY_OK) rc = make_config(file, &type, out, err);
        gguf_free(file);
        return rc;
    }
    if (asprintf(&path, "%s/config.json", checkpoint) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
    const assay_status rc = config_read_document(path, out, err);
    free(path);
    return rc;
}
