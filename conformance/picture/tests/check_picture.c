/* Pictures: well-formed, complete, and without markup from their texts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/picture/picture.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

enum { DEPTH = 16 };

/* The text of a picture; the caller frees it. */
static char *print(void (*function)(FILE *, const picture *), const picture *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    function(out, p);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

/* Every tag is closed by its own, and "<" and "&" stand for nothing else. */
static void assert_well_formed(const char *text)
{
    char open[DEPTH][32];
    size_t depth = 0;
    for (const char *at = text; (at = strpbrk(at, "<&")); at++) {
        if (*at == '&') {
            const size_t n = strcspn(at, ";");
            ck_assert_msg(n <= 5 && isalpha((unsigned char)at[1]), "%.20s", at);
            continue;
        }
        const bool closes = at[1] == '/';
        const char *name = at + 1 + closes, *end = strchr(at, '>');
        char here[32];
        ck_assert_msg(end && isalpha((unsigned char)*name), "%.20s", at);
        (void)snprintf(here, sizeof here, "%.*s", (int)strcspn(name, " />"), name);
        if (closes) {
            ck_assert_uint_gt(depth, 0);
            ck_assert_str_eq(here, open[--depth]);
        } else if (end[-1] != '/') {
            ck_assert_uint_lt(depth, DEPTH);
            (void)strcpy(open[depth++], here);
        }
        at = end;
    }
    ck_assert_uint_eq(depth, 0);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

static picture example(picture_kind kind)
{
    static const char *const labels[] = {"layer.00", "layer.01", "layer.02", "layer.03", "layer.04"};
    static const double values[] = {0.25, 35200, NAN, INFINITY, 0};
    return (picture){.kind = kind,
                     .title = "Error by layer",
                     .name = "layer",
                     .unit = "times the bound",
                     .labels = labels,
                     .values = values,
                     .n = 5,
                     .is_log = true,
                     .limit = 1,
                     .limit_name = "bound"};
}

START_TEST(a_picture_is_well_formed_and_has_a_title)
{
    for (int kind = PICTURE_BARS; kind <= PICTURE_LINE; kind++) {
        const picture p = example((picture_kind)kind);
        char *text = print(picture_print, &p);
        assert_well_formed(text);
        ck_assert_uint_eq(count(text, "<title>Error by layer</title>"), 1);
        ck_assert_uint_eq(count(text, "role=\"img\" aria-label=\"Error by layer\""), 1);
        ck_assert_uint_eq(count(text, "class=\"limit\""), 1);
        ck_assert_uint_eq(count(text, ">bound</text>"), 1);
        ck_assert_uint_eq(count(text, "nan\""), 0);
        ck_assert_uint_eq(count(text, "inf\""), 0);
        free(text);
    }
}
END_TEST

START_TEST(the_table_has_every_number)
{
    const picture p = example(PICTURE_LINE);
    char *text = print(picture_print, &p);
    assert_holds(text, "<th scope=\"row\">layer.00</th><td>0.25</td>");
    assert_holds(text, "<th scope=\"row\">layer.01</th><td>3.52e+04 !</td>");
    assert_holds(text, "<th scope=\"row\">layer.02</th><td>NaN !</td>");
    assert_holds(text, "<th scope=\"row\">layer.03</th><td>infinity !</td>");
    assert_holds(text, "<th scope=\"row\">layer.04</th><td>0</td>");
    free(text);
}
END_TEST

START_TEST(a_file_has_the_colours_of_a_page)
{
    const picture p = example(PICTURE_LINE);
    char *text = print(picture_print_file, &p), *inline_text = print(picture_print_svg, &p);
    ck_assert_uint_eq(count(text, "<style>svg { background:"), 1);
    ck_assert_uint_eq(count(inline_text, "<style>"), 0);
    free(text);
    free(inline_text);
}
END_TEST

START_TEST(what_is_over_the_limit_differs_by_more_than_colour)
{
    const picture p = example(PICTURE_BARS);
    char *text = print(picture_print_svg, &p);
    ck_assert_uint_eq(count(text, "<rect"), 5);
    ck_assert_uint_eq(count(text, "class=\"mark over\""), 3);
    ck_assert_uint_eq(count(text, "stroke-dasharray=\"2 2\""), 3);
    ck_assert_uint_eq(count(text, ">! "), 3);
    ck_assert_uint_eq(count(text, "#"), 0);
    free(text);
}
END_TEST

START_TEST(texts_stay_texts)
{
    const char *const labels[] = {"<script>alert(1)</script>", "a\"b & \x1b[31m \xe2\x80\xae"};
    picture p = example(PICTURE_BARS);
    p.title = p.name = p.unit = p.limit_name = "</title><script>";
    p.labels = labels;
    p.n = 2;
    char *text = print(picture_print, &p);
    assert_well_formed(text);
    ck_assert_uint_eq(count(text, "<script"), 0);
    ck_assert_uint_eq(count(text, "\x1b"), 0);
    ck_assert_uint_eq(count(text, "\xe2\x80\xae"), 0);
    assert_holds(text, "\\u202E");
    free(text);
}
END_TEST

START_TEST(a_long_label_is_cut_at_a_character)
{
    const char *const labels[] = {
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"};
    picture p = example(PICTURE_BARS);
    p.labels = labels;
    p.n = 1;
    char *text = print(picture_print_svg, &p);
    ck_assert_uint_eq(count(text, "\xc3\xa9"), 18);
    assert_holds(text, "\xc3\xa9…</text>");
    free(text);
}
END_TEST

START_TEST(awkward_sets_have_a_picture)
{
    const size_t sizes[] = {0, 1, 5};
    for (size_t i = 0; i < 12; i++) {
        picture p = example(i % 2 ? PICTURE_BARS : PICTURE_LINE);
        p.n = sizes[i / 4];
        p.is_log = i % 4 < 2;
        p.limit = (double)NAN;
        char *text = print(picture_print, &p);
        assert_well_formed(text);
        ck_assert_uint_eq(count(text, "class=\"limit\""), 0);
        ck_assert_uint_eq(count(text, "nan\""), 0);
        free(text);
    }
}
END_TEST

START_TEST(a_second_value_has_an_outlined_bar_a_legend_and_a_column)
{
    static const double others[] = {1e-6, 2, 3, 4, 5};
    picture p = example(PICTURE_BARS);
    p.others = others;
    p.values_name = "this <engine>";
    p.others_name = "recorded run";
    char *text = print(picture_print, &p);
    assert_well_formed(text);
    ck_assert_uint_eq(count(text, "<rect class=\"other\""), 6);
    ck_assert_uint_eq(count(text, "recorded run"), 2);
    ck_assert_uint_eq(count(text, "this &lt;engine&gt;"), 2);
    assert_holds(text, "<tr><th scope=\"row\">layer.00</th><td>0.25</td><td>1e-06</td></tr>");
    assert_holds(text, "text-anchor=\"middle\">1e-06</text>"); /* the scale covers it */
    free(text);
}
END_TEST

START_TEST(a_label_leads_to_its_link)
{
    static const char *const links[] = {"#case-0-1", NULL, "#a\"b", NULL, NULL};
    picture p = example(PICTURE_BARS);
    p.links = links;
    char *text = print(picture_print_svg, &p);
    assert_well_formed(text);
    ck_assert_uint_eq(count(text, "<a href="), 2);
    assert_holds(text, "<a href=\"#case-0-1\"><text ");
    assert_lacks(text, "#a\"b");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/picture/picture");
    TCase *t = tcase_create("all");
    tcase_add_test(t, a_picture_is_well_formed_and_has_a_title);
    tcase_add_test(t, the_table_has_every_number);
    tcase_add_test(t, a_file_has_the_colours_of_a_page);
    tcase_add_test(t, what_is_over_the_limit_differs_by_more_than_colour);
    tcase_add_test(t, texts_stay_texts);
    tcase_add_test(t, a_long_label_is_cut_at_a_character);
    tcase_add_test(t, awkward_sets_have_a_picture);
    tcase_add_test(t, a_second_value_has_an_outlined_bar_a_legend_and_a_column);
    tcase_add_test(t, a_label_leads_to_its_link);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
