/* SPDX-License-Identifier: Apache-2.0 */
#include "model/source.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "gguf/metadata.h"
#include "model/checkpoint/config.h"
#include "model/families/families.h"
#include "model/formats/hf_quant.h"
#include "model/gguf/config.h"
#include "model/gguf/names.h"

static const char CONFIG[] = "config.json";

static bool is_regular(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* A file that is named as a GGUF file but is none is refused as one. */
static bool is_gguf(const char *checkpoint)
{
    return gguf_is_file(checkpoint) || (string_ends_with(checkpoint, ".gguf") && is_regular(checkpoint));
}

static assay_status out_of_memory(const char *checkpoint, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", checkpoint);
}

/* "DIR/config.json"; NULL if out of memory. The caller frees it. */
static char *config_path(const char *dir)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", dir, CONFIG) < 0 ? NULL : path;
}

bool source_is_checkpoint(const char *path)
{
    if (is_gguf(path)) return true;
    char *file = config_path(path);
    const bool is = file && is_regular(file);
    free(file);
    return is;
}

/* What renaming depends on. */
typedef struct renaming {
    const gguf_architecture *architecture;
    size_t n_heads, n_kv_heads;
} renaming;

static void set_head_rows(const renaming *r, weights_place *place)
{
    const size_t n = strstr(place->name, ".self_attn.q_proj.")   ? r->n_heads
                     : strstr(place->name, ".self_attn.k_proj.") ? r->n_kv_heads
                                                                 : 0;
    if (r->architecture->has_permuted_rows && n && place->n_rows % n == 0 && place->n_rows / n % 2 == 0)
        place->head_rows = place->n_rows / n;
}

/* The rows of q, k and v that the converter has joined (--fuse-qkv), where the published tensors are apart.
 */
static size_t divide_rows(const renaming *r, weights_place out[WEIGHTS_PLACES_MAX])
{
    static const char JOINED[] = ".self_attn.qkv_proj.", *const PARTS[] = {"q", "k", "v"};
    const size_t heads[] = {r->n_heads, r->n_kv_heads, r->n_kv_heads};
    const size_t n = heads[0] + heads[1] + heads[2], rows = out[0].n_rows;
    char whole[WEIGHTS_NAME_MAX];
    memcpy(whole, out[0].name, sizeof whole);
    const char *at = strstr(whole, JOINED);
    if (!at || r->architecture->has_joined_heads || n == 0 || rows % n != 0) return 1;
    for (size_t i = 0, first = 0; i < 3; first += out[i++].n_rows) {
        out[i] = (weights_place){.first_row = first, .n_rows = rows / n * heads[i]};
        (void)snprintf(out[i].name, sizeof out[i].name, "%.*s.self_attn.%s_proj.%s", (int)(at - whole), whole,
                       PARTS[i], at + sizeof JOINED - 1);
    }
    return 3;
}

static size_t rename_tensor(const void *context, const gguf_tensor *t, weights_place out[WEIGHTS_PLACES_MAX])
{
    const renaming *r = context;
    gguf_published_name(r->architecture, t->name, out[0].name);
    const size_t n = divide_rows(r, out);
    for (size_t i = 0; i < n; i++) set_head_rows(r, &out[i]);
    return n;
}

static assay_status find_architecture(const gguf *file, const family_type **out, assay_error *err)
{
    static const char KEY[] = "general.architecture";
    char names[FAMILY_GGUF_NAMES_MAX] = "";
    assay_text name = {0};
    assay_status rc = gguf_require(file, KEY, err);
    if (rc == ASSAY_OK) rc = gguf_get_text(file, KEY, &name, err);
    if (rc != ASSAY_OK) return rc;
    *out = family_type_of_gguf(name.at, name.n);
    if (*out) return ASSAY_OK;
    (void)family_gguf_names(names, sizeof names);
    const bool is_projector = text_begins_with(name, (assay_text){"clip", 4}) && name.n == 4;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: key %s: found \"%.*s\"%s, expected one of %s",
                      gguf_path(file), KEY, (int)(name.n < 60 ? name.n : 60), name.at,
                      is_projector ? " (an mmproj file: a tower for images or audio alone)" : "", names);
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
    if (asprintf(&out->label, "%s: %s", path, CONFIG) < 0) {
        out->label = NULL;
        return out_of_memory(path, err);
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

/* The first GGUF file of a directory, in the order of names; NULL: it has none. The caller frees it. Files of
 * towers alone come last. */
static char *find_gguf(const char *dir)
{
    char *best = NULL;
    DIR *all = opendir(dir);
    for (struct dirent *one; all && (one = readdir(all));) {
        if (!string_ends_with(one->d_name, ".gguf")) continue;
        const bool is_tower = strstr(one->d_name, "mmproj") != NULL,
                   was_tower = best && strstr(best, "mmproj") != NULL;
        if (best && (is_tower != was_tower ? is_tower : strcmp(one->d_name, best) > 0)) continue;
        free(best);
        best = strdup(one->d_name);
    }
    if (all) (void)closedir(all);
    return best;
}

/* Reads a directory's config.json; path: its. */
static assay_status read_config(const char *dir, const char *path, json_object **out, assay_error *err)
{
    char *file = access(path, F_OK) == 0 ? NULL : find_gguf(dir);
    const assay_status rc =
        is_regular(dir)
            ? assay_fail(err, ASSAY_EFORMAT,
                         "%s: found a file, expected a directory with a %s, or a GGUF file", dir, CONFIG)
        : file ? assay_fail(err, ASSAY_EIO, "%s: found no %s, but %s; expected the file itself: %s/%s", dir,
                            CONFIG, file, dir, file)
               : config_read_document(path, out, err);
    free(file);
    return rc;
}

assay_status source_open(const char *checkpoint, source *out, assay_error *err)
{
    *out = (source){0};
    if (is_gguf(checkpoint)) return open_gguf(checkpoint, out, err);
    out->label = config_path(checkpoint);
    if (!out->label) return out_of_memory(checkpoint, err);
    assay_status rc = read_config(checkpoint, out->label, &out->config, err);
    if (rc == ASSAY_OK) rc = hf_quant_join(checkpoint, out->config, err);
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
    if (is_gguf(checkpoint)) {
        assay_status rc = gguf_open(checkpoint, &file, err);
        if (rc == ASSAY_OK) rc = make_config(file, &type, out, err);
        gguf_free(file);
        return rc;
    }
    char *path = config_path(checkpoint);
    if (!path) return out_of_memory(checkpoint, err);
    const assay_status rc = read_config(checkpoint, path, out, err);
    free(path);
    return rc;
}

static size_t keep_name(const void *context, const gguf_tensor *t, weights_place out[WEIGHTS_PLACES_MAX])
{
    (void)context;
    (void)snprintf(out[0].name, sizeof out[0].name, "%s", t->name);
    return 1;
}

assay_status source_weights(const char *checkpoint, weights **out, assay_error *err)
{
    gguf *file = NULL;
    if (!is_gguf(checkpoint)) return weights_open(checkpoint, out, err);
    assay_status rc = gguf_open(checkpoint, &file, err);
    if (rc != ASSAY_OK) return rc;
    rc = weights_open_gguf(file, keep_name, NULL, out, err);
    if (rc != ASSAY_OK) gguf_free(file);
    return rc;
}
