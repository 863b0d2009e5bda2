/* The page of checks: failures first, links to rows, and no markup from texts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static conf_checks list;

static void setup(void)
{
    assay_error err;
    list = (conf_checks){0};
    ck_assert_int_eq(conf_checks_add(&list, "matmul", "g", CONF_PASSED, 0.5, "sound", NULL, &err), ASSAY_OK);
    ck_assert_int_eq(
        conf_checks_add(&list, "rope", "g", CONF_FAILED, 9, "wrong\nat 7", "assay kernels x rope", &err),
        ASSAY_OK);
    ck_assert_int_eq(conf_checks_add(&list, "<script>", "\x1b", CONF_SKIPPED, (double)NAN, "</td>", "", &err),
                     ASSAY_OK);
    ck_assert_int_eq(conf_checks_fold(&list, "<b>", "one\n</pre>", &err), ASSAY_OK);
}

static void teardown(void)
{
    conf_checks_free(&list);
}

static char *print(const char *group)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    conf_checks_print_html(out, &list, "Title", group, "summary", "<i>figure</i>");
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(failures_come_first_and_bars_lead_to_rows)
{
    char *text = print("engine");
    const char *rows = strstr(text, "<tbody>\n<tr id=\"check-1\"");
    ck_assert_ptr_nonnull(rows);
    ck_assert_ptr_nonnull(strstr(rows, "<tr id=\"check-0\""));
    assert_holds(text, "<a href=\"#check-1\"><text ");
    assert_holds(text, "<p>1 passed, 1 failed, 1 skipped</p>");
    assert_holds(text, "wrong\nat 7</pre>\n<code>assay kernels x rope</code>");
    assert_holds(text, "<th scope=\"col\">engine</th>");
    assert_holds(text, "<i>figure</i>");
    assert_lacks(text, "#check-2"); /* it has no error */
    free(text);
}
END_TEST

START_TEST(texts_are_not_markup)
{
    char *text = print("engine");
    assert_holds(text, "<td>&lt;script&gt;</td>");
    assert_holds(text, "<pre>&lt;/td&gt;</pre>");
    assert_holds(text, "<details><summary>&lt;b&gt;</summary>\n<pre>one\n&lt;/pre&gt;</pre>");
    assert_lacks(text, "\x1b");
    free(text);
}
END_TEST

START_TEST(rows_without_groups_have_no_such_column)
{
    char *text = print(NULL);
    assert_holds(text, "<th scope=\"col\">check</th><th scope=\"col\">result</th>");
    assert_lacks(text, "<td>g</td>");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/checks");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, failures_come_first_and_bars_lead_to_rows);
    tcase_add_test(t, texts_are_not_markup);
    tcase_add_test(t, rows_without_groups_have_no_such_column);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
