/* The picture of a program: every step in the line of its thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/tests/support.h"

static char *print(const conf_schedule *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(out);
    conf_timeline_print(out, "<a>", s, 2);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

START_TEST(each_step_has_a_mark_in_the_line_of_its_thread)
{
    static conf_schedule s = {
        .n_steps = 3,
        .steps = {{.op = CONF_OP_OPEN}, {.op = CONF_OP_SESSION, .thread = 2}, {.op = CONF_OP_STEP}}};
    char *text = print(&s);
    assert_holds(text, "y=\"14\" width=\"79.9\" height=\"10\"><title>1: open</title>");
    assert_holds(text, "x=\"164.0\" y=\"50\" width=\"79.9\" height=\"10\"><title>2: session</title>");
    assert_holds(text, "<rect class=\"mark\" x=\"70.0\"");
    assert_holds(text, ">!</text>\n<rect class=\"mark over\" stroke=\"currentColor\" "
                       "stroke-dasharray=\"2 2\" x=\"164.0\"");
    assert_holds(text, ">thread 2</text>");
    assert_lacks(text, ">thread 3</text>");
    assert_holds(text, "<tr><th scope=\"row\">2</th><td>2</td><td>session ! differs</td></tr>");
    assert_holds(text, "<figcaption>&lt;a&gt;</figcaption>");
    free(text);
}
END_TEST

/* The program comes from memory that the engine's process shares. */
START_TEST(what_is_no_step_is_left_out)
{
    static conf_schedule s;
    (void)memset(&s, 0xFF, sizeof s);
    char *text = print(&s);
    ck_assert_str_eq(text, "");
    free(text);
    s.n_steps = 2;
    s.steps[1] = (conf_step){.op = CONF_OP_FREE};
    text = print(&s);
    assert_holds(text, "<title>2: free</title>");
    assert_lacks(text, "<title>1:");
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schedule/timeline");
    TCase *t = tcase_create("all");
    tcase_add_test(t, each_step_has_a_mark_in_the_line_of_its_thread);
    tcase_add_test(t, what_is_no_step_is_left_out);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
