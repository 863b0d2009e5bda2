/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/hdf5.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/file.h"
#include "conformance/hdf5/data.h"
#include "conformance/hdf5/file.h"
#include "conformance/hdf5/group.h"
#include "conformance/hdf5/text.h"

static size_t unpacked_max(size_t file_bytes)
{
    if (file_bytes > (CONF_H5_FILE_BYTES_MAX - CONF_H5_UNPACKED_BYTES) / CONF_H5_UNPACKED_RATIO)
        return CONF_H5_FILE_BYTES_MAX;
    return file_bytes * CONF_H5_UNPACKED_RATIO + CONF_H5_UNPACKED_BYTES;
}

/* The superblock of versions 0 and 1, after signature and version. */
static bool decode_old_superblock(conf_h5 *file, conf_bytes *b, unsigned version, uint64_t *end)
{
    (void)conf_bytes_next(b, 4); /* versions of other structures */
    bool valid = conf_bytes_number(b, 1) == 8 && conf_bytes_number(b, 1) == 8;
    (void)conf_bytes_next(b, version == 0 ? 9 : 13); /* ranks of B-trees, flags */
    uint64_t base = conf_bytes_number(b, 8);
    (void)conf_bytes_number(b, 8); /* free space */
    *end = conf_bytes_number(b, 8);
    (void)conf_bytes_next(b, 16); /* the driver's information, the root's name */
    file->root = conf_bytes_number(b, 8);
    return valid && base == file->base;
}

/* Of versions 2 and 3; start: the superblock from its signature on. */
static bool decode_new_superblock(conf_h5 *file, conf_bytes *b, unsigned version, const unsigned char *start,
                                  uint64_t *end)
{
    enum { CHECKED = 44, BEING_WRITTEN = 1 };
    bool valid = conf_bytes_number(b, 1) == 8 && conf_bytes_number(b, 1) == 8;
    unsigned flags = (unsigned)conf_bytes_number(b, 1);
    uint64_t base = conf_bytes_number(b, 8);
    (void)conf_bytes_number(b, 8); /* the superblock's extension */
    *end = conf_bytes_number(b, 8);
    file->root = conf_bytes_number(b, 8);
    if (version == 3 && flags & BEING_WRITTEN) return false;
    uint32_t checksum = (uint32_t)conf_bytes_number(b, 4);
    return valid && base == file->base && !b->bad && conf_checksum_holds(checksum, start, CHECKED);
}

static assay_status fail_superblock(const conf_h5 *file, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: its superblock is damaged, cut short or still being written",
                      file->path);
}

/* Finds the superblock, at offset 0 or after a user block of 512, 1024, … bytes. */
static assay_status read_superblock(conf_h5 *file, assay_error *err)
{
    enum { BYTES_MAX = 100, SIGNATURE = 8, VERSION_NEW = 2, VERSION_MAX = 3 };
    unsigned char start[BYTES_MAX];
    for (size_t at = 0; at < file->size; at = at ? 2 * at : 512) {
        size_t n = file->size - at < BYTES_MAX ? file->size - at : BYTES_MAX;
        if (!conf_h5_bytes_read(file, start, n, at)) return fail_superblock(file, err);
        if (n < SIGNATURE || memcmp(start, "\211HDF\r\n\032\n", SIGNATURE) != 0) continue;
        conf_bytes b = conf_bytes_of(start + SIGNATURE, n - SIGNATURE);
        unsigned version = (unsigned)conf_bytes_number(&b, 1);
        uint64_t end = 0;
        file->base = at;
        bool valid = version < VERSION_NEW
                         ? decode_old_superblock(file, &b, version, &end)
                         : version <= VERSION_MAX && decode_new_superblock(file, &b, version, start, &end);
        if (b.bad || !valid) return fail_superblock(file, err);
        if (end > file->size)
            return assay_fail(err, ASSAY_EFORMAT, "%s: found %zu bytes, expected %llu: cut short", file->path,
                              file->size, (unsigned long long)end);
        return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EFORMAT, "%s: not an HDF5 file (%zu bytes)", file->path, file->size);
}

/* Length of the part of `path` that names the file: all of it, unless a file is used like a directory there.
 */
static size_t file_length(const char *path)
{
    struct stat s;
    const size_t length = strlen(path);
    if (stat(path, &s) == 0 || errno != ENOTDIR) return length;
    for (size_t n = length; n-- > 1;) {
        char file[PATH_MAX];
        if (path[n] != '/' || n >= sizeof file) continue;
        memcpy(file, path, n);
        file[n] = '\0';
        if (stat(file, &s) == 0 && S_ISREG(s.st_mode)) return n;
    }
    return length;
}

/* Makes a group the root of the file. name: its path; "" is the root itself. */
static assay_status enter_group(conf_h5 *file, const char *name, assay_error *err)
{
    uint64_t address = file->root;
    if (!*name) return ASSAY_OK;
    if (!conf_h5_has(file, name))
        return assay_fail(err, ASSAY_EFORMAT, "%s: found no group %s in the file", file->path, name);
    const assay_status rc = conf_h5_object_find(file, name, &address, err);
    file->root = address;
    return rc;
}

/* Whether the root is a group whose attributes can be read, so that reading one later does not fail. */
static assay_status check_root(const conf_h5 *file, assay_error *err)
{
    conf_strings names;
    assay_status rc = conf_h5_attributes(file, &names, err);
    if (rc == ASSAY_OK) conf_strings_free(&names);
    const conf_h5_group *root;
    return rc == ASSAY_OK ? conf_h5_group_list(file, "/", file->root, &root, err) : rc;
}

assay_status conf_h5_open(const char *path, conf_h5 **out, assay_error *err)
{
    int fd;
    size_t size;
    const size_t length = file_length(path);
    char *name = strndup(path, length);
    assay_status rc =
        name ? file_open(name, &fd, &size, err) : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    free(name);
    if (rc != ASSAY_OK) return rc;
    conf_h5 *file = calloc(1, sizeof *file);
    if (file)
        *file = (conf_h5){.fd = fd,
                          .size = size,
                          .most = unpacked_max(size),
                          .most_of_chunk = unpacked_max(size),
                          .path = strdup(path)};
    else (void)close(fd);
    if (file) file->state = calloc(1, sizeof *file->state);
    if (!file || !file->path || !file->state) {
        conf_h5_close(file);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    file->state->left.unpacked = file->most;
    file->state->left.structure = CONF_H5_STRUCTURE_BYTES_MAX + (size < SIZE_MAX / 16 ? 8 * size : size);
    rc = read_superblock(file, err);
    if (rc == ASSAY_OK) rc = enter_group(file, path + length, err);
    if (rc == ASSAY_OK) rc = check_root(file, err);
    if (rc != ASSAY_OK) conf_h5_close(file);
    else *out = file;
    return rc;
}

void conf_h5_limit(conf_h5 *file, size_t bytes)
{
    if (bytes < file->most) file->most = bytes;
    if (bytes < file->state->left.unpacked) file->state->left.unpacked = bytes;
}

void conf_h5_allow_large_chunks(conf_h5 *file)
{
    const double bytes = (double)file->size * CONF_H5_STREAMED_RATIO + CONF_H5_STREAMED_BYTES;
    if (bytes > (double)file->most_of_chunk && bytes < (double)(SIZE_MAX / 16))
        file->most_of_chunk = (size_t)bytes;
}

void conf_h5_close(conf_h5 *file)
{
    if (!file) return;
    (void)close(file->fd);
    for (size_t i = 0; file->state && i < CONF_H5_GROUPS_CACHED; i++)
        conf_h5_group_free(&file->state->groups[i]);
    free(file->state);
    free(file->path);
    free(file);
}

bool conf_h5_has(const conf_h5 *file, const char *name)
{
    const conf_h5_link *link;
    size_t n;
    return conf_h5_resolve(file, name, &link, &n, NULL) != ASSAY_OK || link;
}

assay_status conf_h5_members(const conf_h5 *file, const char *name, conf_strings *out, assay_error *err)
{
    uint64_t address;
    const conf_h5_group *group;
    *out = (conf_strings){0};
    if (strcmp(name, "/") != 0 && !conf_h5_has(file, name)) return ASSAY_OK;
    assay_status rc = conf_h5_object_find(file, name, &address, err);
    if (rc == ASSAY_OK) rc = conf_h5_group_list(file, name, address, &group, err);
    if (rc != ASSAY_OK) return rc;
    conf_strings s = {0};
    for (size_t i = 0; i < group->n; i++) {
        if (conf_strings_add(&s, group->links[i].name)) continue;
        conf_strings_free(&s);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", file->path);
    }
    *out = s;
    return ASSAY_OK;
}

/* "float64, float32 and uint8": the types of a set, for messages. */
static void print_types(char *text, size_t size, conf_h5_types types)
{
    static const struct {
        assay_dtype dtype;
        const char *name;
    } names[] = {{ASSAY_F64, "float64"},   {ASSAY_F32, "float32"}, {ASSAY_F16, "float16"},
                 {ASSAY_BF16, "bfloat16"}, {ASSAY_I64, "int64"},   {ASSAY_I32, "int32"},
                 {ASSAY_I16, "int16"},     {ASSAY_I8, "int8"},     {ASSAY_U64, "uint64"},
                 {ASSAY_U32, "uint32"},    {ASSAY_U16, "uint16"},  {ASSAY_U8, "uint8"}};
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names && at < size; i++) {
        conf_h5_types type = CONF_H5_TYPE(names[i].dtype);
        if (!(types & type)) continue;
        types &= ~type;
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               at == 0 ? ""
                               : types ? ", "
                                       : " and ",
                               names[i].name);
    }
}

/* Type and shape of an open dataset of at most `most` bytes, whose type is one of a set. */
static assay_status describe_dataset(const conf_h5_dataset *d, conf_h5_types types, size_t most,
                                     conf_array *out, assay_error *err)
{
    if (d->type.class != CONF_H5_NUMBER || !(types & CONF_H5_TYPE(d->type.dtype))) {
        char found[32], expected[128];
        conf_h5_type_print(found, sizeof found, &d->type);
        print_types(expected, sizeof expected, types);
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its type is none of %s: found %s", d->file->path,
                          d->name, expected, found);
    }
    *out = (conf_array){.dtype = conf_h5_type_widened(&d->type), .rank = d->space.rank, .n = 1};
    if (d->space.is_null)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has no shape", d->file->path, d->name);
    if (d->space.rank > ASSAY_TENSOR_RANK_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %zu axes; at most %u are read", d->file->path,
                          d->name, d->space.rank, ASSAY_TENSOR_RANK_MAX);
    for (size_t i = 0; i < out->rank; i++) {
        uint64_t length = d->space.shape[i];
        if (length > most || (length > 0 && out->n > most / dtype_size(out->dtype) / length))
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s is larger than %zu MiB", d->file->path, d->name,
                              most >> 20);
        out->shape[i] = (size_t)d->space.shape[i];
        out->n *= out->shape[i];
    }
    return ASSAY_OK;
}

assay_status conf_h5_shape_types(const conf_h5 *file, const char *name, conf_h5_types types, conf_array *out,
                                 assay_error *err)
{
    conf_h5_dataset d;
    conf_array a;
    assay_status rc = conf_h5_dataset_open(file, name, &d, err);
    if (rc != ASSAY_OK) return rc;
    rc = describe_dataset(&d, types, PTRDIFF_MAX, &a, err);
    conf_h5_dataset_close(&d);
    if (rc == ASSAY_OK) *out = a;
    return rc;
}

assay_status conf_h5_shape(const conf_h5 *file, const char *name, conf_array *out, assay_error *err)
{
    return conf_h5_shape_types(file, name, CONF_H5_CASE_TYPES, out, err);
}

assay_status conf_h5_read_types(const conf_h5 *file, const char *name, conf_h5_types types, conf_array *out,
                                assay_error *err)
{
    conf_h5_dataset d;
    conf_data data = {0};
    conf_array a = {0};
    assay_status rc = conf_h5_dataset_open(file, name, &d, err);
    if (rc != ASSAY_OK) return rc;
    rc = describe_dataset(&d, types, CONF_H5_DATASET_BYTES_MAX, &a, err);
    if (rc == ASSAY_OK) rc = conf_h5_memory_take(file, name, a.n * dtype_size(a.dtype), err);
    if (rc == ASSAY_OK) rc = conf_data_open(&d, 1, CONF_H5_DATASET_BYTES_MAX, &data, err);
    else conf_h5_dataset_close(&d);
    if (rc == ASSAY_OK) {
        conf_region whole = conf_data_whole(&data);
        a.data = calloc(a.n ? a.n : 1, dtype_size(a.dtype));
        rc = a.data ? conf_data_read(&data, &whole, a.data, err)
                    : assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory for %zu elements", file->path,
                                 name, a.n);
        conf_data_close(&data);
    }
    if (rc != ASSAY_OK) conf_array_free(&a);
    else *out = a;
    return rc;
}

assay_status conf_h5_read(const conf_h5 *file, const char *name, conf_array *out, assay_error *err)
{
    return conf_h5_read_types(file, name, CONF_H5_CASE_TYPES, out, err);
}

assay_status conf_h5_read_integers(const conf_h5 *file, const char *name, conf_array *out, assay_error *err)
{
    conf_array a;
    assay_status rc = conf_h5_read_types(file, name, CONF_H5_INTEGERS, &a, err);
    if (rc != ASSAY_OK || a.dtype == ASSAY_I64) {
        if (rc == ASSAY_OK) *out = a;
        return rc;
    }
    conf_array wide = a;
    wide.dtype = ASSAY_I64;
    wide.data = NULL;
    size_t bytes = a.n * sizeof(int64_t);
    rc = conf_h5_memory_take(file, name, bytes, err);
    if (rc == ASSAY_OK) {
        wide.data = malloc(bytes ? bytes : 1);
        if (!wide.data) rc = assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory", file->path, name);
    }
    for (size_t i = 0; i < a.n && rc == ASSAY_OK; i++)
        if (!conf_h5_integer_at(a.dtype, a.data, i, (int64_t *)wide.data + i)) /* of U64 */
            rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: element %zu is %" PRIu64 ", larger than an int64",
                            file->path, name, i, ((const uint64_t *)a.data)[i]);
    conf_array_free(&a);
    if (rc != ASSAY_OK) conf_array_free(&wide);
    else *out = wide;
    return rc;
}
