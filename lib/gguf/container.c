/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/container.h"

#include "base/error.h"
#include "base/file.h"
#include "base/grow.h"
#include "gguf/part.h"
#include "gguf/split.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct gguf {
    gguf_part *parts; /* [n_parts] */
    size_t n_parts;
    const gguf_tensor **tensors; /* [n_tensors], in the order of the files */
    const gguf_tensor **by_name; /* [n_tensors], sorted */
    size_t n_tensors;
};

bool gguf_is_file(const char *path)
{
    char magic[4];
    int fd = -1;
    size_t n = 0;
    if (file_open(path, &fd, &n, NULL) != ASSAY_OK) return false;
    const bool is = read(fd, magic, sizeof magic) == (ssize_t)sizeof magic && memcmp(magic, "GGUF", 4) == 0;
    (void)close(fd);
    return is;
}

static assay_status add_part(gguf *f, const char *path, assay_error *err)
{
    gguf_part *grown = grow_by_one(f->parts, f->n_parts, sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    f->parts = grown;
    const size_t index = f->n_parts++;
    return gguf_part_open(path, index, &grown[index], err);
}

static assay_status open_parts(gguf *f, const char *path, assay_error *err)
{
    gguf_split split = {0};
    assay_status rc = add_part(f, path, err);
    if (rc == ASSAY_OK) rc = gguf_split_read(&f->parts[0], &split, err);
    if (rc == ASSAY_OK) rc = gguf_split_check_first(&f->parts[0], &split, err);
    for (size_t i = 1; rc == ASSAY_OK && i < split.count; i++) {
        char *beside = gguf_split_path(path, i, split.count);
        rc = beside ? add_part(f, beside, err) : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
        free(beside);
        if (rc == ASSAY_OK) rc = gguf_split_check_other(&f->parts[i], i, &split, err);
    }
    if (rc == ASSAY_OK) rc = gguf_split_check_total(f->parts, f->n_parts, &split, err);
    return rc;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const gguf_tensor *const *)a)->name, (*(const gguf_tensor *const *)b)->name);
}

static assay_status check_unique(const gguf *f, assay_error *err)
{
    for (size_t i = 1; i < f->n_tensors; i++) {
        const gguf_tensor *one = f->by_name[i];
        if (by_name(&f->by_name[i - 1], &f->by_name[i]) == 0)
            return assay_fail(err, ASSAY_EFORMAT, "%s: tensor '%.120s': found twice, expected once",
                              f->parts[one->part].path, one->name);
    }
    return ASSAY_OK;
}

static assay_status list_tensors(gguf *f, assay_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_parts; i++) n += f->parts[i].tensors.n;
    if (n == 0) return ASSAY_OK;
    f->tensors = malloc(n * sizeof *f->tensors);
    f->by_name = malloc(n * sizeof *f->by_name);
    if (!f->tensors || !f->by_name) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", gguf_path(f));
    for (size_t i = 0; i < f->n_parts; i++)
        for (size_t k = 0; k < f->parts[i].tensors.n; k++)
            f->tensors[f->n_tensors++] = &f->parts[i].tensors.list[k];
    memcpy(f->by_name, f->tensors, n * sizeof *f->by_name);
    qsort(f->by_name, n, sizeof *f->by_name, by_name);
    return check_unique(f, err);
}

assay_status gguf_open(const char *path, gguf **out, assay_error *err)
{
    gguf *f = calloc(1, sizeof *f);
    if (!f) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    assay_status rc = open_parts(f, path, err);
    if (rc == ASSAY_OK) rc = list_tensors(f, err);
    if (rc == ASSAY_OK) *out = f;
    else gguf_free(f);
    return rc;
}

void gguf_free(gguf *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->n_parts; i++) gguf_part_close(&f->parts[i]);
    free(f->parts);
    free(f->tensors);
    free(f->by_name);
    free(f);
}

const char *gguf_path(const gguf *f)
{
    return f->parts[0].path;
}

size_t gguf_count(const gguf *f)
{
    return f->n_tensors;
}

const gguf_tensor *gguf_at(const gguf *f, size_t index)
{
    assert(index < f->n_tensors);
    return f->tensors[index];
}

const gguf_tensor *gguf_find(const gguf *f, const char *name)
{
    const gguf_tensor wanted = {.name = name}, *key = &wanted;
    if (f->n_tensors == 0) return NULL;
    const gguf_tensor **found = bsearch(&key, f->by_name, f->n_tensors, sizeof *f->by_name, by_name);
    return found ? *found : NULL;
}

size_t gguf_n_parts(const gguf *f)
{
    return f->n_parts;
}

const char *gguf_part_path(const gguf *f, size_t part)
{
    assert(part < f->n_parts);
    return f->parts[part].path;
}

size_t gguf_n_keys(const gguf *f)
{
    return f->parts[0].metadata.n;
}

assay_text gguf_key_at(const gguf *f, size_t index)
{
    return f->parts[0].metadata.list[index].key;
}

const gguf_value *gguf_get(const gguf *f, const char *key)
{
    return gguf_entries_get(&f->parts[0].metadata, key);
}
