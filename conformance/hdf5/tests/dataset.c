/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/tests/dataset.h"

#include "conformance/tests/support.h"

enum { B = DATASET_B, T = DATASET_T, V = DATASET_V };
static const hsize_t shape[3] = {B, T, V};

const char *dataset_path;
conf_h5 *dataset_file;
conf_h5_rows *dataset_stream;

void dataset_setup(void)
{
    support_setup();
    dataset_path = support_path("data.h5");
    dataset_file = NULL;
    dataset_stream = NULL;
}

void dataset_teardown(void)
{
    conf_h5_rows_close(dataset_stream);
    conf_h5_close(dataset_file);
    support_teardown();
}

static hid_t file_type(const dataset_storage *s)
{
    if (s->wide) return s->big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE;
    return s->big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE;
}

static hid_t make_plist(const dataset_storage *s)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const float fill = 2.5F;
    if (s->compact) ck_assert_int_ge(H5Pset_layout(plist, H5D_COMPACT), 0);
    if (s->chunk[0]) ck_assert_int_ge(H5Pset_chunk(plist, 3, s->chunk), 0);
    for (const char *f = s->filters; f && *f; f++) {
        if (*f == 's') ck_assert_int_ge(H5Pset_shuffle(plist), 0);
        if (*f == 'd') ck_assert_int_ge(H5Pset_deflate(plist, 6), 0);
        if (*f == 'f') ck_assert_int_ge(H5Pset_fletcher32(plist), 0);
    }
    ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_FLOAT, &fill), 0);
    return plist;
}

static void write_data(hid_t dataset, const dataset_storage *s)
{
    float data[B * T * V];
    for (size_t i = 0; i < (size_t)B * T * V; i++) data[i] = (float)((i * 2654435761U) >> 7 & 0xffff) / 64;
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(3, shape, NULL);
    if (s->part) {
        const hsize_t start[3] = {1, 0, 0}, count[3] = {1, T, V};
        (void)H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        (void)H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, count, NULL);
    }
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, data), 0);
    (void)H5Sclose(space);
    (void)H5Sclose(memory);
}

void dataset_write(const dataset_storage *s)
{
    hid_t files = H5Pcreate(H5P_FILE_CREATE), plist = make_plist(s);
    if (s->user_block) ck_assert_int_ge(H5Pset_userblock(files, s->user_block), 0);
    const hsize_t most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    hid_t space = H5Screate_simple(3, shape, s->chunk[0] ? most : NULL);
    hid_t id = H5Fcreate(dataset_path, H5F_ACC_TRUNC, files, H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(id, "/x", file_type(s), space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert(id >= 0 && dataset >= 0);
    write_data(dataset, s);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    (void)H5Pclose(files);
    ck_assert_int_ge(H5Fclose(id), 0);
}

void dataset_open(void)
{
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(dataset_path, &dataset_file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_h5_rows_open(dataset_file, "/x", &dataset_stream, &err) == ASSAY_OK, "%s", err.text);
}

void dataset_replace_chunk(const void *bytes, size_t n, uint32_t skipped)
{
    hid_t id = H5Fopen(dataset_path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(id, "/x", H5P_DEFAULT);
    const hsize_t start[3] = {0, 0, 0};
    ck_assert_int_ge(H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, start, n, bytes), 0);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(id), 0);
}
