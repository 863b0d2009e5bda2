/* Chunks without an index, and entries of an index: offsets, sizes and counts at their limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/hdf5/index.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

/* A dataset of bytes, of two axes with chunks of [2, 5], in a file of 100 bytes. */
static conf_h5_dataset dataset(conf_h5_index index, uint64_t address, uint64_t n_rows, uint64_t n_cols,
                               uint64_t most_rows)
{
    static char name[] = "/x";
    raw.n = 100;
    raw_store();
    return (conf_h5_dataset){
        .file = &raw.file,
        .name = name,
        .type = {.class = CONF_H5_NUMBER, .size = 1, .dtype = ASSAY_U8},
        .space = {.rank = 2, .shape = {n_rows, n_cols}, .most = {most_rows, n_cols}},
        .layout = {
            .storage = CONF_STORAGE_CHUNKED, .address = address, .rank = 2, .chunk = {2, 5}, .index = index}};
}

/* Reads the chunks; reason NULL: there are n. */
static conf_h5_chunks read_chunks(const conf_h5_dataset *d, size_t n, const char *reason)
{
    conf_h5_chunks chunks = {0};
    assay_error err = {0};
    const assay_status rc = conf_h5_chunks_read(d, &chunks, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    ck_assert_uint_eq(chunks.n, reason ? 0 : n);
    if (reason) assert_holds(err.text, reason);
    raw_discard();
    return chunks;
}

START_TEST(implicit_chunks_are_contiguous)
{
    /* 3 rows of 2 chunks; the maximum shape has 5 rows. */
    conf_h5_dataset d = dataset(CONF_INDEX_IMPLICIT, 40, 5, 7, 10);
    conf_h5_chunks chunks = read_chunks(&d, 6, NULL);
    for (uint64_t i = 0; i < 6; i++) {
        const conf_h5_chunk *found = conf_h5_chunk_find(&chunks, i);
        ck_assert_ptr_nonnull(found);
        ck_assert_uint_eq(found->address, 40 + 10 * i); /* the last ends with the file */
        ck_assert_uint_eq(found->bytes, 10);
        ck_assert_uint_eq(found->skipped, 0);
    }
    ck_assert_ptr_null(conf_h5_chunk_find(&chunks, 6));
    conf_h5_chunks_free(&chunks);
    d = dataset(CONF_INDEX_IMPLICIT, 41, 5, 7, 10);
    (void)read_chunks(
        &d, 0,
        "the chunk at [4,5] is damaged: its 10 bytes at address 91 reach beyond the file's end at "
        "100");
}
END_TEST

START_TEST(implicit_chunks_must_fit_the_file)
{
    conf_h5_dataset d = dataset(CONF_INDEX_IMPLICIT, 0, 2, 10, 10);
    conf_h5_chunks chunks = read_chunks(&d, 2, NULL);
    conf_h5_chunks_free(&chunks);
    d = dataset(CONF_INDEX_IMPLICIT, 0, 2, 10, 11);
    (void)read_chunks(&d, 0, "/x: its chunk index is damaged");
    d = dataset(CONF_INDEX_IMPLICIT, 0, 2, 10, UINT64_MAX);
    (void)read_chunks(&d, 0, "/x: its chunk index is damaged");
}
END_TEST

START_TEST(a_single_chunk_holds_the_whole_dataset)
{
    conf_h5_dataset d = dataset(CONF_INDEX_SINGLE, 90, 2, 5, 2);
    conf_h5_chunks chunks = read_chunks(&d, 1, NULL);
    ck_assert_uint_eq(chunks.at[0].address, 90);
    ck_assert_uint_eq(chunks.at[0].bytes, 10);
    conf_h5_chunks_free(&chunks);
    d = dataset(CONF_INDEX_SINGLE, 90, 3, 5, 3);
    (void)read_chunks(&d, 0, "/x: its chunk index is damaged");
    d = dataset(CONF_INDEX_SINGLE, 90, 2, 6, 2);
    (void)read_chunks(&d, 0, "/x: its chunk index is damaged");
    d = dataset(CONF_INDEX_SINGLE, 91, 2, 5, 2);
    (void)read_chunks(&d, 0, "the chunk at [0,0] is damaged: its 10 bytes at address 91 reach");
}
END_TEST

START_TEST(a_single_packed_chunk_has_a_size_of_its_own)
{
    for (uint64_t bytes = 60; bytes <= 61; bytes++) {
        conf_h5_dataset d = dataset(CONF_INDEX_SINGLE, 40, 1, 1, 1);
        d.pipeline = (conf_pipeline){.n = 1, .filter = {CONF_FILTER_DEFLATE}};
        d.layout.bytes = bytes;
        d.layout.skipped = 1;
        conf_h5_chunks chunks = read_chunks(&d, 1, bytes == 60 ? NULL : "its 61 bytes at address 40 reach");
        if (bytes > 60) break;
        ck_assert_uint_eq(chunks.at[0].bytes, 60);
        ck_assert_uint_eq(chunks.at[0].skipped, 1);
        conf_h5_chunks_free(&chunks);
    }
}
END_TEST

START_TEST(empty_or_unwritten_data_has_no_chunks)
{
    conf_h5_dataset d = dataset(CONF_INDEX_SINGLE, CONF_H5_UNDEFINED, 2, 5, 2);
    (void)read_chunks(&d, 0, NULL);
    d = dataset(CONF_INDEX_IMPLICIT, 1000, 0, 5, 2);
    (void)read_chunks(&d, 0, NULL);
    d = dataset(CONF_INDEX_IMPLICIT, 1000, 2, 0, 2);
    const conf_h5_chunks none = read_chunks(&d, 0, NULL);
    ck_assert_ptr_null(conf_h5_chunk_find(&none, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/chunks");
    TCase *chunks = tcase_create("chunks");
    tcase_add_checked_fixture(chunks, raw_setup, support_teardown);
    tcase_add_test(chunks, implicit_chunks_are_contiguous);
    tcase_add_test(chunks, implicit_chunks_must_fit_the_file);
    tcase_add_test(chunks, a_single_chunk_holds_the_whole_dataset);
    tcase_add_test(chunks, a_single_packed_chunk_has_a_size_of_its_own);
    tcase_add_test(chunks, empty_or_unwritten_data_has_no_chunks);
    suite_add_tcase(suite, chunks);
    return support_run(suite);
}
