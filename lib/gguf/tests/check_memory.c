/* Opening GGUF files and writing their documents while allocations fail in turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gguf/document.h"

#include "base/tests/deny.h"
#include "base/tests/support.h"
#include "gguf/container.h"
#include "gguf/tests/vocabularies.h"
#include "gguf/tests/writer.h"

#include <string.h>

static const char *write_tensors(void)
{
    static const uint64_t NE[] = {4};
    buffer b = {0};
    writer_header(&b, 3, 1);
    writer_key_text(&b, "general.architecture", "llama");
    writer_tensor(&b, "b", 1, NE, 0, 0);
    writer_tensor(&b, "a", 1, NE, 0, 32);
    writer_tensor(&b, "c", 1, NE, 0, 64);
    writer_align(&b, 32);
    writer_zeros(&b, 96);
    return writer_file(&b, "tensors.gguf");
}

START_TEST(a_file_opens_or_fails_as_a_whole)
{
    const char *path = write_tensors();
    long n = 0;
    for (;; n++) {
        gguf *f = NULL;
        assay_error err = {0};
        deny(n);
        const assay_status rc = gguf_open(path, &f, &err);
        if (!deny_end()) {
            ck_assert_int_eq(rc, ASSAY_OK);
            ck_assert_uint_eq(gguf_count(f), 3);
            gguf_free(f);
            break;
        }
        ck_assert_int_eq(rc, ASSAY_ENOMEM);
        ck_assert_ptr_null(f);
        support_expect_error(&err, ASSAY_ENOMEM, "tensors.gguf: ", "out of memory", NULL);
    }
    ck_assert_int_ge(n, 10);
}
END_TEST

static const char *const NAMES[] = {"tokenizer.json", "tokenizer_config.json", "generation_config.json"};

START_TEST(a_document_is_whole_or_fails)
{
    const char *paths[] = {vocabulary_scores(NULL), vocabulary_bytes("qwen2", NULL)};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        gguf_document whole;
        ck_assert_int_eq(gguf_document_read(paths[i], NAMES[_i], JSON_SIZE_MAX, &whole, NULL), ASSAY_OK);
        for (long n = 0;; n++) {
            gguf_document d;
            assay_error err = {0};
            deny(n);
            const assay_status rc = gguf_document_read(paths[i], NAMES[_i], JSON_SIZE_MAX, &d, &err);
            const bool is_denied = deny_end();
            if (is_denied) {
                ck_assert_int_eq(rc, ASSAY_ENOMEM);
                support_expect_error(&err, ASSAY_ENOMEM, "out of memory", NULL);
                ck_assert_ptr_null(d.text);
            } else {
                ck_assert_int_eq(rc, ASSAY_OK);
                ck_assert_uint_eq(d.n, whole.n);
                ck_assert_mem_eq(d.text, whole.text, whole.n);
            }
            gguf_document_free(&d);
            if (!is_denied) break;
        }
        gguf_document_free(&whole);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gguf/memory");
    TCase *t = tcase_create("all");
    tcase_add_test(t, a_file_opens_or_fails_as_a_whole);
    tcase_add_loop_test(t, a_document_is_whole_or_fails, 0, (int)(sizeof NAMES / sizeof *NAMES));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
