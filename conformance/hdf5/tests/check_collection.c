/* Collections of the global heap, which hold texts of variable length, made byte by byte at the limits
 * of the reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/dataset.h"
#include "conformance/hdf5/heap.h"
#include "conformance/hdf5/string.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

/* The whole collection, and one object of it with its padding. */
static void put_collection(uint64_t n)
{
    raw_put_text("GCOL");
    raw_put(1, 4);
    raw_put(n, 8);
}

static void put_object(unsigned index, uint64_t n, const char *text)
{
    raw_put(index, 8); /* references and reserved bytes are 0 */
    raw_put(n, 8);
    raw_put_text(text);
    while (raw.n % 8) raw_put(0, 1);
}

/* text NULL: the collection is damaged. */
static void expect_text(unsigned index, size_t length, const char *text, const char *reason)
{
    char *found = NULL;
    assay_error err = {0};
    raw_store();
    const assay_status rc = conf_global_text_read(&raw.file, "/x", 0, index, length, &found, &err);
    ck_assert_msg(rc == (text ? ASSAY_OK : ASSAY_EFORMAT), "%s", err.text);
    if (text) ck_assert_str_eq(found, text);
    else ck_assert_ptr_null(found);
    if (!text) assert_holds(err.text, reason);
    free(found);
    raw_discard();
}

#define HEAP "/x: its text in the global heap is damaged"

START_TEST(texts_are_found_among_others)
{
    /* Objects of 0, 1, 7, 8 and 9 bytes; the last fills the collection to its end, without padding. */
    static const char *const texts[] = {"", "a", "abcdefg", "abcdefgh", "abcdefghi"};
    put_collection(16 + 16 + 24 + 24 + 24 + 16 + 9);
    for (unsigned i = 0; i < 5; i++) put_object(7 + i, strlen(texts[i]), texts[i]);
    raw.n = 16 + 16 + 24 + 24 + 24 + 16 + 9;
    for (unsigned i = 0; i < 5; i++) {
        const size_t n = strlen(texts[i]);
        expect_text(7 + i, n, texts[i], "");
        expect_text(7 + i, n + 1, NULL, HEAP);
    }
    expect_text(11, 3, "abc", "");
    expect_text(6, 1, NULL, HEAP);
    expect_text(12, 1, NULL, HEAP);
    expect_text(0, 1, NULL, HEAP);
}
END_TEST

START_TEST(nothing_is_found_after_free_space)
{
    put_collection(16 + 24 + 24);
    put_object(0, 8, "freefree");
    put_object(1, 4, "text");
    expect_text(1, 4, NULL, HEAP);
    expect_text(0, 4, NULL, HEAP);
}
END_TEST

START_TEST(the_last_object_may_be_empty)
{
    put_collection(16 + 16);
    put_object(3, 0, "");
    expect_text(3, 0, "", "");
    expect_text(3, 1, NULL, HEAP);
}
END_TEST

START_TEST(the_first_object_of_an_index_counts)
{
    put_collection(16 + 24 + 24);
    put_object(1, 4, "text");
    put_object(1, 8, "longtext");
    expect_text(1, 4, "text", "");
    expect_text(1, 8, NULL, HEAP);
}
END_TEST

START_TEST(an_object_beyond_its_collection_is_refused)
{
    put_collection(16 + 24);
    put_object(1, 9, "abcdefgh");
    put_object(2, 8, "abcdefgh"); /* in the file, but not in the collection */
    expect_text(1, 8, NULL, HEAP);
    expect_text(2, 8, NULL, HEAP);
}
END_TEST

START_TEST(values_that_are_no_collection_are_refused)
{
    static const struct {
        size_t at;
        unsigned char byte;
    } changes[] = {{0, 'g'}, {3, 'M'}, {4, 0}, {4, 2}, {8, 15}, {8, 16}, {8, 0}, {10, 0xff}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        raw.n = 0;
        put_collection(16 + 24);
        put_object(1, 4, "text");
        expect_text(1, 4, "text", "");
        raw.bytes[changes[i].at] = changes[i].byte;
        expect_text(1, 4, NULL, HEAP);
    }
}
END_TEST

START_TEST(a_collection_has_a_largest_size)
{
    for (size_t more = 0; more < 2; more++) {
        raw.n = 0;
        put_collection(CONF_H5_COLLECTION_BYTES_MAX + more);
        put_object(1, 4, "text");
        raw.n = CONF_H5_COLLECTION_BYTES_MAX + more;
        expect_text(1, 4, more ? NULL : "text", HEAP);
    }
}
END_TEST

START_TEST(a_collection_beyond_the_end_of_the_file_is_refused)
{
    put_collection(16 + 24);
    put_object(1, 4, "text");
    raw.n--;
    expect_text(1, 4, NULL, "40 bytes at address 0 reach beyond the file's end");
    raw.n = 15;
    expect_text(1, 4, NULL, "16 bytes at address 0 reach beyond the file's end");
}
END_TEST

START_TEST(a_text_has_a_largest_size)
{
    const conf_h5_type type = {.class = CONF_H5_TEXT_VARIABLE, .size = 16};
    for (size_t more = 0; more < 2; more++) {
        raw.n = 0;
        raw_put(CONF_H5_STRING_BYTES_MAX + more, 4); /* the element: length, address and index */
        raw_put(0, 12);
        raw_store();
        char *found = NULL;
        assay_error err = {0};
        const assay_status rc = conf_h5_element_text(&raw.file, "/x", &type, raw.bytes, &found, &err);
        ck_assert_int_eq(rc, more ? ASSAY_EFORMAT : ASSAY_OK);
        if (more) assert_holds(err.text, "/x holds a text of 1048577 bytes; at most 1048576 are read");
        else ck_assert_str_eq(found, ""); /* address 0: never written */
        free(found);
        raw_discard();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/collection");
    TCase *heap = tcase_create("heap");
    tcase_add_checked_fixture(heap, raw_setup, support_teardown);
    tcase_add_test(heap, texts_are_found_among_others);
    tcase_add_test(heap, nothing_is_found_after_free_space);
    tcase_add_test(heap, the_last_object_may_be_empty);
    tcase_add_test(heap, the_first_object_of_an_index_counts);
    tcase_add_test(heap, an_object_beyond_its_collection_is_refused);
    tcase_add_test(heap, values_that_are_no_collection_are_refused);
    tcase_add_test(heap, a_collection_has_a_largest_size);
    tcase_add_test(heap, a_collection_beyond_the_end_of_the_file_is_refused);
    tcase_add_test(heap, a_text_has_a_largest_size);
    suite_add_tcase(suite, heap);
    return support_run(suite);
}
