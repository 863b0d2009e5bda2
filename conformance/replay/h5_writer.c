/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/h5_writer.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "conformance/support/directories.h"

struct conf_h5_writer {
    char *path, *part;
    hid_t file;
    bool failed;
};

static void free_writer(conf_h5_writer *w)
{
    free(w->path);
    free(w->part);
    free(w);
}

assay_status conf_h5_writer_open(const char *path, conf_h5_writer **out, assay_error *err)
{
    assay_status rc = conf_directories_make(path, err);
    if (rc != ASSAY_OK) return rc;
    conf_h5_writer *w = calloc(1, sizeof *w);
    if (!w) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    w->path = strdup(path);
    if (!w->path || asprintf(&w->part, "%s" CONF_H5_PART, path) < 0) {
        w->part = NULL;
        free_writer(w);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    w->file = H5Fcreate(w->part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    w->failed = w->file < 0;
    *out = w;
    return ASSAY_OK;
}

/* Writes one value, or a list if n is not SIZE_MAX, as an attribute of `of`. */
static void write_attribute(conf_h5_writer *w, hid_t of, const char *name, hid_t type, size_t n,
                            const void *value)
{
    if (w->failed) return;
    const hsize_t dims[1] = {n};
    hid_t space = n == SIZE_MAX ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
    hid_t attribute = H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    w->failed = attribute < 0 || H5Awrite(attribute, type, value) < 0;
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
}

/* The type of texts; H5Tclose closes it. */
static hid_t open_text_type(conf_h5_writer *w)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) w->failed = true;
    return type;
}

void conf_h5_write_text(conf_h5_writer *w, const char *name, const char *text)
{
    hid_t type = open_text_type(w);
    write_attribute(w, w->file, name, type, SIZE_MAX, &text);
    (void)H5Tclose(type);
}

void conf_h5_write_texts(conf_h5_writer *w, const char *name, char *const *texts, size_t n)
{
    hid_t type = open_text_type(w);
    write_attribute(w, w->file, name, type, n, texts);
    (void)H5Tclose(type);
}

void conf_h5_write_flag(conf_h5_writer *w, const char *name, int flag)
{
    write_attribute(w, w->file, name, H5T_NATIVE_INT, SIZE_MAX, &flag);
}

void conf_h5_write_number(conf_h5_writer *w, const char *name, double number)
{
    write_attribute(w, w->file, name, H5T_IEEE_F64LE, SIZE_MAX, &number);
}

void conf_h5_write_number_of(conf_h5_writer *w, const char *dataset, const char *name, double number)
{
    if (w->failed) return;
    hid_t of = H5Dopen2(w->file, dataset, H5P_DEFAULT);
    w->failed = of < 0;
    write_attribute(w, of, name, H5T_IEEE_F64LE, SIZE_MAX, &number);
    (void)H5Dclose(of);
}

/* Writes data, which is of type `in`, as a dataset of type `type`. */
static void write_array(conf_h5_writer *w, const char *name, hid_t type, hid_t in, size_t rank,
                        const size_t *shape, const void *data)
{
    hsize_t dims[ASSAY_TENSOR_RANK_MAX];
    if (w->failed) return;
    for (size_t i = 0; i < rank; i++) dims[i] = shape[i];
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple((int)rank, dims, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE); /* without timestamps: equal answers give equal files */
    (void)H5Pset_create_intermediate_group(links, 1);
    (void)H5Pset_obj_track_times(creation, false);
    hid_t dataset = H5Dcreate2(w->file, name, type, space, links, creation, H5P_DEFAULT);
    w->failed = dataset < 0 || H5Dwrite(dataset, in, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(creation);
    (void)H5Pclose(links);
}

void conf_h5_write_reals(conf_h5_writer *w, const char *name, bool wide, size_t rank, const size_t *shape,
                         const double *data)
{
    write_array(w, name, wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, rank, shape, data);
}

void conf_h5_write_ids(conf_h5_writer *w, const char *name, size_t rank, const size_t *shape,
                       const int32_t *data)
{
    write_array(w, name, H5T_STD_I32LE, H5T_NATIVE_INT32, rank, shape, data);
}

void conf_h5_write_strings(conf_h5_writer *w, const char *name, const char *const *texts, size_t n)
{
    hid_t type = open_text_type(w);
    write_array(w, name, type, type, 1, &n, texts);
    (void)H5Tclose(type);
}

void conf_h5_write_tensor(conf_h5_writer *w, const char *name, const assay_tensor *tensor)
{
    const hid_t types[][2] = {[ASSAY_F64] = {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE},
                              [ASSAY_F32] = {H5T_IEEE_F32LE, H5T_NATIVE_FLOAT},
                              [ASSAY_I64] = {H5T_STD_I64LE, H5T_NATIVE_INT64},
                              [ASSAY_I32] = {H5T_STD_I32LE, H5T_NATIVE_INT32},
                              [ASSAY_U8] = {H5T_STD_U8LE, H5T_NATIVE_UINT8}};
    const hid_t *type = types[tensor->dtype];
    write_array(w, name, type[0], type[1], tensor->rank, tensor->shape, tensor->data);
}

assay_status conf_h5_writer_close(conf_h5_writer *w, bool complete, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    const bool closed = w->file >= 0 && H5Fclose(w->file) >= 0;
    if (!closed || w->failed || (complete && rename(w->part, w->path) != 0))
        rc = assay_fail(err, ASSAY_EIO, "%s: cannot be written: %s", w->path,
                        errno ? strerror(errno) : "HDF5 failed");
    if (rc != ASSAY_OK || !complete) (void)unlink(w->part);
    free_writer(w);
    return rc;
}
