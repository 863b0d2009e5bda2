/* Where chunks lie: every kind of index that libhdf5 writes, against libhdf5's own reader, and indices whose
 * sizes and addresses are wrong.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/hdf5/rows.h"
#include "conformance/hdf5/text.h"
#include "conformance/tests/support.h"

#define ANY H5S_UNLIMITED

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("index.h5");
}

/* A dataset of int32 with two axes, of which every `every`th chunk is written; 0: none. */
typedef struct stored {
    H5D_chunk_index_t index;
    bool latest, early;
    hsize_t shape[2], most[2], chunk[2];
    unsigned every;
} stored;

static int32_t value_at(hsize_t i, hsize_t j)
{
    return (int32_t)((i * 7919 + j * 31) % 1000003) + 1;
}

static hid_t create_file(bool latest)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (latest) ck_assert_int_ge(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ck_assert_int_ge(file, 0);
    (void)H5Pclose(access);
    return file;
}

static void write_chunk(hid_t dataset, const stored *s, const hsize_t *start)
{
    hsize_t count[2];
    for (size_t k = 0; k < 2; k++)
        count[k] = s->shape[k] - start[k] < s->chunk[k] ? s->shape[k] - start[k] : s->chunk[k];
    int32_t *values = calloc((size_t)(count[0] * count[1]), sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (hsize_t i = 0; i < count[0]; i++)
        for (hsize_t j = 0; j < count[1]; j++)
            values[i * count[1] + j] = value_at(start[0] + i, start[1] + j);
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(2, count, NULL);
    ck_assert_int_ge(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL), 0);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, values), 0);
    (void)H5Sclose(space);
    (void)H5Sclose(memory);
    free(values);
}

static void write_stored(const stored *s, bool packed)
{
    hid_t file = create_file(s->latest), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, s->shape, s->most);
    const int32_t fill = -3;
    ck_assert_int_ge(H5Pset_chunk(plist, 2, s->chunk), 0);
    ck_assert_int_ge(H5Pset_fill_value(plist, H5T_NATIVE_INT32, &fill), 0);
    if (s->early) ck_assert_int_ge(H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY), 0);
    if (packed) ck_assert_int_ge(H5Pset_deflate(plist, 1), 0);
    hid_t dataset = H5Dcreate2(file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    H5D_chunk_index_t found;
    ck_assert_int_ge(H5Dget_chunk_index_type(dataset, &found), 0);
    if (!packed || s->index != H5D_CHUNK_IDX_NONE) ck_assert_int_eq(found, s->index);
    unsigned n = 0;
    for (hsize_t i = 0; i < s->shape[0]; i += s->chunk[0])
        for (hsize_t j = 0; j < s->shape[1]; j += s->chunk[1])
            if (s->every && n++ % s->every == 0) write_chunk(dataset, s, (const hsize_t[]){i, j});
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static conf_array read_dataset(void)
{
    conf_h5 *file;
    conf_array a;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_h5_read(file, "/x", &a, &err) == ASSAY_OK, "%s", err.text);
    conf_h5_close(file);
    return a;
}

static void assert_as_libhdf5_reads(void)
{
    conf_array a = read_dataset();
    int32_t *expected = calloc(a.n, sizeof *expected);
    ck_assert_ptr_nonnull(expected);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, expected), 0);
    (void)H5Dclose(dataset);
    (void)H5Fclose(file);
    ck_assert_int_eq(a.dtype, ASSAY_I32);
    ck_assert_mem_eq(a.data, expected, a.n * sizeof *expected);
    free(expected);
    conf_array_free(&a);
}

/* Small ones, and ones that need more than one level or page. */
static const stored kinds[] = {
    {.index = H5D_CHUNK_IDX_BTREE, .shape = {5, 7}, .most = {5, 7}, .chunk = {2, 3}, .every = 1},
    {.index = H5D_CHUNK_IDX_BTREE, .shape = {90, 90}, .most = {ANY, ANY}, .chunk = {1, 1}, .every = 1},
    {.index = H5D_CHUNK_IDX_BTREE, .shape = {90, 90}, .most = {ANY, 90}, .chunk = {1, 2}, .every = 3},
    {.index = H5D_CHUNK_IDX_SINGLE,
     .latest = true,
     .shape = {5, 7},
     .most = {5, 7},
     .chunk = {5, 7},
     .every = 1},
    {.index = H5D_CHUNK_IDX_NONE,
     .latest = true,
     .early = true,
     .shape = {5, 7},
     .most = {9, 11},
     .chunk = {2, 3},
     .every = 1},
    {.index = H5D_CHUNK_IDX_FARRAY,
     .latest = true,
     .shape = {5, 7},
     .most = {9, 11},
     .chunk = {2, 3},
     .every = 1},
    {.index = H5D_CHUNK_IDX_FARRAY,
     .latest = true,
     .shape = {60, 60},
     .most = {60, 60},
     .chunk = {1, 1},
     .every = 2},
    {.index = H5D_CHUNK_IDX_FARRAY,
     .latest = true,
     .shape = {60, 60},
     .most = {60, 61},
     .chunk = {1, 1},
     .every = 1100},
    {.index = H5D_CHUNK_IDX_EARRAY,
     .latest = true,
     .shape = {5, 7},
     .most = {ANY, 8},
     .chunk = {2, 3},
     .every = 1},
    {.index = H5D_CHUNK_IDX_EARRAY,
     .latest = true,
     .shape = {5, 7},
     .most = {6, ANY},
     .chunk = {2, 3},
     .every = 1},
    {.index = H5D_CHUNK_IDX_EARRAY,
     .latest = true,
     .shape = {9, 700},
     .most = {9, ANY},
     .chunk = {2, 1},
     .every = 1},
    {.index = H5D_CHUNK_IDX_EARRAY,
     .latest = true,
     .shape = {150000, 1},
     .most = {ANY, 1},
     .chunk = {1, 1},
     .every = 401},
    {.index = H5D_CHUNK_IDX_BT2,
     .latest = true,
     .shape = {5, 7},
     .most = {ANY, ANY},
     .chunk = {2, 3},
     .every = 1},
    {.index = H5D_CHUNK_IDX_BT2,
     .latest = true,
     .shape = {110, 110},
     .most = {ANY, ANY},
     .chunk = {1, 1},
     .every = 1},
    /* Without a chunk there is no more than the header of an index. */
    {.index = H5D_CHUNK_IDX_BTREE, .shape = {5, 7}, .most = {5, 7}, .chunk = {2, 3}},
    {.index = H5D_CHUNK_IDX_FARRAY, .latest = true, .shape = {5, 7}, .most = {9, 11}, .chunk = {2, 3}},
    {.index = H5D_CHUNK_IDX_EARRAY, .latest = true, .shape = {5, 7}, .most = {ANY, 8}, .chunk = {2, 3}},
    {.index = H5D_CHUNK_IDX_BT2, .latest = true, .shape = {5, 7}, .most = {ANY, ANY}, .chunk = {2, 3}},
    /* Pages whose bits fill one byte, and one page more. */
    {.index = H5D_CHUNK_IDX_FARRAY,
     .latest = true,
     .shape = {64, 128},
     .most = {64, 128},
     .chunk = {1, 1},
     .every = 401},
    {.index = H5D_CHUNK_IDX_FARRAY,
     .latest = true,
     .shape = {65, 128},
     .most = {65, 128},
     .chunk = {1, 1},
     .every = 401},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

START_TEST(every_index_is_read_as_libhdf5_reads_it)
{
    write_stored(&kinds[_i], false);
    assert_as_libhdf5_reads();
    write_stored(&kinds[_i], true);
    assert_as_libhdf5_reads();
}
END_TEST

/* A dataset that shrank keeps chunks, or parts of them, that no longer belong to it. */
START_TEST(a_resized_dataset_is_read_in_its_new_shape)
{
    static const hsize_t shapes[][2] = {{3, 4}, {1, 1}, {8, 8}};
    static const size_t growing[] = {1, 8, 12};
    stored s = kinds[growing[_i]];
    for (size_t k = 0; k < 3; k++) {
        write_stored(&s, k % 2);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
        ck_assert_int_ge(H5Dset_extent(dataset, shapes[k]), 0);
        (void)H5Dclose(dataset);
        ck_assert_int_ge(H5Fclose(file), 0);
        assert_as_libhdf5_reads();
    }
}
END_TEST

/* Chunks that reach beyond the dataset may be stored without their filters. */
START_TEST(partial_chunks_without_filters_are_read)
{
    hid_t file = create_file(true), plist = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t shape[2] = {5, 7}, chunk[2] = {2, 3};
    hid_t space = H5Screate_simple(2, shape, NULL);
    ck_assert_int_ge(H5Pset_chunk(plist, 2, chunk), 0);
    ck_assert_int_ge(H5Pset_deflate(plist, 9), 0);
    ck_assert_int_ge(H5Pset_chunk_opts(plist, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS), 0);
    int32_t values[35];
    for (int i = 0; i < 35; i++) values[i] = i * i;
    hid_t dataset = H5Dcreate2(file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(file), 0);
    assert_as_libhdf5_reads();
}
END_TEST

START_TEST(a_dataset_may_have_as_many_axes_as_hdf5_has)
{
    enum { N = H5S_MAX_RANK };
    hsize_t ones[N];
    const int32_t value = 5;
    for (size_t i = 0; i < N; i++) ones[i] = 1;
    hid_t file = create_file(_i), plist = H5Pcreate(H5P_DATASET_CREATE),
          space = H5Screate_simple(N, ones, NULL);
    ck_assert_int_ge(H5Pset_chunk(plist, N, ones), 0);
    hid_t dataset = H5Dcreate2(file, "/x", H5T_STD_I32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(file), 0);
    conf_h5 *opened;
    conf_array a;
    conf_signature signature;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &opened, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_h5_signature(opened, "/x", &signature, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_str_eq(signature.type, "I32");
    ck_assert_uint_eq(strlen(signature.shape), 2 * N + 1);
    ck_assert_int_eq(conf_h5_read(opened, "/x", &a, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x has 32 axes; at most 8 are read");
    conf_h5_close(opened);
}
END_TEST

/* With a checksum over the index, a wrong size can only have been written. */
START_TEST(a_wrong_size_is_found_in_every_index)
{
    static const size_t packed_kinds[] = {3, 5, 8, 9, 12};
    static const char junk[200];
    for (size_t i = 0; i < 5; i++) {
        const stored *s = &kinds[packed_kinds[i]];
        write_stored(s, true);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
        const hsize_t start[2] = {0, 0};
        ck_assert_int_ge(H5Dwrite_chunk(dataset, H5P_DEFAULT, 1, start, _i ? sizeof junk : 4, junk), 0);
        (void)H5Dclose(dataset);
        ck_assert_int_ge(H5Fclose(file), 0);
        conf_h5 *opened;
        conf_array a;
        assay_error err = {0};
        ck_assert_msg(conf_h5_open(path, &opened, &err) == ASSAY_OK, "%s", err.text);
        ck_assert_int_eq(conf_h5_read(opened, "/x", &a, &err), ASSAY_EFORMAT);
        assert_holds(err.text, "/x: the chunk at [0,0] is damaged: found ");
        assert_holds(err.text, _i ? "found 200 bytes, expected " : "found 4 bytes, expected ");
        conf_h5_close(opened);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/index");
    TCase *read = tcase_create("read");
    tcase_set_timeout(read, 120);
    tcase_add_checked_fixture(read, setup, support_teardown);
    tcase_add_loop_test(read, every_index_is_read_as_libhdf5_reads_it, 0, N_KINDS);
    tcase_add_loop_test(read, a_resized_dataset_is_read_in_its_new_shape, 0, 3);
    tcase_add_test(read, partial_chunks_without_filters_are_read);
    tcase_add_loop_test(read, a_dataset_may_have_as_many_axes_as_hdf5_has, 0, 2);
    suite_add_tcase(suite, read);
    TCase *damaged = tcase_create("damaged");
    tcase_set_timeout(damaged, 60);
    tcase_add_checked_fixture(damaged, setup, support_teardown);
    tcase_add_loop_test(damaged, a_wrong_size_is_found_in_every_index, 0, 2);
    suite_add_tcase(suite, damaged);
    return support_run(suite);
}
