/* assay diff within its limit of memory, whatever the size of the files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "conformance/case/case.h"
#include "conformance/case/find.h"
#include "conformance/diff/slab.h"
#include "conformance/kinds/read.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

/* Sanitizers keep a shadow of all memory, and hold back what is freed. */
#define RSS_KIB ((CONF_LIMITS_MEMORY ? 256 : 1024) * 1024L)

enum { WIDE = 131072 };

/* Creates a dataset of zeros: sparse, or where chunk is given in deflated chunks of whole rows. */
static void write_large(hid_t file, const char *name, hid_t type, hsize_t n_rows, hsize_t chunk)
{
    const hsize_t shape[3] = {1, n_rows, WIDE}, of_chunk[3] = {1, chunk, WIDE};
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    hid_t space = H5Screate_simple(3, shape, NULL);
    if (chunk) (void)H5Pset_chunk(plist, 3, of_chunk), (void)H5Pset_deflate(plist, 1);
    (void)H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    (void)H5Pset_fill_time(plist, chunk ? H5D_FILL_TIME_ALLOC : H5D_FILL_TIME_NEVER);
    (void)H5Pset_create_intermediate_group(links, 1);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(links);
    (void)H5Pclose(plist);
}

/* Changes the last element. */
static void change_last(const char *path, const char *name, hsize_t n_rows, float value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset), memory = H5Screate(H5S_SCALAR);
    (void)H5Sselect_elements(space, H5S_SELECT_SET, 1, (const hsize_t[]){0, n_rows - 1, WIDE - 1});
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &value), 0);
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static const char *make_large(const char *name, hsize_t n_rows, hsize_t chunk)
{
    const char *path = support_path("%s", name);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write_large(file, "/observed/prefill", H5T_IEEE_F32LE, n_rows, chunk);
    ck_assert_int_ge(H5Fclose(file), 0);
    return path;
}

static void assert_in_memory(const char *arguments, int code, const char *says)
{
    const support_output *o = support_assay("%s", arguments);
    ck_assert_msg(o->code == code, "%s%s", o->out, o->err);
    assert_holds(code == 99 ? o->err : o->out, says);
    struct rusage used;
    ck_assert_int_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    ck_assert_int_lt(used.ru_maxrss, RSS_KIB);
}

START_TEST(two_gibibytes_are_compared_within_256_mebibytes)
{
    (void)make_large("a.h5", 2048, 0);
    const char *b = make_large("b.h5", 2048, 0);
    assert_in_memory("diff a.h5 b.h5", 0, "bit-identical: 1 members, 2048 rows");
    assert_in_memory("diff -j 64 a.h5 b.h5", 0, "bit-identical: 1 members, 2048 rows");
    change_last(b, "/observed/prefill", 2048, 1);
    assert_in_memory("diff a.h5 b.h5", 1, "sample 0, prefill, position 2047, id 131071: expected 0, found 1");
}
END_TEST

START_TEST(the_largest_chunks_are_unpacked_within_256_mebibytes)
{
    const hsize_t chunk = CONF_CHUNK_BYTES / sizeof(float) / WIDE;
    (void)make_large("a.h5", 5 * chunk, chunk);
    const char *b = make_large("b.h5", 5 * chunk, chunk / 2);
    assert_in_memory("diff -j 16 a.h5 b.h5", 0, "bit-identical: 1 members, 240 rows");
    change_last(b, "/observed/prefill", 5 * chunk, NAN);
    assert_in_memory("diff -j 16 a.h5 b.h5", 1, "position 239, id 131071: expected 0, found nan");
}
END_TEST

/* The recorder once wrote one chunk for all rows. */
START_TEST(a_larger_chunk_is_unpacked_if_memory_suffices)
{
    const hsize_t n = 5 * CONF_CHUNK_BYTES / sizeof(float) / WIDE;
    (void)make_large("a.h5", n, 1);
    const char *b = make_large("b.h5", n, n);
    change_last(b, "/observed/prefill", n, 1);
    const support_output *o = support_assay("diff a.h5 b.h5");
    assert_code(o, 1);
    assert_holds(o->out, "sample 0, prefill, position 239, id 131071: expected 0, found 1");
    if (!CONF_LIMITS_MEMORY) return;
    o = support_shell("ulimit -v 400000 && \"$ASSAY\" diff a.h5 b.h5");
    assert_code(o, 99);
    assert_holds(o->err,
                 "b.h5: /observed/prefill: out of memory for a chunk of 125829120 bytes, which takes ");
}
END_TEST

START_TEST(a_large_golden_is_judged_by_within_256_mebibytes)
{
    enum { N_ROWS = 256 };
    static int32_t tokens[N_ROWS];
    const int32_t length = N_ROWS;
    compare_golden = support_write_decoder(support_path("large.h5"), "logits", "model");
    edit_remove(compare_golden, "/input/decode");
    edit_remove(compare_golden, "/expect");
    edit_remove(compare_golden, "/trace");
    edit_i32(compare_golden, "/input/tokens", 2, (size_t[]){1, N_ROWS}, tokens);
    edit_i32(compare_golden, "/input/length", 1, (size_t[]){1}, &length);
    hid_t file = H5Fopen(compare_golden, H5F_ACC_RDWR, H5P_DEFAULT);
    write_large(file, "/expect/truth/prefill", H5T_IEEE_F64LE, N_ROWS, 0);
    write_large(file, "/expect/float32/prefill", H5T_IEEE_F32LE, N_ROWS, 8);
    ck_assert_int_ge(H5Fclose(file), 0);
    change_last(compare_golden, "/expect/truth/prefill", N_ROWS, 1);
    change_last(compare_golden, "/expect/float32/prefill", N_ROWS, 1 + 0x1p-15F);
    const char *b = make_large("b.h5", N_ROWS, 16);
    change_last(b, "/observed/prefill", N_ROWS, 1 + 0x1p-14F);
    assert_in_memory("diff large.h5 b.h5", 0,
                     "256 rows of 131072 logits in float32 agree: 2 times the noise");
    change_last(b, "/observed/prefill", N_ROWS, 1.1F);
    assert_in_memory("diff large.h5 b.h5", 1,
                     "sample 0, prefill, position 255, id 131071: expected 1, found 1.1");
}
END_TEST

/* Writes a.h5 with /observed/prefill [1, n_rows, n_cols]; sparse, or in deflated chunks. */
static void write_shape(const hsize_t *shape, const hsize_t *chunk)
{
    hid_t file = H5Fcreate(support_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "/observed", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(3, shape, NULL);
    if (chunk) {
        (void)H5Pset_chunk(plist, 3, chunk);
        (void)H5Pset_deflate(plist, 1);
    }
    (void)H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    (void)H5Pset_fill_time(plist, chunk ? H5D_FILL_TIME_ALLOC : H5D_FILL_TIME_NEVER);
    hid_t dataset =
        H5Dcreate2(file, "/observed/prefill", H5T_IEEE_F32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
    (void)H5Gclose(group);
    ck_assert_int_ge(H5Fclose(file), 0);
}

/* Each slab has a part in many large chunks, and each thread would unpack one. */
START_TEST(many_threads_unpack_tall_chunks_within_256_mebibytes)
{
    write_shape((const hsize_t[]){1, 128, WIDE}, (const hsize_t[]){1, 128, WIDE / 8});
    assert_in_memory("diff -j 64 a.h5 a.h5", 0, "bit-identical: 1 members, 128 rows");
}
END_TEST

START_TEST(many_threads_read_long_rows_within_256_mebibytes)
{
    write_shape((const hsize_t[]){1, 24, 4 << 20}, NULL);
    assert_in_memory("diff -j 64 a.h5 a.h5", 0, "bit-identical: 1 members, 24 rows");
}
END_TEST

START_TEST(a_row_that_does_not_fit_is_refused)
{
    write_shape((const hsize_t[]){1, 2, 12 << 20}, NULL);
    assert_in_memory("diff a.h5 a.h5", 99, "a.h5: /observed/prefill: a row of 12582912 takes 96 MiB");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/diff/memory");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, compare_setup, support_teardown);
    tcase_add_test(t, two_gibibytes_are_compared_within_256_mebibytes);
    tcase_add_test(t, the_largest_chunks_are_unpacked_within_256_mebibytes);
    tcase_add_test(t, a_larger_chunk_is_unpacked_if_memory_suffices);
    tcase_add_test(t, a_large_golden_is_judged_by_within_256_mebibytes);
    tcase_add_test(t, many_threads_unpack_tall_chunks_within_256_mebibytes);
    tcase_add_test(t, many_threads_read_long_rows_within_256_mebibytes);
    tcase_add_test(t, a_row_that_does_not_fit_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
