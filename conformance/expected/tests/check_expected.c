/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/expected/expected.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "conformance/expected/read.h"
#include "conformance/tests/support.h"

static const char sound[] =
    "{\"schema\":\"assay-expected/1\",\"failures\":["
    "{\"case\":\"a\",\"class\":\"logits\",\"reason\":\"all\",\"until\":\"2026-11-28\"},"
    "{\"case\":\"a\",\"engine\":\"x.so\",\"class\":\"crash\",\"reason\":\"one\",\"until\":\"2026-11-29\"},"
    "{\"case\":\"moved\",\"digest\":\"00000000000000dd\",\"class\":\"logits\",\"reason\":\"file\","
    "\"until\":\"2028-02-29\"}]}";

static assay_status read_text(const char *text, conf_expected *out, assay_error *err)
{
    json_object *document;
    ck_assert_msg(json_parse("f", text, strlen(text), &document, err) == ASSAY_OK, "%s", err->text);
    return conf_expected_take("f", document, out, err);
}

static void assert_read(conf_expected *out)
{
    assay_error err;
    ck_assert_msg(read_text(sound, out, &err) == ASSAY_OK, "%s", err.text);
}

/* The case must outlive the rows. */
static void open_sound(conf_expected *out)
{
    static char a[] = "a";
    static const conf_found found = {.id = a};
    assert_read(out);
    (void)strcpy(out->today, "2026-11-28");
    conf_expected_join(out, &found, 1);
}

/* A verdict on a case with an engine, and what the file makes of it. */
static const struct {
    const char *id, *digest, *engine, *today;
    conf_outcome outcome;
    conf_class class;
    conf_outcome outcome_after;
    conf_class class_after;
    const char *expected;
} rows[] = {
    {"a", "", "./y.so", "2026-11-28", CONF_FAILED, CONF_CLASS_LOGITS, CONF_EXPECTED, CONF_CLASS_LOGITS,
     "logits until 2026-11-28: all"},
    {"a", "", "./y.so", "2026-11-29", CONF_FAILED, CONF_CLASS_LOGITS, CONF_FAILED, CONF_CLASS_LOGITS,
     "logits until 2026-11-28, which is over: all"},
    {"a", "", "./y.so", "2026-11-28", CONF_FAILED, CONF_CLASS_CRASH, CONF_FAILED, CONF_CLASS_CRASH,
     "logits until 2026-11-28: all"},
    {"a", "", "./x.so", "2026-11-28", CONF_FAILED, CONF_CLASS_CRASH, CONF_EXPECTED, CONF_CLASS_CRASH,
     "crash until 2026-11-29: one"},
    {"a", "", "./x.so", "2026-11-28", CONF_FAILED, CONF_CLASS_LOGITS, CONF_FAILED, CONF_CLASS_LOGITS,
     "crash until 2026-11-29: one"},
    {"a", "", "./y.so", "2026-11-28", CONF_PASSED, CONF_CLASS_NONE, CONF_FAILED, CONF_CLASS_FIXED,
     "logits until 2026-11-28: all"},
    {"a", "", "./y.so", "2026-11-28", CONF_BROKEN, CONF_CLASS_NONE, CONF_BROKEN, CONF_CLASS_NONE,
     "logits until 2026-11-28: all"},
    {"a", "", "./y.so", "2026-11-28", CONF_SKIPPED, CONF_CLASS_NONE, CONF_SKIPPED, CONF_CLASS_NONE, ""},
    {"d/moved", "00000000000000dd", "./y.so", "2028-02-29", CONF_FAILED, CONF_CLASS_LOGITS, CONF_EXPECTED,
     CONF_CLASS_LOGITS, "logits until 2028-02-29: file"},
    {"moved", "", "./y.so", "2026-11-28", CONF_FAILED, CONF_CLASS_LOGITS, CONF_FAILED, CONF_CLASS_LOGITS, ""},
    {"b", "", "./y.so", "2026-11-28", CONF_FAILED, CONF_CLASS_LOGITS, CONF_FAILED, CONF_CLASS_LOGITS, ""},
    {"b", "", "./y.so", "2026-11-28", CONF_PASSED, CONF_CLASS_NONE, CONF_PASSED, CONF_CLASS_NONE, ""},
};

START_TEST(a_row_excuses_its_class_until_its_date)
{
    conf_expected e;
    const conf_engine_column engine = {.name = rows[_i].engine, .label = strrchr(rows[_i].engine, '/') + 1};
    conf_verdict v = {.outcome = rows[_i].outcome, .class = rows[_i].class};
    open_sound(&e);
    (void)strcpy(e.today, rows[_i].today);
    conf_expected_apply(&e, rows[_i].id, rows[_i].digest, &engine, &v);
    ck_assert_int_eq(v.outcome, rows[_i].outcome_after);
    ck_assert_int_eq(v.class, rows[_i].class_after);
    ck_assert_str_eq(v.expected, rows[_i].expected);
    conf_expected_free(&e);
}
END_TEST

START_TEST(rows_of_nothing_are_named)
{
    conf_expected e;
    const conf_engine_column engine = {.name = "./y.so", .label = "y.so"};
    conf_verdict v = {.outcome = CONF_SKIPPED};
    char *text;
    size_t n;
    FILE *err = open_memstream(&text, &n);
    open_sound(&e);
    conf_expected_apply(&e, "a", "", &engine, &v);
    conf_expected_remark(&e, &(conf_context){.err = err});
    ck_assert_int_eq(fclose(err), 0);
    ck_assert_str_eq(text,
                     "assay: f: 1 of 3 expected failures is of no case of this run: moved (nearest: a)\n"
                     "assay: f: 1 of 3 expected failures is of no engine of this run: a (x.so)\n"
                     "assay: f: 1 of 3 expected failures is of skipped cases: a\n");
    free(text);
    conf_expected_free(&e);
}
END_TEST

/* The row has the id "moved". */
START_TEST(the_nearest_ids_are_named)
{
    conf_expected e;
    char ids[][16] = {"far/away", "d/moved", "b/removed", "d/mvoed"}, *text;
    conf_found found[4] = {0};
    size_t n;
    FILE *err = open_memstream(&text, &n);
    for (size_t i = 0; i < 4; i++) found[i] = (conf_found){.id = ids[i], .path = ids[i]};
    assert_read(&e);
    conf_expected_join(&e, found, 4);
    conf_expected_remark(&e, &(conf_context){.err = err});
    ck_assert_int_eq(fclose(err), 0);
    assert_holds(text, "moved (nearest: d/moved, d/mvoed, b/removed)\n");
    free(text);
    conf_expected_free(&e);
}
END_TEST

START_TEST(without_a_file_nothing_is_expected)
{
    conf_expected e = {0};
    const conf_engine_column engine = {.name = "y", .label = "y"};
    conf_verdict v = {.outcome = CONF_FAILED, .class = CONF_CLASS_LOGITS};
    ck_assert_int_eq(conf_expected_read(NULL, &e, NULL), ASSAY_OK);
    conf_expected_join(&e, NULL, 0);
    conf_expected_apply(&e, "a", "", &engine, &v);
    conf_expected_remark(&e, &(conf_context){0});
    ck_assert_int_eq(v.outcome, CONF_FAILED);
    conf_expected_free(&e);
}
END_TEST

static void assert_joined(const char *first, const char *second, const char *here)
{
    conf_expected e;
    assert_read(&e);
    char a[] = "first", b[] = "second", path_a[64], path_b[64];
    (void)snprintf(path_a, sizeof path_a, "%s", first);
    (void)snprintf(path_b, sizeof path_b, "%s", second);
    conf_expected_join(&e, (conf_found[]){{.id = a, .path = path_a}, {.id = b, .path = path_b}}, 2);
    ck_assert_pstr_eq(e.rows[0].here, here);
    conf_expected_free(&e);
}

/* The id is "a": assay run names a case after the directory that was given. */
START_TEST(a_row_is_joined_by_the_end_of_a_path_that_only_one_case_has)
{
    assert_joined("/x/a.h5", "/x/b.h5", "first");
    assert_joined("/x/b.h5", "y/a.json.gz", "second");
    assert_joined("/x/a.h5", "/y/a.h5", NULL);
    assert_joined("/x/ba.h5", "/x/a/b.h5", NULL);
}
END_TEST

/* An edit of the sound document: the first `from` becomes `to`; and what the message has. */
static const struct {
    const char *from, *to, *message;
} edits[] = {
    {"expected/1", "expected/2", "f: schema: found \"assay-expected/2\", expected one of assay-expected/1"},
    {"\"failures\"", "\"failure\"", "f: failure: is unknown"},
    {"[{\"case\":\"a\"", "[7,{\"case\":\"a\"", "f: failures[0]: found a whole number, expected an object"},
    {"\"case\":\"a\",", "", "f: failures[0].case: is missing, expected a string"},
    {"\"case\":\"a\"", "\"case\":\"\"", "f: failures[0].case: found 0 bytes, expected 1 to 4096"},
    {"\"class\":\"logits\",", "", "f: failures[0].class: is missing, expected a string"},
    {"logits", "logit", "f: failures[0].class: found \"logit\", expected one of mask, logits, "},
    {"logits", "fixed", "f: failures[0].class: found \"fixed\", expected one of mask, logits, "},
    {"\"reason\":\"all\",", "", "f: failures[0].reason: is missing, expected a string"},
    {"\"all\"", "\"\"", "f: failures[0].reason: found 0 bytes, expected 1 to 500"},
    {"\"all\"", "\"\\u202e\"", "f: failures[0].reason: found a string with control characters"},
    {",\"until\":\"2026-11-28\"", "", "f: failures[0].until: is missing, expected a string"},
    {"11-28", "11-31", "f: failures[0].until: found \"2026-11-31\", expected a date such as 2026-11-28"},
    {"11-28", "13-01", "f: failures[0].until: found \"2026-13-01\", expected a date"},
    {"11-28", "11-2", "f: failures[0].until: found \"2026-11-2\", expected a date"},
    {"11-28", "11-00", "f: failures[0].until: found \"2026-11-00\", expected a date"},
    {"11-28", "11.28", "f: failures[0].until: found \"2026-11.28\", expected a date"},
    {"2028-02-29", "2026-02-29", "f: failures[2].until: found \"2026-02-29\", expected a date"},
    {"\"reason\":\"all\"", "\"reasons\":\"all\"", "f: failures[0].reasons: is unknown"},
    {"00dd", "00dg", "f: failures[2].digest: found \"00000000000000dg\", expected 16 hexadecimal digits"},
    {"\"engine\":\"x.so\",", "",
     "f: failures[1]: found case a again, expected each case once: see failures[0]"},
    {"moved\"", "a\",\"engine\":\"x.so\"",
     "f: failures[2]: found case a with engine x.so again, expected each case once: see failures[1]"},
};

START_TEST(what_no_file_may_say_is_refused)
{
    char text[2 * sizeof sound];
    const char *at = strstr(sound, edits[_i].from);
    conf_expected e;
    assay_error err;
    ck_assert_ptr_nonnull(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - sound), sound, edits[_i].to,
                   at + strlen(edits[_i].from));
    ck_assert_int_eq(read_text(text, &e, &err), ASSAY_EFORMAT);
    ck_assert_msg(strncmp(err.text, edits[_i].message, strlen(edits[_i].message)) == 0, "%s", err.text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/expected/expected");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, a_row_excuses_its_class_until_its_date, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(t, a_row_is_joined_by_the_end_of_a_path_that_only_one_case_has);
    tcase_add_test(t, rows_of_nothing_are_named);
    tcase_add_test(t, the_nearest_ids_are_named);
    tcase_add_test(t, without_a_file_nothing_is_expected);
    tcase_add_loop_test(t, what_no_file_may_say_is_refused, 0, (int)(sizeof edits / sizeof *edits));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
