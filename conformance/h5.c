/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/h5_file.h"
#include "model/dtype.h"
#include "model/error.h"
#include "model/file.h"

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
    if (file) file->path = strdup(path);
    if (!file || !file->path) {
        free(file);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    file->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file->id < 0) {
        conf_h5_close(file);
        return assay_fail(err, ASSAY_EFORMAT, "%s: HDF5 cannot open it: cut short or damaged", path);
    }
    *out = file;
    return ASSAY_OK;
}

void conf_h5_close(conf_h5 *file)
{
    if (!file) return;
    if (file->id >= 0) (void)H5Fclose(file->id);
    free(file->path);
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

static assay_status check_storage(const conf_h5 *file, const char *name, hid_t dataset, assay_error *err)
{
    hid_t plist = H5Dget_create_plist(dataset);
    if (plist < 0) return assay_fail(err, ASSAY_EFORMAT, "%s: %s: damaged", file->path, name);
    H5D_layout_t layout = H5Pget_layout(plist);
    int n_external = H5Pget_external_count(plist);
    hsize_t chunk[H5S_MAX_RANK];
    double chunk_elements = 1;
    int chunk_rank = layout == H5D_CHUNKED ? H5Pget_chunk(plist, H5S_MAX_RANK, chunk) : 0;
    for (int i = 0; i < chunk_rank; i++) chunk_elements *= (double)chunk[i];
    (void)H5Pclose(plist);
    if (layout == H5D_VIRTUAL)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s is a virtual dataset; its data must lie in this file",
                          file->path, name);
    if (n_external != 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s is stored outside the file; its data must lie in this file", file->path,
                          name);
    if (layout < 0 || chunk_rank < 0 || chunk_elements > (double)CONF_H5_DATASET_BYTES_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s: its layout is damaged", file->path, name);
    return ASSAY_OK;
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

assay_status conf_h5_extent(const conf_h5 *file, const char *name, hid_t space, size_t bytes, conf_array *out,
                            assay_error *err)
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
        if (shape[i] > CONF_H5_DATASET_BYTES_MAX ||
            (shape[i] > 0 && n > CONF_H5_DATASET_BYTES_MAX / bytes / (size_t)shape[i]))
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s is larger than %zu MiB", file->path, name,
                              CONF_H5_DATASET_BYTES_MAX >> 20);
        out->shape[i] = (size_t)shape[i];
        n *= (size_t)shape[i];
    }
    out->rank = (size_t)rank;
    out->n = n;
    return ASSAY_OK;
}

static assay_dtype dtype_of(hid_t type)
{
    H5T_class_t class = H5Tget_class(type);
    size_t bytes = H5Tget_size(type);
    if (class == H5T_FLOAT) return bytes == 8 ? ASSAY_F64 : bytes == 4 ? ASSAY_F32 : ASSAY_DTYPE_NONE;
    if (class != H5T_INTEGER) return ASSAY_DTYPE_NONE;
    bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    if (is_signed) return bytes == 8 ? ASSAY_I64 : bytes == 4 ? ASSAY_I32 : ASSAY_DTYPE_NONE;
    return bytes == 1 ? ASSAY_U8 : ASSAY_DTYPE_NONE;
}

static hid_t memory_type(assay_dtype dtype)
{
    switch (dtype) {
    case ASSAY_F64: return H5T_NATIVE_DOUBLE;
    case ASSAY_F32: return H5T_NATIVE_FLOAT;
    case ASSAY_I64: return H5T_NATIVE_INT64;
    case ASSAY_I32: return H5T_NATIVE_INT32;
    default: return H5T_NATIVE_UINT8;
    }
}

/* Type and shape of an open dataset. */
static assay_status describe(const conf_h5 *file, const char *name, hid_t dataset, conf_array *out,
                             assay_error *err)
{
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    assay_status rc = ASSAY_OK;
    out->dtype = type < 0 ? ASSAY_DTYPE_NONE : dtype_of(type);
    if (out->dtype == ASSAY_DTYPE_NONE)
        rc = assay_fail(err, ASSAY_EFORMAT,
                        "%s: %s: its type is none of float64, float32, int64, int32 and uint8", file->path,
                        name);
    else rc = conf_h5_extent(file, name, space, dtype_size(out->dtype), out, err);
    if (type >= 0) (void)H5Tclose(type);
    if (space >= 0) (void)H5Sclose(space);
    return rc;
}

assay_status conf_h5_shape(const conf_h5 *file, const char *name, conf_array *out, assay_error *err)
{
    hid_t dataset;
    conf_array a = {0};
    assay_status rc = conf_h5_dataset_open(file, name, &dataset, err);
    if (rc != ASSAY_OK) return rc;
    rc = describe(file, name, dataset, &a, err);
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
    rc = describe(file, name, dataset, &a, err);
    if (rc == ASSAY_OK) {
        a.data = calloc(a.n ? a.n : 1, dtype_size(a.dtype));
        if (!a.data)
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: %s: out of memory for %zu elements", file->path, name,
                            a.n);
        else if (a.n && H5Dread(dataset, memory_type(a.dtype), H5S_ALL, H5S_ALL, H5P_DEFAULT, a.data) < 0)
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
