/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/attribute.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "conformance/hdf5/btree.h"
#include "conformance/hdf5/file.h"
#include "conformance/hdf5/heap.h"

typedef struct attribute_reader {
    const conf_h5 *file;
    const char *name;
    conf_h5_attributes_list *list;
    conf_fractal heap;
} attribute_reader;

static assay_status fail_damaged(const attribute_reader *r, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: the attributes of %s are damaged", r->file->path, r->name);
}

static void free_attribute(conf_h5_attribute *a)
{
    free(a->name);
    free(a->data);
}

void conf_h5_attributes_free(conf_h5_attributes_list *list)
{
    for (size_t i = 0; i < list->n; i++) free_attribute(&list->at[i]);
    free(list->at);
    *list = (conf_h5_attributes_list){0};
}

static assay_status add_attribute(attribute_reader *r, const conf_h5_attribute *a, assay_error *err)
{
    conf_h5_attributes_list *list = r->list;
    if (list->n == CONF_H5_MEMBERS_MAX) return fail_damaged(r, err);
    conf_h5_attribute *grown = grow_by_one(list->at, list->n, sizeof *grown);
    if (!grown) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", r->file->path);
    list->at = grown;
    list->at[list->n++] = *a;
    return ASSAY_OK;
}

/* Bytes of all elements; false if they exceed n_left. */
static bool data_bytes(const conf_h5_attribute *a, size_t n_left, size_t *out)
{
    size_t n = a->space.is_null ? 0 : a->type.size;
    for (size_t i = 0; i < a->space.rank; i++) {
        if (a->space.shape[i] && n > n_left / a->space.shape[i]) return false;
        n *= (size_t)a->space.shape[i];
    }
    *out = n;
    return n <= n_left;
}

/* The three parts of an attribute before its data; version 1 pads each to 8 bytes. */
typedef struct attribute_parts {
    size_t n[3]; /* bytes of name, type and space */
    const unsigned char *at[3];
} attribute_parts;

static bool read_parts(conf_bytes *b, attribute_parts *parts)
{
    enum { TYPE_OR_SPACE_SHARED = 3 };
    unsigned version = (unsigned)conf_bytes_number(b, 1), flags = (unsigned)conf_bytes_number(b, 1);
    for (size_t i = 0; i < 3; i++) parts->n[i] = (size_t)conf_bytes_number(b, 2);
    if (version == 3) (void)conf_bytes_number(b, 1); /* the character set of its name */
    if (version < 1 || version > 3 || (version > 1 && (flags & TYPE_OR_SPACE_SHARED))) return false;
    for (size_t i = 0; i < 3; i++)
        parts->at[i] = conf_bytes_next(b, version == 1 ? (parts->n[i] + 7) / 8 * 8 : parts->n[i]);
    return !b->bad && parts->n[0] > 0;
}

static assay_status read_attribute(attribute_reader *r, conf_bytes b, assay_error *err)
{
    attribute_parts parts;
    conf_h5_attribute a = {0};
    if (!read_parts(&b, &parts) || !conf_h5_type_decode(conf_bytes_of(parts.at[1], parts.n[1]), &a.type) ||
        !conf_h5_space_decode(conf_bytes_of(parts.at[2], parts.n[2]), &a.space) || !data_bytes(&a, b.n, &a.n))
        return fail_damaged(r, err);
    a.name = strndup((const char *)parts.at[0], parts.n[0]);
    a.data = malloc(a.n ? a.n : 1);
    assay_status rc = ASSAY_OK;
    if (!a.name || !a.data) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", r->file->path);
    else if (a.n) memcpy(a.data, b.at, a.n);
    if (rc == ASSAY_OK) rc = add_attribute(r, &a, err);
    if (rc != ASSAY_OK) free_attribute(&a);
    return rc;
}

/* A record of a B-tree: the id of a message in the heap, and the message's flags. */
static assay_status read_record(void *context, conf_bytes record, assay_error *err)
{
    enum { ID_BYTES = 8 };
    attribute_reader *r = context;
    const unsigned char *id = conf_bytes_next(&record, ID_BYTES);
    unsigned flags = (unsigned)conf_bytes_number(&record, 1);
    conf_h5_block object;
    if (record.bad || (flags & CONF_MESSAGE_SHARED)) return fail_damaged(r, err);
    assay_status rc = conf_fractal_read(&r->heap, conf_bytes_of(id, ID_BYTES), &object, err);
    if (rc != ASSAY_OK) return rc;
    rc = read_attribute(r, conf_bytes_of(object.data, object.n), err);
    free(object.data);
    return rc;
}

/* Reads the attributes that an attribute info message refers to: none if all attributes are messages in the
 * header. */
static assay_status read_dense(attribute_reader *r, const conf_h5_message *m, assay_error *err)
{
    conf_bytes b = conf_bytes_of(m->data, m->n);
    unsigned version = (unsigned)conf_bytes_number(&b, 1), flags = (unsigned)conf_bytes_number(&b, 1);
    if (flags & 1U) (void)conf_bytes_number(&b, 2); /* the next creation order */
    uint64_t heap = conf_bytes_number(&b, 8), names = conf_bytes_number(&b, 8);
    if (b.bad || version != 0) return fail_damaged(r, err);
    if (heap == CONF_H5_UNDEFINED) return ASSAY_OK;
    assay_status rc = conf_fractal_open(r->file, r->name, heap, &r->heap, err);
    if (rc == ASSAY_OK)
        rc = conf_btree2_walk(r->file, r->name, names, CONF_BTREE2_ATTRIBUTES, read_record, r, err);
    conf_fractal_close(&r->heap);
    return rc;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const conf_h5_attribute *)a)->name, ((const conf_h5_attribute *)b)->name);
}

static assay_status read_all(attribute_reader *r, const conf_h5_header *header, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < header->n && rc == ASSAY_OK; i++) {
        const conf_h5_message *m = &header->messages[i];
        if (m->type == CONF_MESSAGE_ATTRIBUTE)
            rc = m->flags & CONF_MESSAGE_SHARED ? fail_damaged(r, err)
                                                : read_attribute(r, conf_bytes_of(m->data, m->n), err);
        else if (m->type == CONF_MESSAGE_ATTRIBUTE_INFO) rc = read_dense(r, m, err);
    }
    if (rc != ASSAY_OK) return rc;
    conf_h5_attributes_list *list = r->list;
    if (list->n) qsort(list->at, list->n, sizeof *list->at, compare_names);
    for (size_t i = 1; i < list->n; i++)
        if (compare_names(&list->at[i - 1], &list->at[i]) == 0) return fail_damaged(r, err);
    return ASSAY_OK;
}

assay_status conf_h5_attributes_read(const conf_h5 *file, const char *name, const conf_h5_header *header,
                                     conf_h5_attributes_list *out, assay_error *err)
{
    conf_h5_attributes_list list = {0};
    attribute_reader r = {.file = file, .name = name, .list = &list};
    assay_status rc = read_all(&r, header, err);
    if (rc != ASSAY_OK) conf_h5_attributes_free(&list);
    else *out = list;
    return rc;
}

const conf_h5_attribute *conf_h5_attribute_find(const conf_h5_attributes_list *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].name, name) == 0) return &list->at[i];
    return NULL;
}
