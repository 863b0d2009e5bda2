/* Observations written by assay run --dump.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/hdf5/text.h"
#include "conformance/kinds/read.h"
#include "conformance/replay/dump.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    support_mkdir(support_path("cases/a"));
    (void)support_write_decoder(support_path("cases/a/sound.h5"), "generate", "ok");
}

static conf_h5 *dumped(const char *name)
{
    conf_h5 *file;
    assay_error err = {0};
    const char *path = support_path("out/%s.h5", name);
    ck_assert_msg(conf_h5_open(path, &file, &err) == ASSAY_OK, "%s", err.text);
    return file;
}

static conf_array array_of(const conf_h5 *file, const char *name, assay_dtype dtype, size_t rank)
{
    conf_array a;
    assay_error err = {0};
    ck_assert_msg(conf_h5_read(file, name, &a, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(a.dtype, dtype);
    ck_assert_uint_eq(a.rank, rank);
    return a;
}

/* The observation equals the case's truth: the engine is correct, and float32 represents the formula
 * exactly. */
START_TEST(the_observation_of_a_correct_engine_is_the_truth)
{
    const support_output *o = support_assay("run -e %s --dump out cases", support_engine("fake32"));
    ck_assert_msg(o->code == 0, "%s%s", o->out, o->err);
    conf_h5 *file = dumped("fake32/a/sound");
    conf_case *c;
    ck_assert_int_eq(conf_case_read(support_path("cases/a/sound.h5"), &c, NULL), ASSAY_OK);
    conf_array prefill = array_of(file, "/observed/prefill", ASSAY_F32, 3);
    conf_array decode = array_of(file, "/observed/decode", ASSAY_F32, 3);
    ck_assert_uint_eq(prefill.n, CASE_B * CASE_T * FORMULA_VOCAB);
    ck_assert_uint_eq(decode.n, CASE_B * CASE_N * FORMULA_VOCAB);
    const int32_t *length = c->decoder.length.data;
    const double *truth = c->decoder.rows.truth;
    for (size_t b = 0; b < CASE_B; b++)
        for (size_t i = 0; i < CASE_T * FORMULA_VOCAB; i++) {
            float found = ((const float *)prefill.data)[b * CASE_T * FORMULA_VOCAB + i];
            if (i < (CASE_T - (size_t)length[b]) * FORMULA_VOCAB) ck_assert(isnan(found));
            else ck_assert_double_eq((double)found, *truth++);
        }
    for (size_t i = 0; i < decode.n; i++)
        ck_assert_double_eq((double)((const float *)decode.data)[i], *truth++);
    conf_array tokens = array_of(file, "/observed/tokens", ASSAY_I32, 2);
    ck_assert_mem_eq(tokens.data, c->decoder.greedy.data, CASE_B * CASE_M * sizeof(int32_t));
    conf_array trace = array_of(file, "/observed/trace/layer.00.out", ASSAY_F32, 2);
    ck_assert_uint_eq(trace.n, (size_t)length[0] * FORMULA_WIDTH);
    conf_array_free(&prefill);
    conf_array_free(&decode);
    conf_array_free(&tokens);
    conf_array_free(&trace);
    conf_case_free(c);
    conf_h5_close(file);
}
END_TEST

START_TEST(the_header_names_the_case_and_the_engine)
{
    (void)support_assay("run -e %s --dump out cases", support_engine("fake64"));
    conf_h5 *file = dumped("fake64/a/sound");
    const char *const names[] = {"schema", "kind", "case", "source"};
    const char *const values[] = {"assay/1", "observation", "cases/a/sound.h5", "fake 1"};
    for (size_t i = 0; i < 4; i++) {
        char *text;
        ck_assert_int_eq(conf_h5_attribute_text(file, names[i], &text, NULL), ASSAY_OK);
        ck_assert_str_eq(text, values[i]);
        free(text);
    }
    bool forced;
    ck_assert_int_eq(conf_h5_has_attribute(file, "forced_tokens", &forced, NULL), ASSAY_OK);
    ck_assert(forced);
    conf_array prefill = array_of(file, "/observed/prefill", ASSAY_F64, 3);
    conf_array_free(&prefill);
    conf_h5_close(file);
}
END_TEST

/* The model goes-on continues after the expected end of the stream; off adds an error to one logit. */
START_TEST(diverging_answers_are_written_unchanged)
{
    (void)support_write_decoder(support_path("cases/goes-on.h5"), "generate", "goes-on");
    (void)support_write_decoder(support_path("cases/off.h5"), "logits", "off");
    const support_output *o = support_assay("run -e %s --dump out cases", support_engine("fake32"));
    ck_assert_int_eq(o->code, 1);
    conf_h5 *file = dumped("fake32/goes-on");
    conf_array tokens = array_of(file, "/observed/tokens", ASSAY_I32, 2);
    const int32_t *found = tokens.data;
    bool goes_on = false;
    for (size_t k = 0; k < CASE_M; k++) goes_on = goes_on || (k >= 2 && found[k] >= 0);
    ck_assert(goes_on);
    conf_array_free(&tokens);
    conf_h5_close(file);
    file = dumped("fake32/off");
    ck_assert(!conf_h5_has(file, "/observed/tokens"));
    bool forced;
    ck_assert_int_eq(conf_h5_has_attribute(file, "forced_tokens", &forced, NULL), ASSAY_OK);
    ck_assert(!forced);
    conf_h5_close(file);
}
END_TEST

START_TEST(a_drawn_arrangement_is_written_in_the_order_of_the_case)
{
    char command[8400];
    (void)snprintf(command, sizeof command,
                   "\"$ASSAY\" run -e %s --dump out cases >&2 && sleep 1.1 && \"$ASSAY\" run -e %s --seed 3 "
                   "--dump drawn "
                   "cases >&2 && cmp out/fake32/a/sound.h5 drawn/fake32/a/sound.h5",
                   support_engine("fake32"), support_engine("fake32"));
    const support_output *o = support_shell(command);
    ck_assert_msg(o->code == 0, "%s%s", o->out, o->err);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_an_error)
{
    support_write_text(support_path("file"), "");
    const support_output *o = support_assay("run -e %s --dump file cases", support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->out, "  file/fake32: Not a directory\n");
    assert_holds(o->out, " --dump file cases/a/sound.h5\n");
    support_mkdir(support_path("out"));
    support_mkdir(support_path("out/fake32"));
    support_mkdir(support_path("out/fake32/a"));
    support_mkdir(support_path("out/fake32/a/sound.h5"));
    o = support_assay("run -e %s --dump out cases", support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->out, "  out/fake32/a/sound.h5: cannot be written: Is a directory\n");
    ck_assert_int_ne(access(support_path("out/fake32/a/sound.h5.part"), F_OK), 0);
}
END_TEST

START_TEST(two_observations_with_one_path_are_refused)
{
    support_mkdir(support_path("more"));
    support_mkdir(support_path("more/a"));
    (void)support_write_decoder(support_path("more/a/sound.h5"), "generate", "ok");
    const support_output *o = support_assay("run -e %s --dump out cases more", support_engine("fake32"));
    ck_assert_int_eq(o->code, 0);
    ck_assert_int_eq(access(support_path("out/fake32/cases/a/sound.h5"), F_OK), 0);
    ck_assert_int_eq(access(support_path("out/fake32/more/a/sound.h5"), F_OK), 0);
    o = support_assay("run -e %s --dump out cases ./cases", support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err,
                 "option --dump: cases/a/sound.h5 and ./cases/a/sound.h5 have the same id, and would be");
    o = support_assay("run -e %s -e %s --dump out cases", support_engine("fake32"), support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err, "fake32.so have the same name, and would be one directory\n");
}
END_TEST

static const struct {
    const char *engine, *id, *path;
} paths[] = {
    {"ref32", "a/b", "d/ref32/a/b.h5"},
    {"/x/my.so", "/abs/./c", "d/my/abs/c.h5"},
    {".so", "../../up", "d/.so/__/__/up.h5"},
};

START_TEST(a_path_stays_below_its_directory)
{
    char *path = conf_dump_path("d", paths[_i].engine, paths[_i].id);
    ck_assert_str_eq(path, paths[_i].path);
    free(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/replay/dump");
    TCase *dump = tcase_create("dump");
    tcase_add_checked_fixture(dump, setup, support_teardown);
    tcase_set_timeout(dump, 60);
    tcase_add_test(dump, the_observation_of_a_correct_engine_is_the_truth);
    tcase_add_test(dump, the_header_names_the_case_and_the_engine);
    tcase_add_test(dump, diverging_answers_are_written_unchanged);
    tcase_add_test(dump, a_drawn_arrangement_is_written_in_the_order_of_the_case);
    tcase_add_test(dump, a_file_that_cannot_be_written_is_an_error);
    tcase_add_test(dump, two_observations_with_one_path_are_refused);
    tcase_add_loop_test(dump, a_path_stays_below_its_directory, 0, (int)(sizeof paths / sizeof *paths));
    suite_add_tcase(suite, dump);

    return support_run(suite);
}
