/* The messages of a dataset, made byte by byte: its layout, its filters and its fill value.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/hdf5/dataset.h"
#include "conformance/tests/raw.h"
#include "conformance/tests/support.h"

/* A message: numbers of so many bytes each, until one of none. */
typedef struct field {
    uint64_t value;
    size_t n;
} field;
#define FIELDS_MAX 40

static size_t n_fields_bytes(const field *fields)
{
    size_t n = 0;
    for (; fields->n; fields++) n += fields->n;
    return n;
}

static void put_message(unsigned type, const field *fields, size_t n_cut)
{
    const size_t n = n_fields_bytes(fields) - n_cut, end = raw.n + 8 + n;
    raw_put(type, 2);
    raw_put(n, 2);
    raw_put(0, 4);
    for (; fields->n; fields++) raw_put(fields->value, fields->n);
    raw.n = end;
    raw.bytes[8] = (unsigned char)(raw.n - 16); /* of the header */
    raw.bytes[9] = (unsigned char)((raw.n - 16) >> 8);
}

static const field FLOAT32[] = {{0x11, 1}, {0x1f20, 3}, {4, 4},  {0, 2},   {32, 2}, {23, 1},
                                {8, 1},    {0, 1},      {23, 1}, {127, 4}, {0}};
static const field ROWS_OF_6[] = {{1, 1}, {2, 1}, {0, 6}, {5, 8}, {6, 8}, {0}}; /* [5, 6] */
static const field CONTIGUOUS[] = {{3, 1}, {1, 1}, {64, 8}, {120, 8}, {0}};

/* The header of a dataset, as far as its type and its shape. */
static void begin_dataset(void)
{
    raw.n = 0;
    raw_put(1, 16);
    put_message(CONF_MESSAGE_TYPE, FLOAT32, 0);
    put_message(CONF_MESSAGE_SPACE, ROWS_OF_6, 0);
}

/* Opens the written dataset; reason NULL: it is valid, and the caller closes it. */
static conf_h5_dataset open_dataset(const char *reason)
{
    conf_h5_dataset d = {0};
    assay_error err = {0};
    raw.file.root = 0;
    raw_store();
    const assay_status rc = conf_h5_dataset_open(&raw.file, "/", &d, &err);
    ck_assert_msg(rc == (reason ? ASSAY_EFORMAT : ASSAY_OK), "status %d: %s", (int)rc, err.text);
    if (reason) assert_holds(err.text, reason);
    raw_discard();
    return d;
}

#define LAYOUT "/: its layout is damaged"

static const struct {
    field message[FIELDS_MAX];
    const char *reason;
    conf_h5_layout expected;
} layouts[] = {
    {{{2, 1}, {1, 1}, {64, 8}, {120, 8}}, "its layout has version 2, expected 3 to 5", {0}},
    {{{6, 1}, {1, 1}, {64, 8}, {120, 8}}, "its layout has version 6, expected 3 to 5", {0}},
    {{{5, 1}, {4, 1}, {64, 8}, {120, 8}}, LAYOUT, {0}},
    {{{4, 1}, {3, 1}, {64, 8}, {120, 8}}, "/ is a virtual dataset", {0}},
    {{{4, 1}, {1, 1}, {64, 8}, {120, 8}},
     NULL,
     {.storage = CONF_STORAGE_CONTIGUOUS, .address = 64, .bytes = 120}},
    {{{3, 1}, {0, 1}, {3, 2}, {0, 3}}, NULL, {.storage = CONF_STORAGE_COMPACT, .bytes = 3}},
    {{{3, 1}, {0, 1}, {0, 2}, {0, 1}}, NULL, {.storage = CONF_STORAGE_COMPACT, .bytes = 0}},
    {{{3, 1}, {2, 1}, {3, 1}, {77, 8}, {2, 4}, {6, 4}, {4, 4}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED,
      .address = 77,
      .rank = 2,
      .chunk = {2, 6},
      .index = CONF_INDEX_BTREE1}},
    {{{3, 1}, {2, 1}, {2, 1}, {77, 8}, {2, 4}, {4, 4}}, LAYOUT, {0}},
    {{{3, 1}, {2, 1}, {4, 1}, {77, 8}, {2, 4}, {6, 4}, {1, 4}, {4, 4}}, LAYOUT, {0}},
    {{{3, 1}, {2, 1}, {0, 1}, {77, 8}}, LAYOUT, {0}},
    {{{3, 1}, {2, 1}, {3, 1}, {77, 8}, {2, 4}, {0, 4}, {4, 4}}, LAYOUT, {0}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {1, 1}, {2, 1}, {6, 1}, {4, 1}, {1, 1}, {77, 8}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED,
      .address = 77,
      .rank = 2,
      .chunk = {2, 6},
      .index = CONF_INDEX_SINGLE}},
    {{{5, 1}, {2, 1}, {2, 1}, {3, 1}, {8, 1}, {2, 8}, {6, 8}, {4, 8}, {1, 1}, {99, 8}, {5, 4}, {77, 8}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED,
      .address = 77,
      .rank = 2,
      .chunk = {2, 6},
      .index = CONF_INDEX_SINGLE,
      .bytes = 99,
      .skipped = 5}},
    {{{4, 1}, {2, 1}, {1, 1}, {3, 1}, {2, 1}, {2, 2}, {6, 2}, {4, 2}, {2, 1}, {77, 8}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED,
      .address = 77,
      .rank = 2,
      .chunk = {2, 6},
      .index = CONF_INDEX_IMPLICIT,
      .plain_at_end = true}},
    {{{4, 1}, {2, 1}, {2, 1}, {3, 1}, {1, 1}, {2, 1}, {6, 1}, {4, 1}, {3, 1}, {9, 1}, {77, 8}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED, .address = 77, .rank = 2, .chunk = {2, 6}, .index = CONF_INDEX_FIXED}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {1, 1}, {2, 1}, {6, 1}, {4, 1}, {4, 1}, {9, 5}, {77, 8}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED,
      .address = 77,
      .rank = 2,
      .chunk = {2, 6},
      .index = CONF_INDEX_EXTENSIBLE}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {1, 1}, {2, 1}, {6, 1}, {4, 1}, {5, 1}, {9, 6}, {77, 8}},
     NULL,
     {.storage = CONF_STORAGE_CHUNKED,
      .address = 77,
      .rank = 2,
      .chunk = {2, 6},
      .index = CONF_INDEX_BTREE2}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {1, 1}, {2, 1}, {6, 1}, {4, 1}, {0, 1}, {77, 8}}, LAYOUT, {0}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {1, 1}, {2, 1}, {6, 1}, {4, 1}, {6, 1}, {77, 8}}, LAYOUT, {0}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {0, 1}, {1, 1}, {77, 8}}, LAYOUT, {0}},
    {{{4, 1}, {2, 1}, {0, 1}, {3, 1}, {9, 1}, {2, 9}, {6, 9}, {4, 9}, {1, 1}, {77, 8}}, LAYOUT, {0}},
    {{{4, 1}, {2, 1}, {0, 1}, {2, 1}, {1, 1}, {2, 1}, {4, 1}, {1, 1}, {77, 8}}, LAYOUT, {0}},
    {{{4, 1}, {2, 1}, {0, 1}, {34, 1}, {1, 1}, {1, 34}, {1, 1}, {77, 8}}, LAYOUT, {0}},
};

START_TEST(a_layout_is_decoded)
{
    const conf_h5_layout *expected = &layouts[_i].expected;
    begin_dataset();
    put_message(CONF_MESSAGE_LAYOUT, layouts[_i].message, 0);
    conf_h5_dataset d = open_dataset(layouts[_i].reason);
    if (layouts[_i].reason) return;
    ck_assert_int_eq(d.layout.storage, expected->storage);
    ck_assert_uint_eq(d.layout.address, expected->address);
    ck_assert_uint_eq(d.layout.bytes, expected->bytes);
    ck_assert_uint_eq(d.layout.rank, expected->rank);
    ck_assert_uint_eq(d.layout.chunk[0], expected->chunk[0]);
    ck_assert_uint_eq(d.layout.chunk[1], expected->chunk[1]);
    ck_assert_uint_eq(d.layout.chunk[2], 0);
    ck_assert_int_eq(d.layout.index, expected->index);
    ck_assert_uint_eq(d.layout.skipped, expected->skipped);
    ck_assert_int_eq(d.layout.plain_at_end, expected->plain_at_end);
    conf_h5_dataset_close(&d);
    begin_dataset();
    put_message(CONF_MESSAGE_LAYOUT, layouts[_i].message, 1);
    if (expected->storage == CONF_STORAGE_COMPACT && expected->bytes == 0) return; /* its end is a gap */
    (void)open_dataset(LAYOUT);
}
END_TEST

#define FILTERS "/: its filters are damaged"
#define PACKED  "expected shuffle, deflate and fletcher32, each at most once"

static const struct {
    field message[FIELDS_MAX];
    const char *reason;
    conf_pipeline expected;
} pipelines[] = {
    {{{2, 1}, {0, 1}}, NULL, {.n = 0}},
    {{{2, 1}, {1, 1}, {2, 2}, {0, 2}, {1, 2}, {4, 4}}, NULL, {1, {CONF_FILTER_SHUFFLE}, 4}},
    {{{2, 1}, {1, 1}, {2, 2}, {0, 2}, {1, 2}, {0x01020304, 4}}, NULL, {1, {CONF_FILTER_SHUFFLE}, 0x01020304}},
    {{{2, 1}, {1, 1}, {2, 2}, {0, 2}, {0, 2}}, NULL, {1, {CONF_FILTER_SHUFFLE}, 0}},
    {{{2, 1},
      {3, 1},
      {3, 2},
      {0, 2},
      {0, 2},
      {1, 2},
      {0, 2},
      {1, 2},
      {9, 4},
      {2, 2},
      {0, 2},
      {2, 2},
      {8, 4},
      {7, 4}},
     NULL,
     {3, {CONF_FILTER_FLETCHER32, CONF_FILTER_DEFLATE, CONF_FILTER_SHUFFLE}, 8}},
    /* Version 1 has names, padded to 8 bytes, and pads an odd number of values. */
    {{{1, 1},
      {2, 1},
      {0, 6},
      {2, 2},
      {5, 2},
      {0, 2},
      {1, 2},
      {'n', 8},
      {4, 4},
      {0, 4},
      {1, 2},
      {0, 2},
      {0, 2},
      {2, 2},
      {9, 4},
      {9, 4}},
     NULL,
     {2, {CONF_FILTER_SHUFFLE, CONF_FILTER_DEFLATE}, 4}},
    {{{1, 1}, {1, 1}, {0, 6}, {2, 2}, {8, 2}, {0, 2}, {1, 2}, {'n', 8}, {4, 4}, {0, 4}},
     NULL,
     {1, {CONF_FILTER_SHUFFLE}, 4}},
    {{{1, 1}, {1, 1}, {0, 6}, {2, 2}, {9, 2}, {0, 2}, {1, 2}, {'n', 8}, {0, 8}, {4, 4}, {0, 4}},
     NULL,
     {1, {CONF_FILTER_SHUFFLE}, 4}},
    {{{2, 1}, {1, 1}, {0, 2}, {0, 2}, {0, 2}}, "packed by filter 0; " PACKED, {0}},
    {{{2, 1}, {1, 1}, {4, 2}, {0, 2}, {0, 2}}, "packed by filter 4; " PACKED, {0}},
    {{{2, 1}, {1, 1}, {255, 2}, {0, 2}, {0, 2}}, "packed by filter 255; " PACKED, {0}},
    {{{2, 1}, {1, 1}, {256, 2}, {3, 2}, {0, 2}, {0, 2}, {'n', 3}}, "packed by filter 256; " PACKED, {0}},
    {{{2, 1}, {2, 1}, {1, 2}, {0, 2}, {0, 2}, {1, 2}, {0, 2}, {0, 2}}, "packed by filter 1; " PACKED, {0}},
    {{{0, 1}, {0, 1}, {0, 6}}, FILTERS, {0}},
    {{{3, 1}, {0, 1}, {0, 6}}, FILTERS, {0}},
    {{{1, 1}, {0, 1}, {0, 5}}, FILTERS, {0}},
};

START_TEST(filters_are_decoded)
{
    const conf_pipeline *expected = &pipelines[_i].expected;
    for (size_t n_cut = 0; n_cut < 2; n_cut++) {
        begin_dataset();
        put_message(CONF_MESSAGE_LAYOUT, CONTIGUOUS, 0);
        put_message(CONF_MESSAGE_PIPELINE, pipelines[_i].message, n_cut);
        conf_h5_dataset d = open_dataset(n_cut ? FILTERS : pipelines[_i].reason);
        if (n_cut || pipelines[_i].reason) continue;
        ck_assert_uint_eq(d.pipeline.n, expected->n);
        for (size_t i = 0; i < expected->n; i++) ck_assert_int_eq(d.pipeline.filter[i], expected->filter[i]);
        ck_assert_uint_eq(d.pipeline.element, expected->element);
        conf_h5_dataset_close(&d);
    }
}
END_TEST

#define FILL "/: its fill value is damaged"

static const struct {
    unsigned type;
    field message[FIELDS_MAX];
    const char *reason;
    uint32_t expected;
} fills[] = {
    {CONF_MESSAGE_OLD_FILL, {{4, 4}, {7, 4}}, NULL, 7},
    {CONF_MESSAGE_OLD_FILL, {{0, 4}}, NULL, 0},
    {CONF_MESSAGE_OLD_FILL, {{UINT32_MAX, 4}}, NULL, 0},
    {CONF_MESSAGE_OLD_FILL, {{3, 4}, {7, 3}}, "/: its fill value has 3 bytes, expected 4", 0},
    {CONF_MESSAGE_FILL, {{1, 1}, {2, 1}, {2, 1}, {0, 1}, {4, 4}, {7, 4}}, NULL, 7},
    {CONF_MESSAGE_FILL, {{1, 1}, {2, 1}, {2, 1}, {1, 1}, {4, 4}, {7, 4}}, NULL, 7},
    {CONF_MESSAGE_FILL, {{2, 1}, {2, 1}, {2, 1}, {1, 1}, {4, 4}, {7, 4}}, NULL, 7},
    {CONF_MESSAGE_FILL, {{2, 1}, {2, 1}, {2, 1}, {0, 1}}, NULL, 0},
    {CONF_MESSAGE_FILL, {{3, 1}, {0x2a, 1}, {4, 4}, {7, 4}}, NULL, 7},
    {CONF_MESSAGE_FILL, {{3, 1}, {0xdf, 1}}, NULL, 0},
    {CONF_MESSAGE_FILL, {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 4}}, FILL, 0},
    {CONF_MESSAGE_FILL, {{4, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 4}}, FILL, 0},
};

START_TEST(a_fill_value_is_decoded)
{
    for (size_t n_cut = 0; n_cut < 2; n_cut++) {
        begin_dataset();
        put_message(CONF_MESSAGE_LAYOUT, CONTIGUOUS, 0);
        put_message(fills[_i].type, fills[_i].message, n_cut);
        conf_h5_dataset d = open_dataset(n_cut ? FILL : fills[_i].reason);
        if (n_cut || fills[_i].reason) continue;
        ck_assert_mem_eq(d.fill, &fills[_i].expected, 4);
        conf_h5_dataset_close(&d);
    }
}
END_TEST

START_TEST(the_newer_fill_value_counts)
{
    begin_dataset();
    put_message(CONF_MESSAGE_LAYOUT, CONTIGUOUS, 0);
    put_message(CONF_MESSAGE_OLD_FILL, fills[0].message, 0);
    put_message(CONF_MESSAGE_FILL, (const field[]){{3, 1}, {32, 1}, {4, 4}, {9, 4}, {0}}, 0);
    conf_h5_dataset d = open_dataset(NULL);
    ck_assert_uint_eq(d.fill[0], 9);
    conf_h5_dataset_close(&d);
}
END_TEST

START_TEST(a_chunk_is_no_larger_than_the_limit_for_unpacking)
{
    /* 2 * 6 float32 */
    begin_dataset();
    put_message(CONF_MESSAGE_LAYOUT, layouts[7].message, 0);
    for (size_t most = 47; most <= 48; most++) {
        conf_h5_dataset d;
        assay_error err = {0};
        raw_store();
        raw.file.most_of_chunk = most;
        ck_assert_int_eq(conf_h5_dataset_open(&raw.file, "/", &d, &err),
                         most < 48 ? ASSAY_EFORMAT : ASSAY_OK);
        if (most < 48) assert_holds(err.text, "/ has chunks of 48 bytes; a file of ");
        else conf_h5_dataset_close(&d);
        raw_discard();
    }
}
END_TEST

START_TEST(a_dataset_has_a_type_a_shape_and_a_layout)
{
    for (unsigned lacks = 0; lacks < 3; lacks++) {
        raw.n = 0;
        raw_put(1, 16);
        if (lacks != 0) put_message(CONF_MESSAGE_TYPE, FLOAT32, 0);
        if (lacks != 1) put_message(CONF_MESSAGE_SPACE, ROWS_OF_6, 0);
        if (lacks != 2) put_message(CONF_MESSAGE_LAYOUT, CONTIGUOUS, 0);
        (void)open_dataset("/ is not a dataset");
    }
    begin_dataset();
    put_message(CONF_MESSAGE_LAYOUT, CONTIGUOUS, 0);
    put_message(CONF_MESSAGE_EXTERNAL, (const field[]){{0, 8}, {0}}, 0);
    (void)open_dataset("/ is stored outside the file; its data must lie in this file");
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/dataset");
    TCase *datasets = tcase_create("messages");
    tcase_add_checked_fixture(datasets, raw_setup, support_teardown);
    tcase_add_loop_test(datasets, a_layout_is_decoded, 0, COUNT(layouts));
    tcase_add_loop_test(datasets, filters_are_decoded, 0, COUNT(pipelines));
    tcase_add_loop_test(datasets, a_fill_value_is_decoded, 0, COUNT(fills));
    tcase_add_test(datasets, the_newer_fill_value_counts);
    tcase_add_test(datasets, a_chunk_is_no_larger_than_the_limit_for_unpacking);
    tcase_add_test(datasets, a_dataset_has_a_type_a_shape_and_a_layout);
    suite_add_tcase(suite, datasets);
    return support_run(suite);
}
