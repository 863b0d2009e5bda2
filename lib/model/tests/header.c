/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tests/header.h"

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

header header_read(const char *dir)
{
    header h = {0};
    uint64_t length;
    ck_assert_int_ge(asprintf(&h.path, "%s/model.safetensors", dir), 0);
    FILE *file = fopen(h.path, "rb");
    ck_assert_msg(file != NULL, "%s", h.path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    const size_t n = (size_t)ftell(file);
    rewind(file);
    ck_assert_uint_eq(fread(&length, sizeof length, 1, file), 1);
    char *text = calloc(length + 1, 1);
    h.n_data = n - sizeof length - length;
    h.data = malloc(h.n_data);
    ck_assert(text != NULL && h.data != NULL);
    ck_assert_uint_eq(fread(text, 1, length, file), length);
    ck_assert_uint_eq(fread(h.data, 1, h.n_data, file), h.n_data);
    (void)fclose(file);
    h.object = json_tokener_parse(text);
    ck_assert_ptr_nonnull(h.object);
    free(text);
    return h;
}

void header_write(const header *h)
{
    const char *text = json_object_to_json_string(h->object);
    const uint64_t length = strlen(text);
    (void)unlink(h->path);
    FILE *out = fopen(h->path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(&length, sizeof length, 1, out), 1);
    ck_assert_uint_eq(fwrite(text, 1, length, out), length);
    ck_assert_uint_eq(fwrite(h->data, 1, h->n_data, out), h->n_data);
    ck_assert_int_eq(fclose(out), 0);
}

void header_free(header *h)
{
    json_object_put(h->object);
    free(h->data);
    free(h->path);
}

void header_rename(header *h, const char *from, const char *to)
{
    json_object *renamed = json_object_new_object();
    char *name = NULL;
    json_object_object_foreach(h->object, old, entry)
    {
        const bool begins = strncmp(old, from, strlen(from)) == 0;
        ck_assert_int_ge(asprintf(&name, "%s%s", begins ? to : "", begins ? old + strlen(from) : old), 0);
        json_object_object_add(renamed, name, json_object_get(entry));
        free(name);
    }
    json_object_put(h->object);
    h->object = renamed;
}

/* The pair whose first string the name begins with, or NULL. */
static json_object *find_pair(json_object *pairs, const char *name, size_t *n_beginning)
{
    for (size_t i = 0; i < json_object_array_length(pairs); i++) {
        json_object *pair = json_object_array_get_idx(pairs, i);
        const char *beginning = json_object_get_string(json_object_array_get_idx(pair, 0));
        *n_beginning = strlen(beginning);
        if (strncmp(name, beginning, *n_beginning) == 0) return pair;
    }
    *n_beginning = 0;
    return NULL;
}

/* Appends the numbers of a tensor to data, and sets its offsets. */
static size_t move_tensor(const header *h, json_object *entry, char *data, size_t at)
{
    json_object *offsets = json_object_object_get(entry, "data_offsets"), *moved = json_object_new_array();
    const size_t from = (size_t)json_object_get_int64(json_object_array_get_idx(offsets, 0)),
                 to = (size_t)json_object_get_int64(json_object_array_get_idx(offsets, 1));
    memcpy(data + at, h->data + from, to - from);
    json_object_array_add(moved, json_object_new_int64((int64_t)at));
    json_object_array_add(moved, json_object_new_int64((int64_t)(at + to - from)));
    json_object_object_add(entry, "data_offsets", moved);
    return at + to - from;
}

void header_rename_all(header *h, json_object *pairs)
{
    json_object *renamed = json_object_new_object();
    char *data = malloc(h->n_data), *name = NULL;
    size_t n_data = 0, n_beginning;
    ck_assert_ptr_nonnull(data);
    json_object_object_foreach(h->object, old, entry)
    {
        if (strcmp(old, "__metadata__") == 0) continue;
        json_object *pair = find_pair(pairs, old, &n_beginning),
                    *other = pair ? json_object_array_get_idx(pair, 1) : NULL;
        if (pair && !other) continue;
        ck_assert_int_ge(
            asprintf(&name, "%s%s", other ? json_object_get_string(other) : "", old + n_beginning), 0);
        json_object_object_add(renamed, name, json_object_get(entry));
        n_data = move_tensor(h, entry, data, n_data);
        free(name);
    }
    json_object_put(h->object);
    free(h->data);
    *h = (header){h->path, renamed, data, n_data};
}

void header_reshape(header *h, const char *name, const char *shape)
{
    json_object *entry = json_object_object_get(h->object, name);
    ck_assert_msg(entry != NULL, "%s", name);
    json_object_object_add(entry, "shape", json_tokener_parse(shape));
}
