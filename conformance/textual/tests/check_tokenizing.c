/* Cases of kind tokenizer through assay run: a module that agrees, a module that breaks each rule in
 * turn, and malformed files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "conformance/tests/support.h"

#define CASE(vectors)                                                                                        \
    "{\"schema\":\"assay/1\",\"kind\":\"tokenizer\",\"groups\":[{\"name\":\"g\",\"vectors\":[" vectors "]}]" \
    "}"

static const char sound[] = CASE(
    "{\"id\":1,\"input\":{\"text\":\"a\\u0000b\",\"add_special_tokens\":true},\"expect\":{\"ids\":[1000,97,0,"
    "98]}},"
    "{\"id\":2,\"input\":{\"text\":\"\",\"add_special_tokens\":false},\"expect\":{\"ids\":[]}},"
    "{\"id\":3,\"input\":{\"ids\":[97,1000,98]},\"expect\":{\"text\":\"ab\"}},"
    "{\"id\":4,\"input\":{\"ids\":[97,1000],\"skip_special_tokens\":false},\"expect\":{\"text\":\"a*\"}},"
    "{\"id\":5,\"input\":{\"ids\":[97,98]},\"expect\":{\"pieces\":[\"\",\"a\",\"b\"]}},"
    "{\"id\":6,\"input\":{\"ids\":[97,98]},\"expect\":{\"text\":\"ab\",\"pieces\":[\"\",\"a\"]}},"
    "{\"id\":7,\"input\":{\"text\":\"b\"},\"expect\":{\"ids\":[1000,98]}}");

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_mkdir(support_path("cases/model"));
    support_write_text(support_path("cases/case.json"), sound);
}

static const support_output *run(const char *fault)
{
    return support_run_module("letters", fault, "cases");
}

START_TEST(a_correct_tokenizer_agrees)
{
    const support_output *o = run("none");
    assert_code(o, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped\n");
}
END_TEST

/* Opening a large vocabulary takes a quarter of a second. */
START_TEST(a_tokenizer_is_opened_once_for_all_vectors)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(f);
    (void)fputs("{\"schema\":\"assay/1\",\"kind\":\"tokenizer\",\"groups\":[{\"name\":\"g\",\"vectors\":[",
                f);
    for (int id = 1; id <= 600; id++)
        (void)fprintf(f, "%s{\"id\":%d,\"input\":{\"text\":\"b\"},\"expect\":{\"ids\":[1000,98]}}",
                      id > 1 ? "," : "", id);
    (void)fputs("]}]}", f);
    ck_assert_int_eq(fclose(f), 0);
    support_write_text(support_path("cases/case.json"), text);
    free(text);
    const support_output *o = run("reopened");
    assert_code(o, 0);
}
END_TEST

static const struct {
    const char *fault, *reason;
} faults[] = {
    {"open", "tokenizer_open: "},
    {"encode", "encode: it cannot encode\n"},
    {"bare", "id 0 of \"a\": expected 1000, found 97\n"},
    {"id", "expected 0, found 1\n"},
    {"short", "expected 4 ids, found 3 that begin alike\n"},
    {"many", "expected 4 ids, found 24"},
    {"decode", "decode: no memory\n"},
    {"text", "the text of 3 ids: expected \"ab\", found \"!b\"\n"},
    {"eager", "piece 0 of 2: expected \"\", found \"a\"\n"},
    {"drops", "the pieces of 3 ids: expected the 2 bytes that decode gives, found 1\n"},
    {"push", "the detokenizer: it cannot go on\n"},
};

START_TEST(a_broken_rule_is_reported_with_its_vector)
{
    const support_output *o = run(faults[_i].fault);
    assert_code(o, 1);
    assert_holds(o->out, faults[_i].reason);
    assert_holds(o->out, "--vector g/");
}
END_TEST

START_TEST(a_missing_member_is_skipped_by_name)
{
    const support_output *o = run("lacks");
    assert_code(o, 77);
    assert_holds(o->out, "its serving table lacks encode");
    o = run("streamless");
    assert_holds(o->out, "its serving table lacks detokenizer_open");
}
END_TEST

static const struct {
    const char *text, *reason;
} unsound[] = {
    {CASE("{\"id\":1,\"input\":{},\"expect\":{}}"), "input.ids: is missing, expected an array"},
    {CASE("{\"id\":1,\"input\":{\"text\":1},\"expect\":{}}"),
     "input.text: found a whole number, expected a string"},
    {CASE("{\"id\":1,\"input\":{\"text\":\"\",\"add_special_tokens\":1},\"expect\":{}}"),
     "input.add_special_tokens: found a whole number"},
    {CASE("{\"id\":1,\"input\":{\"text\":\"\"},\"expect\":{\"ids\":[-1]}}"),
     "expect.ids[0]: found -1, expected a whole number"},
    {CASE("{\"id\":1,\"input\":{\"ids\":[1]},\"expect\":{}}"), "expect.text: is missing, expected a string"},
    {CASE("{\"id\":1,\"input\":{\"ids\":[1]},\"expect\":{\"pieces\":[\"\",\"\",\"\"]}}"),
     "expect.pieces: 3 pieces, expected 1 or 2 for 1 ids"},
    {CASE("{\"id\":1,\"input\":{\"ids\":[]},\"expect\":{\"pieces\":[1]}}"),
     "expect.pieces[0]: found a whole number"},
    {CASE("{\"id\":1,\"verdict\":\"reject\",\"input\":{\"ids\":[]},\"expect\":{\"text\":\"\"}}"),
     "its verdict is reject"},
    {"{\"schema\":\"assay/1\",\"kind\":\"tokenizer\",\"model\":\"../up\",\"groups\":[]}",
     "must be a path relative to the case"},
    {"{\"schema\":\"assay/1\",\"kind\":\"tokenizer\",\"model\":\"none\",\"groups\":[]}", "model \"none\""},
};

START_TEST(a_file_that_breaks_the_format_is_an_error)
{
    assert_malformed("letters", "cases/case.json", unsound[_i].text, unsound[_i].reason);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/tokenizing");
    TCase *t = tcase_create("tokenizing");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, setup, support_teardown);
    tcase_add_test(t, a_correct_tokenizer_agrees);
    tcase_add_test(t, a_tokenizer_is_opened_once_for_all_vectors);
    tcase_add_loop_test(t, a_broken_rule_is_reported_with_its_vector, 0, sizeof faults / sizeof *faults);
    tcase_add_test(t, a_missing_member_is_skipped_by_name);
    tcase_add_loop_test(t, a_file_that_breaks_the_format_is_an_error, 0, sizeof unsound / sizeof *unsound);
    suite_add_tcase(s, t);
    return support_run(s);
}
