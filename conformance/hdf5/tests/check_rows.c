/* Reading large datasets by rectangles: every way in which HDF5 stores numbers, against libhdf5's own reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "conformance/diff/slab.h"
#include "conformance/hdf5/tests/dataset.h"
#include "conformance/tests/support.h"

enum { B = DATASET_B, T = DATASET_T, V = DATASET_V };

/* The whole dataset as libhdf5 reads it, in its own precision. */
static const char *read_whole(void)
{
    static double whole[B * T * V];
    hid_t id = H5Fopen(dataset_path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(id, "/x", H5P_DEFAULT);
    hid_t type = conf_h5_rows_dtype(dataset_stream) == ASSAY_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    ck_assert_int_ge(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole), 0);
    (void)H5Dclose(dataset);
    (void)H5Fclose(id);
    return (const char *)whole;
}

static void assert_rect(const char *whole, const conf_rect *rect)
{
    static double read[B * T * V];
    size_t row = conf_h5_rows_row_bytes(dataset_stream), n = rect->t1 - rect->t0;
    assay_error err = {0};
    memset(read, 0xff, sizeof read);
    ck_assert_msg(conf_h5_rows_read(dataset_stream, rect, read, &err) == ASSAY_OK, "%s", err.text);
    for (size_t b = rect->b0; b < rect->b1; b++)
        ck_assert_msg(memcmp((const char *)read + (b - rect->b0) * n * row, whole + (b * T + rect->t0) * row,
                             n * row) == 0,
                      "rows [%zu,%zu) of samples [%zu,%zu)", rect->t0, rect->t1, rect->b0, rect->b1);
}

static const dataset_storage storages[] = {
    {.filters = ""},
    {.filters = "", .wide = true},
    {.filters = "", .big = true},
    {.filters = "", .user_block = 1024},
    {.filters = "", .compact = true},
    {.filters = "", .chunk = {1, 1, 1}},
    {.filters = "", .chunk = {3, 7, 11}},
    {.filters = "", .chunk = {2, 3, 4}},
    {.filters = "", .chunk = {5, 9, 20}},
    {.filters = "", .chunk = {2, 3, 4}, .user_block = 512},
    {.filters = "d", .chunk = {1, 2, 11}},
    {.filters = "sd", .chunk = {2, 3, 4}},
    {.filters = "sd", .chunk = {1, 7, 5}, .wide = true},
    {.filters = "sd", .chunk = {2, 3, 4}, .big = true},
    {.filters = "s", .chunk = {3, 2, 3}},
    {.filters = "f", .chunk = {2, 3, 4}},
    {.filters = "f", .chunk = {1, 1, 3}},
    {.filters = "sdf", .chunk = {2, 3, 4}},
    {.filters = "fsd", .chunk = {2, 3, 4}},
    {.filters = "dsf", .chunk = {1, 4, 11}, .wide = true},
    {.filters = "sd", .chunk = {1, 3, 4}, .part = true},
    {.filters = "", .chunk = {1, 7, 11}, .wide = true, .part = true},
};
enum { N_STORAGES = sizeof storages / sizeof *storages };

START_TEST(every_rectangle_equals_that_of_libhdf5)
{
    dataset_write(&storages[_i]);
    dataset_open();
    ck_assert_int_eq(conf_h5_rows_dtype(dataset_stream), storages[_i].wide ? ASSAY_F64 : ASSAY_F32);
    const char *whole = read_whole();
    for (size_t b0 = 0; b0 < B; b0++)
        for (size_t b1 = b0 + 1; b1 <= B; b1++)
            for (size_t t0 = 0; t0 < T; t0++)
                for (size_t t1 = t0 + 1; t1 <= T; t1++) assert_rect(whole, &(conf_rect){b0, b1, t0, t1});
}
END_TEST

/* The rows seen by a walk. */
typedef struct seen {
    unsigned times[B * T];
    const char *whole;
    pthread_mutex_t mutex;
    bool differs;
} seen;

static bool compare_rows(void *context, const conf_slab *slab, size_t from, size_t to)
{
    seen *s = context;
    for (size_t i = from; i < to; i++) {
        size_t b, t, bytes = conf_h5_rows_row_bytes(dataset_stream);
        conf_slab_place(slab, i, &b, &t);
        conf_row row = conf_slab_row(slab, 1, i);
        (void)pthread_mutex_lock(&s->mutex);
        s->times[b * T + t]++;
        s->differs = s->differs || memcmp(row.data, s->whole + (b * T + t) * bytes, bytes) != 0;
        (void)pthread_mutex_unlock(&s->mutex);
    }
    return true;
}

START_TEST(a_walk_visits_every_row_once)
{
    static const size_t n_workers[] = {1, 2, 7};
    dataset_write(&storages[_i]);
    dataset_open();
    for (size_t k = 0; k < 3; k++) {
        seen s = {.whole = read_whole()};
        assay_error err = {0};
        conf_h5_rows *const streams[] = {dataset_stream, dataset_stream};
        (void)pthread_mutex_init(&s.mutex, NULL);
        ck_assert_msg(conf_slabs_walk(streams, 2, n_workers[k], compare_rows, &s, &err) == ASSAY_OK, "%s",
                      err.text);
        for (size_t i = 0; i < (size_t)B * T; i++) ck_assert_uint_eq(s.times[i], 1);
        ck_assert(!s.differs);
    }
}
END_TEST

static bool stop(void *context, const conf_slab *slab, size_t from, size_t to)
{
    (void)slab, (void)from, (void)to;
    ++*(unsigned *)context;
    return false;
}

START_TEST(a_walk_ends_if_the_callback_returns_false)
{
    dataset_write(&storages[_i]);
    dataset_open();
    unsigned n = 0;
    assay_error err = {0};
    ck_assert_int_eq(conf_slabs_walk(&dataset_stream, 1, 1, stop, &n, &err), ASSAY_OK);
    ck_assert_uint_eq(n, 1);
}
END_TEST

/* A dataset in chunks whose rows are empty. */
static void write_nothing(void)
{
    const hid_t file = H5Fopen(dataset_path, H5F_ACC_RDWR, H5P_DEFAULT),
                plist = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space =
        H5Screate_simple(3, (const hsize_t[]){B, T, 0}, (const hsize_t[]){B, T, H5S_UNLIMITED});
    ck_assert_int_ge(H5Pset_chunk(plist, 3, (const hsize_t[]){1, 2, 3}), 0);
    (void)H5Dclose(H5Dcreate2(file, "/nothing", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(file), 0);
}

START_TEST(empty_data_has_no_parts)
{
    dataset_write(&(dataset_storage){.filters = "", .chunk = {1 + (unsigned)_i, 3, 4}});
    write_nothing();
    dataset_open();
    ck_assert_uint_eq(conf_h5_rows_n_parts(dataset_stream, &(conf_rect){1, 1, 0, T}), 0);
    ck_assert_uint_eq(conf_h5_rows_n_parts(dataset_stream, &(conf_rect){0, B, 2, 2}), 0);
    ck_assert_uint_eq(conf_h5_rows_n_parts(dataset_stream, &(conf_rect){0, B, 0, T}), _i ? 18 : 27);
    conf_h5_rows *nothing;
    assay_error err = {0};
    const conf_rect whole = {0, B, 0, T};
    ck_assert_int_eq(conf_h5_rows_open(dataset_file, "/nothing", &nothing, &err), ASSAY_OK);
    ck_assert_uint_eq(conf_h5_rows_n_parts(nothing, &whole), 0);
    ck_assert_int_eq(conf_h5_rows_read(nothing, &whole, NULL, &err), ASSAY_OK);
    conf_h5_rows_close(nothing);
}
END_TEST

START_TEST(fewer_axes_are_leading_ones)
{
    hid_t id = H5Fcreate(dataset_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(id), 0);
    float read = 0;
    const conf_rect rect = {.b1 = 1, .t1 = 1};
    assay_error err = {0};
    for (size_t rank = 0; rank < 3; rank++) {
        edit_f32(dataset_path, "/x", rank, (size_t[]){1, 1}, (const float[]){42});
        dataset_open();
        ck_assert_uint_eq(conf_h5_rows_shape(dataset_stream)[0], 1);
        ck_assert_int_eq(conf_h5_rows_read(dataset_stream, &rect, &read, &err), ASSAY_OK);
        ck_assert_float_eq(read, 42);
        conf_h5_rows_close(dataset_stream);
        conf_h5_close(dataset_file);
    }
    dataset_stream = NULL;
    dataset_file = NULL;
}
END_TEST

START_TEST(a_chunk_may_skip_filters)
{
    const float raw[2 * 3 * 4] = {1, 2, 3, 4, 5, 6};
    dataset_write(&(dataset_storage){.filters = _i ? "sf" : "sd", .chunk = {2, 3, 4}});
    dataset_replace_chunk(raw, sizeof raw, 3);
    dataset_open();
    const char *whole = read_whole();
    assert_rect(whole, &(conf_rect){0, B, 0, T});
    float fourth;
    memcpy(&fourth, whole + 3 * sizeof fourth, sizeof fourth);
    ck_assert_float_eq(fourth, 4);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/hdf5/rows");
    TCase *tc = tcase_create("datasets");
    tcase_add_checked_fixture(tc, dataset_setup, dataset_teardown);
    tcase_add_loop_test(tc, every_rectangle_equals_that_of_libhdf5, 0, N_STORAGES);
    tcase_add_loop_test(tc, a_walk_visits_every_row_once, 0, N_STORAGES);
    tcase_add_loop_test(tc, a_walk_ends_if_the_callback_returns_false, 0, N_STORAGES);
    tcase_add_loop_test(tc, empty_data_has_no_parts, 0, 2);
    tcase_add_test(tc, fewer_axes_are_leading_ones);
    tcase_add_loop_test(tc, a_chunk_may_skip_filters, 0, 2);
    suite_add_tcase(s, tc);
    return support_run(s);
}
