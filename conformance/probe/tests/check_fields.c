/* The table of fields and members: each row has what judges it, and docs/fields.md is the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>

#include "conformance/probe/fields/members.h"
#include "conformance/probe/fields/rules.h"
#include "conformance/tests/support.h"

START_TEST(each_field_has_one_judge_or_a_reason_why_it_is_free)
{
    size_t n_forms;
    const probe_form *forms = probe_forms(&n_forms);
    for (const probe_form *form = forms; form < forms + n_forms; form++)
        for (size_t i = 0; i < form->fields->n; i++) {
            const probe_field *f = &form->fields->at[i];
            const int n = (f->rule != NULL) + (f->by != NULL) + (f->free != NULL);
            ck_assert_msg(n == 1 || (n == 0 && probe_field_has_members(form, f->path)), "%s: %d judges",
                          f->path, n);
            ck_assert_msg(f->types != 0, "%s: no type", f->path);
            ck_assert_msg(!f->free || !strstr(f->free, "not judged"), "%s: %s", f->path, f->free);
            for (size_t k = 0; k < i; k++)
                ck_assert_msg(strcmp(form->fields->at[k].path, f->path) != 0, "%s: two rows", f->path);
        }
}
END_TEST

START_TEST(each_member_has_a_check_or_a_reason_and_only_schemas_and_forced_calls_are_not_judged_yet)
{
    static const char *const later[] = {"tool_choice: required, or a tool", "tools[].strict",
                                        "response_format: json_schema", "text.format: json_schema",
                                        "output_format"};
    size_t n, n_later = 0;
    const probe_member *m = probe_members(&n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg((m[i].by != NULL) + (m[i].free != NULL) == 1, "%s", m[i].name);
        ck_assert_msg(m[i].endpoints != 0, "%s", m[i].name);
        if (!m[i].later) continue;
        ck_assert_uint_lt(n_later, sizeof later / sizeof *later);
        ck_assert_str_eq(m[i].name, later[n_later++]);
    }
}
END_TEST

START_TEST(fields_within_events_have_the_rows_of_the_whole_answer)
{
    static const struct {
        probe_endpoint endpoint;
        bool stream;
        const char *path, *row;
    } cases[] = {
        {PROBE_CHAT, false, "choices[].message.role", "choices[].message.role"},
        {PROBE_CHAT, false, "choices[].message.rule", NULL},
        {PROBE_RESPONSES, true, "response.completed:response.usage.input_tokens", "usage.input_tokens"},
        {PROBE_RESPONSES, true, "response.output_item.done:item.call_id", "output[].call_id"},
        {PROBE_RESPONSES, true, "response.content_part.done:part.logprobs[].id",
         "output[].content[].logprobs[].id"},
        {PROBE_RESPONSES, true, "response.output_text.delta:sequence_number", "*:sequence_number"},
        {PROBE_RESPONSES, true, "response.output_text.delta:other", NULL},
        {PROBE_MESSAGES, true, "message_start:message.usage.output_tokens", "usage.output_tokens"},
        {PROBE_MESSAGES, true, "content_block_start:content_block.name", "content[].name"},
        {PROBE_MESSAGES, true, "message_delta:delta.stop_reason", "stop_reason"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const probe_form *form = probe_form_find(cases[i].endpoint, cases[i].stream, false);
        const probe_field *f = probe_field_find(form, cases[i].path);
        ck_assert_msg((f != NULL) == (cases[i].row != NULL), "%s", cases[i].path);
        if (f) ck_assert_str_eq(f->path, cases[i].row);
    }
}
END_TEST

START_TEST(page_of_the_documents_is_what_explain_prints)
{
    assert_code(support_assay("probe --explain > fields.md"), 0);
    assert_code(support_shell("diff \"$top_srcdir/docs/fields.md\" fields.md"), 0);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("fields");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, support_setup, support_teardown);
    tcase_add_test(c, each_field_has_one_judge_or_a_reason_why_it_is_free);
    tcase_add_test(c,
                   each_member_has_a_check_or_a_reason_and_only_schemas_and_forced_calls_are_not_judged_yet);
    tcase_add_test(c, fields_within_events_have_the_rows_of_the_whole_answer);
    tcase_add_test(c, page_of_the_documents_is_what_explain_prints);
    Suite *suite = suite_create("probe/fields");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
