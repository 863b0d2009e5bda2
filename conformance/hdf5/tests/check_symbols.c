/* Groups of the older format, a B-tree of symbols and a heap of their names, and attributes in an object
 * header, made byte by byte.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/hdf5/attribute.h"
#include "conformance/hdf5/group.h"
#include "conformance/hdf5/header.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

enum { HEADER = 40, HEAP = HEADER, NAMES = HEAP + 32, TREE = NAMES + 16, NODE = TREE + 24 + 2 * 24 };

/* Writes the header of a group with the names "\0bb\0a\0". */
static void put_group(void)
{
    raw_put(1, 8);
    raw_put(24, 8);
    raw_put(CONF_MESSAGE_SYMBOLS, 2);
    raw_put(16, 6);
    raw_put(TREE, 8);
    raw_put(HEAP, 8);
    raw_put_text("HEAP");
    raw_put(0, 4);
    raw_put(16, 8);
    raw_put(UINT64_MAX, 8);
    raw_put(NAMES, 8);
    raw_put('b' << 8 | 'b' << 16, 4);
    raw_put('a', 2);
    raw_put(0, 8);
    raw_put('c' | 'd' << 8, 2); /* the last name has no NUL */
    ck_assert_uint_eq(raw.n, TREE);
}

static void put_tree(size_t at, unsigned level, uint64_t child, uint64_t other)
{
    raw.n = at;
    raw_put_text("TREE");
    raw_put(0, 1);
    raw_put(level, 1);
    raw_put(other ? 2 : 1, 2);
    raw_put(UINT64_MAX, 8);
    raw_put(UINT64_MAX, 8);
    raw_put(0, 8);
    raw_put(child, 8);
    raw_put(0, 8);
    raw_put(other, 8);
}

static void put_symbol(uint64_t name, uint64_t address, unsigned type)
{
    raw_put(name, 8);
    raw_put(address, 8);
    raw_put(type, 4);
    raw_put(0, 20);
}

static void put_nodes(void)
{
    put_tree(TREE, 0, NODE, NODE + 8 + 40);
    raw.n = NODE;
    raw_put_text("SNOD");
    raw_put(1, 2);
    raw_put(1, 2);
    put_symbol(4, 77, 1);
    raw_put_text("SNOD");
    raw_put(1, 2);
    raw_put(2, 2);
    put_symbol(1, 88, 2);
    put_symbol(14, 99, 0);
}

/* Lists the group at address 0; reason NULL: as it was made. */
static void expect_group(const char *reason)
{
    const conf_h5_group *group;
    assay_error err = {0};
    raw_store();
    const assay_status rc = conf_h5_group_list(&raw.file, "/", 0, &group, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) {
        assert_holds(err.text, reason);
    } else {
        ck_assert_uint_eq(group->n, 3);
        ck_assert_str_eq(group->links[0].name, "a");
        ck_assert_str_eq(group->links[1].name, "bb");
        ck_assert_str_eq(group->links[2].name, "cd");
        ck_assert_uint_eq(group->links[0].address, 77);
        ck_assert_uint_eq(group->links[2].address, 99);
        ck_assert_int_eq(group->links[0].kind, CONF_LINK_HARD);
        ck_assert_int_eq(group->links[1].kind, CONF_LINK_SOFT);
        ck_assert_int_eq(group->links[2].kind, CONF_LINK_HARD);
    }
    for (size_t i = 0; i < CONF_H5_GROUPS_CACHED; i++) conf_h5_group_free(&raw.state.groups[i]);
    raw_discard();
}

START_TEST(symbols_are_listed_in_order)
{
    put_group();
    put_nodes();
    expect_group(NULL);
    raw.n--;
    expect_group("reach beyond the file's end");
}
END_TEST

#define LIST "the members of / cannot be listed"
#define WALK "/: its B-tree is damaged"

static const struct {
    size_t at;
    unsigned char byte;
    const char *reason;
} changes[] = {
    {18, 15, LIST},                                  /* bytes of the message */
    {HEAP, 'h', LIST},                               /* signature */
    {HEAP + 4, 1, LIST},                             /* version */
    {HEAP + 8, 14, LIST},                            /* size of the names: one begins after their end */
    {HEAP + 9, 0xff, "reach beyond the file's end"}, /* bytes of names */
    {TREE + 3, 'F', WALK},
    {TREE + 4, 1, WALK}, /* a tree of chunks */
    {TREE + 5, 1, WALK}, /* level of the root: nodes are no trees */
    {NODE + 3, 'E', LIST},
    {NODE + 4, 2, LIST},
    {NODE + 8, 0, LIST},  /* a name of no bytes */
    {NODE + 8, 1, LIST},  /* a name that there is already */
    {NODE + 8, 16, LIST}, /* after the last name */
    {NODE + 8, 17, LIST},
    {NODE + 8, 255, LIST},
    {NODE + 8, 3, LIST}, /* a name of no bytes */
    {NODE + 8 + 46, 3, "reach beyond the file's end"},
};

START_TEST(a_group_that_is_damaged_is_refused)
{
    put_group();
    put_nodes();
    raw.bytes[changes[_i].at] = changes[_i].byte;
    expect_group(changes[_i].reason);
}
END_TEST

START_TEST(the_heap_of_an_empty_group_is_checked)
{
    put_group();
    put_tree(TREE, 0, NODE, 0);
    raw_put_text("SNOD");
    raw_put(1, 4); /* and no symbols */
    raw.bytes[HEAP] = 'h';
    expect_group(LIST);
}
END_TEST

START_TEST(levels_of_a_tree_fall_by_one)
{
    for (unsigned level = 0; level < 4; level++) {
        memset(&raw, 0, sizeof raw);
        put_group();
        put_nodes();
        const size_t leaf = raw.n;
        put_tree(leaf, level, NODE, NODE + 8 + 40);
        const size_t n = raw.n;
        put_tree(TREE, 2, n, 0);
        put_tree(n, 1, leaf, 0);
        expect_group(level == 0 ? NULL : WALK);
        put_tree(TREE, 2, leaf, 0);
        raw.n = n + 72;
        expect_group(WALK);
    }
}
END_TEST

START_TEST(links_are_searched_in_a_heap_only_if_it_exists)
{
    for (unsigned flags = 0; flags < 2; flags++)
        for (unsigned version = 0; version < 2; version++) {
            const conf_h5_group *group;
            raw.n = 0;
            raw_put(1, 16);
            raw_put(CONF_MESSAGE_LINK_INFO, 2);
            raw_put(18 + 8 * flags, 6);
            raw_put(version, 1);
            raw_put(flags, 1);
            raw_put(7, 8 * flags); /* the next creation order */
            raw_put(UINT64_MAX, 8);
            raw_put(UINT64_MAX, 8);
            raw.bytes[8] = (unsigned char)(raw.n - 16);
            raw_store();
            const assay_status rc = conf_h5_group_list(&raw.file, "/", 0, &group, NULL);
            ck_assert_int_eq(rc, version == 0 ? ASSAY_OK : ASSAY_EFORMAT);
            if (rc == ASSAY_OK) ck_assert_uint_eq(group->n, 0);
            for (size_t i = 0; i < CONF_H5_GROUPS_CACHED; i++) conf_h5_group_free(&raw.state.groups[i]);
            raw_discard();
        }
}
END_TEST

/* Attributes. */

/* An attribute of one int32; n_name counts the name's NUL. */
static void put_attribute(unsigned version, unsigned flags, const char *name, size_t n_name)
{
    static const unsigned char type[12] = {0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0}, space[4] = {2, 0, 0, 0};
    const size_t start = raw.n;
    raw_put(CONF_MESSAGE_ATTRIBUTE, 8);
    raw_put(version, 1);
    raw_put(flags, 1);
    raw_put(n_name, 2);
    raw_put(sizeof type, 2);
    raw_put(sizeof space, 2);
    if (version == 3) raw_put(1, 1);
    for (size_t i = 0; i < n_name; i++) raw_put((unsigned char)name[i], 1);
    while (version == 1 && (raw.n - start) % 8) raw_put('?', 1);
    for (size_t i = 0; i < sizeof type; i++) raw_put(type[i], 1);
    while (version == 1 && (raw.n - start) % 8) raw_put('?', 1);
    for (size_t i = 0; i < sizeof space; i++) raw_put(space[i], 1);
    while (version == 1 && (raw.n - start) % 8) raw_put('?', 1);
    raw_put(0x01020304, 4);
    raw.bytes[start + 2] = (unsigned char)(raw.n - start - 8);
    raw.bytes[8] = (unsigned char)(raw.n - 16);
}

static void expect_attributes(const char *first, const char *reason)
{
    conf_h5_header header;
    conf_h5_attributes_list list;
    assay_error err = {0};
    raw_store();
    ck_assert_int_eq(conf_h5_header_read(&raw.file, "/x", 0, &header, &err), ASSAY_OK);
    const assay_status rc = conf_h5_attributes_read(&raw.file, "/x", &header, &list, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) {
        assert_holds(err.text, reason);
    } else {
        ck_assert_str_eq(list.at[0].name, first);
        ck_assert_uint_eq(list.at[0].n, 4);
        ck_assert_mem_eq(list.at[0].data, "\4\3\2\1", 4);
        ck_assert_int_eq(list.at[0].type.dtype, ASSAY_I32);
        ck_assert_ptr_eq(conf_h5_attribute_find(&list, first), list.at);
        ck_assert_ptr_null(conf_h5_attribute_find(&list, "zz"));
        conf_h5_attributes_free(&list);
    }
    conf_h5_header_free(&header);
    raw_discard();
}

#define DAMAGED "the attributes of /x are damaged"

static const struct {
    unsigned version, flags;
    const char *name;
    size_t n;
    const char *reason;
} attributes[] = {
    {1, 0, "n", 2, NULL},    {1, 0, "seven77", 8, NULL}, {1, 0, "eight888", 9, NULL}, {1, 3, "n", 2, NULL},
    {2, 0, "n", 2, NULL},    {3, 0, "seven77", 8, NULL}, {2, 1, "n", 2, DAMAGED},     {3, 2, "n", 2, DAMAGED},
    {2, 4, "n", 2, NULL},    {0, 0, "n", 2, DAMAGED},    {4, 0, "n", 2, DAMAGED},     {2, 0, "", 0, DAMAGED},
    {2, 0, "name", 2, NULL}, {2, 0, "n", 1, NULL},
};

START_TEST(an_attribute_is_decoded)
{
    char name[16] = "";
    memcpy(name, attributes[_i].name, attributes[_i].n);
    raw_put(1, 16);
    put_attribute(attributes[_i].version, attributes[_i].flags, attributes[_i].name, attributes[_i].n);
    expect_attributes(name, attributes[_i].reason);
    if (attributes[_i].reason) return;
    raw.bytes[18]--; /* bytes of the message */
    expect_attributes(name, DAMAGED);
}
END_TEST

START_TEST(attributes_have_names_of_their_own)
{
    for (unsigned twice = 2; twice-- > 0;) {
        raw.n = 0;
        raw_put(1, 16);
        put_attribute(2, 0, "z", 2);
        put_attribute(3, 0, twice ? "z" : "y", 2);
        put_attribute(1, 0, "a", 2);
        expect_attributes("a", twice ? DAMAGED : NULL);
    }
    raw.bytes[16 + 4] = CONF_MESSAGE_SHARED;
    expect_attributes("a", DAMAGED);
}
END_TEST

START_TEST(attributes_are_searched_in_a_heap_only_if_it_exists)
{
    for (unsigned flags = 0; flags < 2; flags++)
        for (unsigned version = 0; version < 2; version++) {
            raw.n = 0;
            raw_put(1, 16);
            put_attribute(2, 0, "a", 2);
            raw_put(CONF_MESSAGE_ATTRIBUTE_INFO, 2);
            raw_put(18 + 2 * flags, 6);
            raw_put(version, 1);
            raw_put(flags, 1);
            raw_put(7, 2 * flags); /* the next creation order */
            raw_put(UINT64_MAX, 8);
            raw_put(UINT64_MAX, 8);
            raw.bytes[8] = (unsigned char)(raw.n - 16);
            expect_attributes("a", version == 0 ? NULL : DAMAGED);
        }
}
END_TEST

/* The product of its axes is 2^64: no bytes, if it is taken for a size_t. */
START_TEST(an_attribute_of_more_elements_than_can_be_counted_is_refused)
{
    static const unsigned char space[20] = {2, 2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    raw_put(1, 16);
    put_attribute(2, 0, "n", 2);
    raw.n -= 4 + 4; /* its space and its data */
    for (size_t i = 0; i < sizeof space; i++) raw_put(space[i], 1);
    raw_put(0x01020304, 4);
    raw.bytes[18] = (unsigned char)(raw.n - 24); /* bytes of the message, and of its space */
    raw.bytes[24 + 6] = sizeof space;
    raw.bytes[8] = (unsigned char)(raw.n - 16);
    expect_attributes("n", DAMAGED);
    raw.bytes[24 + 8 + 2 + 12 + 4 + 4] = 0; /* axes without elements */
    raw.bytes[24 + 8 + 2 + 12 + 4 + 8 + 4] = 0;
    raw_store();
    conf_h5_header header;
    conf_h5_attributes_list list;
    ck_assert_int_eq(conf_h5_header_read(&raw.file, "/x", 0, &header, NULL), ASSAY_OK);
    ck_assert_int_eq(conf_h5_attributes_read(&raw.file, "/x", &header, &list, NULL), ASSAY_OK);
    ck_assert_uint_eq(list.at[0].n, 0);
    conf_h5_attributes_free(&list);
    conf_h5_header_free(&header);
    raw_discard();
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/symbols");
    TCase *groups = tcase_create("groups");
    tcase_add_checked_fixture(groups, raw_setup, support_teardown);
    tcase_add_test(groups, symbols_are_listed_in_order);
    tcase_add_loop_test(groups, a_group_that_is_damaged_is_refused, 0, COUNT(changes));
    tcase_add_test(groups, the_heap_of_an_empty_group_is_checked);
    tcase_add_test(groups, levels_of_a_tree_fall_by_one);
    tcase_add_test(groups, links_are_searched_in_a_heap_only_if_it_exists);
    suite_add_tcase(suite, groups);
    TCase *list = tcase_create("attributes");
    tcase_add_checked_fixture(list, raw_setup, support_teardown);
    tcase_add_loop_test(list, an_attribute_is_decoded, 0, COUNT(attributes));
    tcase_add_test(list, attributes_have_names_of_their_own);
    tcase_add_test(list, attributes_are_searched_in_a_heap_only_if_it_exists);
    tcase_add_test(list, an_attribute_of_more_elements_than_can_be_counted_is_refused);
    suite_add_tcase(suite, list);
    return support_run(suite);
}
