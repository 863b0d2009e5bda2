/* Headers of the newer format that are wrong in one number, under a checksum that holds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/hdf5/bytes.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/tests/support.h"

#define ANY  H5S_UNLIMITED
#define HEAP "/: its fractal heap is damaged"
#define TREE "/x: its B-tree is damaged"
#define LIST "/x: its chunk index is damaged"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_path("headers.h5");
}

static void store(unsigned char *at, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) at[i] = (unsigned char)(value >> 8 * i);
}

/* Writes a number into the header of n bytes with this signature, and with byte `type` at offset 5
 * unless 0, and updates its checksum. */
static void change_header(const char *signature, unsigned type, size_t n, size_t offset, size_t n_value,
                          uint64_t value)
{
    unsigned char *whole = malloc(1 << 20), *at = NULL;
    ck_assert_ptr_nonnull(whole);
    FILE *f = fopen(path, "r+b");
    ck_assert_ptr_nonnull(f);
    const size_t n_whole = fread(whole, 1, 1 << 20, f);
    for (size_t i = 0; i + n <= n_whole && !at; i++)
        if (memcmp(whole + i, signature, 4) == 0 && (!type || whole[i + 5] == type)) at = whole + i;
    ck_assert_ptr_nonnull(at);
    ck_assert(conf_checksum_holds((uint32_t)at[n - 4] | (uint32_t)at[n - 3] << 8 | (uint32_t)at[n - 2] << 16 |
                                      (uint32_t)at[n - 1] << 24,
                                  at, n - 4));
    store(at + offset, value, n_value);
    store(at + n - 4, conf_lookup3(at, n - 4), 4);
    rewind(f);
    ck_assert_uint_eq(fwrite(whole, 1, n_whole, f), n_whole);
    ck_assert_int_eq(fclose(f), 0);
    free(whole);
}

static assay_status read_file(assay_error *err)
{
    conf_h5 *file;
    conf_array a;
    assay_status rc = conf_h5_open(path, &file, err);
    if (rc != ASSAY_OK) return rc;
    rc = conf_h5_read(file, "/x", &a, err);
    if (rc == ASSAY_OK) conf_array_free(&a);
    conf_h5_close(file);
    return rc;
}

/* Which header: its signature, its type where several have it, its bytes, and how the file is written. */
typedef struct header {
    const char *signature;
    unsigned type;
    size_t n;
    hsize_t n_rows, n_cols; /* that /x may grow to */
    bool packed;
} header;

static const header HEAP_HEADER = {"FRHP", 0, 146, 60, 60, false};
static const header ATTRIBUTE_TREE = {"BTHD", 8, 38, 60, 60, false};
static const header CHUNK_TREE = {"BTHD", 10, 38, ANY, ANY, false};
static const header FIXED = {"FAHD", 0, 28, 60, 60, false}, FIXED_PACKED = {"FAHD", 0, 28, 60, 60, true};
static const header EXTENSIBLE = {"EAHD", 0, 72, ANY, 60, false};

static const struct {
    const header *in;
    size_t offset, n;
    uint64_t value;
    const char *reason;
} changes[] = {
    {&HEAP_HEADER, 4, 1, 1, HEAP},                   /* version */
    {&HEAP_HEADER, 7, 2, 1, HEAP},                   /* bytes of filters */
    {&HEAP_HEADER, 110, 2, 3, HEAP},                 /* width */
    {&HEAP_HEADER, 110, 2, 0, HEAP},                 /* width */
    {&HEAP_HEADER, 110, 2, 2048, HEAP},              /* width */
    {&HEAP_HEADER, 112, 8, 513, HEAP},               /* bytes of the first blocks */
    {&HEAP_HEADER, 112, 8, 1 << 20, HEAP},           /* more than the largest */
    {&HEAP_HEADER, 120, 8, 65537, HEAP},             /* bytes of the largest direct block */
    {&HEAP_HEADER, 120, 8, (uint64_t)1 << 32, HEAP}, /* bytes of the largest direct block */
    {&HEAP_HEADER, 128, 2, 7, HEAP},                 /* bits of an offset */
    {&HEAP_HEADER, 128, 2, 65, HEAP},                /* bits of an offset */
    {&HEAP_HEADER, 140, 2, 65, HEAP},                /* rows */
    {&ATTRIBUTE_TREE, 4, 1, 1, "/: its B-tree is damaged"},
    {&ATTRIBUTE_TREE, 5, 1, 9, "/: its B-tree is damaged"},
    {&CHUNK_TREE, 5, 1, 11, TREE},     /* type of records */
    {&CHUNK_TREE, 6, 4, 12, TREE},     /* bytes of a node */
    {&CHUNK_TREE, 10, 2, 0, TREE},     /* bytes of a record */
    {&CHUNK_TREE, 12, 2, 65535, TREE}, /* depth */
    {&CHUNK_TREE, 24, 2, 65535, TREE}, /* records of the root */
    {&FIXED, 4, 1, 1, LIST},           /* version */
    {&FIXED, 5, 1, 1, LIST},           /* with filters */
    {&FIXED, 6, 1, 7, LIST},           /* bytes of an element */
    {&FIXED, 6, 1, 21, LIST},          /* bytes of an element */
    {&FIXED, 7, 1, 41, LIST},          /* bits of a page's elements */
    {&FIXED, 8, 8, (uint64_t)1 << 40, LIST},
    {&FIXED_PACKED, 5, 1, 0, LIST},  /* without filters */
    {&FIXED_PACKED, 6, 1, 12, LIST}, /* bytes of an element */
    {&EXTENSIBLE, 7, 1, 41, LIST},   /* bits of the number of elements */
    {&EXTENSIBLE, 7, 1, 3, LIST},    /* fewer than a block has */
    {&EXTENSIBLE, 7, 1, 6, LIST},    /* fewer blocks than the index lists */
    {&EXTENSIBLE, 9, 1, 17, LIST},   /* elements of the smallest block */
    {&EXTENSIBLE, 10, 1, 3, LIST},   /* addresses of the smallest super block */
    {&EXTENSIBLE, 10, 1, 1, LIST},   /* addresses of the smallest super block */
    {&EXTENSIBLE, 11, 1, 41, LIST},  /* bits of a page's elements */
};

START_TEST(a_header_that_is_wrong_under_its_checksum_is_refused)
{
    const header *in = changes[_i].in;
    assay_error err = {0};
    support_write_newest(path, in->n_rows, in->n_cols, in->packed);
    ck_assert_msg(read_file(&err) == ASSAY_OK, "%s", err.text);
    change_header(in->signature, in->type, in->n, changes[_i].offset, changes[_i].n, changes[_i].value);
    ck_assert_int_eq(read_file(&err), ASSAY_EFORMAT);
    assert_holds(err.text, changes[_i].reason);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/headers");
    TCase *headers = tcase_create("headers");
    tcase_add_checked_fixture(headers, setup, support_teardown);
    tcase_add_loop_test(headers, a_header_that_is_wrong_under_its_checksum_is_refused, 0,
                        (int)(sizeof changes / sizeof *changes));
    suite_add_tcase(suite, headers);
    return support_run(suite);
}
