/* Textual cases through the commands run, list and info: vectors selected by name, reports, broken
 * vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/programs.h"
#include "conformance/tests/support.h"

START_TEST(one_vector_is_selected_by_name)
{
    (void)support_write_decoder(support_path("cases/numbers.h5"), "logits", "ok");
    const support_output *o = programs_run("none", "-v --vector g/4 cases");
    assert_code(o, 0);
    assert_holds(o->out, "pass cases/all.json streams\n  1 vector\n");
    assert_holds(o->out, "skipped: it has no vectors:\n  numbers\n");
    o = programs_run("none", "--vector g/9 cases");
    assert_code(o, 77);
    assert_holds(o->out, "skipped: it has no vector g/9:\n  all\n");
    o = programs_run("none", "--vector= cases");
    assert_code(o, 2);
}
END_TEST

START_TEST(an_engine_without_streams_skips_the_case)
{
    const support_output *o = support_assay("run -e %s cases", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: it has no streams: it does not export assay_streams_v1:\n  all\n");
}
END_TEST

START_TEST(compute_and_kernels_skip_textual_cases)
{
    const support_output *o = support_assay("run -e %s --compute bf16 cases", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "a textual case has no products to compute in bfloat16:\n  all\n");
    o = support_assay("run -e %s --kernels %s cases", support_engine("fake32"),
                      support_engine("broken_kernels"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: a textual case uses no kernels:\n  all\n");
}
END_TEST

START_TEST(reports_for_programs_name_class_and_vector)
{
    const support_output *o = programs_run("sign", "--json - cases");
    assert_code(o, 1);
    assert_holds(o->out, "\"class\":\"threads\"");
    assert_holds(o->out, "\"stage\":\"a vector\"");
    assert_holds(o->out, "\"vector\":\"g/2\"");
    assert_holds(o->out, "\"where\":\"vector g/2\"");
    assert_holds(o->out, "\"notes\":\"1 of 5 vectors diverges\"");
    assert_holds(o->out, "\"repro\":\"assay run --engine streams --vector g/2 cases/all.json\"");
    o = programs_run("sign", "--junit - cases");
    assert_holds(o->out,
                 "<failure message=\"step 5 (thread 0, read b): expected element 1 to be -1, found 1\" "
                 "type=\"threads\">stage: a vector\nfirst: vector g/2\n");
    o = programs_run("sign", "--tap - cases");
    assert_holds(o->out, "not ok 1 - all streams\n# FAIL (threads) cases/all.json streams\n#   step 5 "
                         "(thread 0, read b): expected");
    o = programs_run("none", "--json - cases");
    assert_holds(o->out, "\"vector\":\"\"");
    assert_holds(o->out, "\"where\":\"\"");
}
END_TEST

START_TEST(a_broken_case_is_an_error_that_names_the_member)
{
    support_write_text(support_path("cases/all.json"),
                       "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[1]}");
    const support_output *o = programs_run("none", "cases");
    assert_code(o, 99);
    assert_holds(o->out, "  cases/all.json: groups[0]: found a whole number, expected an object\n");
    o = support_assay("list cases");
    assert_code(o, 99);
    assert_holds(o->err, "cases/all.json: groups[0]: found a whole number");
}
END_TEST

/* Vector 2 has no program, the third vector no valid id, and the last one the same id as the first. */
static void write_some_broken(void)
{
    support_write_text(support_path("cases/all.json"),
                       "{\"schema\":\"assay/"
                       "1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\",\"vectors\":[" VECTOR(
                           1, "", ON(0, "\"default_stream\""),
                           "{\"index\":0}") ",{\"id\":2,\"input\":{},\"expect\":{\"outcome\":[]}},{\"id\":"
                                            "\"x\"}," VECTOR(4, "", ON(0, "\"exit\""), "\"ok\"") "," VECTOR(
                                                1, "", ON(0, "\"exit\""), "\"ok\"") "]}]}");
}

START_TEST(valid_vectors_of_a_case_with_broken_ones_are_replayed)
{
    write_some_broken();
    const support_output *o = programs_run("none", "cases");
    assert_code(o, 99);
    assert_holds(o->out, "ERROR cases/all.json streams\n  3 of 5 vectors are broken: cases/all.json: "
                         "groups[0].vectors[1].input.program: is missing, expected an array\n  2 vectors\n");
    o = programs_run("none", "--vector g/4 -v cases");
    assert_code(o, 0);
    assert_holds(o->out, "pass cases/all.json streams\n  1 vector\n");
    o = programs_run("none", "--vector g/2 cases");
    assert_code(o, 99);
    assert_holds(o->out, "1 of 1 vectors is broken: cases/all.json: groups[0].vectors[1].input.program: ");
    o = programs_run("none", "--vector g/1 cases");
    assert_code(o, 99);
    assert_holds(o->out, "1 of 2 vectors is broken: cases/all.json: groups[0].vectors[4].id: found 1, which "
                         "groups[0].vectors[0] has in the same group\n  1 vector\n");
}
END_TEST

START_TEST(a_divergence_in_a_case_with_a_broken_vector_is_reported)
{
    write_some_broken();
    const support_output *o = programs_run("index", "cases");
    assert_code(o, 99);
    assert_holds(o->out, "3 of 5 vectors are broken: ");
    assert_holds(o->out, "1 of 2 vectors diverges; the first that diverges: vector g/1: step 0 ");
}
END_TEST

START_TEST(list_and_info_show_a_case_with_broken_vectors_and_exit_99)
{
    write_some_broken();
    const support_output *o = support_assay("list cases");
    assert_code(o, 99);
    assert_holds(o->out, "all  threads ");
    assert_holds(o->err,
                 "cases/all.json: 3 of 5 vectors are broken: cases/all.json: groups[0].vectors[1].input");
    o = support_assay("info cases/all.json");
    assert_code(o, 99);
    assert_holds(o->out, "vectors    5 in 1 group\n");
    assert_holds(o->out,
                 "broken     cases/all.json: groups[0].vectors[2].id: found a string, expected a whole");
    assert_holds(o->out, "broken     cases/all.json: groups[0].vectors[4].id: found 1, which ");
}
END_TEST

START_TEST(unknown_members_are_warnings)
{
    support_write_text(
        support_path("cases/all.json"),
        "{\"schema\":\"assay/"
        "1\",\"kind\":\"threads\",\"tint\":0,\"groups\":[{\"name\":\"g\",\"hue\":0,\"vectors\":[" VECTOR(
            1, "", ON(0, "\"exit\""), "\"ok\"") "]}]}");
    const support_output *o = programs_run("none", "cases");
    assert_code(o, 0);
    assert_holds(o->err,
                 "assay: warning: cases/all.json: tint is unknown to this version, and ignored\n"
                 "assay: warning: cases/all.json: groups[0].hue is unknown to this version, and ignored\n");
}
END_TEST

START_TEST(list_and_info_accept_textual_cases)
{
    const support_output *o = support_assay("list cases");
    assert_code(o, 0);
    ck_assert_str_eq(o->out, "all  threads     streams of others\n");
    o = support_assay("info cases/all.json");
    assert_code(o, 0);
    assert_holds(o->out, "kind       threads\n");
    assert_holds(o->out, "vectors    5 in 1 group\n  g                  5\n");
    o = support_assay("locate -e %s cases/all.json", support_engine("streams"));
    assert_code(o, 77);
}
END_TEST

START_TEST(info_prints_the_header_and_groups_of_a_textual_case)
{
    support_write_text(
        support_path("cases/some.json"),
        "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"source\":\"mlx 1\",\"recorder\":\"by hand\","
        "\"catches\":\"streams\",\"flags\":[\"slow\"],\"groups\":[{\"name\":\"one\",\"vectors\":[" VECTOR(
            1, "", ON(0, "\"exit\""),
            "\"ok\"") "," VECTOR(2, "", ON(0, "\"exit\""),
                                 "\"ok\"") "]},{\"name\":\"none\",\"vectors\":[]},{\"name\":\"another\","
                                           "\"vectors\":[" VECTOR(1, "", ON(0, "\"exit\""), "\"ok\"") "]}]}");
    const support_output *o = support_assay("info cases/some.json");
    assert_code(o, 0);
    ck_assert_str_eq(o->out, "case       cases/some.json\n"
                             "kind       threads\n"
                             "catches    streams\n"
                             "source     mlx 1\n"
                             "recorder   by hand\n"
                             "flag       slow\n"
                             "vectors    3 in 3 groups\n"
                             "  one                2\n"
                             "  none               0\n"
                             "  another            1\n");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/textual/textual");
    TCase *t = tcase_create("textual");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, programs_setup, support_teardown);
    tcase_add_test(t, one_vector_is_selected_by_name);
    tcase_add_test(t, an_engine_without_streams_skips_the_case);
    tcase_add_test(t, compute_and_kernels_skip_textual_cases);
    tcase_add_test(t, reports_for_programs_name_class_and_vector);
    tcase_add_test(t, a_broken_case_is_an_error_that_names_the_member);
    tcase_add_test(t, valid_vectors_of_a_case_with_broken_ones_are_replayed);
    tcase_add_test(t, a_divergence_in_a_case_with_a_broken_vector_is_reported);
    tcase_add_test(t, list_and_info_show_a_case_with_broken_vectors_and_exit_99);
    tcase_add_test(t, unknown_members_are_warnings);
    tcase_add_test(t, list_and_info_accept_textual_cases);
    tcase_add_test(t, info_prints_the_header_and_groups_of_a_textual_case);
    suite_add_tcase(s, t);
    return support_run(s);
}
