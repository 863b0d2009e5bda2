/* Engines with --compute: what they are judged by, and what is skipped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_write_cases();
}

static const char *fake(const char *name)
{
    return support_engine(name);
}

START_TEST(a_type_is_judged_by_the_noise_of_its_own_run)
{
    support_mkdir(support_path("typed"));
    (void)support_write_decoder(support_path("typed/on.h5"), "generate", "ok");
    (void)support_write_decoder(support_path("typed/off.h5"), "logits", "narrow-off");
    support_write_narrow(support_path("typed/on.h5"), "bfloat16");
    support_write_narrow(support_path("typed/off.h5"), "bfloat16");
    const support_output *o = support_assay("run -e %s --compute bf16 typed", fake("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "\n  largest error of the logits is 1.25 times its bound\n");
    assert_holds(o->out,
                 " times their bounds (0.0156 for the largest error, 4 times the noise in bfloat16), ");
    assert_holds(o->out, "computed in bf16: noise is that of a recorded run in bfloat16\n");
    assert_holds(o->out, "on                   1.00 pass\n");
    assert_holds(o->out, "off                  5.00 FAIL\n");
    assert_holds(o->out, " --compute bf16 typed/off.h5\n");
    o = support_assay("run -e %s --compute f32 typed", fake("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "2 passed, 0 failed, 0 skipped\n");
    o = support_assay("run -e %s typed", fake("fake32"));
    assert_code(o, 0);
    assert_lacks(o->out, "computed in");
}
END_TEST

static void make_cached(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "/expect/q8_K+f16", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

/* Of a type in which an error of five times that of bfloat16 is 0.625 times the noise. */
static void write_cached(void)
{
    static const double noise[] = {8 * FORMULA_NARROW, 8 * FORMULA_NARROW, 8 * FORMULA_NARROW};
    const char *path = support_write_decoder(support_path("off.h5"), "logits", "narrow-off");
    support_write_narrow(path, "bfloat16");
    edit_file(path, make_cached);
    edit_f64(path, "/expect/q8_K+f16/noise", 1, (size_t[]){3}, noise);
}

START_TEST(a_failure_names_the_type_that_would_explain_it_in_every_report)
{
    static const char line[] = "5 times the noise of bfloat16; 0.62 times that of q8_K+f16";
    write_cached();
    const support_output *o = support_assay(
        "run -e %s --compute bf16 --json r.json --junit r.xml --html r.html --dump d off.h5", fake("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "\n  type:   5 times the noise of bfloat16; 0.62 times that of q8_K+f16\n");
    for (size_t i = 0; i < 3; i++) {
        static const char *const reports[] = {"r.json", "r.xml", "r.html"};
        o = support_assay("merge --json - r.json | cat - %s", reports[i]);
        assert_holds(o->out, line);
    }
    o = support_assay("diff --compute bf16 off.h5 d/*/off.h5");
    assert_code(o, 1);
    assert_holds(o->out, line);
    o = support_assay("diff --compute q8_K --kv-cache-type f16 off.h5 d/*/off.h5");
    assert_code(o, 0);
    assert_holds(o->out, "agree: 0.625 times the noise in q8_K+f16, of which 4 are allowed\n");
    o = support_assay("diff --compute q8_K off.h5 d/*/off.h5");
    assert_code(o, 77);
}
END_TEST

START_TEST(a_type_that_an_engine_cannot_be_told_only_chooses_the_noise)
{
    write_cached();
    const support_output *o =
        support_assay("run -e %s --compute q8_K --kv-cache-type f16 --json r.json off.h5", fake("old_table"));
    assert_code(o, 0);
    assert_holds(o->out, "judged as computing in q8_K+f16: noise is that of a recorded run in q8_K+f16\n");
    o = support_assay("merge --json - r.json");
    assert_code(o, 0);
    assert_holds(o->out, "\"compute\":\"q8_K+f16\"");
    o = support_assay("run -e %s --compute q8_K off.h5", fake("old_table"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: no run in q8_K is recorded to judge it by:\n");
}
END_TEST

START_TEST(a_float64_engine_that_computes_in_a_type_is_judged_by_its_noise)
{
    support_write_narrow(support_path("sound/generate.h5"), "bfloat16");
    const support_output *o = support_assay("run -e %s --compute bf16 -f generate sound", fake("fake64"));
    assert_code(o, 0);
    assert_holds(o->out, "x noise <= 4\n");
    assert_holds(o->out, "1.00 pass\n");
}
END_TEST

START_TEST(a_case_without_a_run_in_that_type_is_skipped_by_name)
{
    support_write_narrow(support_path("sound/generate.h5"), "bfloat16");
    (void)support_write_rope(support_path("sound/rope.h5"), "{}");
    const support_output *o = support_assay("run -e %s --compute bf16 sound", fake("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "skipped: no run in bfloat16 is recorded to judge it by:\n  a/logits\n");
    assert_holds(o->out, "skipped: a case of kind rope has no products to compute in bfloat16:\n  rope\n");
    assert_holds(o->out, "1 passed, 0 failed, 2 skipped\n");
    o = support_assay("run -e %s --compute bf16 -f a/logits sound", fake("fake32"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing could be run\n");
    o = support_assay("run -e %s --compute int8 sound", fake("fake32"));
    assert_code(o, 77);
    support_write_narrow(support_path("sound/generate.h5"), "int8");
    o = support_assay("run -e %s --compute int8 -f generate sound", fake("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: int8 is not implemented:\n  generate\n");
}
END_TEST

START_TEST(an_engine_that_refuses_a_type_is_skipped_with_its_reason)
{
    const support_output *o = support_assay("run -e %s --compute f32 sound/generate.h5", fake("old_table"));
    assert_code(o, 77);
    assert_holds(o->out, "skipped: the type of activations cannot be chosen:\n  sound/generate\n");
    o = support_assay("locate -e %s --compute f32 sound/generate.h5", fake("old_table"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing to locate: the type of activations cannot be chosen\n");
    o = support_assay("bench --prompt 4 --tokens 1 --repeat 1 -e %s --compute f32 --model "
                      "\"$top_srcdir/fixtures/llama/base/model\"",
                      fake("old_table"));
    assert_code(o, 77);
    assert_holds(o->out, "first token of 16: the type of activations cannot be chosen\n");
}
END_TEST

START_TEST(members_that_no_config_has_may_be_allowed)
{
    const support_output *o =
        support_assay("run -e %s --allow-unknown residual_multiplier sound/generate.h5", fake("fake32"));
    assert_code(o, 0);
    o = support_assay("run -e %s --allow-unknown= sound/generate.h5", fake("fake32"));
    assert_code(o, 2);
}
END_TEST

START_TEST(locate_marks_tensors_by_the_noise_of_the_type)
{
    support_write_narrow(support_path("sound/generate.h5"), "bfloat16");
    const support_output *o = support_assay("locate -e %s --compute bf16 sound/generate.h5", fake("fake32"));
    assert_code(o, 0);
    o = support_assay("locate -e %s --compute bf16 bad/off.h5", fake("fake32"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing to locate: no run in bfloat16 is recorded to judge it by\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/run_types");
    TCase *types = tcase_create("types");
    tcase_add_checked_fixture(types, setup, support_teardown);
    tcase_set_timeout(types, 60);
    tcase_add_test(types, a_type_is_judged_by_the_noise_of_its_own_run);
    tcase_add_test(types, a_failure_names_the_type_that_would_explain_it_in_every_report);
    tcase_add_test(types, a_type_that_an_engine_cannot_be_told_only_chooses_the_noise);
    tcase_add_test(types, a_float64_engine_that_computes_in_a_type_is_judged_by_its_noise);
    tcase_add_test(types, a_case_without_a_run_in_that_type_is_skipped_by_name);
    tcase_add_test(types, an_engine_that_refuses_a_type_is_skipped_with_its_reason);
    tcase_add_test(types, members_that_no_config_has_may_be_allowed);
    tcase_add_test(types, locate_marks_tensors_by_the_noise_of_the_type);
    suite_add_tcase(suite, types);

    return support_run(suite);
}
