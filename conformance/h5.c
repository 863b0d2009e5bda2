/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/h5_file.h"
#include "model/dtype.h"
#include "model/error.h"
#include "model/file.h"

/* A file may always hold 1 MiB of fill values. */
static size_t unpacked_max(size_t file_bytes)
{
    if (file_bytes > CONF_H5_FILE_BYTES_MAX / CONF_H5_UNPACKED_RATIO) return CONF_H5_FILE_BYTES_MAX;
    return file_bytes * CONF_H5_UNPACKED_RATIO + ((size_t)1 << 20);
}

assay_status conf_h5_memory_take(const conf_h5 *file, const char *name, size_t bytes, assay_error *err)
{
    if (bytes > *file->left)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s unpacks to %zu bytes; a file of %zu bytes may unpack to %zu, of which %zu "
                          "are left",
                          file->path, name, bytes, file->size, file->most, *file->left);
    *file->left -= bytes;
    return ASSAY_OK;
}

/* libhdf5 1.10 crashes where attributes are listed, or looked for again, after one could not be read
 * (H5A__attr_release_table, H5O__attr_exists). Looking for a name that none has reads them all, once, and
 * only fails. */
static bool attributes_are_sound(const conf_h5 *file)
{
    return H5Aexists(file->id, "no attribute has this name") >= 0;
}

assay_status conf_h5_open(const char *path, conf_h5 **out, assay_error *err)
{
    /* The error stack would print on stderr, and a filter of the file's choice must never load a plug-in. */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    (void)H5PLset_loading_state(0);

    int fd;
    size_t size;
    assay_status rc = file_open(path, &fd, &size, err);
    if (rc != ASSAY_OK) return rc;
    (void)close(fd);
    if (H5Fis_hdf5(path) <= 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: not an HDF5 file (%zu bytes)", path, size);

    conf_h5 *file = calloc(1, sizeof *file);
    if (file) {
        *file = (conf_h5){.id = -1, .path = strdup(path), .size = size, .left = malloc(sizeof *file->left)};
    }
    if (!file || !file->path || !file->left) {
        conf_h5_close(file);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    file->most = *file->left = unpacked_max(size);
    file->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->id < 0) {
        conf_h5_close(file);
        return assay_fail(err, ASSAY_EFORMAT, "%s: HDF5 cannot open it: cut short or damaged", path);
    }
    if (!attributes_are_sound(file)) {
        conf_h5_close(file);
        return assay_fail(err, ASSAY_EFORMAT, "%s: its attributes are damaged", path);
    }
    *out = file;
    return ASSAY_OK;
}

void conf_h5_limit(conf_h5 *file, size_t bytes)
{
    if (bytes < file->most) file->most = bytes;
    if (bytes < *file->left) *file->left = bytes;
}

void conf_h5_close(conf_h5 *file)
{
    if (!file) return;
    if (file->id >= 0) (void)H5Fclose(file->id);
    free(file->path);
    free(file->left);
    free(file);
}

const char *conf_h5_path(const conf_h5 *file)
{
    return file->path;
}

assay_status conf_h5_links_check(const conf_h5 *file, const char *name, assay_error *err)
{
    char part[256];
    size_t n = strlen(name);
    if (n >= sizeof part)
        return assay_fail(err, ASSAY_EFORMAT, "%s: a member's name is too long", file->path);
    for (size_t end = 1; end <= n; end++) {
        if (end < n && name[end] != '/') continue;
        memcpy(part, name, end);
        part[end] = '\0';
        if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0)
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s is missing", file->path, name);
        H5L_info_t link;
        if (H5Lget_info(file->id, part, &link, H5P_DEFAULT) < 0)
            return assay_fail(err, ASSAY_EFORMAT, "%s: the link %s cannot be read", file->path, part);
        if (link.type == H5L_TYPE_HARD) continue;
        const char *kind = link.type == H5L_TYPE_SOFT ? "a soft link" : "an external link";
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is %s; only members of the file itself are read",
                          file->path, part, kind);
    }
    return ASSAY_OK;
}

bool conf_h5_has(const conf_h5 *file, const char *name)
{
    char part[256];
    size_t n = strlen(name);
    if (n >= sizeof part) return false;
    for (size_t end = 1; end <= n; end++) {
        if (end < n && name[end] != '/') continue;
        memcpy(part, name, end);
        part[end] = '\0';
        if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0) return false;
        H5L_info_t link;
        if (H5Lget_info(file->id, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) return true;
    }
    return true;
}

/* Each filter at most once: deflated twice, a few bytes unpack to gigabytes. The other filters are never
 * written by the recorder, and their decoders are libhdf5's least used. */
static assay_status check_filters(const conf_h5 *file, const char *name, hid_t plist, assay_error *err)
{
    int n = H5Pget_nfilters(plist);
    unsigned seen = 0;
    for (int i = 0; i < n; i++) {
        unsigned flags, config;
        size_t n_values = 0;
        H5Z_filter_t filter = H5Pget_filter2(plist, (unsigned)i, &flags, &n_values, NULL, 0, NULL, &config);
        bool known =
            filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
        if (!known || (seen >> filter & 1U))
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: %s is packed by filter %d; expected shuffle, deflate and fletcher32, each "
                              "at most once",
                              file->path, name, (int)filter);
        seen |= 1U << filter;
    }
    return n >= 0 ? ASSAY_OK
                  : assay_fail(err, ASSAY_EFORMAT, "%s: %s: its filters are damaged", file->path, name);
}

/* A chunk is unpacked as a whole, however little of it the dataset holds, and memory for it is asked for
 * before its place in the file is looked at. */
static assay_status check_chunks(const conf_h5 *file, const char *name, hid_t dataset, hid_t plist,
                                 assay_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    int rank = H5Pget_chunk(plist, H5S_MAX_RANK, chunk);
    hid_t type = H5Dget_type(dataset);
    double bytes = type < 0 ? 0 : (double)H5Tget_size(type);
    if (type >= 0) (void)H5Tclose(type);
    for (int i = 0; i < rank; i++) bytes *= (double)chunk[i];
    if (rank < 1 || !(bytes > 0))
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its layout is damaged", file->path, name);
    hsize_t stored = H5Dget_storage_size(dataset);
    if (stored > file->size)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s: its chunks take %llu bytes in a file of %zu: cut short or damaged",
                          file->path, name, (unsigned long long)stored, file->size);
    if (bytes > (double)file->most)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s has chunks of %.0f bytes; a file of %zu bytes may unpack to %zu",
                          file->path, name, bytes, file->size, file->most);
    return check_filters(file, name, plist, err);
}

static assay_status check_storage(const conf_h5 *file, const char *name, hid_t dataset, assay_error *err)
{
    hid_t plist = H5Dget_create_plist(dataset);
    if (plist < 0) return assay_fail(err, ASSAY_EFORMAT, "%s: %s: damaged", file->path, name);
    H5D_layout_t layout = H5Pget_layout(plist);
    int n_external = H5Pget_external_count(plist);
    assay_status rc = layout == H5D_CHUNKED ? check_chunks(file, name, dataset, plist, err) : ASSAY_OK;
    (void)H5Pclose(plist);
    if (layout == H5D_VIRTUAL)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is a virtual dataset; its data must lie in this file",
                          file->path, name);
    if (n_external != 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s is stored outside the file; its data must lie in this file", file->path,
                          name);
    if (layout < 0) return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its layout is damaged", file->path, name);
    return rc;
}

assay_status conf_h5_dataset_open(const conf_h5 *file, const char *name, hid_t *id, assay_error *err)
{
    assay_status rc = conf_h5_links_check(file, name, err);
    if (rc != ASSAY_OK) return rc;
    H5O_info_t info;
    if (H5Oget_info_by_name2(file->id, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s cannot be read", file->path, name);
    if (info.type != H5O_TYPE_DATASET)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is not a dataset", file->path, name);
    hid_t dataset = H5Dopen2(file->id, name, H5P_DEFAULT);
    if (dataset < 0) return assay_fail(err, ASSAY_EFORMAT, "%s: %s cannot be opened", file->path, name);
    rc = check_storage(file, name, dataset, err);
    if (rc != ASSAY_OK) {
        (void)H5Dclose(dataset);
        return rc;
    }
    *id = dataset;
    return ASSAY_OK;
}

assay_status conf_h5_extent(const conf_h5 *file, const char *name, hid_t space, size_t bytes, size_t most,
                            conf_array *out, assay_error *err)
{
    hsize_t shape[H5S_MAX_RANK];
    int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    if (rank < 0 || H5Sget_simple_extent_type(space) == H5S_NULL)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has no shape", file->path, name);
    if ((size_t)rank > ASSAY_TENSOR_RANK_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %d axes; at most %u are read", file->path, name,
                          rank, ASSAY_TENSOR_RANK_MAX);
    size_t n = 1;
    for (int i = 0; i < rank; i++) {
        if (shape[i] > most || (shape[i] > 0 && n > most / bytes / (size_t)shape[i]))
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s is larger than %zu MiB", file->path, name,
                              most >> 20);
        out->shape[i] = (size_t)shape[i];
        n *= (size_t)shape[i];
    }
    out->rank = (size_t)rank;
    out->n = n;
    return ASSAY_OK;
}

/* Exactly the types of the format, in either byte order: libhdf5 would convert any layout of bits. */
assay_dtype conf_h5_dtype_of(hid_t type)
{
    const struct {
        hid_t little, big;
        assay_dtype dtype;
    } known[] = {
        {H5T_IEEE_F64LE, H5T_IEEE_F64BE, ASSAY_F64}, {H5T_IEEE_F32LE, H5T_IEEE_F32BE, ASSAY_F32},
        {H5T_STD_I64LE, H5T_STD_I64BE, ASSAY_I64},   {H5T_STD_I32LE, H5T_STD_I32BE, ASSAY_I32},
        {H5T_STD_U8LE, H5T_STD_U8BE, ASSAY_U8},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (H5Tequal(type, known[i].little) > 0 || H5Tequal(type, known[i].big) > 0) return known[i].dtype;
    return ASSAY_DTYPE_NONE;
}

hid_t conf_h5_memory_type(assay_dtype dtype)
{
    switch (dtype) {
    case ASSAY_F64: return H5T_NATIVE_DOUBLE;
    case ASSAY_F32: return H5T_NATIVE_FLOAT;
    case ASSAY_I64: return H5T_NATIVE_INT64;
    case ASSAY_I32: return H5T_NATIVE_INT32;
    default: return H5T_NATIVE_UINT8;
    }
}

/* Type and shape of an open dataset of at most `most` bytes. */
static assay_status describe(const conf_h5 *file, const char *name, hid_t dataset, size_t most,
                             conf_array *out, assay_error *err)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    assay_status rc = ASSAY_OK;
    *out = (conf_array){.dtype = type < 0 ? ASSAY_DTYPE_NONE : conf_h5_dtype_of(type)};
    if (out->dtype == ASSAY_DTYPE_NONE)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: %s: its type is none of float64, float32, int64, int32 and uint8", file->path,
                        name);
    else rc = conf_h5_extent(file, name, space, dtype_size(out->dtype), most, out, err);
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    return rc;
}

assay_status conf_h5_describe(const conf_h5 *file, const char *name, hid_t dataset, conf_array *out,
                              assay_error *err)
{
    return describe(file, name, dataset, PTRDIFF_MAX, out, err);
}

assay_status conf_h5_shape(const conf_h5 *file, const char *name, conf_array *out, assay_error *err)
{
    hid_t dataset;
    conf_array a = {0};
    assay_status rc = conf_h5_dataset_open(file, name, &dataset, err);
    if (rc != ASSAY_OK) return rc;
    rc = describe(file, name, dataset, PTRDIFF_MAX, &a, err);
    (void)H5Dclose(dataset);
    if (rc == ASSAY_OK) *out = a;
    return rc;
}

assay_status conf_h5_read(const conf_h5 *file, const char *name, conf_array *out, assay_error *err)
{
    hid_t dataset;
    conf_array a = {0};
    assay_status rc = conf_h5_dataset_open(file, name, &dataset, err);
    if (rc != ASSAY_OK) return rc;
    rc = describe(file, name, dataset, CONF_H5_DATASET_BYTES_MAX, &a, err);
    if (rc == ASSAY_OK) rc = conf_h5_memory_take(file, name, a.n * dtype_size(a.dtype), err);
    if (rc == ASSAY_OK) {
        a.data = calloc(a.n ? a.n : 1, dtype_size(a.dtype));
        if (!a.data)
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory for %zu elements", file->path, name,
                            a.n);
        else if (a.n &&
                 H5Dread(dataset, conf_h5_memory_type(a.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, a.data) < 0)
            rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s: its data cannot be read: cut short or damaged",
                            file->path, name);
    }
    (void)H5Dclose(dataset);
    if (rc != ASSAY_OK) conf_array_free(&a);
    else *out = a;
    return rc;
}

void conf_array_free(conf_array *a)
{
    if (!a) return;
    free(a->data);
    *a = (conf_array){0};
}
