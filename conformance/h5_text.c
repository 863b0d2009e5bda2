/* Names, strings and attributes of an HDF5 file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/h5_file.h"
#include "model/dtype.h"
#include "model/error.h"

void conf_strings_free(conf_strings *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) free(s->at[i]);
    free(s->at);
    *s = (conf_strings){0};
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static herr_t add_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group, (void)info;
    conf_strings *s = context;
    if (s->n == CONF_H5_MEMBERS_MAX) return -1;
    s->at[s->n] = strdup(name);
    if (!s->at[s->n]) return -1;
    s->n++;
    return 0;
}

static herr_t add_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)info;
    return add_link(object, name, NULL, context);
}

/* Ends an iteration that filled `s`: sorts, or tells why it failed. */
static assay_status finish_names(const conf_h5 *file, const char *name, herr_t walked, conf_strings *s,
                                 conf_strings *out, assay_error *err)
{
    if (walked < 0) {
        conf_strings_free(s);
        return assay_fail(err, ASSAY_EFORMAT, "%s: the members of %s cannot be listed (at most %d are read)",
                          file->path, name, CONF_H5_MEMBERS_MAX);
    }
    qsort(s->at, s->n, sizeof *s->at, compare_texts);
    *out = *s;
    return ASSAY_OK;
}

assay_status conf_h5_members(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err)
{
    bool is_root = strcmp(name, "/") == 0;
    if (!is_root && !conf_h5_has(file, name)) {
        *out = (conf_strings){0};
        return ASSAY_OK;
    }
    assay_status rc = is_root ? ASSAY_OK : conf_h5_links_check(file, name, err);
    if (rc != ASSAY_OK) return rc;
    conf_strings s = {.at = calloc(CONF_H5_MEMBERS_MAX, sizeof(char *))};
    if (!s.at) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    hid_t group = H5Gopen2(file->id, name, H5P_DEFAULT);
    herr_t walked = -1;
    if (group >= 0) {
        hsize_t at = 0;
        walked = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &at, add_link, &s);
        (void)H5Gclose(group);
    }
    return finish_names(file, name, walked, &s, out, err);
}

assay_status conf_h5_attributes(const conf_h5 *file, conf_strings *out, assay_error *err)
{
    conf_strings s = {.at = calloc(CONF_H5_MEMBERS_MAX, sizeof(char *))};
    if (!s.at) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    hsize_t at = 0;
    herr_t walked = H5Aiterate2(file->id, H5_INDEX_NAME, H5_ITER_NATIVE, &at, add_attribute, &s);
    return finish_names(file, "/", walked, &s, out, err);
}

/* Where strings are read from: a dataset or an attribute. */
typedef struct text_source {
    const char *name;
    hid_t id;
    bool is_attribute;
} text_source;

static herr_t read_raw(const text_source *source, hid_t type, void *into)
{
    return source->is_attribute ? H5Aread(source->id, type, into)
                                : H5Dread(source->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into);
}

/* Copies a fixed-length string without the padding of its storage. */
static char *copy_fixed(const char *bytes, size_t n, H5T_str_t padding)
{
    n = strnlen(bytes, n);
    while (padding == H5T_STR_SPACEPAD && n > 0 && bytes[n - 1] == ' ') n--;
    return strndup(bytes, n);
}

static herr_t read_fixed(const text_source *source, hid_t type, conf_strings *s)
{
    size_t bytes = H5Tget_size(type);
    if (bytes == 0 || bytes > CONF_H5_STRING_BYTES_MAX) return -1;
    char *raw = calloc(s->n, bytes);
    if (!raw || read_raw(source, type, raw) < 0) {
        free(raw);
        return -1;
    }
    for (size_t i = 0; i < s->n; i++) s->at[i] = copy_fixed(raw + i * bytes, bytes, H5Tget_strpad(type));
    free(raw);
    return 0;
}

static herr_t read_variable(const text_source *source, hid_t type, hid_t space, conf_strings *s)
{
    char **raw = calloc(s->n, sizeof *raw);
    if (!raw || read_raw(source, type, raw) < 0) {
        free(raw);
        return -1;
    }
    for (size_t i = 0; i < s->n; i++) s->at[i] = strdup(raw[i] ? raw[i] : "");
    (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw);
    free(raw);
    return 0;
}

static assay_status read_texts(const conf_h5 *file, const text_source *source, hid_t type, hid_t space,
                               size_t rank, conf_strings *out, assay_error *err)
{
    if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is not text", file->path, source->name);
    conf_array extent = {0};
    assay_status rc =
        conf_h5_extent(file, source->name, space, H5Tget_size(type), CONF_H5_DATASET_BYTES_MAX, &extent, err);
    if (rc != ASSAY_OK) return rc;
    if (extent.rank != rank || extent.n > CONF_H5_TEXTS_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %zu axes and %zu strings, expected %s", file->path,
                          source->name, extent.rank, extent.n, rank ? "a list" : "one string");
    rc = conf_h5_memory_take(file, source->name, extent.n * H5Tget_size(type), err);
    if (rc != ASSAY_OK) return rc;
    conf_strings s = {.at = calloc(extent.n + 1, sizeof(char *)), .n = extent.n};
    if (!s.at) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    herr_t got = 0;
    if (s.n > 0)
        got = H5Tis_variable_str(type) > 0 ? read_variable(source, type, space, &s)
                                           : read_fixed(source, type, &s);
    for (size_t i = 0; i < s.n && got >= 0; i++)
        if (!s.at[i]) got = -1;
    if (got < 0) {
        conf_strings_free(&s);
        return assay_fail(err, ASSAY_EFORMAT, "%s: the text of %s cannot be read", file->path, source->name);
    }
    *out = s;
    return ASSAY_OK;
}

assay_status conf_h5_read_strings(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err)
{
    text_source source = {.name = name};
    assay_status rc = conf_h5_dataset_open(file, name, &source.id, err);
    if (rc != ASSAY_OK) return rc;
    hid_t type = H5Dget_type(source.id), space = H5Dget_space(source.id);
    rc = read_texts(file, &source, type, space, 1, out, err);
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    (void)H5Dclose(source.id);
    return rc;
}

bool conf_h5_has_attribute(const conf_h5 *file, const char *name)
{
    return H5Aexists(file->id, name) > 0;
}

static assay_status attribute_texts(const conf_h5 *file, const char *name, size_t rank, conf_strings *out,
                                    assay_error *err)
{
    if (!conf_h5_has_attribute(file, name))
        return assay_fail(err, ASSAY_EFORMAT, "%s: the attribute %s is missing", file->path, name);
    text_source source = {.name = name, .is_attribute = true};
    source.id = H5Aopen(file->id, name, H5P_DEFAULT);
    if (source.id < 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the attribute %s is damaged", file->path, name);
    hid_t type = H5Aget_type(source.id), space = H5Aget_space(source.id);
    assay_status rc = read_texts(file, &source, type, space, rank, out, err);
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    (void)H5Aclose(source.id);
    return rc;
}

assay_status conf_h5_attribute_texts(const conf_h5 *file, const char *name, conf_strings *out,
                                     assay_error *err)
{
    return attribute_texts(file, name, 1, out, err);
}

assay_status conf_h5_attribute_text(const conf_h5 *file, const char *name, char **out, assay_error *err)
{
    conf_strings s;
    assay_status rc = attribute_texts(file, name, 0, &s, err);
    if (rc != ASSAY_OK) return rc;
    *out = s.at[0];
    s.at[0] = NULL;
    conf_strings_free(&s);
    return ASSAY_OK;
}

assay_status conf_h5_attribute_number(const conf_h5 *file, const char *object, const char *name, bool *found,
                                      double *out, assay_error *err)
{
    htri_t exists = H5Aexists_by_name(file->id, object, name, H5P_DEFAULT);
    if (exists < 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the attributes of %s are damaged", file->path, object);
    *found = exists > 0;
    if (!*found) return ASSAY_OK;
    hid_t id = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = id < 0 ? -1 : H5Aget_type(id), space = id < 0 ? -1 : H5Aget_space(id);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    bool is_number = (class == H5T_FLOAT || class == H5T_INTEGER) && space >= 0 &&
                     H5Sget_simple_extent_type(space) == H5S_SCALAR;
    double value;
    bool got = is_number && H5Aread(id, H5T_NATIVE_DOUBLE, &value) >= 0;
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    if (id >= 0) (void)H5Aclose(id);
    if (!got)
        return assay_fail(err, ASSAY_EFORMAT, "%s: the attribute %s of %s is not one number", file->path,
                          name, object);
    *out = value;
    return ASSAY_OK;
}

static void print_type(char *text, size_t size, hid_t type)
{
    assay_dtype dtype = conf_h5_dtype_of(type);
    H5T_class_t class = H5Tget_class(type);
    size_t bits = H5Tget_size(type) * 8;
    if (dtype != ASSAY_DTYPE_NONE) (void)snprintf(text, size, "%s", dtype_name(dtype));
    else if (class == H5T_FLOAT) (void)snprintf(text, size, "float of %zu bits", bits);
    else if (class == H5T_INTEGER) (void)snprintf(text, size, "integer of %zu bits", bits);
    else (void)snprintf(text, size, "%s", class == H5T_STRING ? "text" : "compound or other");
}

void conf_shape_print(char *text, size_t size, const size_t *shape, size_t rank)
{
    size_t n = (size_t)snprintf(text, size, "[");
    for (size_t i = 0; i < rank && n < size; i++)
        n += shape[i] == SIZE_MAX ? (size_t)snprintf(text + n, size - n, "%s*", i ? "," : "")
                                  : (size_t)snprintf(text + n, size - n, "%s%zu", i ? "," : "", shape[i]);
    if (n < size) (void)snprintf(text + n, size - n, "]");
}

assay_status conf_h5_signature(const conf_h5 *file, const char *name, conf_signature *out, assay_error *err)
{
    hid_t dataset;
    assay_status rc = conf_h5_dataset_open(file, name, &dataset, err);
    if (rc != ASSAY_OK) return rc;
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t dims[H5S_MAX_RANK];
    size_t shape[H5S_MAX_RANK];
    int rank = space < 0 ? -1 : H5Sget_simple_extent_dims(space, dims, NULL);
    if (type < 0 || rank < 0)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: its type or its shape is damaged", file->path, name);
    else {
        print_type(out->type, sizeof out->type, type);
        for (int i = 0; i < rank; i++) shape[i] = (size_t)dims[i];
        conf_shape_print(out->shape, sizeof out->shape, shape, (size_t)rank);
        if (H5Sget_simple_extent_type(space) == H5S_NULL)
            (void)snprintf(out->shape, sizeof out->shape, "none");
    }
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    return rc;
}
