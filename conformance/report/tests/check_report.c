/* The reports that programs read: JUnit's XML and JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <string.h>

#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"

/* One case of each outcome, with names that XML and JSON must escape. */
static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/a&b.h5"), "logits", "ok");
    (void)support_write_decoder(support_path("cases/<off>\001\"'.h5"), "logits", "off");
    (void)support_write_decoder(support_path("cases/skip.h5"), "logits", "unsupported");
    (void)support_write_decoder(support_path("cases/nan.h5"), "logits", "nan");
    support_write_text(support_path("cases/text.h5"), "no HDF5");
}

static const support_output *run(const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "ASSAY_ENGINE_PATH=$(dirname %s) \"$ASSAY\" run -e fake32 -e fake64 %s",
                   support_engine("fake32"), arguments);
    return support_shell(command);
}

/* Skips a quoted attribute and everything before it; NULL where text does not have one. */
static const char *skip_attribute(const char *at)
{
    at += strspn(at, " ");
    size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz");
    if (n == 0 || strncmp(at + n, "=\"", 2) != 0) return NULL;
    at += n + 2;
    at += strcspn(at, "\"<");
    return *at == '"' ? at + 1 : NULL;
}

/* The end of a tag's attributes: at '>' or "/>". */
static const char *skip_attributes(const char *at)
{
    while (*at == ' ') {
        const char *next = skip_attribute(at);
        ck_assert_msg(next != NULL, "no attribute: %.60s", at);
        at = next;
    }
    return at;
}

static void assert_character(const char *at)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    bool known = *at != '&';
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        known = known || strncmp(at, entities[i], strlen(entities[i])) == 0;
    ck_assert_msg(known && ((unsigned char)*at >= 0x20 || *at == '\n'), "not allowed: %.60s", at);
}

/* Asserts that all tags are nested and closed, and that all text is escaped. */
static void assert_well_formed(const char *xml)
{
    static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    char open[16][32];
    size_t depth = 0;
    ck_assert_int_eq(strncmp(xml, declaration, sizeof declaration - 1), 0);
    for (const char *at = xml; *at; at++) assert_character(at);
    for (const char *at = xml + sizeof declaration - 1; (at = strchr(at, '<')); at++) {
        bool closes = at[1] == '/';
        char name[32];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + closes, " />"), at + 1 + closes);
        const char *end = skip_attributes(at + 1 + closes + strlen(name));
        if (closes) {
            ck_assert_uint_gt(depth, 0);
            ck_assert_str_eq(open[--depth], name);
        } else if (*end != '/') {
            ck_assert_uint_lt(depth, 16);
            (void)snprintf(open[depth++], sizeof open[0], "%s", name);
        }
        ck_assert_msg(end[*end == '/'] == '>', "no tag: %.60s", at);
    }
    ck_assert_uint_eq(depth, 0);
}

START_TEST(junit_is_well_formed_and_distinguishes_outcomes)
{
    const support_output *o = run("--junit - cases");
    ck_assert_int_eq(o->code, 99);
    assert_well_formed(o->out);
    assert_holds(o->out, "  <testsuite id=\"1\" package=\"assay\" name=\"fake64\" timestamp=\"20");
    assert_holds(o->out, "\" tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\" time=\"");
    assert_holds(o->out, "<testcase name=\"a&amp;b\" classname=\"fake32\" time=\"0.");
    assert_holds(o->out, "<skipped message=\"sinks are not implemented\"/>");
    assert_holds(o->out, "<error message=\"cases/text.h5: not an HDF5 file (7 bytes)\" type=\"broken\">");
    assert_holds(o->out, "<failure message=\"largest error of the logits is 5 times its bound\"");
    assert_holds(o->out, " type=\"logits\">stage: judging\nfirst: sample 0, decode, step 1, id 6: expected ");
    assert_holds(o->out,
                 "REPRO: assay run --engine fake32 $'cases/&lt;off&gt;\\001&quot;\\047.h5'\n</failure>\n");
    assert_holds(o->out,
                 "    <system-out>REPRO: assay run --engine fake32 "
                 "$'cases/&lt;off&gt;\\001&quot;\\047.h5'\nREPRO: assay run --engine fake32 cases/nan.h5\n");
}
END_TEST

START_TEST(junit_has_multiples_and_bounds_as_properties)
{
    const support_output *o = run("--junit - -f off cases");
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, "    <properties>\n"
                         "      <property name=\"multiple &lt;off&gt;\\u0001&quot;'\" value=\"20\"/>\n"
                         "      <property name=\"bound\" value=\"4\"/>\n"
                         "      <property name=\"unit\" value=\"noise\"/>\n    </properties>\n");
    assert_holds(o->out, "<property name=\"bound\" value=\"1\"/>\n"
                         "      <property name=\"unit\" value=\"bound\"/>\n");
}
END_TEST

START_TEST(reports_name_the_requested_type)
{
    const support_output *o = run("--compute f32 --junit - -f off cases");
    assert_holds(o->out, "    <properties>\n      <property name=\"compute\" value=\"f32\"/>\n");
    o = run("--compute f32 --json - -f off cases");
    assert_holds(o->out, "\"compute\":\"f32\"");
    assert_holds(o->out, " --compute f32 ");
    o = run("--json - -f off cases");
    assert_holds(o->out, "\"compute\":null");
}
END_TEST

static json_object *member(json_object *of, const char *name)
{
    json_object *value = NULL;
    ck_assert_msg(json_object_object_get_ex(of, name, &value), "no member %s", name);
    return value;
}

static const char *text_of(json_object *of, const char *name)
{
    return json_object_get_string(member(of, name));
}

/* The result of a case with an engine. */
static json_object *result_of(json_object *document, const char *id, const char *engine)
{
    json_object *results = member(document, "results");
    for (size_t i = 0; i < json_object_array_length(results); i++) {
        json_object *r = json_object_array_get_idx(results, i);
        if (strcmp(text_of(r, "case"), id) == 0 && strcmp(text_of(r, "engine"), engine) == 0) return r;
    }
    ck_abort_msg("no result of %s with %s", id, engine);
    return NULL;
}

START_TEST(json_holds_every_result)
{
    const support_output *o = run("--json - cases");
    json_object *document = json_tokener_parse(o->out);
    ck_assert_ptr_nonnull(document);
    ck_assert_str_eq(text_of(document, "schema"), "assay-results/1");
    ck_assert_uint_eq(json_object_array_length(member(document, "results")), 10);
    json_object *off = result_of(document, "<off>\\u0001\"'", "fake32");
    ck_assert_str_eq(text_of(off, "outcome"), "failed");
    ck_assert_str_eq(text_of(off, "class"), "logits");
    ck_assert_str_eq(text_of(result_of(document, "nan", "fake64"), "class"), "mask");
    ck_assert_str_eq(text_of(result_of(document, "skip", "fake32"), "class"), "");
    ck_assert_str_eq(text_of(result_of(document, "text", "fake32"), "class"), "");
    ck_assert_double_eq_tol(json_object_get_double(member(off, "multiple")), 20, 0.1);
    ck_assert_str_eq(text_of(off, "unit"), "noise");
    ck_assert_double_eq(json_object_get_double(member(off, "bound")), 4);
    ck_assert_str_eq(text_of(off, "stage"), "judging");
    assert_holds(text_of(off, "reason"), "largest error of the logits");
    assert_holds(text_of(off, "where"), "sample 0, decode, step 1");
    assert_holds(text_of(off, "trace"), "none of the 2");
    ck_assert_str_eq(text_of(off, "last_trace"), "layer.00.out");
    assert_holds(text_of(off, "repro"), "assay run --engine fake32 ");
    ck_assert_double_gt(json_object_get_double(member(off, "seconds")), 0);
    ck_assert_str_eq(text_of(result_of(document, "a&b", "fake64"), "unit"), "bound");
    ck_assert_str_eq(text_of(result_of(document, "a&b", "fake64"), "path"), "cases/a&b.h5");
    ck_assert_str_eq(text_of(result_of(document, "text", "fake64"), "outcome"), "broken");
    ck_assert_ptr_null(member(result_of(document, "text", "fake64"), "multiple"));
    ck_assert_str_eq(text_of(result_of(document, "skip", "fake32"), "reason"), "sinks are not implemented");
    (void)json_object_put(document);
}
END_TEST

START_TEST(json_holds_the_manners_that_were_left_out)
{
    static const char *const reasons[] = {"join", "rewind", "fork", "tap"};
    (void)stateful_write("sound");
    const support_output *o = support_assay("run --json - -e %s -e %s sound.h5",
                                            support_engine("stateful_minimal"), support_engine("stateful"));
    json_object *document = json_tokener_parse(o->out);
    ck_assert_ptr_nonnull(document);
    json_object *results = member(document, "results");
    json_object *left_out = member(json_object_array_get_idx(results, 0), "manners_left_out");
    ck_assert_uint_eq(json_object_array_length(left_out), 4);
    for (size_t i = 0; i < 4; i++) {
        char reason[64];
        (void)snprintf(reason, sizeof reason, "the engine lacks %s", reasons[i]);
        ck_assert_str_eq(text_of(json_object_array_get_idx(left_out, i), "reason"), reason);
    }
    ck_assert_str_eq(json_object_to_json_string_ext(member(json_object_array_get_idx(left_out, 0), "manners"),
                                                    JSON_C_TO_STRING_PLAIN),
                     "[\"late\",\"early\"]");
    left_out = member(json_object_array_get_idx(results, 1), "manners_left_out");
    ck_assert_uint_eq(json_object_array_length(left_out), 0);
    (void)json_object_put(document);
}
END_TEST

START_TEST(json_has_totals_and_no_infinity)
{
    const support_output *o = run("--json - cases");
    json_object *document = json_tokener_parse(o->out);
    ck_assert_ptr_nonnull(document);
    static const char *const names[] = {"passed", "failed", "skipped", "broken", "warnings"};
    static const int counts[] = {2, 4, 2, 2, 0};
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(json_object_get_int(member(member(document, "totals"), names[i])), counts[i]);
    json_object *nan = result_of(document, "nan", "fake32");
    ck_assert(json_object_get_boolean(member(nan, "measured")));
    ck_assert_ptr_null(member(nan, "multiple"));
    assert_lacks(o->out, "Infinity");
    (void)json_object_put(document);
}
END_TEST

START_TEST(reports_in_files_leave_the_table_on_standard_output)
{
    const support_output *o = run("--junit x --json y cases; cat x >&2");
    assert_holds(o->out, "2 passed, 4 failed, 2 skipped, 2 broken\n");
    assert_well_formed(o->err);
    o = support_shell("cat y");
    json_object *document = json_tokener_parse(o->out);
    ck_assert_ptr_nonnull(document);
    (void)json_object_put(document);
}
END_TEST

START_TEST(a_run_without_cases_writes_empty_reports_and_is_not_green)
{
    const support_output *o = run("--junit - -f nowhere cases");
    ck_assert_int_eq(o->code, 77);
    assert_well_formed(o->out);
    assert_holds(o->out, "<testsuites>\n</testsuites>\n");
    o = run("--json - -f skip cases");
    ck_assert_int_eq(o->code, 77);
    assert_holds(o->out, "\"skipped\"");
}
END_TEST

START_TEST(a_report_that_cannot_be_written_exits_99)
{
    const support_output *o = run("--json none/x cases");
    ck_assert_int_eq(o->code, 99);
    ck_assert_str_eq(o->err, "assay: none/x: No such file or directory\n");
    o = run("--junit /dev/full -f 'a&b' cases");
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err, "assay: /dev/full: ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/report/report");
    TCase *report = tcase_create("report");
    tcase_add_checked_fixture(report, setup, support_teardown);
    tcase_set_timeout(report, 60);
    tcase_add_test(report, junit_is_well_formed_and_distinguishes_outcomes);
    tcase_add_test(report, junit_has_multiples_and_bounds_as_properties);
    tcase_add_test(report, reports_name_the_requested_type);
    tcase_add_test(report, json_holds_every_result);
    tcase_add_test(report, json_holds_the_manners_that_were_left_out);
    tcase_add_test(report, json_has_totals_and_no_infinity);
    tcase_add_test(report, reports_in_files_leave_the_table_on_standard_output);
    tcase_add_test(report, a_run_without_cases_writes_empty_reports_and_is_not_green);
    tcase_add_test(report, a_report_that_cannot_be_written_exits_99);
    suite_add_tcase(suite, report);

    return support_run(suite);
}
