/* Locating errors of the reference engine: on checkpoints whose config is not the recorded one, and with an
 * error added to one tensor. Needs the build tree and the fixtures ($top_builddir, $top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <assay/engine.h>

#include "conformance/abi/engine.h"
#include "conformance/abi/open.h"
#include "conformance/abi/step.h"
#include "conformance/tests/support.h"

/* A copy of the fixtures of a variant in the test's directory, as `copy`. change: an expression for sed. */
static void copy_variant(const char *variant, const char *change)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "cp -r \"$top_srcdir/fixtures/%s\" copy && chmod -R u+w copy && rm copy/model.crc32 && "
                   "cp copy/model/config.json before && sed -i -e '%s' copy/model/config.json",
                   variant, change);
    ck_assert_int_eq(support_shell(command)->code, 0);
    if (change[0]) ck_assert_int_ne(support_shell("cmp -s before copy/model/config.json")->code, 0);
}

#define STREAMS                                                                                              \
    "\n  or carried there: of the model's 4 parallel streams only the active one is traced and replaced"

/* variant, case, change, first tensor, and whether the error is made there */
static const struct {
    const char *variant, *name, *change, *first, *origin;
} changes[] = {
    {"qwen3/window", "single", "s/\"sliding_window\": 6/\"sliding_window\": 7/", "layer.00.attn[6,",
     "made there: from golden inputs it is still 1.7e+04 times its bound; every tensor before it agrees\n"},
    {"qwen3/window", "single", "s/\"rms_norm_eps\": 1e-06/\"rms_norm_eps\": 1e-05/", "layer.00.attn[",
     "made there: "},
    {"qwen3/window", "single", "s/\"rope_theta\": 1000000.0/\"rope_theta\": 900000.0/", "layer.00.attn[6,",
     "made there: "},
    {"qwen3/window", "single", "/full_attention/{s/full/sliding/;:a;n;ba}", "layer.01.attn[6,",
     "made there: "},
    {"gemma4/softcap", "single", "s/\"final_logit_softcapping\": 6.0/\"final_logit_softcapping\": 6.1/",
     "logits[", "made there: "},
    {"gemma3n/text", "single", "s/^    0\\.8,$/    0.7,/", "layer.00.mlp[",
     "every tensor before it agrees\n"},
    {"gemma3n/text", "single", "s/^    0\\.6,$/    0.5,/", "layer.01.mlp[",
     "every tensor before it agrees" STREAMS},
};

START_TEST(a_changed_config_is_located_at_the_first_affected_tensor)
{
    copy_variant(changes[_i].variant, changes[_i].change);
    const support_output *o = support_assay("locate copy/%s.h5", changes[_i].name);
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    char first[128];
    (void)snprintf(first, sizeof first, "first out of bounds: %s", changes[_i].first);
    assert_holds(o->out, first);
    assert_holds(o->out, changes[_i].origin);
    if (strstr(changes[_i].first, "layer.00")) assert_lacks(o->out, "carried there");
}
END_TEST

START_TEST(the_reference_has_nothing_to_locate)
{
    copy_variant("gemma3n/text", "");
    const support_output *o = support_assay("locate copy/single.h5 --engine ref64");
    assert_code(o, 0);
    assert_holds(o->out, "\nnothing is out of bounds\n");
}
END_TEST

static const support_output *locate_off(const char *fault, const char *name, const char *engine)
{
    char command[8192];
    (void)snprintf(command, sizeof command, "OFF_REF=%s \"$ASSAY\" locate copy/%s.h5 -e %s", fault, name,
                   support_engine(engine));
    return support_shell(command);
}

static const char *const engines[] = {"off_ref", "off_ref_no_override"};
static const char *const from[] = {"golden inputs it is", "the tensors before it, by ref64, it is"};

START_TEST(an_error_of_one_tensor_is_made_there_and_nowhere_else)
{
    char made[128];
    copy_variant("qwen3/base", "");
    const support_output *o = locate_off("layer.01.mlp", "single", engines[_i]);
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: layer.01.mlp[6,3]: expected ");
    (void)snprintf(made, sizeof made, "made there: from %s still ", from[_i]);
    assert_holds(o->out, made);
    const char *out = strstr(o->out, "\nlayer.01.out ");
    ck_assert_ptr_nonnull(out);
    double computed, own;
    ck_assert_int_eq(sscanf(out, " layer.01.out %lf %lf", &computed, &own), 2);
    ck_assert_msg(computed > 100 && own < 1, "%s", out);
}
END_TEST

/* Layer outputs alone are recorded in a batch. */
START_TEST(an_error_between_recorded_tensors_is_made_in_the_next)
{
    copy_variant("qwen3/base", "");
    const support_output *o = locate_off("layer.01.attn", "batch", engines[_i]);
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: layer.01.out[2,");
    assert_holds(o->out, "made there: ");
    assert_lacks(o->out, "it is the batch");
}
END_TEST

START_TEST(a_sample_that_errs_without_neighbours_is_compared_with_the_reference)
{
    char made[128];
    copy_variant("qwen3/base", "");
    const support_output *o = locate_off("layer.01.mlp/9", "batch", engines[_i]);
    assert_code(o, 1);
    assert_holds(o->out, "\nno tensor of sample 0 in prefill is out of bounds; what is: sample 1, prefill, "
                         "position 8, id ");
    assert_holds(
        o->out,
        "\nit is neither batch nor state: sample 1, with batch size 1 in one prefill, diverges, too\n");
    assert_holds(o->out, "\nsample 1 with batch size 1, against ref64:\n");
    assert_holds(o->out, "\nfirst out of bounds: layer.01.mlp[8,3]: expected ");
    (void)snprintf(made, sizeof made, "\nmade there: from %s still ", from[_i]);
    assert_holds(o->out, made);
}
END_TEST

START_TEST(a_case_without_tensors_is_compared_with_the_reference)
{
    copy_variant("qwen3/base", "");
    edit_remove(support_path("copy/single.h5"), "/trace");
    const support_output *o = locate_off("layer.01.mlp", "single", engines[_i]);
    assert_code(o, 1);
    assert_holds(o->out, "\nfirst out of bounds: logits[6,");
    assert_holds(o->out, "\nsample 0 with batch size 1, against ref64:\n");
    assert_holds(o->out, "\nfirst out of bounds: layer.01.mlp[6,3]: expected ");
}
END_TEST

START_TEST(dumps_of_run_can_be_located)
{
    copy_variant("qwen3/window", "s/\"sliding_window\": 6/\"sliding_window\": 7/");
    (void)support_assay("run -e ref32 --dump dumped copy/single.h5");
    ck_assert_int_eq(
        support_shell("mv $(find dumped -name '*.h5') seen.h5 && cp before copy/model/config.json")->code, 0);
    const support_output *o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: layer.00.attn[6,24]: expected 0.10198118, found -0.15667");
    assert_holds(o->out,
                 "made there: from the tensors before it, by ref64, it is still 1.7e+04 times its bound");
}
END_TEST

START_TEST(a_reference_that_disagrees_with_the_record_is_doubted)
{
    copy_variant("qwen3/window", "s/\"sliding_window\": 6/\"sliding_window\": 7/");
    const support_output *o = locate_off("none", "single", "off_ref_no_override");
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: layer.00.attn[6,");
    assert_holds(o->out, "but the reference itself is 1.1e+10 times its bound away from the recorded "
                         "layer.00.attn: where the error arises is doubtful\n");
    o = support_assay("locate copy/batch.h5");
    assert_code(o, 1);
    assert_holds(o->out, "\nthe engine computes what ref64 computes, but the reference itself is ");
}
END_TEST

START_TEST(a_token_that_is_wrong_without_neighbours_is_compared_with_the_reference)
{
    copy_variant("qwen3/window", "s/\"rope_theta\": 1000000.0/\"rope_theta\": 3.0/");
    const char *path = support_path("copy/generate.h5");
    edit_remove(path, "/trace");
    edit_remove(path, "/expect/truth");
    edit_remove(path, "/expect/float32");
    const support_output *o = support_assay("locate copy/generate.h5");
    assert_code(o, 1);
    assert_holds(o->out, ", greedy step ");
    assert_holds(o->out, "\nit is neither batch nor state: sample ");
    assert_holds(o->out, ", against ref64:\n");
    assert_holds(o->out, "\nref64 computes the same\n");
}
END_TEST

static const char *observation;

/* assay_tap_fn: writes the tensors of sample 0 as they come. */
static bool observe(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    char name[128];
    (void)context;
    (void)data;
    (void)snprintf(name, sizeof name, "/observed/trace/%s", tensor->name);
    if (sample == 0) edit_f32(observation, name, tensor->rank, tensor->shape, tensor->data);
    return true;
}

/* What off_ref computes of the prompt of copy/single.h5: [1, 7]. */
static void write_observation(const char *fault)
{
    enum { LENGTH = 7, VOCAB = 4096 };
    static float logits[LENGTH * VOCAB];
    int32_t tokens[LENGTH];
    assay_error err = {0};
    const assay_engine *e;
    assay_model *model;
    assay_session *session;
    hid_t file = H5Fopen(support_path("copy/single.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "/input/tokens", H5P_DEFAULT);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, tokens), 0);
    (void)H5Dclose(dataset);
    (void)H5Fclose(file);
    observation = support_path("seen.h5");
    (void)H5Fclose(H5Fcreate(observation, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    ck_assert_int_eq(setenv("OFF_REF", fault, 1), 0);
    ck_assert_msg(conf_engine_open(support_engine("off_ref"), &e, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(e->model_open(support_path("copy/model"), NULL, &model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_open_session(e, model, 1, 0, (conf_cache_limit){0}, &session, &err), ASSAY_OK);
    ck_assert_uint_le(e->model_vocab(model), VOCAB);
    const assay_tap tap = {.size = sizeof tap, .fn = observe};
    ck_assert_int_eq(e->tap(session, &tap, &err), ASSAY_OK);
    const conf_sample_step step = {.tokens = tokens, .n_tokens = LENGTH, .logits = logits, .n_last = LENGTH};
    ck_assert_int_eq(conf_step_run(e, session, &step, 1, 0, &err), ASSAY_OK);
    edit_f32(observation, "/observed/prefill", 3, (size_t[]){1, LENGTH, e->model_vocab(model)}, logits);
    e->session_free(session);
    e->model_free(model);
}

START_TEST(an_observation_is_followed_by_the_reference)
{
    copy_variant("gemma4/experts", "");
    write_observation("layer.02.experts");
    const support_output *o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 1);
    ck_assert_str_eq(o->err, "");
    assert_holds(o->out, "first out of bounds: layer.02.experts[6,3]: expected ");
    assert_holds(o->out, "made there: from the tensors before it, by ref64, it is still ");
    /* In the order of computing, not of names. */
    const char *mlp = strstr(o->out, "\nlayer.02.mlp "), *experts = strstr(o->out, "\nlayer.02.experts ");
    ck_assert(mlp && experts && mlp < experts);
    assert_holds(o->out, "\nlogits  ");
    write_observation("none");
    o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 0);
    const hid_t half = edit_narrow_type(false, false); /* is read, and too coarse for the bounds */
    edit_retype(observation, "/observed/prefill", half);
    edit_retype(observation, "/observed/trace/embed", half);
    (void)H5Tclose(half);
    o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 1);
    assert_holds(o->out, "first out of bounds: embed[");
}
END_TEST

START_TEST(an_observation_of_another_shape_is_reported)
{
    copy_variant("qwen3/base", "");
    write_observation("none");
    edit_f64(observation, "/observed/trace/norm", 2, (size_t[]){1, 2}, (const double[]){0, 1});
    edit_remove(observation, "/observed/trace/embed");
    const support_output *o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 1);
    assert_lacks(o->out, "\nembed ");
    assert_holds(o->out, "first out of bounds: norm: its type or its shape is not the recorded one\n");
    edit_f32(observation, "/observed/prefill", 3, (size_t[]){1, 1, 2}, (const float[]){0, 1});
    o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 99);
    assert_holds(o->err, "seen.h5: /observed/prefill has shape [1,1,2], expected [1,7,");
}
END_TEST

/* A misspelt name must not look like a tensor that agrees. */
START_TEST(tensors_of_an_observation_that_are_not_recorded_are_named)
{
    copy_variant("qwen3/base", "");
    write_observation("none");
    const support_output *o = support_assay("locate copy/single.h5 seen.h5");
    assert_lacks(o->out, "not recorded");
    assert_lacks(o->err, "unknown");
    edit_f32(observation, "/observed/trace/model.norm", 2, (size_t[]){1, 2}, (const float[]){0, 1});
    edit_f32(observation, "/observed/trace/a\033[31m", 2, (size_t[]){1, 2}, (const float[]){0, 1});
    o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 0);
    assert_holds(o->out, "\nnot recorded, and ignored: a\\u001B[31m, model.norm\n");
    char name[64];
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(name, sizeof name, "/observed/trace/b%zu", i);
        edit_f32(observation, name, 2, (size_t[]){1, 2}, (const float[]){0, 1});
    }
    o = support_assay("locate copy/single.h5 seen.h5");
    assert_holds(o->out, "\nnot recorded, and ignored: a\\u001B[31m, b0, b1, b2 and 2 more\n");
    edit_f32(observation, "/observed/logits", 2, (size_t[]){1, 2}, (const float[]){0, 1});
    o = support_assay("locate copy/single.h5 seen.h5");
    assert_holds(o->err, "seen.h5: /observed/logits is unknown to this version, and ignored\n");
}
END_TEST

START_TEST(an_empty_observation_is_skipped)
{
    copy_variant("qwen3/base", "");
    write_observation("none");
    edit_remove(observation, "/observed/trace");
    edit_remove(observation, "/observed/prefill");
    const support_output *o = support_assay("locate copy/single.h5 seen.h5");
    assert_code(o, 77);
    assert_holds(o->err,
                 "assay: nothing to locate: the observation holds no tensors that the case has, and there "
                 "are no logits to compare\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/locate/ref");
    TCase *all = tcase_create("locate");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_set_timeout(all, 120);
    tcase_add_loop_test(all, a_changed_config_is_located_at_the_first_affected_tensor, 0,
                        (int)(sizeof changes / sizeof *changes));
    tcase_add_test(all, the_reference_has_nothing_to_locate);
    tcase_add_loop_test(all, an_error_of_one_tensor_is_made_there_and_nowhere_else, 0, 2);
    tcase_add_loop_test(all, an_error_between_recorded_tensors_is_made_in_the_next, 0, 2);
    tcase_add_loop_test(all, a_sample_that_errs_without_neighbours_is_compared_with_the_reference, 0, 2);
    tcase_add_loop_test(all, a_case_without_tensors_is_compared_with_the_reference, 0, 2);
    tcase_add_test(all, dumps_of_run_can_be_located);
    tcase_add_test(all, a_reference_that_disagrees_with_the_record_is_doubted);
    tcase_add_test(all, a_token_that_is_wrong_without_neighbours_is_compared_with_the_reference);
    tcase_add_test(all, an_observation_is_followed_by_the_reference);
    tcase_add_test(all, an_observation_of_another_shape_is_reported);
    tcase_add_test(all, tensors_of_an_observation_that_are_not_recorded_are_named);
    tcase_add_test(all, an_empty_observation_is_skipped);
    suite_add_tcase(suite, all);

    return support_run(suite);
}
