/* Valid GGUF files, in one part and in several.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gguf/container.h"

#include "base/tests/support.h"
#include "gguf/tests/writer.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPE_F32 = 0, TYPE_Q4_0 = 2, TYPE_Q8_0 = 8 };

static gguf *expect_open(const char *path)
{
    gguf *f = NULL;
    assay_error err = {0};
    ck_assert_msg(gguf_open(path, &f, &err) == ASSAY_OK, "%s", err.text);
    return f;
}

static void write_two(buffer *b, size_t alignment)
{
    static const uint64_t MATRIX[] = {64, 3}, VECTOR[] = {5};
    writer_tensor(b, "blk.0.attn_q.weight", 2, MATRIX, TYPE_Q4_0, alignment);
    writer_tensor(b, "norm", 1, VECTOR, TYPE_F32, 0);
    writer_align(b, alignment);
    const size_t begin = b->n;
    for (int i = 0; i < 5; i++) writer_f32(b, (float)i);
    writer_align(b, alignment);
    ck_assert_uint_eq(b->n - begin, alignment);
    for (unsigned i = 0; i < 3 * 2 * 18; i++) writer_u8(b, (uint8_t)i);
}

START_TEST(tensors_are_found_with_their_bytes)
{
    buffer b = {0};
    writer_header(&b, 2, 0);
    write_two(&b, 32);
    gguf *f = expect_open(writer_file(&b, "two.gguf"));
    ck_assert_uint_eq(gguf_count(f), 2);
    ck_assert_uint_eq(gguf_n_parts(f), 1);
    const gguf_tensor *q = gguf_at(f, 0), *norm = gguf_find(f, "norm");
    ck_assert_str_eq(q->name, "blk.0.attn_q.weight");
    ck_assert_str_eq(q->type->name, "Q4_0");
    ck_assert(q->n_dims == 2 && q->ne[0] == 64 && q->ne[1] == 3 && q->ne[2] == 1 && q->ne[3] == 1);
    ck_assert_uint_eq(q->n_bytes, 3 * 2 * 18);
    for (unsigned i = 0; i < q->n_bytes; i++) ck_assert_uint_eq(((const unsigned char *)q->data)[i], i);
    ck_assert_ptr_eq(norm, gguf_at(f, 1));
    ck_assert(norm->n_dims == 1 && norm->ne[0] == 5 && norm->n_bytes == 20);
    ck_assert(((const float *)norm->data)[4] == 4.0F);
    ck_assert_ptr_null(gguf_find(f, "norm2"));
    gguf_free(f);
    gguf_free(NULL);
}
END_TEST

START_TEST(the_file_states_its_alignment)
{
    buffer b = {0};
    writer_header(&b, 2, 1);
    writer_key_u32(&b, "general.alignment", 128);
    write_two(&b, 128);
    gguf *f = expect_open(writer_file(&b, "aligned.gguf"));
    ck_assert_uint_eq(((const unsigned char *)gguf_at(f, 0)->data)[107], 107);
    gguf_free(f);
}
END_TEST

START_TEST(version_2_and_a_scalar_are_accepted)
{
    buffer b = {0};
    writer_header(&b, 1, 0);
    b.data[4] = 2;
    writer_tensor(&b, "scalar", 0, NULL, TYPE_F32, 0);
    writer_align(&b, 32);
    writer_f32(&b, 7.5F);
    gguf *f = expect_open(writer_file(&b, "version2.gguf"));
    ck_assert(gguf_at(f, 0)->n_dims == 0 && gguf_at(f, 0)->ne[0] == 1 && gguf_at(f, 0)->n_bytes == 4);
    ck_assert(*(const float *)gguf_at(f, 0)->data == 7.5F);
    gguf_free(f);
}
END_TEST

START_TEST(a_file_without_tensors_needs_no_padding)
{
    buffer b = {0};
    writer_header(&b, 0, 1);
    writer_key_text(&b, "general.architecture", "llama");
    gguf *f = expect_open(writer_file(&b, "vocabulary.gguf"));
    ck_assert_uint_eq(gguf_count(f), 0);
    ck_assert_ptr_null(gguf_find(f, "a"));
    ck_assert_ptr_nonnull(gguf_get(f, "general.architecture"));
    ck_assert_ptr_null(gguf_get(f, "general"));
    gguf_free(f);
}
END_TEST

START_TEST(every_type_has_the_size_of_its_blocks)
{
    size_t n = 0;
    const gguf_type *types = gguf_types(&n);
    ck_assert_uint_eq(n, 43);
    for (uint32_t id = 0; id < n; id++) {
        ck_assert_uint_eq(types[id].id, id);
        ck_assert_uint_le(types[id].n_bytes, GGUF_BLOCK_BYTES_MAX);
        if (types[id].n_bytes == 0) continue;
        const uint64_t ne[] = {2 * types[id].block, 3};
        buffer b = {0};
        writer_header(&b, 1, 0);
        writer_tensor(&b, "t", 2, ne, id, 0);
        writer_align(&b, 32);
        writer_zeros(&b, 6 * types[id].n_bytes);
        gguf *f = expect_open(writer_file(&b, "type.gguf"));
        ck_assert_uint_eq(gguf_at(f, 0)->n_bytes, 6 * types[id].n_bytes);
        gguf_free(f);
    }
    ck_assert_ptr_null(gguf_type_of(43));
    ck_assert_ptr_null(gguf_type_of(UINT32_MAX));
}
END_TEST

/* Part `no` of `count` with one tensor; total: split.tensors.count. */
static const char *write_part(const char *name, uint16_t no, uint16_t count, const char *tensor,
                              uint32_t total)
{
    static const uint64_t NE[] = {1};
    buffer b = {0};
    writer_header(&b, 1, 3);
    writer_key(&b, "split.no", GGUF_U16);
    writer_u16(&b, no);
    writer_key(&b, "split.count", GGUF_U16);
    writer_u16(&b, count);
    writer_key(&b, "split.tensors.count", GGUF_I32);
    writer_u32(&b, total);
    writer_tensor(&b, tensor, 1, NE, TYPE_F32, 0);
    writer_align(&b, 32);
    writer_f32(&b, (float)no);
    return writer_file(&b, name);
}

START_TEST(parts_are_found_beside_the_first)
{
    const char *first = write_part("m-00001-of-00003.gguf", 0, 3, "b", 3);
    (void)write_part("m-00002-of-00003.gguf", 1, 3, "a", 3);
    (void)write_part("m-00003-of-00003.gguf", 2, 3, "c", 3);
    gguf *f = expect_open(first);
    ck_assert_str_eq(gguf_path(f), first);
    ck_assert_uint_eq(gguf_n_parts(f), 3);
    ck_assert_uint_eq(gguf_count(f), 3);
    ck_assert_str_eq(gguf_at(f, 1)->name, "a");
    const gguf_tensor *c = gguf_find(f, "c");
    ck_assert(*(const float *)c->data == 2.0F);
    ck_assert(strstr(gguf_part_path(f, c->part), "m-00003-of-00003.gguf") != NULL);
    gguf_free(f);
}
END_TEST

static void expect_refused(const char *path, assay_status status, const char *found, const char *expected)
{
    gguf *f = NULL;
    assay_error err = {0};
    ck_assert_int_eq(gguf_open(path, &f, &err), status);
    ck_assert_ptr_null(f);
    support_expect_error(&err, status, found, expected, NULL);
}

START_TEST(another_part_than_the_first_is_refused)
{
    expect_refused(write_part("n-00002-of-00003.gguf", 1, 3, "a", 3), ASSAY_EFORMAT,
                   "n-00002-of-00003.gguf: found file 2 of 3", "n-00001-of-00003.gguf");
    expect_refused(write_part("n-00001-of-00004.gguf", 0, 3, "a", 3), ASSAY_EFORMAT,
                   "n-00001-of-00004.gguf: found file 1 of 3", "expected the first, ");
    expect_refused(write_part("p-00001-of-00003.gguf", 1, 3, "a", 3), ASSAY_EFORMAT,
                   "p-00001-of-00003.gguf: found file 2 of 3", "expected the first, ");
}
END_TEST

START_TEST(a_missing_or_wrong_part_is_refused)
{
    const char *first = write_part("o-00001-of-00002.gguf", 0, 2, "a", 2);
    expect_refused(first, ASSAY_EIO, "o-00002-of-00002.gguf: ", "No such file");
    (void)write_part("o-00002-of-00002.gguf", 0, 2, "b", 2);
    expect_refused(first, ASSAY_EFORMAT, "o-00002-of-00002.gguf: found file 1 of 2", "expected file 2 of 2");
    (void)write_part("o-00002-of-00002.gguf", 1, 3, "b", 2);
    expect_refused(first, ASSAY_EFORMAT, "o-00002-of-00002.gguf: found file 2 of 3", "expected file 2 of 2");
    (void)write_part("o-00002-of-00002.gguf", 1, 2, "a", 2);
    expect_refused(first, ASSAY_EFORMAT, "tensor 'a': found twice", "expected once");
    first = write_part("o-00001-of-00002.gguf", 0, 2, "a", 3);
    (void)write_part("o-00002-of-00002.gguf", 1, 2, "b", 3);
    expect_refused(first, ASSAY_EFORMAT, "found 2 tensors in 2 files", "expected the 3 of key");
}
END_TEST

START_TEST(only_gguf_files_are_taken_for_such)
{
    static const struct {
        const char *bytes;
        bool is;
    } ROWS[] = {{"GGUF", true}, {"GGUFxyz", true}, {"GGU", false}, {"gguf", false}, {"", false}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        ck_assert(gguf_is_file(support_write(support_tmpdir(), "is", ROWS[i].bytes, strlen(ROWS[i].bytes))) ==
                  ROWS[i].is);
    ck_assert(!gguf_is_file(support_tmpdir()));
    ck_assert(!gguf_is_file("/nonexistent"));
}
END_TEST

START_TEST(what_is_no_regular_file_is_refused)
{
    expect_refused(support_tmpdir(), ASSAY_EIO, "found a directory", "expected a regular file");
    expect_refused("/nonexistent", ASSAY_EIO, "/nonexistent: ", "No such file");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf/container");
    TCase *t = tcase_create("all");
    tcase_add_test(t, tensors_are_found_with_their_bytes);
    tcase_add_test(t, the_file_states_its_alignment);
    tcase_add_test(t, version_2_and_a_scalar_are_accepted);
    tcase_add_test(t, a_file_without_tensors_needs_no_padding);
    tcase_add_test(t, every_type_has_the_size_of_its_blocks);
    tcase_add_test(t, parts_are_found_beside_the_first);
    tcase_add_test(t, another_part_than_the_first_is_refused);
    tcase_add_test(t, a_missing_or_wrong_part_is_refused);
    tcase_add_test(t, only_gguf_files_are_taken_for_such);
    tcase_add_test(t, what_is_no_regular_file_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
