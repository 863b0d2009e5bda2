/* Searches in texts that are complete, and in texts that grow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/text/span.h"

#include "base/tests/support.h"

static assay_text text_of(const char *text)
{
    return (assay_text){.at = text, .n = strlen(text)};
}

START_TEST(a_search_finds_the_first_at_or_after_a_place)
{
    const assay_text text = text_of("<a<<tag><tag>");
    ck_assert_uint_eq(serve_span_find(text, 0, "<tag>"), 3);
    ck_assert_uint_eq(serve_span_find(text, 3, "<tag>"), 3);
    ck_assert_uint_eq(serve_span_find(text, 4, "<tag>"), 8);
    ck_assert_uint_eq(serve_span_find(text, 9, "<tag>"), SERVE_NOWHERE);
    ck_assert_uint_eq(serve_span_find(text, 13, "<"), SERVE_NOWHERE);
    ck_assert_uint_eq(serve_span_find(text, 99, "<"), SERVE_NOWHERE);
    ck_assert_uint_eq(serve_span_find((assay_text){0}, 0, "<"), SERVE_NOWHERE);
}
END_TEST

START_TEST(a_successful_search_continues_after_the_match)
{
    const assay_text text = text_of("ab<tag>c<tag>");
    size_t seen = 0;
    ck_assert_uint_eq(serve_span_find_next(text, &seen, "<tag>"), 2);
    ck_assert_uint_eq(seen, 7);
    ck_assert_uint_eq(serve_span_find_next(text, &seen, "<tag>"), 8);
    ck_assert_uint_eq(seen, 13);
}
END_TEST

START_TEST(a_failed_search_continues_before_a_possible_beginning)
{
    static const struct {
        const char *text;
        size_t seen;
    } cases[] = {{"abc", 3}, {"ab<", 2}, {"ab<<ta", 3}, {"<tap", 4}, {"<ta<tagged", 10}, {"<tag <tag", 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t seen = 0;
        ck_assert_uint_eq(serve_span_find_next(text_of(cases[i].text), &seen, "<tag>"), SERVE_NOWHERE);
        ck_assert_uint_eq(seen, cases[i].seen);
    }
}
END_TEST

START_TEST(a_search_never_moves_backwards)
{
    size_t seen = 5;
    ck_assert_uint_eq(serve_span_find_next(text_of("<ta"), &seen, "<tag>"), SERVE_NOWHERE);
    ck_assert_uint_eq(seen, 5);
}
END_TEST

START_TEST(the_common_prefix_ends_at_the_first_difference)
{
    ck_assert_uint_eq(serve_span_alike(text_of("<tap"), "<tag>"), 3);
    ck_assert_uint_eq(serve_span_alike(text_of("<tag>s"), "<tag>"), 5);
    ck_assert_uint_eq(serve_span_alike(text_of("<t"), "<tag>"), 2);
    ck_assert_uint_eq(serve_span_alike((assay_text){.at = "a\0b", .n = 3}, "a"), 1);
    ck_assert_uint_eq(serve_span_alike((assay_text){0}, "a"), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/text/span");
    TCase *c = tcase_create("span");
    tcase_add_test(c, a_search_finds_the_first_at_or_after_a_place);
    tcase_add_test(c, a_successful_search_continues_after_the_match);
    tcase_add_test(c, a_failed_search_continues_before_a_possible_beginning);
    tcase_add_test(c, a_search_never_moves_backwards);
    tcase_add_test(c, the_common_prefix_ends_at_the_first_difference);
    suite_add_tcase(s, c);
    return support_run(s);
}
