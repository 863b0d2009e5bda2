/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/weights.h"

#include "base/dtype.h"
#include "base/error.h"
#include "base/json.h"
#include "model/checkpoint/safetensors.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SINGLE_NAME    "model.safetensors"
#define INDEX_NAME     "model.safetensors.index.json"
#define FORMAT_SUFFIX  ".safetensors" /* transformers reads a file of another name as another format */
#define NAME_SHOWN_MAX 120

typedef struct weights_entry {
    assay_tensor tensor;
    size_t file;
    const gguf_type *type; /* of blocks; NULL: tensor.dtype says it all */
    size_t head_rows;
} weights_entry;

struct weights {
    safetensors **files; /* [n_files] */
    size_t n_files;
    gguf *gguf;             /* instead of files, or NULL */
    char *names;            /* of the tensors in it */
    weights_entry *entries; /* [n_entries], sorted by name */
    size_t n_entries;
};

/* One member of weight_map; borrowed from the json_object. */
typedef struct listing {
    const char *tensor;
    const char *shard;
    size_t file;
} listing;

/* weight_map while the shards are opened. path: of the index. */
typedef struct index_map {
    const char *dir;
    char *path;
    json_object *root;
    listing *listings; /* [n] */
    size_t n;
} index_map;

static char *join_path(const char *dir, const char *name)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char *path = malloc(n);
    if (path) (void)snprintf(path, n, "%s/%s", dir, name);
    return path;
}

static assay_status out_of_memory(const char *where, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", where);
}

/* Uses lstat, so that a dangling link exists, and opening it gives the error. Does not allocate, so
 * that out-of-memory is not mistaken for a missing file. False for a path that is too long for the
 * system. */
static bool file_exists(const char *dir, const char *name)
{
    struct stat info;
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    return n > 0 && (size_t)n < sizeof path && lstat(path, &info) == 0;
}

static int shown_length(const char *name)
{
    return json_scan_clip(name, strlen(name), NAME_SHOWN_MAX);
}

static int compare_entries(const void *a, const void *b)
{
    const weights_entry *x = a, *y = b;
    const int order = strcmp(x->tensor.name, y->tensor.name);
    return order != 0 ? order : (x->file > y->file) - (x->file < y->file);
}

static int compare_listings(const void *a, const void *b)
{
    const listing *x = a, *y = b;
    return strcmp(x->tensor, y->tensor);
}

static int compare_shards(const void *a, const void *b)
{
    const listing *x = a, *y = b;
    const int order = strcmp(x->shard, y->shard);
    return order != 0 ? order : strcmp(x->tensor, y->tensor);
}

/* Sorts the tensors and refuses a name that two of them have. */
static assay_status sort_tensors(weights *w, assay_error *err)
{
    qsort(w->entries, w->n_entries, sizeof *w->entries, compare_entries);
    for (size_t i = 1; i < w->n_entries; i++) {
        const char *name = w->entries[i].tensor.name;
        if (strcmp(name, w->entries[i - 1].tensor.name) != 0) continue;
        return assay_fail(err, ASSAY_EFORMAT, "%s: tensor '%.*s': found again, expected it only in %s",
                          weights_file(w, i), shown_length(name), name, weights_file(w, i - 1));
    }
    return ASSAY_OK;
}

/* Gathers the tensors of the open files. */
static assay_status gather_tensors(weights *w, const char *dir, assay_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_files; i++) n += safetensors_count(w->files[i]);
    w->entries = calloc(n > 0 ? n : 1, sizeof *w->entries);
    if (!w->entries) return out_of_memory(dir, err);
    for (size_t i = 0; i < w->n_files; i++)
        for (size_t k = 0; k < safetensors_count(w->files[i]); k++)
            w->entries[w->n_entries++] =
                (weights_entry){.tensor = *safetensors_at(w->files[i], k), .file = i};
    return sort_tensors(w, err);
}

static assay_status open_single(weights *w, const char *dir, assay_error *err)
{
    char *path = join_path(dir, SINGLE_NAME);
    w->files = calloc(1, sizeof *w->files);
    assay_status rc = path && w->files ? ASSAY_OK : out_of_memory(dir, err);
    if (rc == ASSAY_OK) rc = safetensors_open(path, &w->files[0], err);
    if (rc == ASSAY_OK) w->n_files = 1;
    free(path);
    return rc == ASSAY_OK ? gather_tensors(w, dir, err) : rc;
}

/* The shard that weight_map gives for a tensor: the name of a file in the directory itself. */
static assay_status check_shard(const index_map *m, const char *tensor, json_object *value, assay_error *err)
{
    if (!json_object_is_type(value, json_type_string))
        return assay_fail(err, ASSAY_EFORMAT, "%s: weight_map['%.*s'] is of type %s, expected a file name",
                          m->path, shown_length(tensor), tensor,
                          json_type_to_name(json_object_get_type(value)));
    const char *shard = json_object_get_string(value);
    const char *suffix = strrchr(shard, '.');
    const bool is_plain = suffix && strcmp(suffix, FORMAT_SUFFIX) == 0 && !strchr(shard, '/') &&
                          strlen(shard) == (size_t)json_object_get_string_len(value);
    if (is_plain) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: weight_map['%.*s'] is '%.*s', expected the name of a %s file in %s", m->path,
                      shown_length(tensor), tensor, shown_length(shard), shard, FORMAT_SUFFIX, m->dir);
}

static assay_status index_read(index_map *m, assay_error *err)
{
    assay_status rc = json_read(m->path, &m->root, err);
    if (rc != ASSAY_OK) return rc;
    json_object *map = NULL;
    if (!json_object_is_type(m->root, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "%s: found %s, expected an object", m->path,
                          json_type_to_name(json_object_get_type(m->root)));
    if (!json_object_object_get_ex(m->root, "weight_map", &map))
        return assay_fail(err, ASSAY_EFORMAT, "%s: weight_map is missing, expected an object", m->path);
    if (!json_object_is_type(map, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "%s: weight_map is of type %s, expected an object", m->path,
                          json_type_to_name(json_object_get_type(map)));
    const size_t n = (size_t)json_object_object_length(map);
    if (n == 0) return assay_fail(err, ASSAY_EFORMAT, "%s: weight_map is empty, expected tensors", m->path);
    m->listings = calloc(n, sizeof *m->listings);
    if (!m->listings) return out_of_memory(m->path, err);

    struct json_object_iterator at = json_object_iter_begin(map), end = json_object_iter_end(map);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *tensor = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        rc = check_shard(m, tensor, value, err);
        if (rc != ASSAY_OK) return rc;
        m->listings[m->n++] = (listing){tensor, json_object_get_string(value), 0};
    }
    return ASSAY_OK;
}

static assay_status open_shard(weights *w, const index_map *m, const listing *first, assay_error *err)
{
    if (!file_exists(m->dir, first->shard))
        return assay_fail(err, ASSAY_EFORMAT, "%s: weight_map['%.*s'] is '%.*s', expected a file that exists",
                          m->path, shown_length(first->tensor), first->tensor, shown_length(first->shard),
                          first->shard);
    char *path = join_path(m->dir, first->shard);
    const assay_status rc =
        path ? safetensors_open(path, &w->files[w->n_files], err) : out_of_memory(m->path, err);
    if (rc == ASSAY_OK) w->n_files++;
    free(path);
    return rc;
}

/* Opens every shard once and notes its number in the listings, which it leaves sorted by tensor. */
static assay_status open_shards(weights *w, index_map *m, assay_error *err)
{
    qsort(m->listings, m->n, sizeof *m->listings, compare_shards);
    size_t n_shards = 1;
    for (size_t i = 1; i < m->n; i++) n_shards += strcmp(m->listings[i].shard, m->listings[i - 1].shard) != 0;
    w->files = calloc(n_shards, sizeof *w->files);
    if (!w->files) return out_of_memory(m->path, err);

    for (size_t i = 0; i < m->n; i++) {
        if (i == 0 || strcmp(m->listings[i].shard, m->listings[i - 1].shard) != 0) {
            const assay_status rc = open_shard(w, m, &m->listings[i], err);
            if (rc != ASSAY_OK) return rc;
        }
        m->listings[i].file = w->n_files - 1;
    }
    qsort(m->listings, m->n, sizeof *m->listings, compare_listings);
    return ASSAY_OK;
}

/* Compares the tensors with the listings; both are sorted by name and without duplicates. */
static assay_status compare_index(const weights *w, const index_map *m, assay_error *err)
{
    for (size_t i = 0, k = 0; i < w->n_entries || k < m->n; i++, k++) {
        const char *held = i < w->n_entries ? w->entries[i].tensor.name : NULL;
        const listing *listed = k < m->n ? &m->listings[k] : NULL;
        const int order = !held ? 1 : !listed ? -1 : strcmp(held, listed->tensor);
        if (order < 0)
            return assay_fail(err, ASSAY_EFORMAT, "%s: tensor '%.*s': found, expected only what %s lists",
                              weights_file(w, i), shown_length(held), held, INDEX_NAME);
        if (order > 0)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: tensor '%.*s': missing, expected because %s places it here",
                              safetensors_path(w->files[listed->file]), shown_length(listed->tensor),
                              listed->tensor, INDEX_NAME);
        if (listed->file != w->entries[i].file)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: tensor '%.*s': found, expected in '%.*s', where %s places it",
                              weights_file(w, i), shown_length(held), held, shown_length(listed->shard),
                              listed->shard, INDEX_NAME);
    }
    return ASSAY_OK;
}

static assay_status open_sharded(weights *w, const char *dir, assay_error *err)
{
    index_map m = {.dir = dir, .path = join_path(dir, INDEX_NAME)};
    if (!m.path) return out_of_memory(dir, err);
    assay_status rc = index_read(&m, err);
    if (rc == ASSAY_OK) rc = open_shards(w, &m, err);
    if (rc == ASSAY_OK) rc = gather_tensors(w, dir, err);
    if (rc == ASSAY_OK) rc = compare_index(w, &m, err);
    free(m.listings);
    (void)json_object_put(m.root);
    free(m.path);
    return rc;
}

static assay_status open_none(const char *dir, assay_error *err)
{
    static const char *const OTHERS[] = {"pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5",
                                         "flax_model.msgpack"};
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++)
        if (file_exists(dir, OTHERS[i]))
            return assay_fail(err, ASSAY_EUNSUPPORTED,
                              "%s: found %s, expected the safetensors format: %s or %s", dir, OTHERS[i],
                              SINGLE_NAME, INDEX_NAME);
    return assay_fail(err, ASSAY_EIO, "%s: no weights found, expected %s or %s", dir, SINGLE_NAME,
                      INDEX_NAME);
}

assay_status weights_open(const char *dir, weights **out, assay_error *err)
{
    weights *w = calloc(1, sizeof *w);
    if (!w) return out_of_memory(dir, err);
    assay_status rc;
    if (file_exists(dir, SINGLE_NAME)) rc = open_single(w, dir, err);
    else if (file_exists(dir, INDEX_NAME)) rc = open_sharded(w, dir, err);
    else rc = open_none(dir, err);
    if (rc != ASSAY_OK) {
        weights_free(w);
        return rc;
    }
    *out = w;
    return ASSAY_OK;
}

/* Adds the entry of some rows of a tensor. */
static void add_rows(weights *w, const gguf_tensor *t, const weights_place *place)
{
    weights_entry *e = &w->entries[w->n_entries];
    char *name = w->names + w->n_entries++ * WEIGHTS_NAME_MAX;
    const size_t last = t->n_dims - 1;
    size_t row_bytes = t->type->n_bytes;
    memcpy(name, place->name, WEIGHTS_NAME_MAX);
    for (size_t k = 0; k < last; k++) row_bytes *= k ? t->ne[k] : t->ne[0] / t->type->block;
    e->tensor = (assay_tensor){.name = name,
                               .dtype = dtype_from_name(t->type->name, strlen(t->type->name)),
                               .rank = t->n_dims,
                               .data = (const char *)t->data + place->first_row * row_bytes};
    for (size_t k = 0; k < t->n_dims; k++) e->tensor.shape[k] = t->ne[last - k];
    e->tensor.shape[0] = place->n_rows;
    e->type = e->tensor.dtype == ASSAY_DTYPE_NONE ? t->type : NULL;
    e->file = t->part;
    e->head_rows = place->head_rows;
}

assay_status weights_open_gguf(gguf *file, weights_rename_fn *rename_tensor, const void *context,
                               weights **out, assay_error *err)
{
    const size_t n = gguf_count(file), n_most = n * WEIGHTS_PLACES_MAX + 1;
    weights *w = calloc(1, sizeof *w);
    if (w) {
        w->entries = calloc(n_most, sizeof *w->entries);
        w->names = calloc(n_most, WEIGHTS_NAME_MAX);
        w->gguf = file;
    }
    if (!w || !w->entries || !w->names) {
        if (w) w->gguf = NULL;
        weights_free(w);
        return out_of_memory(gguf_path(file), err);
    }
    for (size_t i = 0; i < n; i++) {
        const gguf_tensor *t = gguf_at(file, i);
        weights_place places[WEIGHTS_PLACES_MAX] = {{.n_rows = t->ne[t->n_dims - 1]}};
        const size_t n_places = rename_tensor(context, t, places);
        for (size_t k = 0; k < n_places; k++) add_rows(w, t, &places[k]);
    }
    const assay_status rc = sort_tensors(w, err);
    if (rc == ASSAY_OK) *out = w;
    else {
        w->gguf = NULL;
        weights_free(w);
    }
    return rc;
}

void weights_free(weights *w)
{
    if (!w) return;
    for (size_t i = 0; i < w->n_files; i++) safetensors_free(w->files[i]);
    free(w->files);
    gguf_free(w->gguf);
    free(w->names);
    free(w->entries);
    free(w);
}

size_t weights_count(const weights *w)
{
    return w->n_entries;
}

const assay_tensor *weights_at(const weights *w, size_t index)
{
    assert(index < w->n_entries);
    return &w->entries[index].tensor;
}

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const weights_entry *)entry)->tensor.name);
}

size_t weights_index(const weights *w, const char *name)
{
    const weights_entry *found = bsearch(name, w->entries, w->n_entries, sizeof *w->entries, compare_name);
    return found ? (size_t)(found - w->entries) : SIZE_MAX;
}

const assay_tensor *weights_find(const weights *w, const char *name)
{
    const size_t index = weights_index(w, name);
    return index == SIZE_MAX ? NULL : weights_at(w, index);
}

const char *weights_file(const weights *w, size_t index)
{
    assert(index < w->n_entries);
    const size_t file = w->entries[index].file;
    return w->gguf ? gguf_part_path(w->gguf, file) : safetensors_path(w->files[file]);
}

const gguf_type *weights_type(const weights *w, size_t index)
{
    assert(index < w->n_entries);
    return w->entries[index].type;
}

size_t weights_head_rows(const weights *w, size_t index)
{
    assert(index < w->n_entries);
    return w->entries[index].head_rows;
}
