/* assay kernels with invalid libraries and command lines. Wrong kernels are tested by
 * kernel_faults.test.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include "conformance/tests/support.h"

static const char *library;

static void setup(void)
{
    support_setup();
    library = support_engine("broken_kernels");
}

static const support_output *sweep_broken(const char *how, const char *rest)
{
    char command[8192];
    (void)snprintf(command, sizeof command, "BROKEN=%s \"$ASSAY\" kernels %s %s", how, library, rest);
    return support_shell(command);
}

static const struct {
    const char *how;
    int code;
    const char *says;
} LIBRARIES[] = {
    {"crash", 99, "the engine was terminated by SIGABRT"},
    {"no-table", 77, "it has no kernels for this processor\nassay: nothing could be swept\n"},
    {"abi", 99, "built for kernel ABI 3, expected 2\n"},
    {"size", 99, "its table has 8 bytes, expected at least 24\n"},
    {"name", 99, "its table lacks the required name\n"},
    {"empty", 77, "assay: nothing could be swept\n"},
    {"norm-size", 99, "rms_norm has 8 bytes, expected at least 16\n"},
    {"no-norm", 99, "rms_norm lacks the required f32\n"},
    {"panel", 99, "matmul_f32.panel is 257, expected 1 to 256\n"},
    {"no-panel", 99, "matmul_f32.panel is 0, expected 1 to 256\n"},
    {"pack", 99, "matmul_f32 lacks the required pack\n"},
    {"matmul-size", 99, "matmul_f32 has 24 bytes, expected at least 32\n"},
    {"older-product", 99, "matmul_f32 has a layout, but no product\n"},
    {"product", 99, "matmul_f32 has a layout, but no product\n"},
    {"codes", 99, "matmul_f32.i8 is given, which only affine groups have\n"},
    {"supports", 99, "matmul_stored lacks the required supports\n"},
    {"stored-pack", 99, "matmul_stored lacks the required pack\n"},
    {"stored-panel", 99, "matmul_stored.panel is 0, expected 1 to 256\n"},
    {"stored-product", 99, "matmul_stored has a layout, but no product\n"},
    {"stored-codes", 99, "matmul_stored lacks the required supports_i8\n"},
    {"stored-size", 99, "matmul_stored has 56 bytes, expected at least 72\n"},
};

START_TEST(invalid_libraries_are_refused)
{
    const support_output *o = sweep_broken(LIBRARIES[_i].how, "");
    ck_assert_msg(o->code == LIBRARIES[_i].code, "%s: exit %d\n%s%s", LIBRARIES[_i].how, o->code, o->out,
                  o->err);
    assert_holds(o->err, LIBRARIES[_i].says);
}
END_TEST

START_TEST(formats_that_are_not_supported_are_named)
{
    const support_output *o = sweep_broken("stored", "matmul_stored");
    ck_assert_int_eq(o->code, 1);
    assert_holds(o->out, "formats not supported: fp8 tensor, ");
    assert_holds(o->out, ", Q5_1, Q2_K, ");
    assert_holds(o->out, "  Q8_0: panel 0: byte 0 of 64 is not written");
    o = sweep_broken("stored", "rms_norm");
    ck_assert_int_eq(o->code, 0);
    ck_assert_ptr_null(strstr(o->out, "not supported"));
    o = sweep_broken("stored", "matmul_stored.f32 5 integers 1 0 1 0 32 1 0");
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->out, "matmul_stored.f32: no such shape, or too large");
}
END_TEST

START_TEST(a_shorter_table_is_swept)
{
    const support_output *o = sweep_broken("older", "");
    ck_assert_int_eq(o->code, 0);
    assert_holds(o->out, "rms_norm ");
    assert_holds(o->out, "broken 1  1 passed, 0 failed, ");
    assert_holds(o->out, "not provided: matmul_f32.pack");
    assert_holds(o->out, ", cap, router, matmul_stored.pack");
}
END_TEST

START_TEST(shorter_and_longer_operations_are_swept)
{
    ck_assert_int_eq(sweep_broken("older-matmul", "rms_norm")->code, 0);
    const support_output *o = sweep_broken("longer-norm", "");
    ck_assert_int_eq(o->code, 0);
    assert_holds(o->out, "broken 1  1 passed, 0 failed, ");
}
END_TEST

START_TEST(an_engine_is_no_kernel_library)
{
    const support_output *o = support_assay("kernels %s", support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err, "no kernel library: it does not export assay_kernels_v2\n");
}
END_TEST

START_TEST(a_missing_library_is_named)
{
    const support_output *o = support_assay("kernels ./nowhere.so");
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err, "nowhere.so");
}
END_TEST

static const struct {
    const char *rest, *says;
} LINES[] = {
    {"rms_nrom", "unknown operation rms_nrom: did you mean rms_norm?\n"},
    {"matmul", "unknown operation matmul"},
    {"rms_norm 5",
     "a case of rms_norm is a seed, then integers, random, special, zeros or large, then 2 dimensions\n"},
    {"rms_norm 5 random 3", "then 2 dimensions\n"},
    {"rms_norm 5 random 3 4 5", "then 2 dimensions\n"},
    {"rms_norm 5 odd 3 4", "then integers, random, special, zeros or large"},
    {"rms_norm 5 random 3 4x", "then 2 dimensions\n"},
    {"rms_norm five random 3 4", "SEED: found five"},
    {"gate 5 random 3", "a case of gate.silu is a seed"},
};

START_TEST(a_wrong_command_line_is_explained)
{
    const support_output *o = sweep_broken("", LINES[_i].rest);
    ck_assert_msg(o->code == 2, "%s: exit %d\n%s%s", LINES[_i].rest, o->code, o->out, o->err);
    assert_holds(o->err, LINES[_i].says);
}
END_TEST

START_TEST(a_library_is_needed)
{
    const support_output *o = support_assay("kernels");
    ck_assert_int_eq(o->code, 2);
    assert_holds(o->err, "kernels needs a library");
}
END_TEST

START_TEST(a_single_case_can_be_run)
{
    const support_output *o = sweep_broken("", "rms_norm 5 random 3 17");
    ck_assert_int_eq(o->code, 0);
    assert_holds(o->out, "rms_norm                1 ");
    assert_holds(o->out, " pass  rows 3, width 17\n");
}
END_TEST

START_TEST(the_largest_value_of_each_size_is_printed)
{
    assert_holds(sweep_broken("", "")->out, " pass  rows 1024, width 28672\n");
    assert_holds(sweep_broken("", "--seed 77")->out, " pass  rows 1024, width 28672\n");
}
END_TEST

START_TEST(invalid_shapes_are_not_run)
{
    static const char *const shapes[] = {"0 4", "3 0", "9999 9999", "99999999 99999999"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char rest[64];
        (void)snprintf(rest, sizeof rest, "rms_norm 5 random %s", shapes[i]);
        ck_assert_int_ne(sweep_broken("", rest)->code, 0);
        ck_assert_int_ne(sweep_broken("", rest)->code, 1);
    }
}
END_TEST

START_TEST(another_seed_draws_other_cases)
{
    char first[65536];
    (void)snprintf(first, sizeof first, "%s", sweep_broken("", "-v rms_norm")->out);
    assert_holds(first, " rms_norm 5 ");
    ck_assert_str_eq(first, sweep_broken("", "-v --seed 5 rms_norm")->out);
    ck_assert_str_ne(first, sweep_broken("", "-v --seed 6 rms_norm")->out);
}
END_TEST

START_TEST(tap_has_every_operation)
{
    const support_output *o = sweep_broken("", "--tap -");
    ck_assert_int_eq(o->code, 0);
    assert_holds(o->out, "ok 1 - matmul_f32.pack # SKIP not provided\n");
    assert_holds(o->out, " - rms_norm, ");
    assert_holds(o->out, "\n# largest: rows 1024, width 28672\n");
    assert_holds(o->out, " of the bound at worst: assay kernels ");
    assert_holds(o->out, "\n1..");
    assert_lacks(o->out, "x bound");
}
END_TEST

START_TEST(a_missing_operation_exits_77)
{
    ck_assert_int_eq(sweep_broken("", "gate")->code, 77);
}
END_TEST

START_TEST(bundled_kernels_are_found_by_name)
{
    const support_output *o = support_assay("kernels fastpath rms_norm");
    ck_assert_int_eq(o->code, 0);
    assert_holds(o->out, "1 passed, 0 failed, 0 not provided\n");
}
END_TEST

/* The commands that pass kernels to engines. */
static const char *const COMMANDS[] = {"run cases", "locate cases/sound.h5", "bench --model cases"};

/* The same commands on a case or checkpoint that can be opened, and what they print. */
static const struct {
    const char *command, *says;
} SKIPPED[] = {
    {"run cases", "skipped: kernels are not implemented:\n  sound\n"},
    {"locate cases/sound.h5", "nothing to locate: kernels are not implemented\n"},
    {"bench --prompt 4 --tokens 1 --repeat 1 --model \"$top_srcdir/fixtures/llama/base/model\"",
     "first token of 16: kernels are not implemented\n"},
};

START_TEST(an_engine_that_refuses_kernels_is_skipped_with_its_reason)
{
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/sound.h5"), "logits", "ok");
    const support_output *o =
        support_assay("%s --kernels %s -e %s", SKIPPED[_i].command, library, support_engine("fake32"));
    ck_assert_int_eq(o->code, 77);
    assert_holds(_i == 1 ? o->err : o->out, SKIPPED[_i].says);
}
END_TEST

START_TEST(invalid_kernels_are_an_error)
{
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/sound.h5"), "logits", "ok");
    const support_output *o = support_assay("%s --kernels ./nowhere.so", COMMANDS[_i]);
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err, "nowhere.so");
    o = support_assay("%s --kernels %s", COMMANDS[_i], support_engine("fake32"));
    ck_assert_int_eq(o->code, 99);
    assert_holds(o->err, "no kernel library: it does not export assay_kernels_v2\n");
}
END_TEST

START_TEST(locate_takes_an_observation_or_kernels)
{
    const support_output *o = support_assay("locate --kernels %s case.h5 seen.h5", library);
    ck_assert_int_eq(o->code, 2);
    assert_holds(o->err, "locate takes an observation or kernels, not both");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/kernels");
    TCase *tc = tcase_create("kernels");
    tcase_add_checked_fixture(tc, setup, support_teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, invalid_libraries_are_refused, 0, (int)(sizeof LIBRARIES / sizeof *LIBRARIES));
    tcase_add_test(tc, formats_that_are_not_supported_are_named);
    tcase_add_test(tc, a_shorter_table_is_swept);
    tcase_add_test(tc, shorter_and_longer_operations_are_swept);
    tcase_add_test(tc, an_engine_is_no_kernel_library);
    tcase_add_test(tc, a_missing_library_is_named);
    tcase_add_loop_test(tc, a_wrong_command_line_is_explained, 0, (int)(sizeof LINES / sizeof *LINES));
    tcase_add_test(tc, a_library_is_needed);
    tcase_add_test(tc, a_single_case_can_be_run);
    tcase_add_test(tc, the_largest_value_of_each_size_is_printed);
    tcase_add_test(tc, invalid_shapes_are_not_run);
    tcase_add_test(tc, another_seed_draws_other_cases);
    tcase_add_test(tc, tap_has_every_operation);
    tcase_add_test(tc, a_missing_operation_exits_77);
    tcase_add_test(tc, bundled_kernels_are_found_by_name);
    tcase_add_loop_test(tc, an_engine_that_refuses_kernels_is_skipped_with_its_reason, 0, 3);
    tcase_add_loop_test(tc, invalid_kernels_are_an_error, 0, 3);
    tcase_add_test(tc, locate_takes_an_observation_or_kernels);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
