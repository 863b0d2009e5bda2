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

void header_reshape(header *h, const char *name, const char *shape)
{
    json_object *entry = json_object_object_get(h->object, name);
    ck_assert_msg(entry != NULL, "%s", name);
    json_object_object_add(entry, "shape", json_tokener_parse(shape));
}
