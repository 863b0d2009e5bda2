/* Verdicts as plain data: their texts have limits, and the state of the checkpoint changes them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "conformance/judge/verdict.h"
#include "conformance/tests/support.h"

static conf_verdict v;

static void setup(void)
{
    memset(&v, 0, sizeof v);
}

START_TEST(unknown_members_are_listed_one_per_line)
{
    char *names[] = {"/extra", "attribute colour"};
    conf_verdict_list_unknown(&v, names, 2);
    ck_assert_str_eq(v.unknown, "/extra\nattribute colour");
}
END_TEST

START_TEST(unknown_members_that_do_not_fit_are_counted)
{
    char name[201], *names[20];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (size_t i = 0; i < 20; i++) names[i] = name;
    conf_verdict_list_unknown(&v, names, 20);
    /* Ten lines of 201 bytes fit into CONF_UNKNOWN_MAX. */
    ck_assert_uint_eq(strspn(v.unknown, "x\n"), 10 * 201);
    ck_assert_str_eq(v.unknown + 10 * 201, "10 more");
}
END_TEST

START_TEST(an_unknown_member_that_does_not_fit_is_counted)
{
    static char name[2 * CONF_UNKNOWN_MAX];
    char *names[] = {name};
    memset(name, 'x', sizeof name - 1);
    conf_verdict_list_unknown(&v, names, 1);
    ck_assert_str_eq(v.unknown, "1 more");
}
END_TEST

START_TEST(notes_are_separated_and_cut_off)
{
    char many[CONF_NOTES_MAX];
    memset(many, 'x', sizeof many);
    many[sizeof many - 10] = '\0';
    conf_verdict_note(&v, "%d", 1);
    conf_verdict_note(&v, "two");
    ck_assert_str_eq(v.notes, "1; two");
    conf_verdict_note(&v, "%s", many);
    conf_verdict_note(&v, "%s", many);
    ck_assert_uint_eq(strlen(v.notes), CONF_NOTES_MAX - 1);
}
END_TEST

static void fail_with_places(void)
{
    conf_verdict_fail(&v, CONF_CLASS_LOGITS, "%s", "off");
    v.measured = true;
    (void)snprintf(v.where, sizeof v.where, "where");
    (void)snprintf(v.trace, sizeof v.trace, "trace");
    (void)snprintf(v.vector, sizeof v.vector, "vector");
}

START_TEST(a_failure_on_a_broken_checkpoint_is_not_the_engines)
{
    fail_with_places();
    v.checkpoint.state = CONF_CHECKPOINT_BROKEN;
    (void)snprintf(v.checkpoint.reason, sizeof v.checkpoint.reason, "cut short");
    conf_verdict_apply_checkpoint(&v);
    ck_assert_int_eq(v.outcome, CONF_BROKEN);
    ck_assert_int_eq(v.class, CONF_CLASS_NONE);
    ck_assert_str_eq(v.reason, "the checkpoint is broken: cut short");
    ck_assert_str_eq(v.notes, "the engine: off");
    ck_assert(!v.measured);
    ck_assert_str_eq(v.where, "");
    ck_assert_str_eq(v.trace, "");
    ck_assert_str_eq(v.vector, "");
}
END_TEST

START_TEST(a_failure_on_a_checkpoint_that_is_not_broken_stays)
{
    for (int valid = 0; valid <= 1; valid++) {
        fail_with_places();
        v.checkpoint.state = valid ? CONF_CHECKPOINT_VALID : CONF_CHECKPOINT_UNKNOWN;
        conf_verdict_apply_checkpoint(&v);
        ck_assert_int_eq(v.outcome, CONF_FAILED);
        ck_assert_int_eq(v.class, CONF_CLASS_LOGITS);
        ck_assert_str_eq(v.reason, "off");
        ck_assert_str_eq(v.vector, "vector");
    }
}
END_TEST

START_TEST(a_pass_on_a_broken_checkpoint_has_a_note)
{
    v.checkpoint.state = CONF_CHECKPOINT_BROKEN;
    (void)snprintf(v.checkpoint.reason, sizeof v.checkpoint.reason, "cut short");
    conf_verdict_apply_checkpoint(&v);
    ck_assert_int_eq(v.outcome, CONF_PASSED);
    ck_assert_str_eq(v.notes, "agrees, though the checkpoint is broken: cut short");
}
END_TEST

START_TEST(every_class_has_a_name_of_its_own)
{
    for (conf_class class = CONF_CLASS_NONE + 1; class < CONF_N_CLASSES; class ++)
        ck_assert_int_eq(conf_class_of(conf_class_name(class)), class);
    ck_assert_int_eq(conf_class_of("colour"), CONF_CLASS_NONE);
}
END_TEST

START_TEST(manners_that_were_left_out_are_listed_in_order)
{
    char names[CONF_MANNERS_TEXT_MAX], reason[CONF_TEXT_MAX];
    conf_verdict one = {.outcome = CONF_PASSED};
    size_t at = 0;
    ck_assert(!conf_verdict_left_out(&one, &at, names, reason));
    conf_verdict_leave_out(&one, "late, early", "the engine lacks join");
    conf_verdict_leave_out(&one, "fork", "no\tforks\nhere \xff");
    ck_assert(conf_verdict_left_out(&one, &at, names, reason));
    ck_assert_str_eq(names, "late, early");
    ck_assert_str_eq(reason, "the engine lacks join");
    ck_assert(conf_verdict_left_out(&one, &at, names, reason));
    ck_assert_str_eq(names, "fork");
    ck_assert_str_eq(reason, "no forks here ?");
    ck_assert(!conf_verdict_left_out(&one, &at, names, reason));
}
END_TEST

START_TEST(a_manner_that_does_not_fit_is_dropped_whole)
{
    char names[CONF_MANNERS_TEXT_MAX], reason[CONF_TEXT_MAX], longest[CONF_TEXT_MAX];
    conf_verdict one = {.outcome = CONF_PASSED};
    size_t at = 0, n = 0;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    for (size_t i = 0; i < 8; i++) conf_verdict_leave_out(&one, "fork", longest);
    for (; conf_verdict_left_out(&one, &at, names, reason); n++) ck_assert_str_eq(reason, longest);
    ck_assert_uint_eq(n, (CONF_LEFT_OUT_MAX - 1) / (strlen("fork\t\n") + strlen(longest)));
    conf_verdict_leave_out(&one, "late", "short");
    ck_assert(conf_verdict_left_out(&one, &at, names, reason));
    ck_assert_str_eq(names, "late");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/verdict");
    TCase *texts = tcase_create("texts");
    tcase_add_checked_fixture(texts, setup, NULL);
    tcase_add_test(texts, unknown_members_are_listed_one_per_line);
    tcase_add_test(texts, unknown_members_that_do_not_fit_are_counted);
    tcase_add_test(texts, an_unknown_member_that_does_not_fit_is_counted);
    tcase_add_test(texts, notes_are_separated_and_cut_off);
    tcase_add_test(texts, every_class_has_a_name_of_its_own);
    suite_add_tcase(suite, texts);
    TCase *checkpoints = tcase_create("checkpoints");
    tcase_add_checked_fixture(checkpoints, setup, NULL);
    tcase_add_test(checkpoints, a_failure_on_a_broken_checkpoint_is_not_the_engines);
    tcase_add_test(checkpoints, a_failure_on_a_checkpoint_that_is_not_broken_stays);
    tcase_add_test(checkpoints, a_pass_on_a_broken_checkpoint_has_a_note);
    tcase_add_test(texts, manners_that_were_left_out_are_listed_in_order);
    tcase_add_test(texts, a_manner_that_does_not_fit_is_dropped_whole);
    suite_add_tcase(suite, checkpoints);
    return support_run(suite);
}
