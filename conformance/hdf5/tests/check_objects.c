/* Object headers of both versions and their continuations, made byte by byte at the limits of the
 * reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/header.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

static void put_header(size_t n)
{
    raw_put(1, 8);
    raw_put(n, 4);
    raw_put(0xff, 4); /* padding */
}

static void put_message(unsigned type, unsigned flags, size_t n)
{
    raw_put(type, 2);
    raw_put(n, 2);
    raw_put(flags, 4);
}

static void put_continuation(uint64_t address, uint64_t n)
{
    put_message(CONF_MESSAGE_CONTINUATION, 0, 16);
    raw_put(address, 8);
    raw_put(n, 8);
}

/* Reads the header at address 0. reason NULL: it has n messages. */
static void expect_header(size_t n, const char *reason)
{
    conf_h5_header header = {0};
    assay_error err = {0};
    raw_store();
    const assay_status rc = conf_h5_header_read(&raw.file, "/x", 0, &header, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    ck_assert_uint_eq(header.n, reason ? 0 : n);
    if (reason) assert_holds(err.text, reason);
    conf_h5_header_free(&header);
    raw_discard();
}

#define DAMAGED "/x: its object header is damaged"

START_TEST(a_header_that_continues_in_itself_is_refused)
{
    put_header(24);
    put_continuation(16, 24);
    expect_header(0, DAMAGED);
}
END_TEST

START_TEST(a_header_has_a_largest_number_of_blocks)
{
    enum { BLOCKS_MAX = 1024, BLOCK = 24 };
    for (size_t more = 0; more < 2; more++) {
        raw.n = 0;
        put_header(BLOCK);
        for (size_t i = 1; i < BLOCKS_MAX + more; i++) put_continuation(raw.n + BLOCK, BLOCK);
        put_message(0, 0, 16);
        raw_put(0, 16);
        expect_header(BLOCKS_MAX, more ? DAMAGED : NULL);
    }
}
END_TEST

START_TEST(a_header_has_a_largest_number_of_messages)
{
    enum { MESSAGES_MAX = 65536, PREFIX = 8 };
    for (size_t more = 0; more < 2; more++) {
        raw.n = 0;
        put_header((MESSAGES_MAX + more) * PREFIX);
        for (size_t i = 0; i < MESSAGES_MAX + more; i++) put_message(0, 0, 0);
        expect_header(MESSAGES_MAX, more ? DAMAGED : NULL);
    }
}
END_TEST

START_TEST(a_continuation_beyond_the_end_of_the_file_is_refused)
{
    for (size_t more = 0; more < 2; more++) {
        raw.n = 0;
        put_header(24);
        put_continuation(40, 8 + more);
        put_message(0, 0, 0);
        expect_header(2, more ? "9 bytes at address 40 reach beyond the file's end" : NULL);
    }
    memset(raw.bytes + 24, 0xff, 8);
    expect_header(0, "reach beyond the file's end");
    raw.n = 0;
    put_header(23);
    put_message(CONF_MESSAGE_CONTINUATION, 0, 15);
    raw_put(0, 15);
    expect_header(0, DAMAGED);
}
END_TEST

START_TEST(a_header_of_version_1_is_read_to_its_end)
{
    put_header(8 + 5 + 7);
    put_message(CONF_MESSAGE_SPACE, 0, 5);
    raw_put(0, 5 + 7); /* a gap too short for a message */
    expect_header(1, NULL);
    raw.n--;
    expect_header(0, "36 bytes at address 0 reach beyond the file's end");
    raw.n++;
    raw.bytes[18] = 13; /* bytes of the message: one more than there are */
    expect_header(0, DAMAGED);
    raw.bytes[18] = 5;
    raw.bytes[0] = 2;
    expect_header(0, DAMAGED);
    raw.n = 15;
    expect_header(0, "16 bytes at address 0 reach beyond the file's end");
}
END_TEST

START_TEST(an_unknown_message_that_forbids_to_go_on_is_refused)
{
    static const struct {
        unsigned type, flags;
        const char *reason;
    } messages[] = {{24, 0x80, DAMAGED}, {99, 0xff, DAMAGED}, {24, 0x7f, NULL}, {23, 0x80, NULL}};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        raw.n = 0;
        put_header(8);
        put_message(messages[i].type, messages[i].flags, 0);
        expect_header(1, messages[i].reason);
    }
}
END_TEST

/* Writes a header of version 2 up to its messages; the skipped bytes are times and phases. */
static void put_new_header(unsigned flags, uint64_t n)
{
    raw_put_text("OHDR");
    raw_put(2, 1);
    raw_put(flags, 1);
    raw_put(UINT64_MAX, (flags & 32U ? 8 : 0));
    raw_put(UINT64_MAX, (flags & 32U ? 8 : 0));
    raw_put(UINT64_MAX, (flags & 16U ? 4 : 0));
    raw_put(n, (size_t)1 << (flags & 3U));
}

static void put_new_message(unsigned type, unsigned flags, size_t n)
{
    raw_put(type, 1);
    raw_put(n, 2);
    raw_put(0, 1);
    if (flags & 4U) raw_put(UINT16_MAX, 2);
}

START_TEST(a_header_of_version_2_has_its_parts_where_its_flags_say)
{
    const unsigned flags = (unsigned)_i;
    const size_t prefix = flags & 4U ? 6 : 4;
    put_new_header(flags, prefix + 3 + prefix);
    put_new_message(CONF_MESSAGE_SPACE, flags, 3);
    raw_put(0xccbbaa, 3);
    put_new_message(CONF_MESSAGE_TYPE, flags, 0);
    raw_seal(0);
    raw_store();
    conf_h5_header header;
    assay_error err = {0};
    ck_assert_msg(conf_h5_header_read(&raw.file, "/x", 0, &header, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(header.n, 2);
    ck_assert_uint_eq(header.messages[0].type, CONF_MESSAGE_SPACE);
    ck_assert_uint_eq(header.messages[0].n, 3);
    ck_assert_mem_eq(header.messages[0].data, "\xaa\xbb\xcc", 3);
    ck_assert_ptr_eq(conf_h5_header_find(&header, CONF_MESSAGE_TYPE), &header.messages[1]);
    ck_assert_ptr_null(conf_h5_header_find(&header, CONF_MESSAGE_LAYOUT));
    conf_h5_header_free(&header);
    raw_discard();
    raw.bytes[raw.n - 1] ^= 1;
    expect_header(0, "/x: the checksum of its structure at address 0 is wrong");
}
END_TEST

START_TEST(a_header_of_another_version_or_larger_than_its_file_is_refused)
{
    put_new_header(0, 5);
    put_new_message(0, 0, 1);
    raw_put(0, 1);
    raw_seal(0);
    expect_header(1, NULL);
    raw.bytes[4] = 1;
    expect_header(0, DAMAGED);
    raw.n = 0;
    put_new_header(3, UINT64_MAX - 13);
    raw_put(0, 8);
    expect_header(0, DAMAGED);
}
END_TEST

/* A header whose only message leads to a block at its end, of n bytes, its checksum included. */
static void put_continued(const char *signature, size_t n)
{
    raw.n = 0;
    put_new_header(0, 20);
    put_new_message(CONF_MESSAGE_CONTINUATION, 0, 16);
    raw_put(31, 8);
    raw_put(n, 8);
    raw_seal(0);
    ck_assert_uint_eq(raw.n, 31);
    raw_put_text(signature);
    while (raw.n < 31 + n - 4) raw_put(0, 1);
    raw.n = 31 + n - 4;
    raw_seal(31);
}

START_TEST(a_continuation_of_version_2_has_a_signature_and_a_checksum)
{
    put_continued("OCHK", 8);
    expect_header(1, NULL);
    put_continued("OCHK", 8 + 4);
    expect_header(2, NULL);
    put_continued("OCHK", 8 + 3); /* a gap */
    expect_header(1, NULL);
    put_continued("OCHL", 8 + 4);
    expect_header(0, DAMAGED);
    put_continued("OCH", 7);
    expect_header(0, DAMAGED);
    put_continued("OCHK", 8 + 4);
    raw.bytes[raw.n - 1] ^= 1;
    expect_header(0, "/x: the checksum of its structure at address 31 is wrong");
    put_continued("OCHK", 8 + 4);
    raw.bytes[19] = 3; /* its size, too small for a checksum */
    raw.n = 27;
    raw_seal(0);
    raw.n = 31 + 12;
    expect_header(0, "/x: its structure is damaged");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/objects");
    TCase *headers = tcase_create("headers");
    tcase_add_checked_fixture(headers, raw_setup, support_teardown);
    tcase_add_test(headers, a_header_that_continues_in_itself_is_refused);
    tcase_add_test(headers, a_header_has_a_largest_number_of_blocks);
    tcase_add_test(headers, a_header_has_a_largest_number_of_messages);
    tcase_add_test(headers, a_continuation_beyond_the_end_of_the_file_is_refused);
    tcase_add_test(headers, a_header_of_version_1_is_read_to_its_end);
    tcase_add_test(headers, an_unknown_message_that_forbids_to_go_on_is_refused);
    tcase_add_loop_test(headers, a_header_of_version_2_has_its_parts_where_its_flags_say, 0, 64);
    tcase_add_test(headers, a_header_of_another_version_or_larger_than_its_file_is_refused);
    tcase_add_test(headers, a_continuation_of_version_2_has_a_signature_and_a_checksum);
    suite_add_tcase(suite, headers);
    return support_run(suite);
}
