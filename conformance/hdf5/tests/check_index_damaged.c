/* Chunk indices with wrong sizes and addresses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/hdf5/file.h"
#include "conformance/hdf5/index.h"
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

static hid_t create_file(bool latest)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (latest) ck_assert_int_ge(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ck_assert_int_ge(file, 0);
    (void)H5Pclose(access);
    return file;
}

/* Writes data after the chunks, so that a chunk that is too long still ends inside the file. */
static void write_tail(hid_t file)
{
    static const char bytes[256];
    const hsize_t n = sizeof bytes;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t dataset = H5Dcreate2(file, "/tail", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes), 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
}

/* Writes one dataset of two chunks of 4 floats in the oldest format, and returns the file offset of the
 * first chunk's key in the B-tree. */
static off_t write_listed(bool packed)
{
    enum { KEY = 8 + 8 * 2 };
    hid_t file = create_file(false), plist = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t shape = 8, chunk = 4;
    const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    hid_t space = H5Screate_simple(1, &shape, NULL);
    ck_assert_int_ge(H5Pset_chunk(plist, 1, &chunk), 0);
    if (packed) ck_assert_int_ge(H5Pset_deflate(plist, 6), 0);
    hid_t dataset = H5Dcreate2(file, "/x", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    haddr_t address;
    ck_assert_int_ge(H5Fflush(file, H5F_SCOPE_LOCAL), 0);
    ck_assert_int_ge(H5Dget_chunk_info(dataset, space, 0, NULL, NULL, &address, NULL), 0);
    (void)H5Dclose(dataset);
    write_tail(file);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    ck_assert_int_ge(H5Fclose(file), 0);
    unsigned char bytes[8], *whole = malloc(1 << 16);
    for (size_t i = 0; i < 8; i++) bytes[i] = (unsigned char)(address >> 8 * i);
    int fd = open(path, O_RDONLY);
    ssize_t n = pread(fd, whole, 1 << 16, 0);
    (void)close(fd);
    off_t found = 0;
    for (ssize_t i = KEY; i + 8 <= n && !found; i++)
        if (memcmp(whole + i, bytes, 8) == 0) found = i - KEY;
    free(whole);
    ck_assert_int_gt(found, 0);
    return found;
}

static void patch(off_t at, const void *bytes, size_t n)
{
    int fd = open(path, O_RDWR);
    ck_assert_int_eq(pwrite(fd, bytes, n, at), (ssize_t)n);
    (void)close(fd);
}

/* Both ways of reading refuse the file, and return no data. */
static void assert_refused(const char *reason)
{
    conf_h5 *file;
    conf_array a = {0};
    conf_h5_rows *s = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_h5_read(file, "/x", &a, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(a.data);
    assert_holds(err.text, path);
    assert_holds(err.text, "/x: ");
    assert_holds(err.text, reason);
    err = (assay_error){0};
    assay_status rc = conf_h5_rows_open(file, "/x", &s, &err);
    float read[8];
    if (rc == ASSAY_OK) rc = conf_h5_rows_read(s, &(conf_rect){0, 1, 0, 1}, read, &err);
    ck_assert_int_eq(rc, ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
    conf_h5_rows_close(s);
    conf_h5_close(file);
}

static const struct {
    unsigned char bytes; /* the size of the chunk in the index */
    const char *plain, *packed;
} sizes[] = {
    {0, "the chunk at [0] is damaged: found 0 bytes, expected 16",
     "the chunk at [0] is damaged: found 0 bytes, expected 1 to "},
    {4, "the chunk at [0] is damaged: found 4 bytes, expected 16",
     "the chunk at [0] is damaged: its deflated bytes are damaged"},
    {15, "the chunk at [0] is damaged: found 15 bytes, expected 16",
     "the chunk at [0] is damaged: its deflated bytes are damaged"},
    {100, "the chunk at [0] is damaged: found 100 bytes, expected 16",
     "the chunk at [0] is damaged: found 100 bytes, expected the "},
};

START_TEST(a_chunk_is_as_large_as_its_index_says)
{
    patch(write_listed(false), &sizes[_i].bytes, 1);
    assert_refused(sizes[_i].plain);
    patch(write_listed(true), &sizes[_i].bytes, 1);
    assert_refused(sizes[_i].packed);
}
END_TEST

START_TEST(a_chunk_beyond_the_end_of_the_file_is_refused)
{
    static const unsigned char far[] = {0, 0, 0, 0, 0, 1, 0, 0},
                               wrapping[] = {0xf8, 255, 255, 255, 255, 255, 255, 255};
    patch(write_listed(false) + 24, far, sizeof far);
    assert_refused(
        "the chunk at [0] is damaged: its 16 bytes at address 1099511627776 reach beyond the file's end");
    patch(write_listed(true) + 24, wrapping, sizeof wrapping);
    assert_refused("at address 18446744073709551608 reach beyond the file's end");
}
END_TEST

START_TEST(a_chunk_that_is_listed_twice_or_between_chunks_is_refused)
{
    static const unsigned char four = 4, three = 3;
    patch(write_listed(false) + 8, &four, 1);
    assert_refused("its chunk index is damaged");
    patch(write_listed(false) + 8, &three, 1);
    assert_refused("its chunk index is damaged");
}
END_TEST

START_TEST(an_index_that_leads_to_itself_ends)
{
    static const unsigned char level = 1;
    off_t key = write_listed(false);
    unsigned char own[8];
    for (size_t i = 0; i < 8; i++) own[i] = (unsigned char)((uint64_t)(key - 24) >> 8 * i);
    patch(key - 24 + 5, &level, 1);
    patch(key + 24, own, sizeof own);
    assert_refused("its B-tree is damaged");
}
END_TEST

START_TEST(an_index_has_no_more_chunks_than_its_file_has_room_for)
{
    const conf_h5 file = {.path = (char[]){"x.h5"}, .size = 80};
    const conf_h5_dataset d = {.file = &file, .name = (char[]){"/x"}};
    conf_h5_chunks chunks = {0};
    conf_h5_index_reader r = {.d = &d, .chunks = &chunks, .rank = 1, .grid = {100}};
    const conf_h5_chunk chunk = {.address = 0, .bytes = 80};
    for (uint64_t i = 0; i < 12; i++)
        ck_assert_int_eq(conf_h5_index_add(&r, &i, &chunk, NULL), i <= 10 ? ASSAY_OK : ASSAY_EFORMAT);
    ck_assert_uint_eq(chunks.n, 11);
    conf_h5_chunks_free(&chunks);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/index_damaged");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_loop_test(t, a_chunk_is_as_large_as_its_index_says, 0, 4);
    tcase_add_test(t, a_chunk_beyond_the_end_of_the_file_is_refused);
    tcase_add_test(t, a_chunk_that_is_listed_twice_or_between_chunks_is_refused);
    tcase_add_test(t, an_index_that_leads_to_itself_ends);
    tcase_add_test(t, an_index_has_no_more_chunks_than_its_file_has_room_for);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
