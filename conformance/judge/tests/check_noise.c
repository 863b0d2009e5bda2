/* Goldens with implausible noise are refused: noise out of range would widen every bound derived from
 * it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

enum { N_PREFILL = CASE_B * CASE_T * FORMULA_VOCAB, N_DECODE = CASE_B * CASE_N * FORMULA_VOCAB };

/* The logits of a case in the layout of its file, padding included. */
typedef struct golden {
    double prefill[N_PREFILL], decode[N_DECODE];
} golden;

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "logits", "ok");
}

static void read_values(const char *name, double *out)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    ck_assert_int_ge(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), 0);
    (void)H5Dclose(set);
    (void)H5Fclose(file);
}

static void read_run(const char *run, golden *g)
{
    char name[64];
    (void)snprintf(name, sizeof name, "/expect/%s/prefill", run);
    read_values(name, g->prefill);
    (void)snprintf(name, sizeof name, "/expect/%s/decode", run);
    read_values(name, g->decode);
}

/* Changes all values except padding, the only values that are not finite. */
static void change_all(golden *g, double (*change)(double value))
{
    for (size_t i = 0; i < N_PREFILL; i++)
        if (isfinite(g->prefill[i])) g->prefill[i] = change(g->prefill[i]);
    for (size_t i = 0; i < N_DECODE; i++) g->decode[i] = change(g->decode[i]);
}

static void write_f32(const char *run, const golden *g)
{
    static float prefill[N_PREFILL], decode[N_DECODE];
    char name[64];
    for (size_t i = 0; i < N_PREFILL; i++) prefill[i] = (float)g->prefill[i];
    for (size_t i = 0; i < N_DECODE; i++) decode[i] = (float)g->decode[i];
    (void)snprintf(name, sizeof name, "/expect/%s/prefill", run);
    edit_f32(path, name, 3, (size_t[]){CASE_B, CASE_T, FORMULA_VOCAB}, prefill);
    (void)snprintf(name, sizeof name, "/expect/%s/decode", run);
    edit_f32(path, name, 3, (size_t[]){CASE_B, CASE_N, FORMULA_VOCAB}, decode);
}

static void write_truth(const golden *g)
{
    edit_f64(path, "/expect/truth/prefill", 3, (size_t[]){CASE_B, CASE_T, FORMULA_VOCAB}, g->prefill);
    edit_f64(path, "/expect/truth/decode", 3, (size_t[]){CASE_B, CASE_N, FORMULA_VOCAB}, g->decode);
}

static double zero(double value)
{
    (void)value;
    return 0;
}

/* Rounds to 11 significant bits. */
static double round_to_float16(double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent);
    return ldexp(rint(ldexp(mantissa, 11)), exponent - 11);
}

static double negate(double value)
{
    return -value;
}

/* Swaps the last two rows of the last sample. */
static void permute(golden *g)
{
    double row[FORMULA_VOCAB], *last = g->prefill + N_PREFILL - FORMULA_VOCAB, *before = last - FORMULA_VOCAB;
    memcpy(row, last, sizeof row);
    memcpy(last, before, sizeof row);
    memcpy(before, row, sizeof row);
}

static void zero_all(golden *g)
{
    change_all(g, zero);
}

static void round_all(golden *g)
{
    change_all(g, round_to_float16);
}

/* Like logits of other weights: the same magnitude, other values. */
static void negate_all(golden *g)
{
    change_all(g, negate);
}

static void zero_decode(golden *g)
{
    memset(g->decode, 0, sizeof g->decode);
}

static const struct {
    void (*corrupt)(golden *g);
    bool narrow; /* also refused for a run in a narrower type */
} corruptions[] = {
    {zero_all, true}, {negate_all, true}, {permute, true}, {zero_decode, true}, {round_all, false}};

enum { N_CORRUPTIONS = sizeof corruptions / sizeof *corruptions };

static void assert_refused(const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, path);
    assert_holds(err.text, reason);
}

static void assert_sound(void)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    conf_case_free(c);
}

START_TEST(an_implausible_float32_run_is_refused)
{
    golden g;
    read_run("float32", &g);
    corruptions[_i].corrupt(&g);
    write_f32("float32", &g);
    assert_refused("/expect/float32 is ");
    assert_refused("no run of these weights and inputs in its type is farther away");
}
END_TEST

START_TEST(an_implausible_narrower_run_is_refused)
{
    static const char *const runs[] = {"bfloat16", "int8"};
    golden g;
    char reason[64];
    for (size_t i = 0; i < 2; i++) {
        support_write_narrow(path, runs[i]);
        read_run(runs[i], &g);
        corruptions[_i].corrupt(&g);
        write_f32(runs[i], &g);
        (void)snprintf(reason, sizeof reason, "/expect/%s is ", runs[i]);
        if (corruptions[_i].narrow) assert_refused(reason);
        else assert_sound();
        support_write_narrow(path, runs[i]);
    }
}
END_TEST

START_TEST(a_truth_of_zeros_is_refused)
{
    golden g;
    read_run("truth", &g);
    change_all(&g, zero);
    write_truth(&g);
    assert_refused("away from the truth, whose largest value is 0: expected at most 0");
}
END_TEST

/* Without noise, too: an engine that writes nothing but zeros would pass. */
START_TEST(a_case_of_zeros_is_refused)
{
    static const char reason[] = "case.h5: /expect/truth has no logit but 0";
    golden g;
    read_run("truth", &g);
    change_all(&g, zero);
    write_truth(&g);
    write_f32("float32", &g);
    assert_refused(reason);
    (void)support_observe(path, "float32", support_path("seen.h5"));
    const support_output *o = support_assay("diff case.h5 seen.h5");
    assert_code(o, 99);
    assert_holds(o->err, reason);
    o = support_assay("run -e %s case.h5", support_engine("fake32"));
    assert_code(o, 99);
    assert_holds(o->out, reason);
}
END_TEST

/* Makes the run equal to the truth, except for the first decode logit, which is off by `distance`. */
static void set_noise(const char *run, double distance)
{
    golden g;
    read_run("truth", &g);
    write_f32(run, &g);
    char name[64];
    (void)snprintf(name, sizeof name, "/expect/%s/decode", run);
    edit_element(path, name, 0, (double)(float)(g.decode[0] + distance));
}

static double largest_truth(void)
{
    golden g;
    read_run("truth", &g);
    return fmax(conf_max_abs(g.prefill, N_PREFILL), conf_max_abs(g.decode, N_DECODE));
}

static const struct {
    const char *run;
    conf_compute type;
    double most; /* as a multiple of the largest logit, as in the manual */
} limits[] = {{"float32", CONF_COMPUTE_F32, 1.0 / 16384},
              {"bfloat16", CONF_COMPUTE_BF16, 0.875},
              {"int8", CONF_COMPUTE_I8, 0.875}};

START_TEST(the_largest_noise_is_relative_to_the_largest_logit)
{
    const double most = limits[_i].most * largest_truth();
    ck_assert_double_eq(conf_noise_max(limits[_i].type, 8), 8 * limits[_i].most);
    set_noise(limits[_i].run, most * 0.99);
    assert_sound();
    set_noise(limits[_i].run, most * 1.01);
    assert_refused("expected at most");
}
END_TEST

/* Logits of zero would be within 4 times the noise of such a run. */
START_TEST(a_run_whose_bound_accepts_zeros_is_not_used)
{
    static const char reason[] =
        "the run in bfloat16 is a quarter of the largest logit or more away from the truth: "
        "within 4 times that noise logits of zero would pass";
    char arguments[4096];
    support_write_narrow(path, "bfloat16");
    set_noise("bfloat16", largest_truth() * 0.24);
    (void)snprintf(arguments, sizeof arguments, "-e %s --compute bf16", support_engine("fake32"));
    const support_output *o = support_assay("run %s --dump d case.h5", arguments);
    assert_code(o, 0);
    set_noise("bfloat16", largest_truth() * 0.26);
    o = support_assay("run %s case.h5", arguments);
    assert_code(o, 77);
    assert_holds(o->out, reason);
    o = support_assay("locate %s case.h5", arguments);
    assert_code(o, 77);
    assert_holds(o->err, reason);
    o = support_assay("diff --compute bf16 case.h5 d/fake32/case.h5");
    assert_code(o, 77);
    assert_holds(o->out, reason);
}
END_TEST

/* The floor is used instead of the noise. */
START_TEST(a_run_without_noise_is_accepted)
{
    set_noise("float32", 0);
    assert_sound();
}
END_TEST

START_TEST(equal_infinities_are_not_noise)
{
    edit_element(path, "/expect/truth/decode", 3, -INFINITY);
    edit_element(path, "/expect/float32/decode", 3, -INFINITY);
    assert_sound();
}
END_TEST

START_TEST(padding_of_any_run_must_be_nan)
{
    support_write_narrow(path, "bfloat16");
    edit_element(path, "/expect/bfloat16/prefill", FORMULA_VOCAB + 1, 0);
    assert_refused("/expect/bfloat16/prefill: sample 0, column 1 of its padding is 0, expected NaN");
    edit_element(path, "/expect/float32/prefill", 2, 1);
    assert_refused("/expect/float32/prefill: sample 0, column 0 of its padding is 1, expected NaN");
}
END_TEST

START_TEST(a_row_of_nan_is_refused)
{
    golden g;
    read_run("float32", &g);
    for (size_t v = 0; v < FORMULA_VOCAB; v++) g.decode[FORMULA_VOCAB + v] = (double)NAN;
    write_f32("float32", &g);
    assert_refused("/expect/float32/decode: sample 0, position 1, id 0 is");
}
END_TEST

static const struct {
    const char *name;
    size_t rank, shape[3];
} truths[] = {{"/expect/truth/prefill", 3, {CASE_B, CASE_T, FORMULA_VOCAB}},
              {"/expect/truth/decode", 3, {CASE_B, CASE_N, FORMULA_VOCAB}},
              {"/trace/layer.00.out", 2, {3, FORMULA_WIDTH}}};

/* Every float64 engine would diverge from a truth that was rounded to float32. */
START_TEST(a_truth_in_float32_is_refused)
{
    (void)support_observe(path, "truth", support_path("seen.h5"));
    char reason[96];
    static double values[N_PREFILL];
    static float narrow[N_PREFILL];
    read_values(truths[_i].name, values);
    for (size_t i = 0; i < N_PREFILL; i++) narrow[i] = (float)values[i];
    edit_f32(path, truths[_i].name, truths[_i].rank, truths[_i].shape, narrow);
    (void)snprintf(reason, sizeof reason, "%s has type F32, expected F64", truths[_i].name);
    assert_refused(reason);
    const support_output *o = support_assay("diff case.h5 seen.h5");
    assert_code(o, 99);
    assert_holds(o->err, reason);
}
END_TEST

START_TEST(the_noise_of_a_tensor_is_limited_as_well)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(path, &c, &err), ASSAY_OK);
    ck_assert_str_eq(c->decoder.traces[1].name, "layer.00.out");
    const double most = conf_max_abs(c->decoder.traces[1].value.data, c->decoder.traces[1].value.n) / 1024;
    conf_case_free(c);
    edit_attribute_number(path, "/trace/layer.00.out", "noise", most);
    assert_sound();
    edit_attribute_number(path, "/trace/layer.00.out", "noise", most * 1.01);
    assert_refused("/trace/layer.00.out is ");
    (void)support_observe(path, "float32", support_path("seen.h5"));
    const support_output *o = support_assay("diff case.h5 seen.h5");
    assert_code(o, 99);
    assert_holds(o->err, "case.h5: /trace/layer.00.out is ");
    o = support_assay("locate -e %s case.h5", support_engine("fake32"));
    assert_code(o, 99);
    assert_holds(o->err, "case.h5: /trace/layer.00.out is ");
}
END_TEST

/* Without the limit on the noise, every engine with errors below four times the largest logit would
 * pass. */
START_TEST(every_command_reports_the_case_as_broken)
{
    (void)support_observe(path, "truth", support_path("seen.h5"));
    golden g;
    read_run("float32", &g);
    change_all(&g, zero);
    write_f32("float32", &g);
    const char *const commands[] = {"run -e %s case.h5", "locate -e %s case.h5", "list case.h5",
                                    "info case.h5"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[4200];
        (void)snprintf(command, sizeof command, commands[i], support_engine("fake32"));
        const support_output *o = support_assay("%s", command);
        assert_code(o, 99);
        assert_holds(i ? o->err : o->out, "case.h5: /expect/float32 is ");
    }
    const support_output *o = support_assay("diff case.h5 seen.h5");
    assert_code(o, 99);
    assert_holds(o->err, "case.h5: /expect/float32 is ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/judge/noise");
    TCase *cases = tcase_create("goldens");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, setup, support_teardown);
    tcase_add_loop_test(cases, an_implausible_float32_run_is_refused, 0, N_CORRUPTIONS);
    tcase_add_loop_test(cases, an_implausible_narrower_run_is_refused, 0, N_CORRUPTIONS);
    tcase_add_test(cases, a_truth_of_zeros_is_refused);
    tcase_add_test(cases, a_case_of_zeros_is_refused);
    tcase_add_loop_test(cases, the_largest_noise_is_relative_to_the_largest_logit, 0, 3);
    tcase_add_test(cases, a_run_whose_bound_accepts_zeros_is_not_used);
    tcase_add_test(cases, a_run_without_noise_is_accepted);
    tcase_add_test(cases, equal_infinities_are_not_noise);
    tcase_add_test(cases, padding_of_any_run_must_be_nan);
    tcase_add_test(cases, a_row_of_nan_is_refused);
    tcase_add_loop_test(cases, a_truth_in_float32_is_refused, 0, 3);
    tcase_add_test(cases, the_noise_of_a_tensor_is_limited_as_well);
    tcase_add_test(cases, every_command_reports_the_case_as_broken);
    suite_add_tcase(suite, cases);
    return support_run(suite);
}
