/* Reading large datasets by rectangles: every way in which HDF5 stores numbers, against libhdf5's own reader,
 * and what is refused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/h5_stream.h"
#include "conformance/slab.h"
#include "conformance/tests/support.h"

enum { B = 3, T = 7, V = 11 };
static const hsize_t shape[3] = {B, T, V};
static const char *path;
static conf_h5 *file;
static conf_stream *stream;

static void setup(void)
{
    support_setup();
    path = support_path("data.h5");
    file = NULL;
    stream = NULL;
}

static void teardown(void)
{
    conf_stream_close(stream);
    conf_h5_close(file);
    support_teardown();
}

/* How a dataset is stored. */
typedef struct storage {
    const char *filters; /* letters in the order of writing: s, d, f */
    hsize_t chunk[3];    /* 0: contiguous */
    bool big, wide;      /* of the file's type */
    bool part;           /* only the middle sample is written; the rest are fill values */
    bool compact;
    hsize_t user_block;
} storage;

static hid_t file_type(const storage *s)
{
    if (s->wide) return s->big ? H5T_IEEE_F64BE : H5T_IEEE_F64LE;
    return s->big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE;
}

static hid_t make_plist(const storage *s)
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

static void write_data(hid_t dataset, const storage *s)
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

static void write_file(const storage *s)
{
    hid_t files = H5Pcreate(H5P_FILE_CREATE), plist = make_plist(s);
    if (s->user_block) ck_assert_int_ge(H5Pset_userblock(files, s->user_block), 0);
    const hsize_t most[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    hid_t space = H5Screate_simple(3, shape, s->chunk[0] ? most : NULL);
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, files, H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(id, "/x", file_type(s), space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert(id >= 0 && dataset >= 0);
    write_data(dataset, s);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    (void)H5Pclose(files);
    ck_assert_int_ge(H5Fclose(id), 0);
}

static void open_stream(void)
{
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_stream_open(file, "/x", &stream, &err) == ASSAY_OK, "%s", err.text);
}

/* The whole dataset as libhdf5 reads it, in its own precision. */
static const char *read_whole(void)
{
    static double whole[B * T * V];
    hid_t id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(id, "/x", H5P_DEFAULT);
    hid_t type = conf_stream_dtype(stream) == ASSAY_F64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
    ck_assert_int_ge(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole), 0);
    (void)H5Dclose(dataset);
    (void)H5Fclose(id);
    return (const char *)whole;
}

static void assert_rect(const char *whole, const conf_rect *rect)
{
    static double read[B * T * V];
    size_t row = conf_stream_row_bytes(stream), n = rect->t1 - rect->t0;
    assay_error err = {0};
    memset(read, 0xff, sizeof read);
    ck_assert_msg(conf_stream_read(stream, rect, read, &err) == ASSAY_OK, "%s", err.text);
    for (size_t b = rect->b0; b < rect->b1; b++)
        ck_assert_msg(memcmp((const char *)read + (b - rect->b0) * n * row, whole + (b * T + rect->t0) * row,
                             n * row) == 0,
                      "rows [%zu,%zu) of samples [%zu,%zu)", rect->t0, rect->t1, rect->b0, rect->b1);
}

static const storage storages[] = {
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

START_TEST(every_rectangle_is_what_libhdf5_reads)
{
    write_file(&storages[_i]);
    open_stream();
    ck_assert_int_eq(conf_stream_dtype(stream), storages[_i].wide ? ASSAY_F64 : ASSAY_F32);
    const char *whole = read_whole();
    for (size_t b0 = 0; b0 < B; b0++)
        for (size_t b1 = b0 + 1; b1 <= B; b1++)
            for (size_t t0 = 0; t0 < T; t0++)
                for (size_t t1 = t0 + 1; t1 <= T; t1++) assert_rect(whole, &(conf_rect){b0, b1, t0, t1});
}
END_TEST

/* What a walk showed. */
typedef struct seen {
    unsigned times[B * T];
    const char *whole;
    pthread_mutex_t mutex;
    bool differs;
} seen;

static bool see(void *context, const conf_slab *slab, size_t from, size_t to)
{
    seen *s = context;
    for (size_t i = from; i < to; i++) {
        size_t b, t, bytes = conf_stream_row_bytes(stream);
        conf_slab_place(slab, i, &b, &t);
        conf_row row = conf_slab_row(slab, 1, i);
        (void)pthread_mutex_lock(&s->mutex);
        s->times[b * T + t]++;
        s->differs = s->differs || memcmp(row.data, s->whole + (b * T + t) * bytes, bytes) != 0;
        (void)pthread_mutex_unlock(&s->mutex);
    }
    return true;
}

START_TEST(a_walk_shows_every_row_once)
{
    static const size_t n_workers[] = {1, 2, 7};
    write_file(&storages[_i]);
    open_stream();
    for (size_t k = 0; k < 3; k++) {
        seen s = {.whole = read_whole()};
        assay_error err = {0};
        conf_stream *const streams[] = {stream, stream};
        (void)pthread_mutex_init(&s.mutex, NULL);
        ck_assert_msg(conf_slabs_walk(streams, 2, n_workers[k], see, &s, &err) == ASSAY_OK, "%s", err.text);
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

START_TEST(a_walk_ends_where_nothing_more_is_wanted)
{
    write_file(&storages[_i]);
    open_stream();
    unsigned n = 0;
    assay_error err = {0};
    ck_assert_int_eq(conf_slabs_walk(&stream, 1, 1, stop, &n, &err), ASSAY_OK);
    ck_assert_uint_eq(n, 1);
}
END_TEST

START_TEST(fewer_axes_are_leading_ones)
{
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(id), 0);
    float read = 0;
    const conf_rect rect = {.b1 = 1, .t1 = 1};
    assay_error err = {0};
    for (size_t rank = 0; rank < 3; rank++) {
        edit_f32(path, "/x", rank, (size_t[]){1, 1}, (const float[]){42});
        open_stream();
        ck_assert_uint_eq(conf_stream_shape(stream)[0], 1);
        ck_assert_int_eq(conf_stream_read(stream, &rect, &read, &err), ASSAY_OK);
        ck_assert_float_eq(read, 42);
        conf_stream_close(stream);
        conf_h5_close(file);
    }
    stream = NULL;
    file = NULL;
}
END_TEST

/* Puts raw bytes in place of the first chunk. skipped: filters that they have not gone through. */
static void replace_chunk(const void *bytes, size_t n, uint32_t skipped)
{
    hid_t id = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(id, "/x", H5P_DEFAULT);
    const hsize_t start[3] = {0, 0, 0};
    ck_assert_int_ge(H5Dwrite_chunk(dataset, H5P_DEFAULT, skipped, start, n, bytes), 0);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(id), 0);
}

START_TEST(a_chunk_may_skip_filters)
{
    const float raw[2 * 3 * 4] = {1, 2, 3, 4, 5, 6};
    write_file(&(storage){.filters = "sd", .chunk = {2, 3, 4}});
    replace_chunk(raw, sizeof raw, 3);
    open_stream();
    const char *whole = read_whole();
    assert_rect(whole, &(conf_rect){0, B, 0, T});
    float fourth;
    memcpy(&fourth, whole + 3 * sizeof fourth, sizeof fourth);
    ck_assert_float_eq(fourth, 4);
}
END_TEST

static void assert_damaged(const char *reason)
{
    static double read[B * T * V];
    assay_error err = {0};
    const conf_rect rect = {0, B, 0, T};
    open_stream();
    ck_assert_int_eq(conf_stream_read(stream, &rect, read, &err), ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, "/x");
    assert_holds(err.text, reason);
}

START_TEST(a_chunk_of_another_size_is_damaged)
{
    const float raw[2 * 3 * 4] = {0};
    write_file(&(storage){.filters = "s", .chunk = {2, 3, 4}});
    replace_chunk(raw, sizeof raw - 4, 1);
    assert_damaged("the chunk at [0,0,0] is damaged: it has another size than its shape");
}
END_TEST

START_TEST(a_chunk_that_is_larger_than_its_shape_is_damaged)
{
    static const char raw[60000] = "";
    write_file(&(storage){.filters = "d", .chunk = {2, 3, 4}});
    replace_chunk(raw, sizeof raw, 0);
    assert_damaged("cut short or damaged");
}
END_TEST

/* Flips one bit in the middle of the first chunk. */
static void flip_bit(void)
{
    hid_t id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(id, "/x", H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    haddr_t at = 0;
    hsize_t size = 0;
    ck_assert_int_ge(H5Dget_chunk_info(dataset, space, 0, NULL, NULL, &at, &size), 0);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(id), 0);
    unsigned char byte;
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(pread(fd, &byte, 1, (off_t)(at + size / 2)), 1);
    byte ^= 4;
    ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)(at + size / 2)), 1);
    (void)close(fd);
}

START_TEST(a_flipped_bit_in_a_deflated_chunk_is_found)
{
    write_file(&(storage){.filters = "sd", .chunk = {2, 3, 4}});
    flip_bit();
    assert_damaged("the chunk at [0,0,0] is damaged: its deflated bytes are damaged");
}
END_TEST

START_TEST(a_flipped_bit_under_a_checksum_is_found)
{
    write_file(&(storage){.filters = "f", .chunk = {2, 3, 4}});
    flip_bit();
    assert_damaged("the chunk at [0,0,0] is damaged: its checksum is wrong");
}
END_TEST

static bool touch(void *context, const conf_slab *slab, size_t from, size_t to)
{
    (void)context, (void)slab, (void)from, (void)to;
    return true;
}

START_TEST(a_walk_names_the_damage)
{
    write_file(&(storage){.filters = "f", .chunk = {2, 3, 4}});
    flip_bit();
    open_stream();
    assay_error err = {0};
    ck_assert_int_eq(conf_slabs_walk(&stream, 1, 4, touch, NULL, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "the chunk at [0,0,0] is damaged: its checksum is wrong");
}
END_TEST

START_TEST(a_file_that_shrinks_while_it_is_read_is_cut_short)
{
    write_file(&storages[0]);
    open_stream();
    ck_assert_int_eq(truncate(path, 1024), 0);
    static double read[B * T * V];
    assay_error err = {0};
    ck_assert_int_eq(conf_stream_read(stream, &(conf_rect){0, B, 0, T}, read, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "cut short");
}
END_TEST

static void assert_refused(const char *reason)
{
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    conf_h5_limit(file, CONF_CHUNK_BYTES_MAX);
    ck_assert_int_eq(conf_stream_open(file, "/x", &stream, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(stream);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
}

static void write_never(const hsize_t *size, const hsize_t *chunk)
{
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, size, NULL);
    ck_assert_int_ge(H5Pset_chunk(plist, 3, chunk), 0);
    hid_t dataset = H5Dcreate2(id, "/x", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(id), 0);
}

START_TEST(a_small_file_cannot_hold_a_terabyte)
{
    write_never((const hsize_t[]){64, 65536, 65536}, (const hsize_t[]){1, 16, 16});
    assert_refused("/x unpacks to 1099511627776 bytes, more than a file of ");
}
END_TEST

START_TEST(a_chunk_that_does_not_fit_is_refused)
{
    write_never((const hsize_t[]){1, 8192, 8192}, (const hsize_t[]){1, 8192, 8192});
    assert_refused("has chunks of 268435456 bytes");
}
END_TEST

START_TEST(other_types_and_more_axes_are_refused)
{
    hid_t id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(id), 0);
    edit_i32(path, "/x", 1, (size_t[]){2}, (const int32_t[]){1, 2});
    assert_refused("/x has type I32, expected F64 or F32");
    conf_h5_close(file);
    file = NULL;
    edit_f32(path, "/x", 4, (size_t[]){1, 1, 1, 2}, (const float[]){1, 2});
    assert_refused("/x has 4 axes; at most 3 are compared");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/stream");
    TCase *tc = tcase_create("datasets");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, every_rectangle_is_what_libhdf5_reads, 0, N_STORAGES);
    tcase_add_loop_test(tc, a_walk_shows_every_row_once, 0, N_STORAGES);
    tcase_add_loop_test(tc, a_walk_ends_where_nothing_more_is_wanted, 0, N_STORAGES);
    tcase_add_test(tc, fewer_axes_are_leading_ones);
    tcase_add_test(tc, a_chunk_may_skip_filters);
    suite_add_tcase(s, tc);
    tc = tcase_create("damage");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, a_chunk_of_another_size_is_damaged);
    tcase_add_test(tc, a_chunk_that_is_larger_than_its_shape_is_damaged);
    tcase_add_test(tc, a_flipped_bit_in_a_deflated_chunk_is_found);
    tcase_add_test(tc, a_flipped_bit_under_a_checksum_is_found);
    tcase_add_test(tc, a_walk_names_the_damage);
    tcase_add_test(tc, a_file_that_shrinks_while_it_is_read_is_cut_short);
    tcase_add_test(tc, a_small_file_cannot_hold_a_terabyte);
    tcase_add_test(tc, a_chunk_that_does_not_fit_is_refused);
    tcase_add_test(tc, other_types_and_more_axes_are_refused);
    suite_add_tcase(s, tc);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
