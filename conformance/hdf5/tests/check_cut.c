/* Files that become shorter while they are open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "conformance/hdf5/data.h"
#include "conformance/hdf5/file.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/tests/support.h"

enum { N = 100 };

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("cut.h5");
}

/* How /x is stored. */
typedef enum storage { NATIVE, REVERSED, CHUNKED, N_STORAGES } storage;

static conf_h5 *open_dataset(storage stored, conf_h5_dataset *d)
{
    const hsize_t shape = N, chunk = N / 10;
    float values[N];
    for (size_t i = 0; i < N; i++) values[i] = (float)i;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &shape, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
    if (stored == CHUNKED) ck_assert_int_ge(H5Pset_chunk(plist, 1, &chunk), 0);
    hid_t dataset = H5Dcreate2(file, "/x", stored == REVERSED ? H5T_IEEE_F32BE : H5T_IEEE_F32LE, space,
                               H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    (void)H5Dclose(dataset);
    (void)H5Pclose(plist);
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(file), 0);
    conf_h5 *opened;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &opened, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_h5_dataset_open(opened, "/x", d, &err) == ASSAY_OK, "%s", err.text);
    return opened;
}

START_TEST(data_that_are_cut_off_are_refused)
{
    conf_h5_dataset d;
    conf_data data;
    assay_error err = {0};
    float found[N];
    conf_h5 *file = open_dataset((storage)_i, &d);
    ck_assert_msg(conf_data_open(&d, 1, sizeof found, &data, &err) == ASSAY_OK, "%s", err.text);
    const conf_region whole = conf_data_whole(&data);
    ck_assert_int_eq(conf_data_read(&data, &whole, found, &err), ASSAY_OK);
    for (size_t i = 0; i < N; i++) ck_assert_float_eq(found[i], (float)i);
    ck_assert_int_eq(truncate(path, 100), 0);
    ck_assert_int_eq(conf_data_read(&data, &whole, found, &err), ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, "/x: its data cannot be read: cut short or damaged");
    conf_data_close(&data);
    conf_h5_close(file);
}
END_TEST

START_TEST(data_that_lie_beyond_the_end_of_the_file_are_refused)
{
    conf_h5_dataset d;
    conf_data data;
    assay_error err = {0};
    conf_h5 *file = open_dataset(NATIVE, &d);
    d.layout.address = file->size - N * sizeof(float) + 1;
    ck_assert_int_eq(conf_data_open(&d, 1, N * sizeof(float), &data, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x: its 400 bytes reach beyond the file's end: cut short");
    conf_h5_close(file);
}
END_TEST

START_TEST(a_structure_that_is_cut_off_is_refused)
{
    conf_h5_dataset d;
    assay_error err = {0};
    conf_array a;
    conf_h5 *file = open_dataset(NATIVE, &d);
    conf_h5_dataset_close(&d);
    ck_assert_int_eq(truncate(path, 100), 0);
    ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err), ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, "/x: its structure cannot be read: cut short");
    conf_h5_close(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/cut");
    TCase *cut = tcase_create("cut while open");
    tcase_add_checked_fixture(cut, setup, support_teardown);
    tcase_add_loop_test(cut, data_that_are_cut_off_are_refused, 0, N_STORAGES);
    tcase_add_test(cut, data_that_lie_beyond_the_end_of_the_file_are_refused);
    tcase_add_test(cut, a_structure_that_is_cut_off_is_refused);
    suite_add_tcase(suite, cut);
    return support_run(suite);
}
