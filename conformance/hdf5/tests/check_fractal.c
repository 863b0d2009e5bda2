/* Fractal heaps and B-trees of version 2, made byte by byte, with sizes that libhdf5 does not choose.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/btree.h"
#include "conformance/hdf5/heap.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

enum { HEADER = 146, CHECKED = 2 };

/* Members of a heap's header; its root is a direct block after it. */
typedef struct heap {
    unsigned flags, offset_bits, offset_bytes;
    uint64_t block_bytes, managed_max;
    size_t length_bytes; /* that follows from it */
} heap;

static void put_heap(const heap *h)
{
    raw.n = 0;
    raw_put_text("FRHP");
    raw_put(0, 5);
    raw_put(h->flags, 1);
    raw_put(h->managed_max, 4);
    raw_put(0, 8);
    raw_put(UINT64_MAX, 8);
    raw_put(0, 80);
    raw_put(4, 2);
    raw_put(h->block_bytes, 8);
    raw_put(h->block_bytes, 8);
    raw_put(h->offset_bits, 2);
    raw_put(0, 2);
    raw_put(HEADER, 8);
    raw_put(0, 2);
    raw_seal(0);
    ck_assert_uint_eq(raw.n, HEADER);
    raw_put_text("FHDB");
    raw_put(0, 1 + 8 + h->offset_bytes);
    const size_t at = raw.n;
    if (h->flags & CHECKED) raw_put(0, 4);
    while (raw.n < HEADER + h->block_bytes) raw_put('a' + (raw.n - HEADER) % 26, 1);
    const uint32_t sum = conf_lookup3(raw.bytes + HEADER, raw.n - HEADER);
    for (size_t i = 0; i < 4 && h->flags & CHECKED; i++) raw.bytes[at + i] = (unsigned char)(sum >> 8 * i);
}

/* Reads an object; reason NULL: it is the letters there. */
static void expect_object(const heap *h, unsigned kind, uint64_t offset, uint64_t length, const char *reason)
{
    unsigned char id[17] = {(unsigned char)kind};
    size_t n = 1;
    for (size_t i = 0; i < h->offset_bytes; i++) id[n++] = (unsigned char)(offset >> 8 * i);
    for (size_t i = 0; i < h->length_bytes; i++) id[n++] = (unsigned char)(length >> 8 * i);
    conf_fractal fractal;
    conf_h5_block object = {0};
    assay_error err = {0};
    raw_store();
    ck_assert_msg(conf_fractal_open(&raw.file, "/x", 0, &fractal, &err) == ASSAY_OK, "%s", err.text);
    assay_status rc = conf_fractal_read(&fractal, conf_bytes_of(id, n), &object, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) assert_holds(err.text, reason);
    ck_assert_uint_eq(object.n, reason ? 0 : length);
    for (size_t i = 0; i < object.n; i++) ck_assert_uint_eq(object.data[i], 'a' + (offset + i) % 26);
    if (!reason) {
        free(object.data);
        ck_assert_int_eq(conf_fractal_read(&fractal, conf_bytes_of(id, n), &object, &err), ASSAY_OK);
        ck_assert_uint_eq(fractal.n_blocks, 1); /* which is kept */
    }
    free(object.data);
    rc = conf_fractal_read(&fractal, conf_bytes_of(id, n - 1), &object, &err);
    ck_assert_int_eq(rc, ASSAY_EFORMAT);
    conf_fractal_close(&fractal);
    raw_discard();
}

#define DAMAGED "/x: its fractal heap is damaged"

START_TEST(the_width_of_an_offset_follows_from_its_bits)
{
    for (unsigned bits = 8; bits <= 64; bits++) {
        const heap h = {0, bits, (bits + 7) / 8, 128, 64, 1};
        put_heap(&h);
        expect_object(&h, 0, 100, 9, NULL);
    }
}
END_TEST

static const heap heaps[] = {
    {0, 16, 2, 128, 4096, 1},     {0, 16, 2, 256, 4096, 1},       {0, 16, 2, 512, 4096, 2},
    {0, 16, 2, 65536, 65536, 2},  {0, 16, 2, 65536, 255, 1},      {0, 16, 2, 65536, 256, 2},
    {0, 24, 3, 131072, 65535, 2}, {0, 24, 3, 131072, 1 << 20, 3}, {CHECKED, 16, 2, 128, 64, 1},
    {1, 16, 2, 128, 64, 1}, /* a flag that does not ask for checksums */
};

START_TEST(the_width_of_a_length_follows_from_the_largest_object)
{
    const heap *h = &heaps[_i];
    put_heap(h);
    expect_object(h, 0, 30, 60, NULL);
    expect_object(h, 0, h->block_bytes - 3, 3, NULL);
    expect_object(h, 0, h->block_bytes - 3, 4, DAMAGED);
}
END_TEST

START_TEST(an_object_lies_in_its_block)
{
    const heap h = {CHECKED, 16, 2, 128, 64, 1};
    put_heap(&h);
    expect_object(&h, 0, 127, 0, NULL);
    expect_object(&h, 0, 127, 1, NULL);
    expect_object(&h, 0, 128, 1, DAMAGED);
    expect_object(&h, 0, 200, 0, DAMAGED);
    expect_object(&h, 0x20, 30, 3, DAMAGED); /* a tiny object */
    expect_object(&h, 0x30, 30, 3, DAMAGED);
    expect_object(&h, 0x40, 30, 3, DAMAGED); /* another version */
    raw.bytes[HEADER + 100] ^= 1;
    expect_object(&h, 0, 30, 3, DAMAGED);
    put_heap(&h);
    raw.bytes[HEADER + 5] ^= 1; /* the heap's address */
    expect_object(&h, 0, 30, 3, DAMAGED);
}
END_TEST

/* B-trees: a header, whose root follows, of nodes of `node` bytes with records of `record` bytes. */
typedef struct tree {
    size_t node, record, depth, n_root;
} tree;

enum { TREE_HEADER = 38, TYPE = 7 };

static void put_tree(const tree *t)
{
    raw.n = 0;
    raw_put_text("BTHD");
    raw_put(0, 1);
    raw_put(TYPE, 1);
    raw_put(t->node, 4);
    raw_put(t->record, 2);
    raw_put(t->depth, 2);
    raw_put(0, 2);
    raw_put(TREE_HEADER, 8);
    raw_put(t->n_root, 2);
    raw_put(0, 8);
    raw_seal(0);
    ck_assert_uint_eq(raw.n, TREE_HEADER);
}

static size_t begin_node(const char *signature)
{
    const size_t start = raw.n;
    raw_put_text(signature);
    raw_put(0, 1);
    raw_put(TYPE, 1);
    return start;
}

static assay_status sum_records(void *context, conf_bytes record, assay_error *err)
{
    (void)err;
    uint64_t *sum = context;
    *sum = *sum * 10 + conf_bytes_number(&record, 1);
    return ASSAY_OK;
}

/* expected: the first bytes of all records, as decimal digits. */
static void expect_tree(uint64_t expected, const char *reason)
{
    uint64_t sum = 0;
    assay_error err = {0};
    raw_store();
    const assay_status rc = conf_btree2_walk(&raw.file, "/x", 0, TYPE, sum_records, &sum, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) assert_holds(err.text, reason);
    else ck_assert_uint_eq(sum, expected);
    raw_discard();
}

#define TREE "/x: its B-tree is damaged"

/* A node of 64 bytes holds up to 18 records of 3 bytes. One above holds 3 and 4 pointers: 75 records, so that
 * a byte says how many are below it. With 106 bytes it is 32, and 7 and 8 pointers: 263 records. */
static const struct {
    size_t node, total_bytes;
} nodes[] = {{64, 1}, {106, 2}};

START_TEST(the_width_of_a_record_count_follows_from_its_maximum)
{
    const size_t node = nodes[_i].node;
    put_tree(&(tree){node, 3, 2, 1});
    const size_t root = begin_node("BTIN"), inner = root + node, leaf = inner + 2 * node;
    raw_put(5, 3);
    for (size_t i = 0; i < 2; i++) {
        raw_put(inner + node * i, 8);
        raw_put(1, 1);
        raw_put(3, nodes[_i].total_bytes);
    }
    raw_seal(root);
    for (size_t i = 0; i < 2; i++) {
        raw.n = inner + node * i;
        (void)begin_node("BTIN");
        raw_put(i ? 7 : 3, 3);
        for (size_t k = 0; k < 2; k++) {
            raw_put(leaf + node * (2 * i + k), 8);
            raw_put(1, 1);
        }
        raw_seal(inner + node * i);
    }
    for (size_t i = 0; i < 4; i++) {
        raw.n = leaf + node * i;
        (void)begin_node("BTLF");
        raw_put(i == 0 ? 1 : i == 1 ? 4 : i == 2 ? 6 : 9, 3);
        raw_seal(leaf + node * i);
    }
    expect_tree(1345679, NULL);
    raw.bytes[leaf + 5] = TYPE + 1;
    raw.n = leaf + 9;
    raw_seal(leaf);
    raw.n = leaf + 4 * node;
    expect_tree(0, TREE);
}
END_TEST

START_TEST(a_leaf_is_as_large_as_its_records)
{
    for (size_t more = 0; more < 2; more++) {
        put_tree(&(tree){16 - more, 2, 0, 3});
        (void)begin_node("BTLF");
        for (size_t i = 1; i <= 3; i++) raw_put(i, 2);
        raw_seal(TREE_HEADER);
        expect_tree(123, more ? TREE : NULL);
    }
}
END_TEST

static const struct {
    tree t;
    bool sound;
} trees[] = {
    {{64, 0, 0, 0}, false}, {{11, 1, 0, 0}, true},  {{10, 1, 0, 0}, false},  {{29, 1, 1, 0}, true},
    {{28, 1, 1, 0}, false}, {{64, 3, 32, 0}, true}, {{64, 3, 33, 0}, false},
};

START_TEST(a_tree_has_room_for_a_record_in_each_node)
{
    put_tree(&trees[_i].t);
    memset(raw.bytes + 16, 0xff, 8); /* a tree without a root, whose sizes are checked all the same */
    raw.n = TREE_HEADER - 4;
    raw_seal(0);
    expect_tree(0, trees[_i].sound ? NULL : TREE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/fractal");
    TCase *fractal = tcase_create("heaps");
    tcase_add_checked_fixture(fractal, raw_setup, support_teardown);
    tcase_add_loop_test(fractal, the_width_of_a_length_follows_from_the_largest_object, 0,
                        sizeof heaps / sizeof *heaps);
    tcase_add_test(fractal, an_object_lies_in_its_block);
    suite_add_tcase(suite, fractal);
    TCase *btree = tcase_create("trees");
    tcase_add_checked_fixture(btree, raw_setup, support_teardown);
    tcase_add_test(fractal, the_width_of_an_offset_follows_from_its_bits);
    tcase_add_loop_test(btree, the_width_of_a_record_count_follows_from_its_maximum, 0,
                        sizeof nodes / sizeof *nodes);
    tcase_add_test(btree, a_leaf_is_as_large_as_its_records);
    tcase_add_loop_test(btree, a_tree_has_room_for_a_record_in_each_node, 0, sizeof trees / sizeof *trees);
    suite_add_tcase(suite, btree);
    return support_run(suite);
}
