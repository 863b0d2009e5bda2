/* Problems as GitHub's annotations, as a summary in Markdown, and as SARIF.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/problems/formats.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static conf_problems list;
static char *text;

static void setup(void)
{
    list = (conf_problems){.command = "run", .n_passed = 7, .n_skipped = 2};
}

static void teardown(void)
{
    conf_problems_free(&list);
    free(text);
    text = NULL;
}

static void add(const char *title, const char *path, const char *lines, const char *repro)
{
    assay_error err;
    ck_assert_int_eq(
        conf_problems_add(&list, &(conf_problem){"logits", title, path, lines, repro, NULL}, &err), ASSAY_OK);
}

static const char *print(assay_status (*format)(FILE *, const conf_problems *, assay_error *))
{
    size_t n;
    assay_error err;
    free(text);
    FILE *out = open_memstream(&text, &n);
    ck_assert_int_eq(format(out, &list, &err), ASSAY_OK);
    (void)fclose(out);
    return text;
}

START_TEST(an_annotation_is_one_line_whatever_its_text_is)
{
    add("a, b: 50%", "cases/x.h5", "first\nsecond\n::stop", "assay run x");
    ck_assert_str_eq(
        print(conf_problems_annotate),
        "::error file=cases/x.h5,title=a%2C b%3A 50%25::first%0Asecond%0A::stop%0AREPRO: assay run x\n");
}
END_TEST

START_TEST(a_summary_has_a_column_of_what_is_rated)
{
    assay_error err;
    add("plain", NULL, "", NULL);
    ck_assert_ptr_nonnull(strstr(print(conf_problems_summarize),
                                 "| | rule | problem |\n|---:|---|---|\n| 1 | logits | plain |\n"));
    ck_assert_int_eq(
        conf_problems_add(&list, &(conf_problem){"logits", "rated", NULL, "", NULL, "9 times"}, &err),
        ASSAY_OK);
    ck_assert_ptr_nonnull(
        strstr(print(conf_problems_summarize),
               "| | rule | problem | severity |\n|---:|---|---|---|\n| 1 | logits | plain |  |\n"
               "| 2 | logits | rated | 9 times |\n"));
}
END_TEST

START_TEST(an_annotation_names_no_file_outside_the_working_directory)
{
    add("t", "/elsewhere/x.h5", "", NULL);
    ck_assert_str_eq(print(conf_problems_annotate), "::error title=t::t\n");
}
END_TEST

START_TEST(annotations_beyond_those_that_are_shown_are_counted)
{
    for (int i = 0; i < 10; i++) add("t", NULL, "", NULL);
    assert_lacks(print(conf_problems_annotate), "more problems");
    add("t", NULL, "", NULL);
    assert_holds(print(conf_problems_annotate), "::error title=assay run::2 more problems, 11 in all\n");
}
END_TEST

START_TEST(a_summary_shows_texts_as_they_are)
{
    add("<script>|*a*", "x.h5", "`b` <i>\n\nc", "assay run x");
    ck_assert_str_eq(print(conf_problems_summarize), "### assay run: 7 passed, 1 failed, 2 skipped\n"
                                                     "\n| | rule | problem |\n|---:|---|---|\n"
                                                     "| 1 | logits | \\<script\\>\\|\\*a\\* |\n"
                                                     "\n#### 1. \\<script\\>\\|\\*a\\*\n\n"
                                                     "    `b` <i>\n    \n    c\n"
                                                     "\nThis command shows it again:\n\n    assay run x\n");
}
END_TEST

START_TEST(a_summary_without_problems_is_a_line)
{
    ck_assert_str_eq(print(conf_problems_summarize), "### assay run: 7 passed, 0 failed, 2 skipped\n");
}
END_TEST

START_TEST(sarif_has_a_rule_once_and_a_result_for_each_problem)
{
    add("one", "a b/\xc3\xa4.h5", "line", "assay run x");
    add("two", NULL, "", NULL);
    json_object *document = json_tokener_parse(print(conf_problems_sarif));
    const char *plain =
        json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    assert_holds(plain, "\"version\":\"2.1.0\"");
    assert_holds(plain, "\"rules\":[{\"id\":\"logits\"}]");
    assert_holds(plain, "\"message\":{\"text\":\"one\\nline\\nREPRO: assay run x\"}");
    assert_holds(plain, "{\"artifactLocation\":{\"uri\":\"a%20b/%C3%A4.h5\"},\"region\":{\"startLine\":1}}");
    assert_holds(plain, "\"message\":{\"text\":\"two\\n\"}}]");
    (void)json_object_put(document);
}
END_TEST

START_TEST(control_characters_are_shown_and_lines_are_kept)
{
    add("\x1b[31mred", NULL, "a\x07\nb", NULL);
    ck_assert(strchr(list.at[0].title, '\x1b') == NULL);
    ck_assert(strchr(list.at[0].text, '\x07') == NULL);
    ck_assert_ptr_nonnull(strstr(list.at[0].text, "\nb"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/problems/formats");
    TCase *formats = tcase_create("formats");
    tcase_add_checked_fixture(formats, setup, teardown);
    tcase_add_test(formats, a_summary_has_a_column_of_what_is_rated);
    tcase_add_test(formats, an_annotation_is_one_line_whatever_its_text_is);
    tcase_add_test(formats, an_annotation_names_no_file_outside_the_working_directory);
    tcase_add_test(formats, annotations_beyond_those_that_are_shown_are_counted);
    tcase_add_test(formats, a_summary_shows_texts_as_they_are);
    tcase_add_test(formats, a_summary_without_problems_is_a_line);
    tcase_add_test(formats, sarif_has_a_rule_once_and_a_result_for_each_problem);
    tcase_add_test(formats, control_characters_are_shown_and_lines_are_kept);
    suite_add_tcase(suite, formats);
    return support_run(suite);
}
