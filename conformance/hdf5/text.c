/* Names, strings and attributes of an HDF5 file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/hdf5/data.h"
#include "conformance/hdf5/file.h"
#include "conformance/hdf5/group.h"
#include "conformance/hdf5/heap.h"
#include "conformance/hdf5/string.h"

/* Copies n strings from their stored elements. */
static assay_status copy_texts(const conf_h5 *file, const char *name, const conf_h5_type *type, size_t n,
                               const unsigned char *elements, conf_strings *out, assay_error *err)
{
    conf_strings s = {0};
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        char *text = NULL;
        rc = conf_h5_element_text(file, name, type, elements + i * type->size, &text, err);
        if (rc == ASSAY_OK && !conf_strings_take(&s, text))
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    }
    if (rc != ASSAY_OK) conf_strings_free(&s);
    else *out = s;
    return rc;
}

/* Checks that these are strings with the expected number of axes, 0 or 1, and at most CONF_H5_TEXTS_MAX of
 * them. */
static assay_status check_texts(const conf_h5 *file, const char *name, const conf_h5_type *type,
                                const conf_h5_space *space, size_t rank, size_t *n, assay_error *err)
{
    if (type->class != CONF_H5_TEXT && type->class != CONF_H5_TEXT_VARIABLE)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is not text", file->path, name);
    if (space->is_null) return assay_fail(err, ASSAY_EFORMAT, "%s: %s has no shape", file->path, name);
    uint64_t count = space->rank ? space->shape[0] : 1;
    if (space->rank != rank || count > CONF_H5_TEXTS_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %zu axes and %" PRIu64 " strings, expected %s",
                          file->path, name, space->rank, count,
                          rank ? "a list of at most 256" : "one string");
    *n = (size_t)count;
    return conf_h5_memory_take(file, name, *n * type->size, err);
}

assay_status conf_h5_read_strings(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err)
{
    conf_h5_dataset d;
    conf_data data;
    size_t n = 0;
    assay_status rc = conf_h5_dataset_open(file, name, &d, err);
    if (rc != ASSAY_OK) return rc;
    conf_h5_type type = d.type;
    rc = check_texts(file, name, &d.type, &d.space, 1, &n, err);
    if (rc != ASSAY_OK) {
        conf_h5_dataset_close(&d);
        return rc;
    }
    rc = conf_data_open(&d, 1, CONF_H5_DATASET_BYTES_MAX, &data, err);
    if (rc != ASSAY_OK) return rc;
    conf_region whole = conf_data_whole(&data);
    unsigned char *elements = calloc(n + 1, type.size);
    rc = elements ? conf_data_read(&data, &whole, elements, err)
                  : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    if (rc == ASSAY_OK) rc = copy_texts(file, name, &type, n, elements, out, err);
    free(elements);
    conf_data_close(&data);
    return rc;
}

/* The attributes of an object, "/" for the root. */
static assay_status read_attributes(const conf_h5 *file, const char *object, conf_h5_attributes_list *out,
                                    assay_error *err)
{
    uint64_t address;
    conf_h5_header header;
    assay_status rc = conf_h5_object_find(file, object, &address, err);
    if (rc == ASSAY_OK) rc = conf_h5_header_read(file, object, address, &header, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_h5_attributes_read(file, object, &header, out, err);
    conf_h5_header_free(&header);
    return rc;
}

assay_status conf_h5_attributes(const conf_h5 *file, conf_strings *out, assay_error *err)
{
    conf_h5_attributes_list list;
    assay_status rc = read_attributes(file, "/", &list, err);
    if (rc != ASSAY_OK) return rc;
    conf_strings s = {0};
    for (size_t i = 0; rc == ASSAY_OK && i < list.n; i++)
        if (!conf_strings_add(&s, list.at[i].name))
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    conf_h5_attributes_free(&list);
    if (rc != ASSAY_OK) conf_strings_free(&s);
    else *out = s;
    return rc;
}

assay_status conf_h5_has_attribute(const conf_h5 *file, const char *name, bool *has, assay_error *err)
{
    conf_h5_attributes_list list;
    assay_status rc = read_attributes(file, "/", &list, err);
    if (rc != ASSAY_OK) return rc;
    *has = conf_h5_attribute_find(&list, name) != NULL;
    conf_h5_attributes_free(&list);
    return ASSAY_OK;
}

static assay_status attribute_texts(const conf_h5 *file, const char *name, size_t rank, conf_strings *out,
                                    assay_error *err)
{
    conf_h5_attributes_list list;
    size_t n = 0;
    assay_status rc = read_attributes(file, "/", &list, err);
    if (rc != ASSAY_OK) return rc;
    const conf_h5_attribute *a = conf_h5_attribute_find(&list, name);
    if (!a) rc = assay_fail(err, ASSAY_EFORMAT, "%s: the attribute %s is missing", file->path, name);
    else rc = check_texts(file, name, &a->type, &a->space, rank, &n, err);
    if (rc == ASSAY_OK) rc = copy_texts(file, name, &a->type, n, a->data, out, err);
    conf_h5_attributes_free(&list);
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

/* The value of a scalar numeric attribute; false if it is not one. */
static bool attribute_number(const conf_h5_attribute *a, double *out)
{
    char value[sizeof(double)];
    int64_t whole;
    assay_dtype dtype = conf_h5_type_widened(&a->type);
    if (a->type.class != CONF_H5_NUMBER || a->space.is_null || a->space.rank != 0) return false;
    conf_h5_type_convert(&a->type, value, a->data, 1);
    if (dtype_is_float(dtype)) dtype_to_f64(out, value, dtype, 1);
    else if (conf_h5_integer_at(dtype, value, 0, &whole)) *out = (double)whole;
    else return false;
    return true;
}

assay_status conf_h5_attribute_number(const conf_h5 *file, const char *object, const char *name, bool *found,
                                      double *out, assay_error *err)
{
    conf_h5_attributes_list list;
    assay_status rc = read_attributes(file, object, &list, err);
    if (rc != ASSAY_OK) return rc;
    const conf_h5_attribute *a = conf_h5_attribute_find(&list, name);
    *found = a != NULL;
    if (a && !attribute_number(a, out))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: the attribute %s of %s is not one number", file->path, name,
                        object);
    conf_h5_attributes_free(&list);
    return rc;
}

assay_status conf_h5_signature(const conf_h5 *file, const char *name, conf_signature *out, assay_error *err)
{
    conf_h5_dataset d;
    size_t shape[CONF_H5_RANK_MAX];
    assay_status rc = conf_h5_dataset_open(file, name, &d, err);
    if (rc != ASSAY_OK) return rc;
    *out = (conf_signature){.dtype = d.type.dtype};
    conf_h5_type_print(out->type, sizeof out->type, &d.type);
    for (size_t i = 0; i < d.space.rank; i++) shape[i] = (size_t)d.space.shape[i];
    conf_shape_print(out->shape, sizeof out->shape, shape, d.space.rank);
    if (d.space.is_null) (void)snprintf(out->shape, sizeof out->shape, "none");
    conf_h5_dataset_close(&d);
    return ASSAY_OK;
}
