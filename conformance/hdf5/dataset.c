/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/hdf5/group.h"
#include "conformance/hdf5/string.h"

/* The filters that are undone, as the format numbers them. */
enum { FILTER_DEFLATE = 1, FILTER_SHUFFLE = 2, FILTER_FLETCHER32 = 3, FILTERS_NAMED = 256 };

static assay_status fail_layout(const conf_h5_dataset *d, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its layout is damaged", d->file->path, d->name);
}

/* Chunks in version 4 of the message, and in version 5, which differs in the contents of the index. */
static void decode_chunks(conf_bytes *b, conf_h5_layout *l)
{
    enum { PLAIN_AT_END = 1, SINGLE_PACKED = 2 };
    static const unsigned char n_parameters[] = {
        [CONF_INDEX_FIXED] = 1, [CONF_INDEX_EXTENSIBLE] = 5, [CONF_INDEX_BTREE2] = 6};
    unsigned flags = (unsigned)conf_bytes_number(b, 1);
    l->rank = (size_t)conf_bytes_number(b, 1);
    size_t n = (size_t)conf_bytes_number(b, 1);
    if (l->rank > CONF_H5_RANK_MAX + 1 || n < 1 || n > 8) b->bad = true;
    for (size_t i = 0; i < l->rank && !b->bad; i++) {
        uint64_t length = conf_bytes_number(b, n);
        if (i + 1 < l->rank) l->chunk[i] = length;
    }
    l->index = (conf_h5_index)conf_bytes_number(b, 1);
    l->plain_at_end = flags & PLAIN_AT_END;
    if (l->index < CONF_INDEX_SINGLE || l->index > CONF_INDEX_BTREE2) b->bad = true;
    else if (l->index == CONF_INDEX_SINGLE && (flags & SINGLE_PACKED)) {
        l->bytes = conf_bytes_number(b, 8);
        l->skipped = (uint32_t)conf_bytes_number(b, 4);
    } else (void)conf_bytes_next(b, n_parameters[l->index]);
    l->address = conf_bytes_number(b, 8);
}

static void decode_old_chunks(conf_bytes *b, conf_h5_layout *l)
{
    l->rank = (size_t)conf_bytes_number(b, 1);
    l->address = conf_bytes_number(b, 8);
    l->index = CONF_INDEX_BTREE1;
    if (l->rank > CONF_H5_RANK_MAX + 1) b->bad = true;
    for (size_t i = 0; i < l->rank && !b->bad; i++) {
        uint64_t length = conf_bytes_number(b, 4);
        if (i + 1 < l->rank) l->chunk[i] = length;
    }
}

static assay_status read_layout(conf_h5_dataset *d, const conf_h5_message *m, assay_error *err)
{
    enum { VERSION_MIN = 3, VERSION_CHUNKS = 4, VERSION_MAX = 5 };
    conf_h5_layout *l = &d->layout;
    conf_bytes b = conf_bytes_of(m->data, m->n);
    unsigned version = (unsigned)conf_bytes_number(&b, 1);
    if (version < VERSION_MIN || version > VERSION_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its layout has version %u, expected %d to %d",
                          d->file->path, d->name, version, VERSION_MIN, VERSION_MAX);
    l->storage = (conf_h5_storage)conf_bytes_number(&b, 1);
    if (l->storage == CONF_STORAGE_VIRTUAL)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is a virtual dataset; its data must lie in this file",
                          d->file->path, d->name);
    if (l->storage == CONF_STORAGE_COMPACT) {
        l->bytes = conf_bytes_number(&b, 2);
        l->compact = conf_bytes_next(&b, (size_t)l->bytes);
    } else if (l->storage == CONF_STORAGE_CONTIGUOUS) {
        l->address = conf_bytes_number(&b, 8);
        l->bytes = conf_bytes_number(&b, 8);
    } else if (l->storage == CONF_STORAGE_CHUNKED) {
        if (version < VERSION_CHUNKS) decode_old_chunks(&b, l);
        else decode_chunks(&b, l);
        if (l->rank > 0) l->rank--; /* the last entry is the size of an element */
        if (l->rank != d->space.rank || l->rank == 0) b.bad = true;
    } else b.bad = true;
    return b.bad ? fail_layout(d, err) : ASSAY_OK;
}

/* A chunk is always unpacked as a whole, so its full size must be within the limit, even if the dataset
 * covers little of it. */
static assay_status check_chunk(const conf_h5_dataset *d, assay_error *err)
{
    double bytes = (double)d->type.size;
    for (size_t i = 0; i < d->layout.rank; i++) bytes *= (double)d->layout.chunk[i];
    if (!(bytes > 0)) return fail_layout(d, err);
    if (bytes > (double)d->file->most_of_chunk)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s has chunks of %.0f bytes; a file of %zu bytes may unpack to %zu",
                          d->file->path, d->name, bytes, d->file->size, d->file->most_of_chunk);
    return ASSAY_OK;
}

/* One filter of the message; its number goes into *found. */
static void decode_filter(conf_bytes *b, unsigned version, unsigned *found, size_t *element)
{
    *found = (unsigned)conf_bytes_number(b, 2);
    size_t n_name = version == 1 || *found >= FILTERS_NAMED ? (size_t)conf_bytes_number(b, 2) : 0;
    (void)conf_bytes_number(b, 2); /* whether it is optional */
    size_t n_values = (size_t)conf_bytes_number(b, 2);
    (void)conf_bytes_next(b, version == 1 ? (n_name + 7) / 8 * 8 : n_name);
    conf_bytes values = conf_bytes_of(b->at, n_values * 4);
    (void)conf_bytes_next(b, values.n + (version == 1 && n_values % 2 ? 4 : 0));
    *element = n_values && !b->bad ? (size_t)conf_bytes_number(&values, 4) : 0;
}

/* Allows each filter at most once: a few bytes that were deflated twice can unpack to gigabytes. */
static assay_status read_pipeline(conf_h5_dataset *d, const conf_h5_message *m, assay_error *err)
{
    conf_bytes b = conf_bytes_of(m->data, m->n);
    unsigned version = (unsigned)conf_bytes_number(&b, 1), n = (unsigned)conf_bytes_number(&b, 1), seen = 0;
    if (version == 1) (void)conf_bytes_next(&b, 6);
    else if (version != 2) b.bad = true;
    for (unsigned i = 0; i < n && !b.bad; i++) {
        unsigned found;
        size_t element;
        decode_filter(&b, version, &found, &element);
        if (b.bad) break;
        if (found < FILTER_DEFLATE || found > FILTER_FLETCHER32 || (seen >> found & 1U))
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: %s is packed by filter %u; expected shuffle, deflate and fletcher32, each "
                              "at most once",
                              d->file->path, d->name, found);
        seen |= 1U << found;
        d->pipeline.filter[i] = found == FILTER_SHUFFLE   ? CONF_FILTER_SHUFFLE
                                : found == FILTER_DEFLATE ? CONF_FILTER_DEFLATE
                                                          : CONF_FILTER_FLETCHER32;
        if (found == FILTER_SHUFFLE) d->pipeline.element = element;
        d->pipeline.n = i + 1;
    }
    return b.bad ? assay_fail(err, ASSAY_EFORMAT, "%s: %s: its filters are damaged", d->file->path, d->name)
                 : ASSAY_OK;
}

/* The bytes of a fill value message; empty if there is no fill value, which means zero. */
static conf_bytes decode_fill(const conf_h5_message *m)
{
    enum { UNSIZED = 2, FLAGGED = 3, IS_DEFINED = 32 };
    conf_bytes b = conf_bytes_of(m->data, m->n);
    bool defined = true;
    if (m->type == CONF_MESSAGE_FILL) {
        unsigned version = (unsigned)conf_bytes_number(&b, 1);
        if (version == FLAGGED) defined = conf_bytes_number(&b, 1) & IS_DEFINED;
        else {
            (void)conf_bytes_next(&b, 2); /* when space is allocated, when the value is written */
            defined = conf_bytes_number(&b, 1) != 0 || version < UNSIZED;
        }
        if (version < 1 || version > FLAGGED) b.bad = true;
    }
    int64_t n = defined ? (int32_t)conf_bytes_number(&b, 4) : 0;
    const unsigned char *value = conf_bytes_next(&b, n > 0 ? (size_t)n : 0);
    return (conf_bytes){.at = value, .n = n > 0 ? (size_t)n : 0, .bad = b.bad};
}

static assay_status read_fill(conf_h5_dataset *d, assay_error *err)
{
    const conf_h5_message *m = conf_h5_header_find(&d->header, CONF_MESSAGE_FILL);
    if (!m) m = conf_h5_header_find(&d->header, CONF_MESSAGE_OLD_FILL);
    conf_bytes value = m ? decode_fill(m) : (conf_bytes){0};
    if (value.bad || (m && m->flags & CONF_MESSAGE_SHARED))
        return conf_h5_fail_damaged(d->file, d->name, "its fill value", err);
    if (value.n != 0 && value.n != d->type.size)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its fill value has %zu bytes, expected %zu",
                          d->file->path, d->name, value.n, d->type.size);
    if (d->type.size > CONF_H5_STRING_BYTES_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has elements of %zu bytes; at most %zu are read",
                          d->file->path, d->name, d->type.size, CONF_H5_STRING_BYTES_MAX);
    d->fill = calloc(1, d->type.size);
    if (!d->fill) return assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory", d->file->path, d->name);
    if (value.n) memcpy(d->fill, value.at, value.n);
    return ASSAY_OK;
}

static assay_status read_messages(conf_h5_dataset *d, assay_error *err)
{
    const conf_h5_message *type = conf_h5_header_find(&d->header, CONF_MESSAGE_TYPE);
    const conf_h5_message *space = conf_h5_header_find(&d->header, CONF_MESSAGE_SPACE);
    const conf_h5_message *layout = conf_h5_header_find(&d->header, CONF_MESSAGE_LAYOUT);
    const conf_h5_message *pipeline = conf_h5_header_find(&d->header, CONF_MESSAGE_PIPELINE);
    if (!type || !space || !layout)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is not a dataset", d->file->path, d->name);
    unsigned flags = type->flags | space->flags | layout->flags | (pipeline ? pipeline->flags : 0);
    if (flags & CONF_MESSAGE_SHARED)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s shares its type or its layout with other objects; expected its own",
                          d->file->path, d->name);
    if (conf_h5_header_find(&d->header, CONF_MESSAGE_EXTERNAL))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s is stored outside the file; its data must lie in this file", d->file->path,
                          d->name);
    if (!conf_h5_type_decode(conf_bytes_of(type->data, type->n), &d->type))
        return conf_h5_fail_damaged(d->file, d->name, "its type", err);
    if (!conf_h5_space_decode(conf_bytes_of(space->data, space->n), &d->space))
        return conf_h5_fail_damaged(d->file, d->name, "its shape", err);
    assay_status rc = read_layout(d, layout, err);
    if (rc == ASSAY_OK && d->layout.storage == CONF_STORAGE_CHUNKED) rc = check_chunk(d, err);
    if (rc == ASSAY_OK && pipeline) rc = read_pipeline(d, pipeline, err);
    return rc == ASSAY_OK ? read_fill(d, err) : rc;
}

/* HDF5 long had no bfloat16 type, so uint16 with an attribute represents it. */
static assay_status read_bfloat16(conf_h5_dataset *d, assay_error *err)
{
    if (d->type.class != CONF_H5_NUMBER || d->type.dtype != ASSAY_U16) return ASSAY_OK;
    conf_h5_attributes_list list;
    assay_status rc = conf_h5_attributes_read(d->file, d->name, &d->header, &list, err);
    if (rc != ASSAY_OK) return rc;
    const conf_h5_attribute *a = conf_h5_attribute_find(&list, CONF_H5_BFLOAT16_ATTRIBUTE);
    char *text = NULL;
    if (a && a->space.rank == 0) rc = conf_h5_element_text(d->file, d->name, &a->type, a->data, &text, err);
    if (rc == ASSAY_OK && text && strcmp(text, CONF_H5_BFLOAT16) == 0) d->type.dtype = ASSAY_BF16;
    free(text);
    conf_h5_attributes_free(&list);
    return rc;
}

assay_status conf_h5_dataset_open(const conf_h5 *file, const char *name, conf_h5_dataset *out,
                                  assay_error *err)
{
    uint64_t address;
    assay_status rc = conf_h5_object_find(file, name, &address, err);
    if (rc != ASSAY_OK) return rc;
    conf_h5_dataset d = {.file = file, .name = strdup(name)};
    if (!d.name) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    rc = conf_h5_header_read(file, name, address, &d.header, err);
    if (rc == ASSAY_OK) rc = read_messages(&d, err);
    if (rc == ASSAY_OK) rc = read_bfloat16(&d, err);
    if (rc != ASSAY_OK) conf_h5_dataset_close(&d);
    else *out = d;
    return rc;
}

void conf_h5_dataset_close(conf_h5_dataset *d)
{
    conf_h5_header_free(&d->header);
    free(d->name);
    free(d->fill);
    *d = (conf_h5_dataset){0};
}
