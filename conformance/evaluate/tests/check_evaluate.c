/* Engines that err in known ways, and the verdict on each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/abi/engine.h"
#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/support.h"
#include "conformance/tests/verdicts.h"

/* manner: NULL for all of them. */
static conf_verdict verdict_in(const char *path, const char *engine, const char *manner)
{
    return verdict_in_manner(path, support_engine(engine), manner, NULL);
}

static conf_verdict verdict_on(const char *path, const char *engine)
{
    return verdict_in(path, engine, NULL);
}

/* The verdict on the float32 engine with the planted `fault`, in a generate case. */
static conf_verdict verdict_of(const char *fault)
{
    return verdict_on(support_write_decoder(support_path("%s.h5", fault), "generate", fault), "fake32");
}

static const char *const engines[] = {"fake32", "fake64", "no_stop_ids"};

START_TEST(a_correct_engine_agrees)
{
    const char *path = support_write_decoder(support_path("sound.h5"), "generate", "sound");
    support_write_text(support_path("sound/config.json"), "{\"eos_token_id\": 5}");
    conf_verdict v = verdict_on(path, engines[_i]);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert(v.measured);
    ck_assert_double_eq(v.multiple, 0);
    ck_assert(v.float64 == (_i == 1));
    assert_holds(v.notes, "best token the same in 12 of 12 rows");
    assert_holds(v.notes, "2 of 2 recorded tensors compared");
}
END_TEST

START_TEST(an_engine_without_stop_ids_is_judged_by_the_checkpoints)
{
    const char *path = support_write_decoder(support_path("sound.h5"), "generate", "sound");
    support_write_text(support_path("sound/config.json"), "{\"eos_token_id\": 4}");
    conf_verdict v = verdict_on(path, "no_stop_ids");
    assert_verdict(&v, CONF_FAILED, "the stream goes on where the expected one ends");
}
END_TEST

/* fault, outcome, class, part of the reason, part of where, part of the trace */
static const struct {
    const char *fault;
    conf_outcome outcome;
    conf_class class;
    const char *reason, *where, *trace;
} faults[] = {
    {"within", CONF_PASSED, CONF_CLASS_NONE, "", "", ""},
    {"padding", CONF_PASSED, CONF_CLASS_NONE, "", "", ""},
    {"prints", CONF_PASSED, CONF_CLASS_NONE, "", "", ""},
    {"off", CONF_FAILED, CONF_CLASS_LOGITS, "largest error of the logits is 5 times its bound",
     "sample 0, decode, step 1, id 6: expected", "none of the 2 that were compared"},
    {"off-traced", CONF_FAILED, CONF_CLASS_LOGITS, "largest error", "sample 1, prefill, position 4, id 4",
     "layer.00.out[1,2]: expected"},
    {"untraced", CONF_FAILED, CONF_CLASS_LOGITS, "largest error", "sample 1, prefill, position 4, id 4",
     "none of the 2 that were compared"},
    {"nan", CONF_FAILED, CONF_CLASS_MASK, "NaN or infinity", "sample 1, prefill, position 4, id 4: expected",
     ""},
    {"infinite", CONF_FAILED, CONF_CLASS_MASK, "NaN or infinity", "found inf", ""},
    {"unwritten", CONF_FAILED, CONF_CLASS_CONTRACT, "the engine does not write all of the logits of sample 1",
     "sample 1, row 0 of 1, id 0 is not written", ""},
    {"unwritten-decode", CONF_FAILED, CONF_CLASS_CONTRACT,
     "the engine does not write all of the logits of sample 0", "sample 0, row 0 of 1, id 0 is not written",
     ""},
    {"vocab", CONF_FAILED, CONF_CLASS_SHAPE, "the engine's vocabulary has 18 ids, the recorded one 19", "",
     ""},
    {"trace", CONF_FAILED, CONF_CLASS_TENSOR, "a tensor on the way does not", "",
     "layer.00.out[1,2]: expected"},
    {"trace-nan", CONF_FAILED, CONF_CLASS_TENSOR, "a tensor on the way does not", "", "found nan"},
    {"trace-shape", CONF_FAILED, CONF_CLASS_TENSOR, "a tensor on the way does not", "",
     "layer.00.out: its type or its shape"},
    {"flip", CONF_FAILED, CONF_CLASS_TOKENS, "a greedy token differs",
     "sample 0, greedy step 1: expected token", ""},
    {"leaks", CONF_FAILED, CONF_CLASS_TOKENS, "greedy", "", ""},
    {"stops-early", CONF_FAILED, CONF_CLASS_TOKENS, "where one of the two ends the stream",
     "sample 1, greedy step 0", "none of the 2"},
    {"goes-on", CONF_FAILED, CONF_CLASS_TOKENS, "where one of the two ends the stream",
     "sample 0, greedy step 2: expected token 5", ""},
    {"no-stop", CONF_FAILED, CONF_CLASS_TOKENS, "the stream goes on where the expected one ends",
     "sample 0, greedy step 3: expected a stop id", ""},
    {"greedy-nan", CONF_FAILED, CONF_CLASS_MASK, "NaN or infinity in the logits of a greedy step",
     "found no token", ""},
    {"again-off", CONF_FAILED, CONF_CLASS_LOGITS,
     "in a session that was used before, its earlier contents have an effect: largest error of the logits is "
     "5 times its bound",
     "sample 1, prefill, position 3, id 4: expected", ""},
    {"again-nan", CONF_FAILED, CONF_CLASS_MASK,
     "in a session that was used before, its earlier contents have an effect: NaN or infinity where the "
     "truth "
     "is finite",
     "sample 1, prefill, position 3, id 4: expected", ""},
    {"again-within", CONF_PASSED, CONF_CLASS_NONE, "", "", ""},
    {"last-off", CONF_PASSED, CONF_CLASS_NONE, "", "", ""}, /* far less than the noise */
    {"last-unwritten", CONF_FAILED, CONF_CLASS_MASK,
     "with only the last row of each prompt wanted: NaN or infinity where the truth is finite",
     "sample 1, prefill, position 4, id 4: expected ", ""},
    {"last-forgets", CONF_FAILED, CONF_CLASS_LOGITS,
     "with only the last row of each prompt wanted: largest error of the logits is ",
     "sample 0, decode, step 0, id ", ""},
    {"last-crash", CONF_FAILED, CONF_CLASS_CRASH, "SIGSEGV (Segmentation fault) in prefill, manner last", "",
     ""},
    {"unsupported", CONF_SKIPPED, CONF_CLASS_NONE, "sinks are not implemented", "", ""},
    {"decode-unsupported", CONF_SKIPPED, CONF_CLASS_NONE, "no decode", "", ""},
    {"off-decode-unsupported", CONF_FAILED, CONF_CLASS_LOGITS, "largest error of the logits is ",
     "sample 1, prefill, position 4, id 4", ""},
    {"last-off-decode-unsupported", CONF_FAILED, CONF_CLASS_LOGITS,
     "with only the last row of each prompt wanted: largest error of the logits is ",
     "sample 1, prefill, position 4, id 4", ""},
    {"refused", CONF_FAILED, CONF_CLASS_REFUSED, "model_open failed: no such \\u001B[31mtensor at\\u202E all",
     "", ""},
    {"mute", CONF_FAILED, CONF_CLASS_REFUSED, "model_open failed: no reason given", "", ""},
    {"crash", CONF_FAILED, CONF_CLASS_CRASH,
     "the engine was terminated by SIGSEGV (Segmentation fault) in traced prefill", "", ""},
    {"crash-session", CONF_FAILED, CONF_CLASS_CRASH, "SIGABRT", "", ""},
    {"crash-close", CONF_FAILED, CONF_CLASS_CRASH, "SIGSEGV (Segmentation fault) in closing", "", ""},
    {"exit", CONF_FAILED, CONF_CLASS_EXIT, "ended the process with exit status 3 in decode", "", ""},
};

START_TEST(each_fault_has_its_verdict)
{
    conf_verdict v = verdict_of(faults[_i].fault);
    assert_verdict(&v, faults[_i].outcome, faults[_i].reason);
    ck_assert_str_eq(conf_class_name(v.class), conf_class_name(faults[_i].class));
    assert_holds(v.where, faults[_i].where);
    assert_holds(v.trace, faults[_i].trace);
}
END_TEST

/* The fake engine in float64 stands for the reference: where it has the fault, too, it is not trusted. */
static const struct {
    const char *fault, *trace;
} samples[] = {
    {"off", "none of the 2 that were compared (sample 0, prefill); none of the 6 of the steps of sample 0 "
            "that were compared "
            "with ref64's"},
    {"untraced", "; sample 1 agrees when its tensors are traced"},
    {"nan", "; those of sample 1 cannot be compared with ref64's: it is inf times its bound away from the "
            "recorded logits"},
};

START_TEST(the_tensors_of_each_sample_that_fails_are_compared_with_the_reference)
{
    const char *fault = samples[_i].fault;
    const conf_assignment assignment = {
        .engine = support_engine("fake32"),
        .path = support_write_decoder(support_path("%s.h5", fault), "logits", fault),
        .reference = support_engine("fake64")};
    const conf_verdict v = verdict_of_assignment(&assignment);
    assert_verdict(&v, CONF_FAILED, "");
    assert_holds(v.trace, samples[_i].trace);
}
END_TEST

START_TEST(a_stop_id_missing_in_the_fixture_is_still_expected)
{
    const char *path = support_write_decoder(support_path("sound.h5"), "generate", "sound");
    edit_element(path, "/expect/tokens", 2, -1);
    conf_verdict v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_PASSED, "");
    path = support_write_decoder(support_path("goes-on.h5"), "generate", "goes-on");
    edit_element(path, "/expect/tokens", 2, -1);
    v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_FAILED, "the stream goes on where the expected one ends");
}
END_TEST

START_TEST(a_finish_by_the_limit_at_a_stop_id_diverges)
{
    const char *path = support_write_decoder(support_path("sound.h5"), "generate", "sound");
    edit_texts(path, "/expect/finish", 2, (const char *const[]){"length", "length"});
    conf_verdict v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_FAILED, "the stream ends where the expected one goes on");
    assert_holds(v.where, "sample 0, greedy step 2: token 5 is a stop id, and the expected stream goes on "
                          "past it");
}
END_TEST

START_TEST(a_manner_that_the_engine_does_not_support_is_noted)
{
    conf_verdict v = verdict_of("last-unsupported");
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes, "; not last: no last logits; ");
}
END_TEST

/* The state after the prompt of sample 0. */
static uint32_t state_of_prompt(const conf_case *c)
{
    const conf_decoder *d = &c->decoder;
    const size_t n = (size_t)((const int32_t *)d->length.data)[0];
    uint32_t state = 0;
    for (size_t t = d->n_tokens - n; t < d->n_tokens; t++)
        state = formula_step(state, ((const int32_t *)d->tokens.data)[t]);
    return state;
}

/* Writes a row of truth and of the float32 run, `part` of sample 0; tied: formula_other is half the noise
 * above the best in truth, and half below in float32, as in the engine that errs so. */
static void write_state(const char *path, const char *part, size_t row, uint32_t state, bool tied)
{
    char truth[64], float32[64];
    const double top = formula_logit(state, (size_t)formula_best(state));
    (void)snprintf(truth, sizeof truth, "/expect/truth/%s", part);
    (void)snprintf(float32, sizeof float32, "/expect/float32/%s", part);
    for (size_t v = 0; v < FORMULA_VOCAB; v++) {
        const bool other = tied && v == (size_t)formula_other(state);
        const double half = other ? FORMULA_NOISE / 2 : 0, value = other ? top : formula_logit(state, v);
        edit_element(path, truth, row * FORMULA_VOCAB + v, value + half);
        edit_element(path, float32, row * FORMULA_VOCAB + v, value - half);
    }
}

/* A case with a near tie after the prompt of sample 0 and one after its first token, both as the engine of
 * the same fault has them. *state: after the prompt. */
static const char *write_near_tie(uint32_t *state)
{
    const char *path = support_write_decoder(support_path("near-tie.h5"), "generate", "near-tie");
    conf_case *c;
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    *state = state_of_prompt(c);
    conf_case_free(c);
    write_state(path, "prefill", CASE_T - 1, *state, true);
    write_state(path, "decode", 0, formula_step(*state, formula_best(*state)), true);
    return path;
}

/* The first two expected tokens of sample 1. */
static void read_tokens(const char *path, int32_t tokens[2])
{
    conf_case *c;
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    memcpy(tokens, (const int32_t *)c->decoder.greedy.data + CASE_M, 2 * sizeof *tokens);
    conf_case_free(c);
}

START_TEST(a_greedy_token_at_a_near_tie_is_excused_and_counted)
{
    uint32_t state;
    int32_t other[2];
    const char *path = write_near_tie(&state);
    read_tokens(path, other);
    edit_i32(path, "/expect/tokens", 2, (size_t[]){2, 1}, (const int32_t[]){formula_other(state), other[0]});
    edit_texts(path, "/expect/finish", 2, (const char *const[]){"length", "length"});
    conf_verdict v = verdict_in(path, "fake32", "whole");
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes, "1 greedy tokens flipped at near ties");
    v = verdict_in(path, "fake64", "whole");
    assert_verdict(&v, CONF_FAILED, "");
    assert_holds(v.notes, "also a greedy token differs, and not at a near tie");
    ck_assert_str_eq(conf_class_name(v.class), "logits");
}
END_TEST

START_TEST(a_tie_is_excused_only_after_the_forced_tokens)
{
    uint32_t state;
    int32_t other[2];
    const char *path = write_near_tie(&state);
    read_tokens(path, other);
    const int32_t first = formula_best(state), forced = (first + 1) % FORMULA_VOCAB;
    const int32_t flipped = formula_other(formula_step(state, first));
    edit_i32(path, "/expect/tokens", 2, (size_t[]){2, 2},
             (const int32_t[]){first, flipped, other[0], other[1]});
    edit_texts(path, "/expect/finish", 2, (const char *const[]){"length", "length"});
    conf_verdict v = verdict_in(path, "fake32", "whole");
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes, "1 greedy tokens flipped");
    edit_element(path, "/input/decode", 0, forced);
    state = formula_step(state, forced);
    write_state(path, "decode", 0, state, true);
    conf_case *c;
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    state = formula_step(state, ((const int32_t *)c->decoder.decode.data)[1]);
    conf_case_free(c);
    write_state(path, "decode", 1, state, false);
    v = verdict_in(path, "fake32", "whole");
    assert_verdict(&v, CONF_FAILED, "a greedy token differs, and not at a near tie");
    assert_holds(v.where, "sample 0, greedy step 1");
}
END_TEST

START_TEST(a_float64_engine_is_judged_without_noise)
{
    const char *path = support_write_decoder(support_path("hair.h5"), "logits", "hair");
    conf_verdict v = verdict_on(path, "fake64");
    assert_verdict(&v, CONF_FAILED, "largest error of the logits is 333 times its bound");
    assert_holds(v.notes, " for the largest error, 1e-11 of the largest logit), ");
    edit_attribute_number(path, "/", "float64_bound", 1e-8);
    edit_attribute(path, "float64_reason", "this test");
    v = verdict_on(path, "fake64");
    assert_verdict(&v, CONF_PASSED, "");
}
END_TEST

START_TEST(a_float32_tensor_without_noise_is_only_located)
{
    const char *path = support_write_decoder(support_path("trace.h5"), "logits", "trace");
    double value[12];
    for (size_t i = 0; i < 12; i++) value[i] = 1;
    edit_f64(path, "/trace/layer.00.out", 2, (size_t[]){3, 4}, value);
    conf_verdict v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes,
                 "2 of 2 recorded tensors compared, 1 of them only for NaN and infinities: the noise "
                 "is not recorded");
    v = verdict_on(path, "fake64");
    assert_verdict(&v, CONF_FAILED, "a tensor on the way does not");
    path = support_write_decoder(support_path("trace-nan.h5"), "logits", "trace-nan");
    edit_f64(path, "/trace/layer.00.out", 2, (size_t[]){3, 4}, value);
    v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_FAILED, "a tensor on the way does not");
    assert_holds(v.trace, "found nan");
    path = support_write_decoder(support_path("off.h5"), "logits", "off");
    edit_f64(path, "/trace/layer.00.out", 2, (size_t[]){3, 4}, value);
    v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_FAILED, "largest error");
    assert_holds(v.trace, "layer.00.out[");
}
END_TEST

START_TEST(an_input_that_the_engine_refuses_skips_the_case)
{
    const char *path = support_write_decoder(support_path("sound.h5"), "logits", "sound");
    edit_f32(path, "/input/pixel_values", 1, (size_t[]){2}, (const float[]){0, 1});
    conf_verdict v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_SKIPPED, "an input that this engine does not know");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/evaluate");
    TCase *verdicts = tcase_create("verdicts");
    tcase_add_checked_fixture(verdicts, support_setup, support_teardown);
    tcase_add_loop_test(verdicts, a_correct_engine_agrees, 0, 3);
    tcase_add_test(verdicts, an_engine_without_stop_ids_is_judged_by_the_checkpoints);
    tcase_add_loop_test(verdicts, each_fault_has_its_verdict, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_loop_test(verdicts, the_tensors_of_each_sample_that_fails_are_compared_with_the_reference, 0,
                        (int)(sizeof samples / sizeof *samples));
    tcase_add_test(verdicts, a_stop_id_missing_in_the_fixture_is_still_expected);
    tcase_add_test(verdicts, a_finish_by_the_limit_at_a_stop_id_diverges);
    tcase_add_test(verdicts, a_manner_that_the_engine_does_not_support_is_noted);
    tcase_add_test(verdicts, a_greedy_token_at_a_near_tie_is_excused_and_counted);
    tcase_add_test(verdicts, a_tie_is_excused_only_after_the_forced_tokens);
    tcase_add_test(verdicts, a_float64_engine_is_judged_without_noise);
    tcase_add_test(verdicts, a_float32_tensor_without_noise_is_only_located);
    tcase_add_test(verdicts, an_input_that_the_engine_refuses_skips_the_case);
    suite_add_tcase(suite, verdicts);

    return support_run(suite);
}
