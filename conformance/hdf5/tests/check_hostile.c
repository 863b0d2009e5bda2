/* Malicious HDF5 files: huge allocations, wrong types, structures that break readers. Damaged files are
 * read in a process of their own, so that a crash is detected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "logits", "model");
}

static void assert_refused(const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_EFORMAT);
    ck_assert_ptr_null(c);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
}

/* A two-dimensional dataset in place of /input/tokens, whose chunks are never written. */
static void make_chunked(hid_t file, const hsize_t *shape, const hsize_t *chunk, hid_t plist)
{
    ck_assert_int_ge(H5Ldelete(file, "/input/tokens", H5P_DEFAULT), 0);
    ck_assert_int_ge(H5Pset_chunk(plist, 2, chunk), 0);
    hid_t space = H5Screate_simple(2, shape, (const hsize_t[]){H5S_UNLIMITED, H5S_UNLIMITED});
    hid_t dataset =
        H5Dcreate2(file, "/input/tokens", H5T_NATIVE_INT32, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
}

static void make_never_written(hid_t file)
{
    make_chunked(file, (const hsize_t[]){1 << 14, 1 << 14}, (const hsize_t[]){64, 64},
                 H5Pcreate(H5P_DATASET_CREATE));
}

START_TEST(a_small_file_cannot_ask_for_a_gigabyte)
{
    edit_file(path, make_never_written);
    assert_refused("/input/tokens unpacks to 1073741824 bytes; a file of ");
}
END_TEST

static void make_large_chunk(hid_t file)
{
    make_chunked(file, (const hsize_t[]){2, 5}, (const hsize_t[]){1 << 14, 1 << 14},
                 H5Pcreate(H5P_DATASET_CREATE));
}

START_TEST(a_chunk_larger_than_its_dataset_counts_as_a_whole)
{
    edit_file(path, make_large_chunk);
    assert_refused("/input/tokens has chunks of 1073741824 bytes");
}
END_TEST

static void make_deflated_twice(hid_t file)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    ck_assert_int_ge(H5Pset_deflate(plist, 9), 0);
    ck_assert_int_ge(H5Pset_filter(plist, H5Z_FILTER_DEFLATE, 0, 1, (const unsigned[]){9}), 0);
    make_chunked(file, (const hsize_t[]){2, 5}, (const hsize_t[]){2, 5}, plist);
}

START_TEST(a_dataset_deflated_twice_is_refused)
{
    edit_file(path, make_deflated_twice);
    assert_refused("/input/tokens is packed by filter 1; expected shuffle, deflate and fletcher32, each");
}
END_TEST

static void make_scaled(hid_t file)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    ck_assert_int_ge(H5Pset_scaleoffset(plist, H5Z_SO_INT, 0), 0);
    make_chunked(file, (const hsize_t[]){2, 5}, (const hsize_t[]){2, 5}, plist);
}

START_TEST(a_filter_that_no_recorder_writes_is_refused)
{
    edit_file(path, make_scaled);
    assert_refused("/input/tokens is packed by filter 6");
}
END_TEST

/* Compressed zeros: 64 MiB in some 64 KiB, in as many chunks as exceed the limit. */
static void make_bombs(hid_t file)
{
    enum { SIDE = 4096, N_LINKS = 64 };
    int32_t *zeros = calloc((size_t)SIDE * SIDE, sizeof *zeros);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    ck_assert_ptr_nonnull(zeros);
    ck_assert_int_ge(H5Pset_chunk(plist, 2, (const hsize_t[]){SIDE, SIDE}), 0);
    ck_assert_int_ge(H5Pset_deflate(plist, 9), 0);
    hid_t space = H5Screate_simple(2, (const hsize_t[]){SIDE, SIDE}, NULL);
    hid_t dataset = H5Dcreate2(file, "/input/bomb", H5T_NATIVE_INT32, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros), 0);
    for (int i = 0; i < N_LINKS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "/input/bomb%02d", i);
        ck_assert_int_ge(H5Lcreate_hard(file, "/input/bomb", file, name, H5P_DEFAULT, H5P_DEFAULT), 0);
    }
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    free(zeros);
}

START_TEST(many_names_of_one_bomb_are_refused_together)
{
    edit_file(path, make_bombs);
    struct stat info;
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_int_lt(info.st_size, 200000);
    assert_refused(" unpacks to 67108864 bytes; a file of ");
}
END_TEST

static void make_dataset_of(hid_t file, hid_t type)
{
    ck_assert_int_ge(H5Ldelete(file, "/input/length", H5P_DEFAULT), 0);
    hid_t space = H5Screate_simple(1, (const hsize_t[]){2}, NULL);
    hid_t dataset = H5Dcreate2(file, "/input/length", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
}

static void make_compound(hid_t file)
{
    hid_t type = H5Tcreate(H5T_COMPOUND, 4);
    ck_assert_int_ge(H5Tinsert(type, "x", 0, H5T_STD_I32LE), 0);
    make_dataset_of(file, type);
}

static void make_reference(hid_t file)
{
    make_dataset_of(file, H5Tcopy(H5T_STD_REF_OBJ));
}

static void make_sequence(hid_t file)
{
    make_dataset_of(file, H5Tvlen_create(H5T_STD_I32LE));
}

static void make_odd_integer(hid_t file)
{
    hid_t type = H5Tcopy(H5T_STD_I32LE);
    ck_assert_int_ge(H5Tset_precision(type, 17), 0);
    make_dataset_of(file, type);
}

static void make_odd_float(hid_t file)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    ck_assert_int_ge(H5Tset_fields(type, 31, 20, 11, 0, 20), 0);
    make_dataset_of(file, type);
}

START_TEST(types_that_the_format_does_not_have_are_refused)
{
    static void (*const make[])(hid_t) = {make_compound, make_reference, make_sequence, make_odd_integer,
                                          make_odd_float};
    edit_file(path, make[_i]);
    assert_refused("/input/length: its type is none of float64, float32, int64, int32 and uint8");
}
END_TEST

START_TEST(a_dataset_in_the_traces_place_is_refused)
{
    edit_remove(path, "/trace");
    edit_i32(path, "/trace", 1, (size_t[]){1}, (const int32_t[]){1});
    assert_refused("members of /trace cannot be listed");
}
END_TEST

/* Bytes of a bundled file to be damaged. */
typedef struct victim {
    unsigned char *bytes;
    size_t n;
} victim;

static victim victim_read(const char *name)
{
    char from[4200];
    const char *top = getenv("top_srcdir");
    (void)snprintf(from, sizeof from, "%s/%s", top ? top : ".", name);
    FILE *f = fopen(from, "rb");
    ck_assert_msg(f != NULL, "%s is not there", from);
    victim v = {.bytes = malloc(1 << 20)};
    ck_assert_ptr_nonnull(v.bytes);
    v.n = fread(v.bytes, 1, 1 << 20, f);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_uint_gt(v.n, 4096);
    return v;
}

static void write_damaged(const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
    ck_assert_int_eq(fclose(f), 0);
}

/* How a child ends; a sanitizer that finds something ends it with 1. */
enum { ACCEPTED = 40, REFUSED, BROKEN };

/* Reads the case in a child of bounded time. 0: accepted, 1: refused as it should be, -1: anything else. */
static int read_apart(void)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)alarm(10);
        conf_case *c = NULL;
        assay_error err = {0};
        assay_status rc = conf_case_read(path, &c, &err);
        if (rc == ASSAY_OK) _exit(c ? ACCEPTED : BROKEN);
        _exit(c == NULL && strstr(err.text, path) && err.status == rc ? REFUSED : BROKEN);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == ACCEPTED) return 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == REFUSED ? 1 : -1;
}

/* The first two have checksums of everything but data; the others have none. */
enum { N_VICTIMS = 4 };
static const char *const VICTIMS[N_VICTIMS] = {
    "fixtures/rope/dynamic-below.h5", "fixtures/llama/llama3/generate.h5",
    "conformance/hdf5/tests/rope-plain.h5", "conformance/hdf5/tests/logits-plain.h5"};

START_TEST(a_bundled_case_cut_at_any_kilobyte_is_refused)
{
    victim v = victim_read(VICTIMS[_i]);
    for (size_t n = 0; n < v.n; n += 1024) {
        write_damaged(v.bytes, n);
        ck_assert_msg(read_apart() == 1, "%s, cut to %zu bytes, is not refused", VICTIMS[_i], n);
    }
    free(v.bytes);
}
END_TEST

/* xorshift64 (Marsaglia 2003). */
static size_t draw(uint64_t *state, size_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (size_t)(*state % below);
}

/* A flipped byte may be a number that is consistent with the rest: that case is accepted. */
START_TEST(flipped_bytes_are_refused_or_read_but_never_crash)
{
    enum { N_VARIANTS = 300 };
    victim v = victim_read(VICTIMS[_i]);
    uint64_t state = 0x9e3779b97f4a7c15;
    int n_refused = 0;
    for (int k = 0; k < N_VARIANTS; k++) {
        unsigned char *damaged = malloc(v.n);
        ck_assert_ptr_nonnull(damaged);
        memcpy(damaged, v.bytes, v.n);
        /* Every other variant changes the first pages, with the superblock and the first headers. */
        size_t within = k % 2 ? v.n : 4096;
        for (size_t i = 0, n = 1 + draw(&state, 6); i < n; i++)
            damaged[draw(&state, within)] ^= (unsigned char)(1 + draw(&state, 255));
        write_damaged(damaged, v.n);
        free(damaged);
        int result = read_apart();
        ck_assert_msg(result >= 0, "variant %d of %s", k, VICTIMS[_i]);
        n_refused += result;
    }
    ck_assert_int_gt(n_refused, N_VARIANTS / 4);
    free(v.bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/hostile");
    TCase *made = tcase_create("made");
    tcase_set_timeout(made, 60);
    tcase_add_checked_fixture(made, setup, support_teardown);
    tcase_add_test(made, a_small_file_cannot_ask_for_a_gigabyte);
    tcase_add_test(made, a_chunk_larger_than_its_dataset_counts_as_a_whole);
    tcase_add_test(made, a_dataset_deflated_twice_is_refused);
    tcase_add_test(made, a_filter_that_no_recorder_writes_is_refused);
    tcase_add_test(made, many_names_of_one_bomb_are_refused_together);
    tcase_add_loop_test(made, types_that_the_format_does_not_have_are_refused, 0, 5);
    tcase_add_test(made, a_dataset_in_the_traces_place_is_refused);
    suite_add_tcase(suite, made);
    TCase *damaged = tcase_create("damaged");
    tcase_set_timeout(damaged, 120);
    tcase_add_checked_fixture(damaged, setup, support_teardown);
    tcase_add_loop_test(damaged, a_bundled_case_cut_at_any_kilobyte_is_refused, 0, N_VICTIMS);
    tcase_add_loop_test(damaged, flipped_bytes_are_refused_or_read_but_never_crash, 0, N_VICTIMS);
    suite_add_tcase(suite, damaged);

    return support_run(suite);
}
