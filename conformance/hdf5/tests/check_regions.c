/* Regions of datasets in every storage, element by element, and data of several parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/hdf5/data.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/tests/support.h"

enum { RANK = 3, N = 3 * 4 * 5, PART = 1 << 18 /* float32 of a part of data without chunks */ };

static const hsize_t shape[RANK] = {3, 4, 5};
static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("regions.h5");
}

typedef enum storage { CONTIGUOUS, IN_BIG_ENDIAN, COMPACT, CHUNKED, UNWRITTEN, N_STORED } storage;

/* Writes /x, whose element i is i + 1. */
static void write_numbers(storage s)
{
    int32_t numbers[N];
    for (int32_t i = 0; i < N; i++) numbers[i] = i + 1;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(RANK, shape, NULL);
    if (s == COMPACT) ck_assert_int_ge(H5Pset_layout(plist, H5D_COMPACT), 0);
    if (s == CHUNKED) ck_assert_int_ge(H5Pset_chunk(plist, RANK, (const hsize_t[]){2, 3, 2}), 0);
    const hid_t type = s == IN_BIG_ENDIAN ? H5T_STD_I32BE : H5T_STD_I32LE;
    const hid_t dataset = H5Dcreate2(file, "/x", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (s != UNWRITTEN)
        ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static void open_data(conf_h5 **file, conf_data *data)
{
    conf_h5_dataset dataset;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_h5_dataset_open(*file, "/x", &dataset, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_data_open(&dataset, RANK, SIZE_MAX, data, &err) == ASSAY_OK, "%s", err.text);
}

static void assert_region(const conf_data *data, const conf_region *r, bool written)
{
    assay_error err = {0};
    size_t size[RANK], at = 0;
    for (size_t i = 0; i < RANK; i++) size[i] = r->hi[i] - r->lo[i];
    int32_t *found = calloc(size[0] * size[1] * size[2] + 1, sizeof *found);
    ck_assert_ptr_nonnull(found);
    ck_assert_msg(conf_data_read(data, r, found, &err) == ASSAY_OK, "%s", err.text);
    for (size_t a = r->lo[0]; a < r->hi[0]; a++)
        for (size_t b = r->lo[1]; b < r->hi[1]; b++)
            for (size_t c = r->lo[2]; c < r->hi[2]; c++, at++)
                ck_assert_int_eq(found[at], written ? (int32_t)((a * shape[1] + b) * shape[2] + c + 1) : 0);
    free(found);
}

/* Advances to the next interval [lo, hi] of 0 .. n; false after the last. */
static bool next_interval(size_t *lo, size_t *hi, size_t n)
{
    if (++*hi <= n) return true;
    *hi = ++*lo;
    return *lo <= n;
}

START_TEST(every_region_is_read)
{
    conf_h5 *file;
    conf_data data;
    write_numbers((storage)_i);
    open_data(&file, &data);
    conf_region r = {.lo = {0}};
    do {
        r.lo[1] = r.hi[1] = 0;
        do {
            r.lo[2] = r.hi[2] = 0;
            do assert_region(&data, &r, _i != UNWRITTEN);
            while (next_interval(&r.lo[2], &r.hi[2], shape[2]));
        } while (next_interval(&r.lo[1], &r.hi[1], shape[1]));
    } while (next_interval(&r.lo[0], &r.hi[0], shape[0]));
    conf_data_close(&data);
    conf_h5_close(file);
}
END_TEST

static void write_long(size_t n)
{
    float *numbers = malloc(n * sizeof *numbers);
    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < n; i++) numbers[i] = (float)i;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(file), 0);
    edit_f32(path, "/x", 2, (const size_t[]){1, n}, numbers);
    free(numbers);
}

START_TEST(long_data_are_read_in_parts)
{
    for (size_t n = PART; n <= 2 * PART + 1; n += PART + 1) {
        conf_h5 *file;
        conf_data data;
        assay_error err = {0};
        write_long(n);
        open_data(&file, &data);
        const conf_region whole = conf_data_whole(&data);
        ck_assert_uint_eq(conf_data_n_parts(&data, &whole), n == PART ? 1 : 3);
        float *found = calloc(n, sizeof *found);
        ck_assert_ptr_nonnull(found);
        ck_assert_int_eq(conf_data_read(&data, &whole, found, &err), ASSAY_OK);
        for (size_t i = 0; i < n; i++) ck_assert(found[i] == (float)i);
        free(found);
        conf_data_close(&data);
        conf_h5_close(file);
    }
}
END_TEST

START_TEST(consecutive_rows_are_one_part)
{
    conf_h5 *file;
    conf_data data;
    write_numbers(CONTIGUOUS);
    open_data(&file, &data);
    conf_region r = conf_data_whole(&data);
    ck_assert_uint_eq(conf_data_n_parts(&data, &r), 1);
    r.lo[0] = 1;
    ck_assert_uint_eq(conf_data_n_parts(&data, &r), 1);
    r.hi[1]--;
    ck_assert_uint_eq(conf_data_n_parts(&data, &r), shape[0] - 1);
    r.lo[2] = 1;
    ck_assert_uint_eq(conf_data_n_parts(&data, &r), (shape[0] - 1) * (shape[1] - 1));
    conf_data_close(&data);
    conf_h5_close(file);
}
END_TEST

START_TEST(an_array_of_the_largest_size_has_a_shape)
{
    const hsize_t n = PTRDIFF_MAX;
    const hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(1, &n, NULL);
    conf_h5 *file;
    conf_array a;
    conf_h5_dataset dataset;
    conf_data data;
    assay_error err = {0};
    (void)H5Dclose(H5Dcreate2(id, "/x", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    (void)H5Sclose(space);
    ck_assert_int_ge(H5Fclose(id), 0);
    ck_assert_int_eq(conf_h5_open(path, &file, &err), ASSAY_OK);
    ck_assert_int_eq(conf_h5_shape(file, "/x", &a, &err), ASSAY_OK);
    ck_assert_uint_eq(a.n, PTRDIFF_MAX);
    ck_assert_int_eq(conf_h5_dataset_open(file, "/x", &dataset, &err), ASSAY_OK);
    ck_assert_int_eq(conf_data_open(&dataset, 1, 5 << 20, &data, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x is larger than 5 MiB");
    conf_h5_close(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/regions");
    TCase *regions = tcase_create("regions");
    tcase_add_checked_fixture(regions, setup, support_teardown);
    tcase_add_loop_test(regions, every_region_is_read, 0, N_STORED);
    tcase_add_test(regions, long_data_are_read_in_parts);
    tcase_add_test(regions, consecutive_rows_are_one_part);
    tcase_add_test(regions, an_array_of_the_largest_size_has_a_shape);
    suite_add_tcase(suite, regions);
    return support_run(suite);
}
