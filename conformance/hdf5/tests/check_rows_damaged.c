/* Reading large datasets by rectangles: damaged and refused files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/diff/slab.h"
#include "conformance/hdf5/tests/dataset.h"
#include "conformance/tests/support.h"

enum { B = DATASET_B, T = DATASET_T, V = DATASET_V };

/* The linker redirects reads of files here: each is interrupted n_interrupted times, and returns one
 * byte less than requested if the test asks for it. */
ssize_t __real_pread(int fd, void *into, size_t n, off_t offset);
ssize_t __wrap_pread(int fd, void *into, size_t n, off_t offset);

static unsigned n_interrupted, n_short;

ssize_t __wrap_pread(int fd, void *into, size_t n, off_t offset)
{
    if (n_interrupted > 0) {
        n_interrupted--;
        errno = EINTR;
        return -1;
    }
    if (n_short > 0 && n > 1) {
        n_short--;
        n--;
    }
    return __real_pread(fd, into, n, offset);
}

START_TEST(an_interrupted_or_short_read_is_continued)
{
    static float read[B * T * V], expected[B * T * V];
    const conf_rect rect = {0, B, 0, T};
    assay_error err = {0};
    dataset_write(&(dataset_storage){.filters = ""});
    dataset_open();
    ck_assert_int_eq(conf_h5_rows_read(dataset_stream, &rect, expected, &err), ASSAY_OK);
    n_interrupted = 2, n_short = 1;
    ck_assert_int_eq(conf_h5_rows_read(dataset_stream, &rect, read, &err), ASSAY_OK);
    ck_assert_uint_eq(n_interrupted + n_short, 0);
    ck_assert_mem_eq(read, expected, sizeof read);
    ck_assert_float_ne(read[B * T * V - 1], 0);
}
END_TEST

static void assert_damaged(const char *reason)
{
    static double read[B * T * V];
    assay_error err = {0};
    const conf_rect rect = {0, B, 0, T};
    dataset_open();
    ck_assert_int_eq(conf_h5_rows_read(dataset_stream, &rect, read, &err), ASSAY_EFORMAT);
    assert_holds(err.text, dataset_path);
    assert_holds(err.text, "/x");
    assert_holds(err.text, reason);
}

START_TEST(a_chunk_of_another_size_is_damaged)
{
    const float raw[2 * 3 * 4] = {0};
    dataset_write(&(dataset_storage){.filters = "s", .chunk = {2, 3, 4}});
    dataset_replace_chunk(raw, sizeof raw - 4, 1);
    assert_damaged("the chunk at [0,0,0] is damaged: found 92 bytes, expected 96");
}
END_TEST

START_TEST(a_chunk_that_is_larger_than_its_shape_is_damaged)
{
    static const char raw[60000] = "";
    dataset_write(&(dataset_storage){.filters = "d", .chunk = {2, 3, 4}});
    dataset_replace_chunk(raw, sizeof raw, 0);
    assert_damaged("the chunk at [0,0,0] is damaged: found 60000 bytes, expected 1 to 4193 of a deflated");
}
END_TEST

/* Flips one bit in the middle of a chunk. */
static void flip_bit_of(hsize_t chunk)
{
    hid_t id = H5Fopen(dataset_path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(id, "/x", H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    haddr_t at = 0;
    hsize_t size = 0;
    ck_assert_int_ge(H5Dget_chunk_info(dataset, space, chunk, NULL, NULL, &at, &size), 0);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(id), 0);
    unsigned char byte;
    int fd = open(dataset_path, O_RDWR);
    ck_assert_int_eq(pread(fd, &byte, 1, (off_t)(at + size / 2)), 1);
    byte ^= 4;
    ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)(at + size / 2)), 1);
    (void)close(fd);
}

static void flip_bit(void)
{
    flip_bit_of(0);
}

START_TEST(a_flipped_bit_in_a_deflated_chunk_is_found)
{
    dataset_write(&(dataset_storage){.filters = "sd", .chunk = {2, 3, 4}});
    flip_bit();
    assert_damaged("the chunk at [0,0,0] is damaged: its deflated bytes are damaged");
}
END_TEST

START_TEST(a_flipped_bit_under_a_checksum_is_found)
{
    dataset_write(&(dataset_storage){.filters = "f", .chunk = {2, 3, 4}});
    flip_bit();
    assert_damaged("the chunk at [0,0,0] is damaged: its checksum is wrong");
}
END_TEST

START_TEST(the_place_of_a_damaged_chunk_is_named)
{
    dataset_write(&(dataset_storage){.filters = "f", .chunk = {2, 3, 4}});
    flip_bit_of(13);
    assert_damaged("the chunk at [2,3,4] is damaged: its checksum is wrong");
}
END_TEST

static bool visit_slab(void *context, const conf_slab *slab, size_t from, size_t to)
{
    (void)context, (void)slab, (void)from, (void)to;
    return true;
}

START_TEST(a_walk_names_the_damage)
{
    dataset_write(&(dataset_storage){.filters = "f", .chunk = {2, 3, 4}});
    flip_bit();
    dataset_open();
    assay_error err = {0};
    ck_assert_int_eq(conf_slabs_walk(&dataset_stream, 1, 4, visit_slab, NULL, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "the chunk at [0,0,0] is damaged: its checksum is wrong");
}
END_TEST

START_TEST(a_file_that_shrinks_while_it_is_read_is_cut_short)
{
    dataset_write(&(dataset_storage){.filters = ""});
    dataset_open();
    ck_assert_int_eq(truncate(dataset_path, 1024), 0);
    static double read[B * T * V];
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_rows_read(dataset_stream, &(conf_rect){0, B, 0, T}, read, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "cut short");
}
END_TEST

static void assert_refused(const char *reason)
{
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(dataset_path, &dataset_file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_h5_rows_open(dataset_file, "/x", &dataset_stream, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(dataset_stream);
    assert_holds(err.text, dataset_path);
    assert_holds(err.text, reason);
}

static void write_never(const hsize_t *size, const hsize_t *chunk)
{
    hid_t id = H5Fcreate(dataset_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
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

/* The mebibyte is for small files, in which fill values take most. */
START_TEST(a_file_can_hold_1032_times_its_size_and_a_mebibyte)
{
    const hsize_t chunk[3] = {1, 1, 16};
    struct stat s;
    assay_error err = {0};
    write_never(chunk, chunk);
    ck_assert_int_eq(stat(dataset_path, &s), 0);
    const hsize_t most = ((hsize_t)s.st_size * 1032 + (1U << 20)) / sizeof(float);
    write_never((const hsize_t[]){1, 1, most + 1}, chunk);
    assert_refused(", more than a file of ");
    conf_h5_close(dataset_file);
    write_never((const hsize_t[]){1, 1, most}, chunk);
    ck_assert_int_eq(conf_h5_open(dataset_path, &dataset_file, &err), ASSAY_OK);
    ck_assert_msg(conf_h5_rows_open(dataset_file, "/x", &dataset_stream, &err) == ASSAY_OK, "%s", err.text);
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
    hid_t id = H5Fcreate(dataset_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Fclose(id), 0);
    edit_i32(dataset_path, "/x", 1, (size_t[]){2}, (const int32_t[]){1, 2});
    assert_refused("/x has type I32, expected F64 or F32");
    conf_h5_close(dataset_file);
    dataset_file = NULL;
    edit_f32(dataset_path, "/x", 4, (size_t[]){1, 1, 1, 2}, (const float[]){1, 2});
    assert_refused("/x has 4 axes; at most 3 are compared");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/hdf5/rows_damaged");
    TCase *tc = tcase_create("damage");
    tcase_add_checked_fixture(tc, dataset_setup, dataset_teardown);
    tcase_add_test(tc, an_interrupted_or_short_read_is_continued);
    tcase_add_test(tc, a_chunk_of_another_size_is_damaged);
    tcase_add_test(tc, a_chunk_that_is_larger_than_its_shape_is_damaged);
    tcase_add_test(tc, a_flipped_bit_in_a_deflated_chunk_is_found);
    tcase_add_test(tc, a_flipped_bit_under_a_checksum_is_found);
    tcase_add_test(tc, the_place_of_a_damaged_chunk_is_named);
    tcase_add_test(tc, a_walk_names_the_damage);
    tcase_add_test(tc, a_file_that_shrinks_while_it_is_read_is_cut_short);
    tcase_add_test(tc, a_small_file_cannot_hold_a_terabyte);
    tcase_add_test(tc, a_file_can_hold_1032_times_its_size_and_a_mebibyte);
    tcase_add_test(tc, a_chunk_that_does_not_fit_is_refused);
    tcase_add_test(tc, other_types_and_more_axes_are_refused);
    suite_add_tcase(s, tc);
    return support_run(s);
}
