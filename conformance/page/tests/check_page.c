/* The pieces of pages: well-formed, without resources, and without markup from texts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static const char NASTY[] = "</td><script>alert(1)</script>\x1b[31m\xE2\x80\xAE&\"'";

static void print_all(FILE *out)
{
    const char *const heads[] = {NASTY, "b"};
    conf_page_begin(out, NASTY);
    conf_page_heading(out, NASTY);
    conf_page_paragraph(out, NASTY);
    conf_page_text(out, "a\nb\n");
    conf_page_text(out, NASTY);
    conf_page_search(out, NASTY);
    conf_page_fold_begin(out, true, NASTY);
    conf_page_table_begin(out, "failures", NASTY, heads, 2);
    conf_page_row_begin(out, NASTY);
    conf_page_cell(out, CONF_PAGE_FAILED, NASTY);
    conf_page_row_end(out);
    conf_page_table_end(out);
    conf_page_fold_end(out);
    conf_page_facts_begin(out, NASTY);
    conf_page_fact(out, NASTY, NASTY);
    conf_page_fact(out, "left out", "");
    conf_page_fact(out, "left out", NULL);
    conf_page_facts_end(out);
    conf_page_end(out);
}

static char *print(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    print_all(out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

START_TEST(texts_are_never_markup)
{
    char *text = print();
    ck_assert_uint_eq(count(text, "alert(1)"), 14);
    ck_assert_uint_eq(count(text, "&lt;/td&gt;&lt;script&gt;alert(1)"), 14);
    ck_assert_uint_eq(count(text, "<script>"), 1);
    assert_lacks(text, "\x1b");
    assert_lacks(text, "\xE2\x80\xAE");
    free(text);
}
END_TEST

START_TEST(lines_of_a_text_stay_lines)
{
    char *text = print();
    assert_holds(text, "<pre>a\nb\n</pre>");
    free(text);
}
END_TEST

START_TEST(every_element_is_closed)
{
    static const char *const names[] = {"html",  "head",  "body",    "style",   "script",  "h1",   "h2", "p",
                                        "dl",    "dt",    "dd",      "div",     "table",   "tr",   "th", "td",
                                        "thead", "tbody", "details", "summary", "caption", "title"};
    char *text = print(), open[16], closing[16];
    *strstr(text, "<style>") = ' '; /* what follows has no elements until the end of the style */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(open, sizeof open, "<%s", names[i]);
        (void)snprintf(closing, sizeof closing, "</%s>", names[i]);
        size_t n = count(text, open);
        if (strcmp(names[i], "style") == 0) n = 1;
        if (strcmp(names[i], "th") == 0) n -= count(text, "<thead");
        if (strcmp(names[i], "p") == 0) n -= count(text, "<pre");
        ck_assert_msg(n == count(text, closing) && n > 0, "%s", names[i]);
    }
    free(text);
}
END_TEST

START_TEST(a_page_loads_nothing)
{
    char *text = print();
    assert_lacks(text, "src=");
    assert_lacks(text, "url(");
    assert_lacks(text, "http");
    assert_lacks(text, "@import");
    assert_holds(text, conf_page_css);
    assert_holds(text, conf_page_js);
    free(text);
}
END_TEST

START_TEST(a_fact_without_a_value_is_left_out)
{
    char *text = print();
    assert_lacks(text, "left out");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/page/page");
    TCase *t = tcase_create("all");
    tcase_add_test(t, texts_are_never_markup);
    tcase_add_test(t, lines_of_a_text_stay_lines);
    tcase_add_test(t, every_element_is_closed);
    tcase_add_test(t, a_page_loads_nothing);
    tcase_add_test(t, a_fact_without_a_value_is_left_out);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
