/* Superblocks of every version and the links of a root group, made byte by byte; and limits of a file's
 * memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/file.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/hdf5/header.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

/* Members of a superblock; a `size` of addresses and lengths of 0 means 8. */
typedef struct superblock {
    unsigned version, address_bytes, length_bytes, flags;
    uint64_t base_more, end_more; /* added to the right ones */
} superblock;

static size_t end_at; /* offset of the end-of-file address in the superblock */

static size_t superblock_bytes(unsigned version)
{
    return version == 0 ? 72 : version == 1 ? 76 : 48;
}

static void put_superblock(const superblock *s, size_t at)
{
    raw.n = at;
    raw_put_text("\211HDF\r\n\032\n");
    raw_put(s->version, 1);
    if (s->version < 2) raw_put(0, 4);
    raw_put(s->address_bytes ? s->address_bytes : 8, 1);
    raw_put(s->length_bytes ? s->length_bytes : 8, 1);
    if (s->version < 2) raw_put(0, s->version == 0 ? 9 : 13);
    else raw_put(s->flags, 1);
    raw_put(at + s->base_more, 8);
    raw_put(UINT64_MAX, 8); /* free space or an extension */
    end_at = raw.n;
    raw_put(0, 8);
    if (s->version < 2) raw_put(0, 16);
    raw_put(superblock_bytes(s->version), 8); /* the root */
    if (s->version >= 2) raw_put(0, 4);
    ck_assert_uint_eq(raw.n, at + superblock_bytes(s->version));
}

/* The header of a root group without links. */
static void put_root(void)
{
    raw_put(1, 8);
    raw_put(26, 8);
    raw_put(CONF_MESSAGE_LINK_INFO, 2);
    raw_put(18, 2);
    raw_put(0, 4 + 2);
    raw_put(UINT64_MAX, 8);
    raw_put(UINT64_MAX, 8);
}

/* Writes the end-of-file address and the checksum. */
static void end_file(const superblock *s, size_t at)
{
    const size_t n = raw.n;
    raw.n = end_at;
    raw_put(n + s->end_more, 8);
    if (s->version >= 2) {
        raw.n = at + superblock_bytes(s->version) - 4;
        raw_seal(at);
    }
    raw.n = n;
}

static assay_status open_file(conf_h5 **file, assay_error *err)
{
    raw_store();
    const assay_status rc = conf_h5_open(raw.file.path, file, err);
    raw_discard();
    return rc;
}

static void expect_open(const char *reason)
{
    conf_h5 *file = NULL;
    assay_error err = {0};
    const assay_status rc = open_file(&file, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) assert_holds(err.text, reason);
    conf_h5_close(file);
}

static void expect_superblock(const superblock *s, size_t at, const char *reason)
{
    put_superblock(s, at);
    put_root();
    end_file(s, at);
    expect_open(reason);
}

START_TEST(a_superblock_is_at_the_beginning_or_after_a_user_block)
{
    static const size_t places[] = {0, 512, 1024, 2048, 65536}, others[] = {8, 256, 1536, 511, 513};
    const superblock s = {.version = (unsigned)_i};
    for (size_t i = 0; i < 5; i++) {
        memset(&raw, 0, sizeof raw);
        expect_superblock(&s, places[i], NULL);
        memset(&raw, 0, sizeof raw);
        expect_superblock(&s, others[i], ": not an HDF5 file (");
    }
}
END_TEST

#define SUPERBLOCK "its superblock is damaged, cut short or still being written"

static const struct {
    superblock s;
    const char *reason;
} superblocks[] = {
    {{.version = 0, .address_bytes = 4}, SUPERBLOCK},
    {{.version = 0, .length_bytes = 4}, SUPERBLOCK},
    {{.version = 1, .address_bytes = 4}, SUPERBLOCK},
    {{.version = 2, .address_bytes = 4}, SUPERBLOCK},
    {{.version = 2, .length_bytes = 4}, SUPERBLOCK},
    {{.version = 0, .base_more = 1}, SUPERBLOCK},
    {{.version = 3, .base_more = 1}, SUPERBLOCK},
    {{.version = 3, .flags = 1}, SUPERBLOCK},
    {{.version = 3, .flags = 2}, NULL},
    {{.version = 2, .flags = 1}, NULL},
    {{.version = 4}, SUPERBLOCK},
    {{.version = 255}, SUPERBLOCK},
    {{.version = 0, .end_more = 1}, ": cut short"},
    {{.version = 3, .end_more = 1}, ": cut short"},
    {{.version = 1, .end_more = (uint64_t)-1}, NULL},
};

START_TEST(a_superblock_is_checked)
{
    expect_superblock(&superblocks[_i].s, 0, superblocks[_i].reason);
    memset(&raw, 0, sizeof raw);
    expect_superblock(&superblocks[_i].s, 512, superblocks[_i].reason);
}
END_TEST

START_TEST(a_superblock_that_is_cut_off_is_refused)
{
    const superblock s = {.version = (unsigned)_i};
    put_superblock(&s, 0);
    put_root();
    end_file(&s, 0);
    if (_i >= 2) {
        raw.bytes[superblock_bytes(s.version) - 1] ^= 1;
        expect_open(SUPERBLOCK);
        raw.bytes[superblock_bytes(s.version) - 1] ^= 1;
    }
    expect_open(NULL);
    raw.n = superblock_bytes(s.version) - 1;
    expect_open(SUPERBLOCK);
    raw.n = 8;
    expect_open(SUPERBLOCK);
    raw.n = 7;
    expect_open(": not an HDF5 file (7 bytes)");
}
END_TEST

/* Links. */

enum { HAS_ORDER = 4, HAS_KIND = 8, HAS_CHARSET = 16, SOFT = 1, EXTERNAL = 64 };

static const superblock NEWEST = {.version = 3};
static size_t n_messages; /* bytes of the root's messages so far */

static void begin_links(void)
{
    memset(&raw, 0, sizeof raw);
    put_superblock(&NEWEST, 0);
    put_root();
    n_messages = 26;
}

static void put_link(unsigned version, unsigned flags, unsigned kind, const char *name, size_t n_name)
{
    const size_t start = raw.n, n_size = (size_t)1 << (flags & 3U);
    raw_put(CONF_MESSAGE_LINK, 8);
    raw_put(version, 1);
    raw_put(flags, 1);
    if (flags & HAS_KIND) raw_put(kind, 1);
    if (flags & HAS_ORDER) raw_put(UINT64_MAX, 8);
    if (flags & HAS_CHARSET) raw_put(1, 1);
    raw_put(n_name, n_size);
    for (size_t i = 0; i < n_name; i++) raw_put((unsigned char)name[i], 1);
    if (kind == 0) raw_put(48, 8); /* to the root itself */
    raw.bytes[start + 2] = (unsigned char)(raw.n - start - 8);
    n_messages += raw.n - start;
    raw.bytes[48 + 8] = (unsigned char)n_messages;
    raw.bytes[48 + 9] = (unsigned char)(n_messages >> 8);
}

START_TEST(a_link_has_its_parts_where_its_flags_say)
{
    const unsigned flags = (unsigned)_i;
    conf_h5 *file;
    conf_strings members;
    assay_error err = {0};
    begin_links();
    put_link(1, flags, 0, "other", 5);
    put_link(1, flags, flags & HAS_KIND ? SOFT : 0, "name", 4);
    put_link(1, flags, flags & HAS_KIND ? EXTERNAL : 0, "x", 1);
    end_file(&NEWEST, 0);
    ck_assert_msg(open_file(&file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_h5_members(file, "/", &members, &err), ASSAY_OK);
    ck_assert_uint_eq(members.n, 3);
    ck_assert_str_eq(members.at[0], "name");
    ck_assert_str_eq(members.at[1], "other");
    ck_assert_str_eq(members.at[2], "x");
    conf_strings_free(&members);
    ck_assert(conf_h5_has(file, "/other/other//other/x"));
    ck_assert(!conf_h5_has(file, "/other/nam"));
    ck_assert_int_eq(conf_h5_members(file, "/other/", &members, &err), ASSAY_OK);
    conf_strings_free(&members);
    const assay_status rc = conf_h5_members(file, "/other/name", &members, &err);
    ck_assert_int_eq(rc, flags & HAS_KIND ? ASSAY_EFORMAT : ASSAY_OK);
    if (flags & HAS_KIND)
        assert_holds(err.text, "/other/name is a soft link; only members of the file itself");
    else conf_strings_free(&members);
    if (flags & HAS_KIND) {
        ck_assert_int_eq(conf_h5_members(file, "/x", &members, &err), ASSAY_EFORMAT);
        assert_holds(err.text, "/x is an external link; only members of the file itself are read");
    }
    conf_h5_close(file);
}
END_TEST

static const struct {
    unsigned version;
    const char *name;
    size_t n;
} broken[] = {{0, "a", 1}, {2, "a", 1}, {1, "", 0}, {1, "a\0b", 3}, {1, "twice", 5}};

START_TEST(a_link_that_is_broken_is_refused)
{
    begin_links();
    put_link(1, 0, 0, "twice", 5);
    put_link(broken[_i].version, 0, 0, broken[_i].name, broken[_i].n);
    end_file(&NEWEST, 0);
    expect_open("the members of / cannot be listed");
}
END_TEST

START_TEST(a_link_that_is_cut_off_is_refused)
{
    begin_links();
    put_link(1, 0, 0, "a", 1);
    raw.bytes[raw.n - 20 + 2]--; /* its message, one byte shorter; what is left of it is a gap */
    end_file(&NEWEST, 0);
    expect_open("the members of / cannot be listed");
}
END_TEST

START_TEST(the_message_on_many_links_needs_two_addresses)
{
    begin_links();
    raw.bytes[48 + 16 + 2] = 17; /* bytes of the message; what is left of it is a gap */
    end_file(&NEWEST, 0);
    expect_open("the members of / cannot be listed");
}
END_TEST

START_TEST(a_name_has_a_largest_length)
{
    char name[258];
    conf_h5 *file;
    begin_links();
    put_link(1, 0, 0, "a", 1);
    end_file(&NEWEST, 0);
    ck_assert_int_eq(open_file(&file, NULL), ASSAY_OK);
    for (size_t n = 255; n <= 256; n++) {
        conf_array a;
        assay_error err = {0};
        memset(name, 'x', n);
        name[0] = '/';
        name[n] = '\0';
        ck_assert_int_eq(conf_h5_shape(file, name, &a, &err), ASSAY_EFORMAT);
        assert_holds(err.text, n == 255 ? "is missing" : "a member's name is too long");
    }
    conf_h5_close(file);
}
END_TEST

START_TEST(a_file_has_a_limit_for_unpacked_data)
{
    conf_h5 *file;
    assay_error err = {0};
    begin_links();
    end_file(&NEWEST, 0);
    ck_assert_int_eq(open_file(&file, NULL), ASSAY_OK);
    const size_t most = file->most;
    ck_assert_uint_eq(most, raw.n * CONF_H5_UNPACKED_RATIO + CONF_H5_UNPACKED_BYTES);
    conf_h5_limit(file, most + 1);
    ck_assert_uint_eq(file->most, most);
    ck_assert_int_eq(conf_h5_memory_take(file, "/x", most - 100, &err), ASSAY_OK);
    conf_h5_limit(file, 200);
    ck_assert_uint_eq(file->most, 200);
    ck_assert_int_eq(conf_h5_memory_take(file, "/x", 101, &err), ASSAY_EFORMAT);
    assert_holds(err.text,
                 "/x unpacks to 101 bytes; a file of 90 bytes may unpack to 200, of which 100 are left");
    conf_h5_limit(file, 60);
    ck_assert_int_eq(conf_h5_memory_take(file, "/x", 60, &err), ASSAY_OK);
    ck_assert_int_eq(conf_h5_memory_take(file, "/x", 1, &err), ASSAY_EFORMAT);
    ck_assert_int_eq(conf_h5_memory_take(file, "/x", 0, &err), ASSAY_OK);
    conf_h5_close(file);
}
END_TEST

START_TEST(a_structure_has_a_limit_for_reading)
{
    enum { READ_COST = 256 };
    conf_h5_block block;
    assay_error err = {0};
    raw_put(0, 20);
    raw_store();
    raw.state.left.structure = READ_COST + 10 + READ_COST;
    ck_assert_int_eq(conf_h5_block_read(&raw.file, "/x", 10, 11, &block, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x: 11 bytes at address 10 reach beyond the file's end at 20");
    ck_assert_int_eq(conf_h5_block_read(&raw.file, "/x", 10, 10, &block, &err), ASSAY_OK);
    ck_assert_uint_eq(block.n, 10);
    free(block.data);
    ck_assert_int_eq(conf_h5_block_read(&raw.file, "/x", 0, 1, &block, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "/x: its structure takes more than 256 MiB and 8 times the file's size to read");
    ck_assert_int_eq(conf_h5_block_read(&raw.file, "/x", 20, 0, &block, &err), ASSAY_OK);
    free(block.data);
    ck_assert_uint_eq(raw.state.left.structure, 0);
    ck_assert_int_eq(conf_h5_block_read(&raw.file, "/x", 20, 0, &block, &err), ASSAY_EFORMAT);
    raw.file.base = 8; /* addresses are relative to the end of a user block */
    ck_assert(conf_h5_is_inside_file(&raw.file, 2, 10));
    ck_assert(!conf_h5_is_inside_file(&raw.file, 2, 11));
    raw_discard();
}
END_TEST

START_TEST(larger_files_may_have_a_larger_structure)
{
    size_t left[2];
    begin_links();
    end_file(&NEWEST, 0);
    for (size_t i = 0; i < 2; i++, raw_put(0, 100)) {
        conf_h5 *file;
        ck_assert_int_eq(open_file(&file, NULL), ASSAY_OK);
        left[i] = file->state->left.structure;
        conf_h5_close(file);
    }
    ck_assert_uint_lt(left[0], CONF_H5_STRUCTURE_BYTES_MAX + 8 * (raw.n - 200));
    ck_assert_uint_eq(left[1] - left[0], 8 * 100);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/superblock");
    TCase *files = tcase_create("superblock");
    tcase_add_checked_fixture(files, raw_setup, support_teardown);
    tcase_add_loop_test(files, a_superblock_is_at_the_beginning_or_after_a_user_block, 0, 4);
    tcase_add_loop_test(files, a_superblock_is_checked, 0, COUNT(superblocks));
    tcase_add_loop_test(files, a_superblock_that_is_cut_off_is_refused, 0, 4);
    suite_add_tcase(suite, files);
    TCase *links = tcase_create("links");
    tcase_add_checked_fixture(links, raw_setup, support_teardown);
    tcase_add_loop_test(links, a_link_has_its_parts_where_its_flags_say, 0, 32);
    tcase_add_loop_test(links, a_link_that_is_broken_is_refused, 0, COUNT(broken));
    tcase_add_test(links, a_link_that_is_cut_off_is_refused);
    tcase_add_test(links, the_message_on_many_links_needs_two_addresses);
    tcase_add_test(links, a_name_has_a_largest_length);
    suite_add_tcase(suite, links);
    TCase *limits = tcase_create("limits");
    tcase_add_checked_fixture(limits, raw_setup, support_teardown);
    tcase_add_test(limits, a_file_has_a_limit_for_unpacked_data);
    tcase_add_test(limits, a_structure_has_a_limit_for_reading);
    tcase_add_test(limits, larger_files_may_have_a_larger_structure);
    suite_add_tcase(suite, limits);
    return support_run(suite);
}
