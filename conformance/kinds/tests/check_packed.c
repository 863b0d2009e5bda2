/* Reading packed textual cases: limits, and damage.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/case_refused.h"
#include "conformance/tests/support.h"

static conf_case *read_sound(const char *path)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

/* Writes text [n] as gzip without its last `cut` bytes, followed by `extra`. Returns the path. */
static const char *write_packed(const char *text, size_t n, size_t cut, const char *extra)
{
    const char *path = support_path("case.json.gz");
    struct libdeflate_compressor *deflater = libdeflate_alloc_compressor(6);
    ck_assert_ptr_nonnull(deflater);
    size_t capacity = libdeflate_gzip_compress_bound(deflater, n);
    char *packed = malloc(capacity);
    ck_assert_ptr_nonnull(packed);
    size_t n_packed = libdeflate_gzip_compress(deflater, text, n, packed, capacity);
    libdeflate_free_compressor(deflater);
    ck_assert_uint_gt(n_packed, cut);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(packed, 1, n_packed - cut, f), n_packed - cut);
    ck_assert_int_ge(fputs(extra, f), 0);
    ck_assert_int_eq(fclose(f), 0);
    free(packed);
    return path;
}

static const char sound[] = "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\","
                            "\"vectors\":[{\"id\":1,\"input\":{\"program\":[{\"thread\":0,"
                            "\"op\":\"exit\"}]},\"expect\":{\"outcome\":[\"ok\"]}}]}]}";

START_TEST(a_packed_case_is_read)
{
    conf_case *c = read_sound(write_packed(sound, sizeof sound - 1, 0, ""));
    ck_assert_int_eq(c->kind, CONF_THREADS);
    ck_assert_uint_eq(c->vectors.n, 1);
    conf_case_free(c);
}
END_TEST

START_TEST(damaged_packed_cases_are_refused)
{
    assert_case_refused(write_packed(sound, sizeof sound - 1, 1, ""), ASSAY_EFORMAT,
                        "packed bytes are damaged, cut short, or no gzip");
    assert_case_refused(write_packed(sound, sizeof sound - 1, 30, ""), ASSAY_EFORMAT, "damaged, cut short");
    assert_case_refused(write_packed(sound, sizeof sound - 1, 0, "more"), ASSAY_EFORMAT,
                        "found 4 bytes after the packed ones, expected none");
    const char *path = support_path("text.json.gz");
    support_write_text(path, sound);
    assert_case_refused(path, ASSAY_EFORMAT, "no gzip");
    support_write_text(path, "");
    assert_case_refused(path, ASSAY_EFORMAT, "its 0 packed bytes are damaged, cut short, or no gzip");
    assert_case_refused(write_packed("{", 1, 0, ""), ASSAY_EFORMAT, "case.json.gz");
}
END_TEST

START_TEST(more_than_256_mib_unpacked_are_refused)
{
    size_t n = ((size_t)256 << 20) + 1;
    char *text = malloc(n);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', n);
    const char *path = write_packed(text, n, 0, "");
    free(text);
    assert_case_refused(path, ASSAY_EUNSUPPORTED,
                        "unpacks to more than 268435456 bytes, expected at most that");
}
END_TEST

/* 12 MiB of text, for which json-c would allocate 4 GB. */
START_TEST(more_values_than_the_limit_are_refused)
{
    size_t n = (size_t)3 * ((4 << 20) + 1) + 1;
    char *text = malloc(n);
    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i + 3 < n; i += 3) memcpy(text + 1 + i, "{},", 3);
    text[0] = '[';
    text[n - 1] = ']';
    const char *path = write_packed(text, n, 0, "");
    free(text);
    assert_case_refused(path, ASSAY_EUNSUPPORTED, "found more than 4194304 values");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/kinds/packed");
    TCase *t = tcase_create("packed");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_test(t, a_packed_case_is_read);
    tcase_add_test(t, damaged_packed_cases_are_refused);
    tcase_add_test(t, more_than_256_mib_unpacked_are_refused);
    tcase_add_test(t, more_values_than_the_limit_are_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
