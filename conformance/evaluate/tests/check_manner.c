/* Engines whose cached state is wrong unless each prompt is evaluated in one step, and the manner of
 * evaluation that finds it. Needs the build tree and the fixtures ($top_builddir, $top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/replay/manner.h"
#include "conformance/tests/engines/formula.h"
#include "conformance/tests/stateful.h"
#include "conformance/tests/support.h"
#include "conformance/tests/verdicts.h"

/* The faults of the state, and the first manner that finds each. */
static const struct {
    const char *fault, *manner;
} faults[] = {
    {"chunk-first-row", "chunk-7"},   {"rewind-keeps-one", "rewind"},  {"fork-writes-shared", "fork"},
    {"late-joiner-position", "rest"}, {"rest-counter", "rest"},        {"leave-clears-other", "early"},
    {"last-row-only", "last"},        {"slot-used", "early"},          {"refused-step-keeps", "stopped"},
    {"padding-seen", "chunk-1"},      {"rewind-to-present", "rewind"},
};

enum { N_FAULTS = sizeof faults / sizeof *faults };

START_TEST(a_fault_of_the_state_is_invisible_in_whole_prompts)
{
    conf_verdict v =
        verdict_in_manner(stateful_write(faults[_i].fault), support_engine("stateful"), "whole", NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_double_eq(v.multiple, 0);
    ck_assert_str_eq(v.manner, "");
    assert_lacks(v.notes, "manners");
}
END_TEST

START_TEST(a_fault_of_the_state_is_found_in_a_manner_that_explains_it)
{
    char start[CONF_TEXT_MAX];
    const conf_manner_info *is = conf_manner_of(conf_manner_find(faults[_i].manner));
    conf_verdict v =
        verdict_in_manner(stateful_write(faults[_i].fault), support_engine("stateful"), NULL, NULL);
    (void)snprintf(start, sizeof start, "%s: largest error of the logits is ", is->label);
    assert_verdict(&v, CONF_FAILED, start);
    ck_assert_int_eq(v.class, CONF_CLASS_LOGITS);
    ck_assert_str_eq(v.manner, faults[_i].manner);
    assert_holds(v.where, "sample ");
    assert_holds(v.where, "; its steps: ");
}
END_TEST

/* The measures of the whole evaluation, in which the fault is invisible, would contradict the verdict. */
START_TEST(the_measures_of_a_failure_are_those_of_its_manner)
{
    double max_abs, rmse, kl, multiple;
    conf_verdict v =
        verdict_in_manner(stateful_write(faults[_i].fault), support_engine("stateful"), NULL, NULL);
    ck_assert_msg(
        sscanf(v.notes, "largest error %lf, RMSE %lf, KL %lf: %lf, ", &max_abs, &rmse, &kl, &multiple) == 4,
        "%s", v.notes);
    ck_assert(v.measured);
    ck_assert_double_eq_tol(v.multiple / multiple, 4, 0.04); /* v.multiple: of the noise */
    ck_assert_double_gt(multiple, 10);
    assert_holds(v.notes, "; evaluated whole it agrees: 0 times its bound");
    assert_lacks(v.notes, "largest error 0,");
    if (strcmp(faults[_i].fault, "last-row-only") == 0) assert_holds(v.notes, " of 15 rows; ");
    else assert_holds(v.notes, "; manners that agree: last");
}
END_TEST

START_TEST(a_failure_without_logits_has_no_measures)
{
    conf_verdict v =
        verdict_in_manner(stateful_write("goes-on-after-stop"), support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, "a step that a tap stops does not fail");
    ck_assert_int_eq(v.class, CONF_CLASS_CONTRACT);
    ck_assert(!v.measured);
    assert_lacks(v.notes, "largest error");
    assert_holds(v.notes, "evaluated whole it agrees: 0 times its bound");
}
END_TEST

START_TEST(the_measures_of_a_used_session_are_not_those_of_a_new_one)
{
    const char *path = support_write_decoder(support_path("again-off.h5"), "generate", "again-off");
    conf_verdict v = verdict_in_manner(path, support_engine("fake32"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, "in a session that was used before");
    ck_assert_double_eq_tol(v.multiple, 20, 0.1);
    ck_assert_int_eq(strncmp(v.notes, "largest error ", strlen("largest error ")), 0);
    assert_holds(v.notes,
                 "best token the same in 8 of 8 rows; in a new session it agrees: 0 times its bound");
}
END_TEST

START_TEST(a_crash_in_a_manner_has_no_measures)
{
    const char *path = support_write_decoder(support_path("last-crash.h5"), "logits", "last-crash");
    conf_verdict v = verdict_in_manner(path, support_engine("fake32"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, "manner last");
    ck_assert(!v.measured);
    ck_assert_str_eq(v.notes, "evaluated whole it agrees: 0 times its bound");
}
END_TEST

START_TEST(a_failure_says_what_was_asked_for_and_what_was_not)
{
    conf_verdict v =
        verdict_in_manner(stateful_write("rewind-keeps-one"), support_engine("stateful"), NULL, NULL);
    assert_holds(v.where, "sample 0, prefill, position 7, ");
    assert_holds(v.where, "; its steps: 15, 1 x 2, rewind to 7 x 2, 8, 1 x 4");
    assert_holds(v.notes, "; not tried: fork, stopped, refused");
}
END_TEST

START_TEST(a_requested_manner_is_evaluated_and_no_other)
{
    const char *path = stateful_write("slot-used");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful"), "early", NULL);
    assert_verdict(&v, CONF_FAILED, "with samples leaving, joining again and starting over: ");
    v = verdict_in_manner(path, support_engine("stateful"), "rewind", NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_str_eq(v.manner, "");
}
END_TEST

START_TEST(refused_steps_may_not_keep_tokens)
{
    conf_verdict v =
        verdict_in_manner(stateful_write("refused-step-keeps"), support_engine("stateful"), "refused", NULL);
    assert_verdict(&v, CONF_FAILED,
                   "after calls that the engine has to refuse: largest error of the logits is ");
    ck_assert_str_eq(v.manner, "refused");
}
END_TEST

/* The faults that need more than 512 cached tokens, in an engine that can be asked for chunks alone. */
static const struct {
    const char *fault, *manner;
} long_faults[] = {{"long-first-row", "chunk-64"}, {"long-large-chunk", "chunk-512"}};

START_TEST(a_fault_that_begins_at_512_cached_tokens_is_found_in_chunks)
{
    const char *path = stateful_write_long(long_faults[_i].fault);
    conf_verdict v = verdict_in_manner(path, support_engine("stateful_minimal"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, conf_manner_of(conf_manner_find(long_faults[_i].manner))->label);
    assert_holds(v.where, "sample 0, prefill, position 512, ");
    ck_assert_str_eq(v.manner, long_faults[_i].manner);
}
END_TEST

START_TEST(what_a_slot_keeps_of_a_closed_session_is_found_in_sessions_apart)
{
    static const char *const names[] = {"stateful", "stateful_minimal"};
    for (size_t i = 0; i < 2; i++) {
        const char *engine = support_engine(names[i]);
        conf_verdict v = verdict_in_manner(stateful_write_twins("blocks-by-tokens"), engine, NULL, NULL);
        assert_verdict(&v, CONF_FAILED, conf_manner_of(CONF_MANNER_APART)->label);
        assert_holds(v.where, "sample 0, prefill, position 4, ");
        v = verdict_in_manner(stateful_write_twins_with_images("images-by-tokens"), engine, NULL, NULL);
        assert_verdict(&v, CONF_FAILED, conf_manner_of(CONF_MANNER_APART)->label);
        assert_holds(v.where, "sample 0, prefill, position 6, ");
        v = verdict_in_manner(stateful_write_twins("sound"), engine, NULL, NULL);
        assert_verdict(&v, CONF_PASSED, "");
        v = verdict_in_manner(stateful_write_twins_with_images("sound"), engine, NULL, NULL);
        assert_verdict(&v, CONF_PASSED, "");
    }
}
END_TEST

START_TEST(a_correct_engine_agrees_in_chunks_of_long_prompts)
{
    conf_verdict v =
        verdict_in_manner(stateful_write_long("sound"), support_engine("stateful_minimal"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes,
                 "; manners: last, chunk-64, chunk-512, refused; not chunk-1, chunk-7: it would take "
                 "more than 11000 evaluations of tokens; ");
}
END_TEST

START_TEST(a_correct_engine_agrees_in_every_manner)
{
    conf_verdict v = verdict_in_manner(stateful_write("sound"), support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_double_eq(v.multiple, 0);
    assert_holds(
        v.notes,
        "; manners: last, chunk-1, chunk-7, apart, rest, late, early, rewind, fork, stopped, refused; "
        "not chunk-64, chunk-512: it would change nothing");
    ck_assert_str_eq(v.left_out, "");
}
END_TEST

START_TEST(a_minimal_engine_is_evaluated_in_the_other_manners)
{
    conf_verdict v =
        verdict_in_manner(stateful_write("sound"), support_engine("stateful_minimal"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(
        v.notes,
        "; manners: last, chunk-1, chunk-7, apart, rest, refused; not chunk-64, chunk-512: it would "
        "change nothing; not late, early: the engine lacks join; not rewind: the engine lacks rewind; "
        "not fork: the engine lacks fork; not stopped: the engine lacks tap");
    ck_assert_str_eq(v.left_out, "late, early\tthe engine lacks join\nrewind\tthe engine lacks rewind\n"
                                 "fork\tthe engine lacks fork\nstopped\tthe engine lacks tap\n");
}
END_TEST

START_TEST(a_requested_manner_that_the_engine_lacks_is_skipped)
{
    const char *path = stateful_write("sound");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful_minimal"), "fork", NULL);
    assert_verdict(&v, CONF_SKIPPED, "the engine lacks fork");
    v = verdict_in_manner(path, support_engine("stateful"), "chunk-64", NULL);
    assert_verdict(&v, CONF_SKIPPED, "it would change nothing");
}
END_TEST

START_TEST(samples_without_tokens_are_forked)
{
    conf_verdict v =
        verdict_in_manner(stateful_write("fork-of-empty"), support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, "fork failed, manner fork: sample 2 has no tokens");
    ck_assert_str_eq(conf_class_name(v.class), "refused");
}
END_TEST

START_TEST(an_engine_whose_context_is_too_small_is_skipped)
{
    conf_verdict v =
        verdict_in_manner(stateful_write("small-context"), support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_SKIPPED, "the context has 18 tokens, and 21 are asked for");
}
END_TEST

START_TEST(an_engine_that_does_not_empty_samples_generates_in_a_new_session)
{
    const char *path = support_write_decoder(support_path("a.h5"), "generate", "model-refuses-leave");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful"), "whole", NULL);
    assert_verdict(&v, CONF_PASSED, "");
    assert_holds(v.notes, "samples are not emptied: samples do not leave");
}
END_TEST

/* The logits of an engine that refuses the session for generation are judged before it is skipped. */
START_TEST(logits_are_judged_before_generation_is_refused)
{
    const char *path = support_write_decoder(support_path("a.h5"), "generate", "model-single-session");
    support_write_text(support_path("model-single-session/config.json"),
                       "{\"model_type\": \"alien\", \"eos_token_id\": 5}");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful_minimal"), NULL, NULL);
    assert_verdict(&v, CONF_SKIPPED, "a model has one session");
    edit_element(path, "/expect/truth/prefill", (2 + 1) * FORMULA_VOCAB, 100);
    edit_element(path, "/expect/float32/prefill", (2 + 1) * FORMULA_VOCAB, 100);
    v = verdict_in_manner(path, support_engine("stateful_minimal"), NULL, NULL);
    assert_verdict(&v, CONF_FAILED, "largest error of the logits is ");
    assert_holds(v.where, "sample 0, prefill, position 1, id 0: expected 100");
}
END_TEST

/* The manner that the notes say was drawn. */
static conf_manner drawn_manner(const conf_verdict *v)
{
    conf_manner drawn = CONF_N_MANNERS;
    for (conf_manner m = 0; m < CONF_N_MANNERS; m++) {
        char note[128];
        (void)snprintf(note, sizeof note, "; also %s", conf_manner_of(m)->label);
        const char *at = strstr(v->notes, note);
        if (!at || at[strlen(note)]) continue;
        ck_assert_int_eq(drawn, CONF_N_MANNERS);
        drawn = m;
    }
    return drawn;
}

START_TEST(a_seed_draws_one_manner_and_seeds_draw_all)
{
    const char *path = stateful_write("sound");
    const char *engine = support_engine("stateful");
    bool seen[CONF_N_MANNERS] = {0};
    for (uint64_t seed = 0; seed < 80; seed++) {
        conf_verdict v = verdict_in_manner(path, engine, NULL, &seed);
        assert_verdict(&v, CONF_PASSED, "");
        assert_lacks(v.notes, "manners");
        const conf_manner drawn = drawn_manner(&v);
        ck_assert_msg(drawn != CONF_N_MANNERS, "seed %u: %s", (unsigned)seed, v.notes);
        seen[drawn] = true;
        if (seed % 16) continue;
        v = verdict_in_manner(path, engine, NULL, &seed);
        ck_assert_int_eq(drawn_manner(&v), drawn);
    }
    for (conf_manner m = CONF_MANNER_WHOLE + 1; m < CONF_N_MANNERS; m++)
        ck_assert_msg(seen[m] == (m != CONF_MANNER_CHUNK_64 && m != CONF_MANNER_CHUNK_512), "%s",
                      conf_manner_of(m)->name);
}
END_TEST

START_TEST(the_drawn_manner_of_a_failure_is_named_for_its_reproduction)
{
    (void)stateful_write("rest-counter");
    for (unsigned seed = 0; seed < 40; seed++) {
        char repro[64];
        const support_output *o =
            support_assay("run -e %s --seed %u rest-counter.h5", support_engine("stateful"), seed);
        if (o->code == 0) continue;
        assert_code(o, 1);
        (void)snprintf(repro, sizeof repro, " --seed %u --manner ", seed);
        const char *at = strstr(o->out, repro);
        ck_assert_msg(at != NULL, "%s", o->out);
        char manner[CONF_MANNER_NAME_MAX];
        ck_assert_int_eq(sscanf(at + strlen(repro), "%15s", manner), 1);
        assert_code(support_assay("run -e %s --seed %u --manner %s rest-counter.h5",
                                  support_engine("stateful"), seed, manner),
                    1);
        return;
    }
    ck_abort_msg("no seed finds it");
}
END_TEST

/* The rows of the parts before the last differ: they are not wanted. */
START_TEST(prompts_whose_rope_depends_on_their_length_are_divided)
{
    static const char *const variants[] = {"llama/dynamic", "phi3/longrope"};
    for (size_t i = 0; i < 2; i++) {
        const support_output *o =
            support_assay("run -e ref32 --verbose \"$top_srcdir/fixtures/%s/long.h5\"", variants[i]);
        assert_code(o, 0);
        assert_holds(o->out, "manners: last, chunk-1, chunk-7, early, rewind, fork, stopped, refused; not ");
    }
}
END_TEST

START_TEST(prompts_of_a_checkpoint_with_unknown_ropes_are_not_divided)
{
    const char *path = stateful_write("sound");
    support_write_text(support_path("model-sound/config.json"), "{\"model_type\": \"alien\"}");
    (void)support_shell("cp \"$top_srcdir/fixtures/llama/base/model/model.safetensors\" model-sound");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_int_eq(v.checkpoint.state, CONF_CHECKPOINT_UNKNOWN);
    assert_holds(v.notes, "; not chunk-1, chunk-7: the ropes of this model are unknown");
}
END_TEST

START_TEST(prompts_of_another_format_are_not_divided)
{
    const char *path = stateful_write("sound");
    (void)support_shell("rm model-sound/*");
    conf_verdict v = verdict_in_manner(path, support_engine("stateful"), NULL, NULL);
    assert_verdict(&v, CONF_PASSED, "");
    ck_assert_int_eq(v.checkpoint.state, CONF_CHECKPOINT_VALID);
    assert_holds(v.notes, "; not chunk-1, chunk-7: the ropes of this model are unknown: ");
    assert_holds(v.notes, "model-sound: no config.json");
    ck_assert_str_eq(v.left_out, "chunk-1, chunk-7\tthe ropes of this model are unknown\n");
    v = verdict_in_manner(path, support_engine("stateful"), "chunk-7", NULL);
    assert_verdict(&v, CONF_SKIPPED, "manner chunk-7: the ropes of this model are unknown");
    assert_holds(v.notes, "model-sound: no config.json");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/manner");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_set_timeout(t, 60);
    tcase_add_loop_test(t, a_fault_of_the_state_is_invisible_in_whole_prompts, 0, N_FAULTS);
    tcase_add_loop_test(t, a_fault_of_the_state_is_found_in_a_manner_that_explains_it, 0, N_FAULTS);
    tcase_add_loop_test(t, the_measures_of_a_failure_are_those_of_its_manner, 0, N_FAULTS);
    tcase_add_test(t, a_failure_without_logits_has_no_measures);
    tcase_add_test(t, the_measures_of_a_used_session_are_not_those_of_a_new_one);
    tcase_add_test(t, a_crash_in_a_manner_has_no_measures);
    tcase_add_test(t, a_failure_says_what_was_asked_for_and_what_was_not);
    tcase_add_test(t, a_requested_manner_is_evaluated_and_no_other);
    tcase_add_test(t, refused_steps_may_not_keep_tokens);
    tcase_add_loop_test(t, a_fault_that_begins_at_512_cached_tokens_is_found_in_chunks, 0, 2);
    tcase_add_test(t, what_a_slot_keeps_of_a_closed_session_is_found_in_sessions_apart);
    tcase_add_test(t, a_correct_engine_agrees_in_chunks_of_long_prompts);
    tcase_add_test(t, a_correct_engine_agrees_in_every_manner);
    tcase_add_test(t, a_minimal_engine_is_evaluated_in_the_other_manners);
    tcase_add_test(t, a_requested_manner_that_the_engine_lacks_is_skipped);
    tcase_add_test(t, samples_without_tokens_are_forked);
    tcase_add_test(t, an_engine_whose_context_is_too_small_is_skipped);
    tcase_add_test(t, an_engine_that_does_not_empty_samples_generates_in_a_new_session);
    tcase_add_test(t, logits_are_judged_before_generation_is_refused);
    tcase_add_test(t, a_seed_draws_one_manner_and_seeds_draw_all);
    tcase_add_test(t, the_drawn_manner_of_a_failure_is_named_for_its_reproduction);
    tcase_add_test(t, prompts_whose_rope_depends_on_their_length_are_divided);
    tcase_add_test(t, prompts_of_a_checkpoint_with_unknown_ropes_are_not_divided);
    tcase_add_test(t, prompts_of_another_format_are_not_divided);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
