/* assay diff with two observations and with the bundled files: its report and its memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "conformance/case/case.h"
#include "conformance/case/find.h"
#include "conformance/diff/slab.h"
#include "conformance/kinds/read.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/compare.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

/* Places in prefill: sample 0 has two rows of padding. */
enum { FIRST = 2 * FORMULA_VOCAB, LAST = CASE_B * CASE_T * FORMULA_VOCAB - 1 };

START_TEST(an_observation_is_the_same_as_itself)
{
    compare_answer x = compare(compare_seen, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s", x.err.text, x.v.reason);
    assert_holds(x.v.reason, "bit-identical: 5 members, 14 rows of logits");
}
END_TEST

static const struct {
    const char *name;
    size_t index;
    double value;
    const char *reason, *where, *trace;
} changes[] = {
    {"/observed/prefill", FIRST, 100, "largest error of the logits is", "sample 0, prefill, position 2, id 0",
     ""},
    {"/observed/prefill", LAST, NAN, "NaN or infinity", "sample 1, prefill, position 4, id 18", ""},
    {"/observed/decode", 19, 100, "4 times 16 ulps of the largest value)", "sample 0, decode, step 1, id 0",
     ""},
    {"/observed/tokens", 6, 2, "a greedy token differs", "sample 1, greedy step 2: expected token ", ""},
    {"/observed/trace/embed", 5, 1, "a tensor on the way does not", "", "embed[1,1]: expected "},
};

START_TEST(a_change_between_two_observations_diverges)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    edit_element(compare_seen, changes[_i].name, changes[_i].index, changes[_i].value);
    assert_diverges(changes[_i].reason, changes[_i].where, changes[_i].trace);
}
END_TEST

START_TEST(two_observations_may_be_close)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    conf_array a;
    conf_h5 *file;
    assay_error err = {0};
    ck_assert_int_eq(conf_h5_open(compare_seen, &file, &err), ASSAY_OK);
    ck_assert_int_eq(conf_h5_read(file, "/observed/decode", &a, &err), ASSAY_OK);
    conf_h5_close(file);
    double value = (double)nextafterf(((const float *)a.data)[7], 100);
    conf_array_free(&a);
    edit_element(compare_seen, "/observed/decode", 7, value);
    compare_answer x = compare(compare_golden, compare_seen);
    ck_assert_msg(x.status == ASSAY_OK && x.v.outcome == CONF_PASSED, "%s%s", x.err.text, x.v.reason);
    assert_holds(x.v.reason, "not bit-identical, but close: ");
    assert_holds(x.v.reason, " times 16 ulps of the largest value, of which 4 are allowed");
}
END_TEST

/* Of two observations, in either order. */
static void assert_missing(const char *reason)
{
    for (size_t i = 0; i < 2; i++) {
        compare_answer x = i ? compare(compare_seen, compare_golden) : compare(compare_golden, compare_seen);
        ck_assert_int_eq(x.status, ASSAY_EFORMAT);
        assert_holds(x.err.text, reason);
        conf_strings_free(&x.unknown);
    }
    ck_assert_int_eq(support_assay("diff other.h5 seen.h5")->code, 99);
}

START_TEST(two_observations_have_the_same_members)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    edit_remove(compare_seen, "/observed/trace/embed");
    assert_missing("seen.h5: /observed/trace lacks embed, and ");
    edit_remove(compare_golden, "/observed/trace/embed");
    assert_agrees(compare_golden, compare_seen);
    edit_remove(compare_golden, "/observed/tokens");
    assert_missing("other.h5: /observed/tokens is missing, and ");
}
END_TEST

START_TEST(two_observations_have_the_same_types)
{
    compare_golden = support_observe(compare_golden, "float32", support_path("other.h5"));
    (void)support_observe(support_path("case.h5"), "truth", compare_seen);
    assert_diverges("/observed/prefill has type F64, expected F32", "", "");
}
END_TEST

/* The bundled files. */
static conf_found_list find_bundled(void)
{
    char dir[4096];
    const char *top = getenv("top_srcdir");
    conf_found_list list = {0};
    assay_error err;
    (void)snprintf(dir, sizeof dir, "%s/fixtures", top ? top : "..");
    ck_assert_msg(conf_find(dir, &list, &err) == ASSAY_OK, "%s", err.text);
    return list;
}

START_TEST(every_bundled_golden_agrees_with_its_own_float32_run)
{
    conf_found_list list = find_bundled();
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++) {
        conf_h5 *file;
        conf_case *c;
        assay_error err;
        size_t length = strlen(list.at[i].path);
        if (length < 3 || strcmp(list.at[i].path + length - 3, ".h5") != 0) continue;
        ck_assert_int_eq(conf_h5_open(list.at[i].path, &file, &err), ASSAY_OK);
        ck_assert_msg(conf_case_read_frame(file, &c, &err) == ASSAY_OK, "%s", err.text);
        conf_h5_close(file);
        conf_kind kind = c->kind;
        conf_case_free(c);
        if (kind != CONF_LOGITS && kind != CONF_GENERATE) continue;
        assert_agrees(list.at[i].path, support_observe(list.at[i].path, "float32", compare_seen));
        n++;
    }
    ck_assert_uint_gt(n, 80);
    conf_found_free(&list);
}
END_TEST

/* Compares the observations of a variant, the groups of `pack`/`variant`, with the cases below `dir`. Returns
 * how many there are. */
static size_t compare_variant(const char *pack, const char *dir, const char *variant)
{
    char path[4096];
    conf_h5 *file;
    conf_strings names;
    assay_error err;
    size_t n = 0;
    (void)snprintf(path, sizeof path, "%s/%s", pack, variant);
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(conf_h5_members(file, "/", &names, &err) == ASSAY_OK, "%s", err.text);
    conf_h5_close(file);
    for (size_t i = 0; i < names.n; i++) {
        char of[8192], seen[8192];
        (void)snprintf(of, sizeof of, "%s/%s/%.*s.h5", dir, variant, (int)strcspn(names.at[i], "."),
                       names.at[i]);
        (void)snprintf(seen, sizeof seen, "%s/%s", path, names.at[i]);
        compare_answer x = compare(of, seen);
        if (x.status != ASSAY_OK && strstr(x.err.text, "the observed system gave no answer: ")) continue;
        ck_assert_msg(x.status == ASSAY_OK, "%s", x.err.text);
        ck_assert(x.v.outcome == CONF_PASSED || x.v.where[0]);
        ck_assert_uint_eq(x.unknown.n, 0);
        n++;
    }
    conf_strings_free(&names);
    return n;
}

START_TEST(every_bundled_observation_is_judged)
{
    const char *top = getenv("top_srcdir");
    char pattern[4096];
    glob_t packs;
    size_t n = 0;
    (void)snprintf(pattern, sizeof pattern, "%s/observatory/observations/*.h5", top ? top : "..");
    ck_assert_int_eq(glob(pattern, 0, NULL, &packs), 0);
    for (size_t i = 0; i < packs.gl_pathc; i++) {
        const char *pack = packs.gl_pathv[i], *name = strrchr(pack, '/') + 1;
        char dir[4096];
        conf_h5 *file;
        conf_strings variants;
        assay_error err;
        (void)snprintf(dir, sizeof dir, "%s/fixtures/%.*s", top ? top : "..", (int)strcspn(name, "."), name);
        ck_assert_msg(conf_h5_open(pack, &file, &err) == ASSAY_OK, "%s", err.text);
        ck_assert_msg(conf_h5_members(file, "/", &variants, &err) == ASSAY_OK, "%s", err.text);
        conf_h5_close(file);
        for (size_t j = 0; j < variants.n; j++) n += compare_variant(pack, dir, variants.at[j]);
        conf_strings_free(&variants);
    }
    ck_assert_uint_ge(n, 60);
    globfree(&packs);
}
END_TEST

/* The program */

START_TEST(the_program_reports_agreement)
{
    const support_output *o = support_assay("diff case.h5 seen.h5");
    ck_assert_int_eq(o->code, 0);
    assert_holds(o->out, "pass case.h5 seen.h5\n  12 rows of 19 logits in float32 agree: ");
    assert_lacks(o->out, "largest error");
    assert_holds(support_assay("diff --verbose -j 3 case.h5 seen.h5")->out, "largest error");
}
END_TEST

START_TEST(the_program_reports_a_divergence_and_the_command_that_reproduces_it)
{
    edit_element(compare_seen, "/observed/prefill", FIRST, 100);
    edit_i32(compare_seen, "/observed/colour", 1, (size_t[]){1}, (const int32_t[]){1});
    const support_output *o = support_assay("diff case.h5 seen.h5");
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, "FAIL (logits) case.h5 seen.h5\n  largest error of the logits is ");
    assert_holds(o->out, "\n  first:  sample 0, prefill, position 0, id 0: expected ");
    assert_holds(o->out, "\n  largest error ");
    assert_holds(o->out, "\n  REPRO: assay diff case.h5 seen.h5\n");
    assert_holds(o->err, "assay: warning: seen.h5: /observed/colour is unknown to this version, and ignored");
    ck_assert_int_eq(support_shell("mv -- seen.h5 \"-it's\"; \"$ASSAY\" diff -- case.h5 \"-it's\"")->code, 1);
    assert_holds(support_assay("diff -- case.h5 \"-it's\"")->out,
                 "REPRO: assay diff -- case.h5 '-it'\\''s'\n");
}
END_TEST

START_TEST(usage_errors_and_file_errors_have_different_exit_codes)
{
    ck_assert_int_eq(support_assay("diff case.h5")->code, 2);
    assert_holds(support_assay("diff")->err, "assay: diff needs two files, found 0");
    ck_assert_int_eq(support_assay("diff --jobs 0 case.h5 seen.h5")->code, 2);
    ck_assert_int_eq(support_assay("diff --engine ref64 case.h5 seen.h5")->code, 2);
    ck_assert_int_eq(support_assay("diff case.h5 case.h5")->code, 99);
    ck_assert_int_eq(support_assay("diff nothing.h5 seen.h5")->code, 99);
}
END_TEST

/* A dataset of many small deflated chunks, of which only the first is written. */
static void add_unwritten(hid_t file)
{
    const float one = 1;
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    hid_t space = H5Screate_simple(3, (const hsize_t[]){1, 256, 1024}, NULL);
    (void)H5Pset_chunk(plist, 3, (const hsize_t[]){1, 1, 64});
    (void)H5Pset_deflate(plist, 1);
    (void)H5Pset_create_intermediate_group(links, 1);
    hid_t dataset = H5Dcreate2(file, "/observed/prefill", H5T_IEEE_F32LE, space, links, plist, H5P_DEFAULT);
    hid_t memory = H5Screate(H5S_SCALAR);
    (void)H5Sselect_elements(space, H5S_SELECT_SET, 1, (const hsize_t[]){0, 0, 0});
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &one), 0);
    (void)H5Sclose(memory);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(links);
    (void)H5Pclose(plist);
}

START_TEST(threads_without_a_chunk_report_no_error)
{
    const char *path = support_path("unwritten.h5");
    ck_assert_int_ge(H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), 0);
    edit_file(path, add_unwritten);
    const support_output *o = support_assay("diff -j 4 unwritten.h5 unwritten.h5");
    ck_assert_msg(o->code == 0, "%s", o->err);
    ck_assert_str_eq(o->err, "");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/files");
    TCase *tc = tcase_create("pairs and the program");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, an_observation_is_the_same_as_itself);
    tcase_add_loop_test(tc, a_change_between_two_observations_diverges, 0,
                        (int)(sizeof changes / sizeof *changes));
    tcase_add_test(tc, two_observations_may_be_close);
    tcase_add_test(tc, two_observations_have_the_same_members);
    tcase_add_test(tc, two_observations_have_the_same_types);
    tcase_add_test(tc, every_bundled_golden_agrees_with_its_own_float32_run);
    tcase_add_test(tc, every_bundled_observation_is_judged);
    tcase_add_test(tc, the_program_reports_agreement);
    tcase_add_test(tc, the_program_reports_a_divergence_and_the_command_that_reproduces_it);
    tcase_add_test(tc, usage_errors_and_file_errors_have_different_exit_codes);
    tcase_add_test(tc, threads_without_a_chunk_report_no_error);
    suite_add_tcase(s, tc);
    tc = tcase_create("memory");
    tcase_add_checked_fixture(tc, compare_setup, support_teardown);
    tcase_set_timeout(tc, 300);
    suite_add_tcase(s, tc);
    return support_run(s);
}
