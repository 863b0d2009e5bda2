/* Engines with one planted error, and the tensor at which the program locates it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "conformance/hdf5/hdf5.h"
#include "conformance/locate/replay.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/layered.h"
#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"

static const support_output *locate(const char *fault, const char *engine)
{
    (void)layered_write(4, FORMULA_WIDTH, fault, true);
    return support_assay("locate %s.h5 --engine %s", fault, support_engine(engine));
}

START_TEST(a_correct_engine_has_nothing_out_of_bounds)
{
    const support_output *o = locate("ok", "layered");
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "layer.03.out             0.00         0.00\n");
    assert_holds(o->out, "logits                   0.00         0.00\n");
    assert_holds(o->out, "\nnothing is out of bounds\n");
}
END_TEST

/* fault, and parts of the report */
static const struct {
    const char *fault, *parts[5];
} faults[] = {
    {"made",
     {"layer.00.out             0.00         0.00\n",
      "layer.01.attn             256          256   <- first\n",
      "layer.01.out              256         0.00\n", "first out of bounds: layer.01.attn[1,2]: expected ",
      "\nmade there: from golden inputs it is still 2.6e+02 times its bound; every tensor before it "
      "agrees\n"}},
    {"slow",
     {"layer.01.out             1.12         0.62   <- first\n",
      "first out of bounds: layer.01.out[0,1]: expected ",
      "inherited: from golden inputs it is 0.62 times its bound; no tensor has an error of its own that is "
      "out "
      "of bounds: it grows on the way; the largest is made in layer.01.out, 0.62 times its bound\n"}},
    {"slow-made",
     {"layer.01.out             1.12         0.62   <- first\n",
      "inherited: from golden inputs it is 0.62 times its bound; the first tensor with an error of its own "
      "is "
      "layer.02.attn, 2.6e+02 times its bound\n"}},
    {"nan",
     {"layer.01.attn             inf          inf   <- first\n",
      "first out of bounds: layer.01.attn[1,2]: expected ", "found nan\n",
      "made there: from golden inputs it is still not even of its type, shape or mask; "}},
    {"shape",
     {"layer.01.attn             inf          inf   <- first\n",
      "first out of bounds: layer.01.attn: its type or its shape is not the recorded one\n", "made there: "}},
    {"crash",
     {"layer.00.out             0.00            -\n", "\nthe engine was terminated by SIGSEGV (Segmentation "
                                                      "fault) in traced prefill; the last tensor it gave is "
                                                      "layer.00.out\n"}},
    {"crash-override",
     {"layer.01.attn             256            -   <- first\n", "first out of bounds: layer.01.attn[1,2]: ",
      "\nwhether it arises there is unknown: given golden inputs, the engine was terminated by SIGSEGV "
      "(Segmentation "
      "fault) in traced prefill; the last tensor it gave is layer.00.out\n"}},
    {"neighbours",
     {"\nno tensor of sample 0 in prefill is out of bounds; what is: sample 1, prefill, position 1, id 2: "
      "expected ",
      "\nit is the batch: sample 1, with batch size 1 and no padding, agrees; the cause is its batch "
      "neighbours\n"}},
    {"neighbours-of-padded",
     {"first out of bounds: layer.01.attn[1,2]", "made there: ",
      "\nit is the batch: sample 0, with batch size 1 and no padding, agrees; the cause is its batch "
      "neighbours\n"}},
    {"padding",
     {"first out of bounds: layer.01.attn[1,2]", "made there: ",
      "\nit is the batch: sample 0, with batch size 1 and no padding, agrees; the cause is its padding\n"}},
    {"longer",
     {"what is: sample 1, prefill, position 1, id 2: expected ",
      "\nit is neither batch nor state: sample 1, with batch size 1 in one prefill, diverges, too\n",
      "\nthe reference cannot run this: "}},
    {"with-forced",
     {"what is: sample 1, decode, step 1, id 4: expected ",
      "\nit is neither batch nor state: sample 1 with the tokens that follow, with batch size 1 in one "
      "prefill, "
      "diverges, "
      "too\n",
      "\nthe reference cannot run this: "}},
    {"decode",
     {"what is: sample 0, decode, step 1, id 4: expected ",
      "\nit is the state: the prompt and its 2 forced tokens in one prefill agree; the first step that "
      "diverges "
      "is 1\n",
      "\nsample 0 with batch size 1 and no padding decodes wrongly, too: cache, positions or counters\n"}},
    {"decode-uneven",
     {"what is: sample 1, decode, step 0, id 4: expected ",
      "\nit is the state: the prompt and its 1 forced token in one prefill agree; the first step that "
      "diverges is 0\n"}},
    {"decode-neighbours",
     {"what is: sample 0, decode, step 1, id 4: expected ", "\nit is the state: ",
      "\nit takes the batch: sample 0, with batch size 1 and no padding, agrees; the cause is its batch "
      "neighbours\n"}},
    {"decode-padding",
     {"what is: sample 0, decode, step 1, id 4: expected ", "\nit is the state: ",
      "\nit takes the batch: sample 0, with batch size 1 and no padding, agrees; the cause is its "
      "padding\n"}},
};

START_TEST(each_fault_is_located)
{
    const support_output *o = locate(faults[_i].fault, "layered");
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    for (size_t i = 0; i < 5 && faults[_i].parts[i]; i++) assert_holds(o->out, faults[_i].parts[i]);
}
END_TEST

START_TEST(an_engine_that_crashes_on_golden_inputs_is_still_compared)
{
    const support_output *o = locate("crash-override", "layered");
    assert_code(o, 1);
    assert_lacks(o->out, "\nthe engine was terminated");
    o = locate("crash-sound", "layered");
    assert_code(o, 0);
    assert_holds(
        o->out, "\nnothing is out of bounds\nthe error of each tensor from golden inputs is unknown: given "
                "golden inputs, the engine was terminated by SIGSEGV (Segmentation fault) in traced prefill");
}
END_TEST

START_TEST(an_engine_that_fails_on_golden_inputs_has_still_been_walked)
{
    (void)layered_write(4, FORMULA_WIDTH, "fails-overridden", true);
    edit_element(support_path("fails-overridden.h5"), "/trace/layer.02.out", 3, -7);
    const support_output *o =
        support_assay("locate fails-overridden.h5 --engine %s", support_engine("layered"));
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: layer.02.out[0,3]: expected -7, found ");
    assert_holds(
        o->out, "\nbut given golden inputs, traced prefill failed: no golden inputs, please: where the error "
                "arises is doubtful\n");
}
END_TEST

START_TEST(without_override_and_reference_the_first_tensor_is_named_all_the_same)
{
    const support_output *o = locate("made", "layered_no_override");
    assert_code(o, 1);
    assert_holds(o->out, "layer.01.attn             256            -   <- first\n");
    assert_holds(o->out, "whether it arises there is unknown: the reference cannot run this: ");
}
END_TEST

START_TEST(an_engine_without_traces_is_located_by_its_logits)
{
    const support_output *o = locate("neighbours", "layered_no_trace");
    assert_code(o, 1);
    assert_holds(o->out, "the cause is its batch neighbours\n");
    o = locate("made", "layered_no_trace");
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: logits[1,2]: expected ");
    assert_holds(o->out, "whether it arises there is unknown");
}
END_TEST

START_TEST(if_nothing_can_be_compared_the_exit_is_77)
{
    const support_output *o = locate("ok", "layered_no_trace");
    assert_code(o, 77);
    assert_holds(o->err,
                 "assay: nothing to locate: the engine gives no tensors that the case has, and the logits "
                 "agree\n");
    edit_remove(support_path("ok.h5"), "/trace");
    o = support_assay("locate ok.h5 --engine %s", support_engine("layered"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing to locate: the case has no tensors on the way, and the "
                         "logits agree\n");
    (void)support_write_rope(support_path("rope.h5"), "{}");
    o = support_assay("locate rope.h5 --engine %s", support_engine("layered"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing to locate: a case of kind rope has no tensors on the way\n");
}
END_TEST

static const char *const states[][3] = {
    {"leaks", "what is: sample 0, greedy step 0: expected token",
     "it is the state: with batch size 1, in one prefill of a new session, the next token is the expected "
     "one; the "
     "session still used its earlier contents\n"},
    {"again-off", "what is: sample 1, prefill, position 3, id 4: expected",
     "it is the state: the same prompts agree in a new session; this one still used its earlier contents\n"},
    {"flip", "what is: sample 0, greedy step 1: expected token",
     "it is the state: with batch size 1, in one prefill of a new session, the next token is the expected "
     "one\n"},
    {"goes-on", "what is: sample 0, greedy step 2: expected token 5",
     "it is the state: with batch size 1, in one prefill of a new session, the next token is the expected "
     "one\n"},
};

START_TEST(an_unsupported_case_is_skipped)
{
    (void)support_write_decoder(support_path("unsupported.h5"), "logits", "unsupported");
    const support_output *o = support_assay("locate unsupported.h5 -e %s", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->err, "assay: nothing to locate: sinks are not implemented\n");
}
END_TEST

START_TEST(a_token_that_only_a_used_session_misses_is_the_state)
{
    (void)support_write_decoder(support_path("%s.h5", states[_i][0]), "generate", states[_i][0]);
    const support_output *o =
        support_assay("locate %s.h5 --engine %s", states[_i][0], support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, states[_i][1]);
    assert_holds(o->out, states[_i][2]);
}
END_TEST

START_TEST(a_divergence_where_fewer_rows_are_wanted_is_the_state)
{
    (void)support_write_decoder(support_path("last-forgets.h5"), "generate", "last-forgets");
    const support_output *o = support_assay("locate last-forgets.h5 --engine %s", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "what is: sample 0, decode, step 0, id ");
    assert_holds(o->out,
                 "\nit is the state: evaluated each prompt in one step, the same tokens agree; with only "
                 "the last row of each prompt wanted, they do not\n");
}
END_TEST

/* Faults of the stateful engine that whole prompts do not show, and what locate says of them. */
static const char *const manners[][2] = {
    {"chunk-first-row", "in chunks of 7 tokens"},
    {"rest-counter", "with half of the samples resting in each step"},
    {"slot-used", "with samples leaving, joining again and starting over"},
    {"rewind-keeps-one", "with samples rewound into their prompt"},
    {"fork-writes-shared", "with samples forked within their prompt"},
    {"refused-step-keeps", "after a step that a tap stopped"},
};

START_TEST(a_divergence_in_one_manner_only_is_the_state)
{
    char explanation[256];
    (void)stateful_write(manners[_i][0]);
    const support_output *o =
        support_assay("locate %s.h5 --engine %s", manners[_i][0], support_engine("stateful"));
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    (void)snprintf(explanation, sizeof explanation,
                   "\nit is the state: evaluated each prompt in one step, the same tokens agree; %s, they do "
                   "not\n",
                   manners[_i][1]);
    assert_holds(o->out, "what is: sample ");
    assert_holds(o->out, explanation);
}
END_TEST

START_TEST(a_divergence_of_a_sample_with_images_is_located)
{
    (void)stateful_write_images("rewind-restarts-image");
    const support_output *o =
        support_assay("locate image-rewind-restarts-image.h5 --engine %s", support_engine("stateful"));
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "what is: sample 0, prefill, position 8, id ");
    assert_holds(o->out, "\nit is the state: evaluated each prompt in one step, the same tokens agree; "
                         "with samples rewound into their prompt, they do not\n");
}
END_TEST

/* Each manner takes less than the time limit, all of them more. */
START_TEST(each_manner_has_the_time_limit)
{
    (void)support_write_decoder(support_path("slow.h5"), "logits", "slow");
    const support_output *o =
        support_assay("locate slow.h5 --timeout 2 --engine %s", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "\nnothing is out of bounds\n");
}
END_TEST

START_TEST(a_divergence_has_the_manner_that_diverges)
{
    static const char *const names[] = {"sound", "rewind-keeps-one"};
    static const conf_manner manner[] = {CONF_MANNER_WHOLE, CONF_MANNER_REWIND};
    const conf_limits limits = {.seconds = 60, .mib = 4096};
    for (size_t i = 0; i < 2; i++) {
        conf_divergence d = {0};
        conf_verdict v = {0};
        const conf_location location = {
            .path = stateful_write(names[i]), .engine = support_engine("stateful"), .limits = &limits};
        conf_divergence_find(&(conf_replay_task){&location, NULL, &d}, &v);
        ck_assert_msg(v.outcome == CONF_PASSED, "%s", v.reason);
        ck_assert_int_eq(d.part == CONF_PART_NONE, i == 0);
        ck_assert_int_eq(d.manner, manner[i]);
    }
}
END_TEST

START_TEST(a_broken_promise_in_a_manner_is_reported)
{
    (void)stateful_write("accepts-invalid");
    const support_output *o =
        support_assay("locate accepts-invalid.h5 --engine %s", support_engine("stateful"));
    assert_code(o, 1);
    assert_holds(o->out, "\na step with token -1 does not fail\n");
    (void)stateful_write("sound");
    o = support_assay("locate sound.h5 --engine %s", support_engine("stateful"));
    assert_code(o, 77);
    assert_holds(o->err,
                 "assay: nothing to locate: the case has no tensors on the way, and the logits agree\n");
}
END_TEST

START_TEST(a_hang_is_killed)
{
    (void)support_write_decoder(support_path("hang.h5"), "logits", "hang");
    const support_output *o =
        support_assay("locate hang.h5 --timeout 0.5 --engine %s", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(
        o->out, "the engine did not answer within 0.5 s and was killed in traced prefill; the last tensor it "
                "gave is embed\n");
}
END_TEST

static const struct {
    const char *arguments;
    int code;
    const char *message;
} wrong[] = {
    {"locate", 2, "assay: locate needs a case"},
    {"locate a b c", 2, "assay: locate takes a case, and at most one observation"},
    {"locate ok.h5 -e ref32 -e ref64", 2, "assay: locate asks one engine"},
    {"locate ok.h5 seen.h5 -e ref32", 2, "assay: locate takes an observation or an engine, not both"},
    {"locate ok.h5 -e no_such_engine", 99, "assay: engine no_such_engine: there is no no_such_engine.so"},
    {"locate none.h5 -e ref32", 99, "assay: none.h5: No such file"},
    {"locate ok.h5 none.h5", 99, "assay: none.h5: No such file"},
    {"locate broken.h5 -e ref32", 99, "assay: broken.h5: not an HDF5 file"},
};

START_TEST(the_message_for_a_wrong_command_states_the_expectation)
{
    (void)layered_write(1, FORMULA_WIDTH, "ok", true);
    support_write_text(support_path("broken.h5"), "no numbers");
    const support_output *o = support_assay("%s", wrong[_i].arguments);
    assert_code(o, wrong[_i].code);
    assert_holds(o->err, wrong[_i].message);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/locate/locate");
    TCase *all = tcase_create("locate");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_set_timeout(all, 120);
    tcase_add_test(all, a_correct_engine_has_nothing_out_of_bounds);
    tcase_add_loop_test(all, each_fault_is_located, 0, (int)(sizeof faults / sizeof *faults));
    tcase_add_test(all, an_engine_that_crashes_on_golden_inputs_is_still_compared);
    tcase_add_test(all, an_engine_that_fails_on_golden_inputs_has_still_been_walked);
    tcase_add_test(all, without_override_and_reference_the_first_tensor_is_named_all_the_same);
    tcase_add_test(all, an_engine_without_traces_is_located_by_its_logits);
    tcase_add_test(all, if_nothing_can_be_compared_the_exit_is_77);
    tcase_add_test(all, an_unsupported_case_is_skipped);
    tcase_add_loop_test(all, a_token_that_only_a_used_session_misses_is_the_state, 0,
                        (int)(sizeof states / sizeof *states));
    tcase_add_test(all, a_divergence_where_fewer_rows_are_wanted_is_the_state);
    tcase_add_loop_test(all, a_divergence_in_one_manner_only_is_the_state, 0,
                        (int)(sizeof manners / sizeof *manners));
    tcase_add_test(all, each_manner_has_the_time_limit);
    tcase_add_test(all, a_divergence_has_the_manner_that_diverges);
    tcase_add_test(all, a_divergence_of_a_sample_with_images_is_located);
    tcase_add_test(all, a_broken_promise_in_a_manner_is_reported);
    tcase_add_test(all, a_hang_is_killed);
    tcase_add_loop_test(all, the_message_for_a_wrong_command_states_the_expectation, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    suite_add_tcase(suite, all);

    return support_run(suite);
}
