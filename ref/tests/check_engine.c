/* Both reference engines: their tables, options, limits and ropes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "ref/tests/engines.h"

#include <stdlib.h>
#include <string.h>

START_TEST(the_table_is_complete)
{
    engines_open(_i);
    ck_assert_uint_eq(engine->abi, ASSAY_ENGINE_ABI);
    ck_assert_uint_eq(engine->size, sizeof *engine);
    ck_assert_str_eq(engine->name, ENGINES[_i]);
    ck_assert_int_eq(engine->logits_dtype, _i ? ASSAY_F64 : ASSAY_F32);
    ck_assert(engine->taps_can_write);
    ck_assert(engine->model_stop_ids && engine->model_arrays && engine->positions && engine->rope);
    ck_assert(engine->join && engine->leave && engine->rewind && engine->fork && engine->tap);
    engines_close();
}
END_TEST

START_TEST(a_limit_without_capacity_for_the_latest_is_refused)
{
    static const size_t BAD[][2] = {{0, 1}, {4, 4}, {4, 9}, {SIZE_MAX, SIZE_MAX}};
    engines_open(_i);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assay_session *other = session;
        const assay_session_options options = {
            .size = sizeof options, .limit = BAD[i][0], .sink_tokens = BAD[i][1]};
        ck_assert_int_eq(engine->session_open(model, &options, &other, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, " sink tokens, expected fewer", NULL);
        ck_assert_ptr_eq(other, session);
    }
    engines_close();
}
END_TEST

/* With a limit of three positions, of which the first is sink_tokens: the last token attends to the same
 * keys, the tokens between do not. */
START_TEST(a_limit_masks_positions_after_the_sink_tokens_in_every_step)
{
    engines_open(_i);
    const assay_session_options options = {
        .size = sizeof options, .n_samples = 2, .limit = 3, .sink_tokens = 1};
    const size_t row = engines_row_bytes();
    char *unlimited = engines_blank(N_TOKENS), *whole = engines_blank(N_TOKENS);
    ck_assert_int_eq(engines_step(session, 0, TEXT, N_TOKENS, N_TOKENS, unlimited), ASSAY_OK);
    assay_session *limited;
    ck_assert_int_eq(engine->session_open(model, &options, &limited, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(limited, 0, TEXT, N_TOKENS, N_TOKENS, whole), ASSAY_OK);
    ck_assert_mem_eq(whole, unlimited, 3 * row);
    for (size_t t = 3; t < N_TOKENS; t++) ck_assert_mem_ne(whole + t * row, unlimited + t * row, row);
    ck_assert_int_eq(engines_step(limited, 1, TEXT, N_TOKENS - 1, 0, NULL), ASSAY_OK);
    char *last = engines_last(limited, 1, &TEXT[N_TOKENS - 1], 1);
    engines_expect_alike(last, whole + (N_TOKENS - 1) * row, 1);
    engine->session_free(limited);
    free(unlimited);
    free(whole);
    free(last);
    engines_close();
}
END_TEST

START_TEST(a_rope_that_is_not_understood_is_refused)
{
    engines_open(_i);
    const int32_t position[] = {0, 1};
    double x[16] = {0}, out[16], cosine[16], sine[16];
    size_t dim = 77;
    assay_rope_request request = {.config = "{\"rope_type\": \"wavy\"}",
                                  .n_axes = 1,
                                  .n_positions = 2,
                                  .n_heads = 1,
                                  .head_dim = 8,
                                  .position = position,
                                  .x = x};
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "rope_type: found \"wavy\"", NULL);
    request.config = "{\"max_position_embeddings\": 64, \"partial_rotary_fraction\": 0.5}";
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED,
                         "partial_rotary_fraction: found 0.5, which is not understood", NULL);
    ck_assert_ptr_null(strstr(err.text, "--allow-unknown"));
    request.config = "{\"rope_type\": ";
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EFORMAT);
    request.config = "{\"head_dim\": 6}";
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "head_dim", NULL);
    request.config = "{}";
    request.n_axes = 2;
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EINVAL);
    ck_assert_uint_eq(dim, 77);
    engines_close();
}
END_TEST

START_TEST(a_type_and_kernels_cannot_be_asked_for)
{
    assay_model *other = NULL;
    assay_model_options options = {.size = sizeof options, .compute = ASSAY_F32};
    engines_open(_i);
    ck_assert_int_eq(engine->model_open("/nonexistent", &options, &other, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "no choice of the type that it computes in", NULL);
    options = (assay_model_options){.size = sizeof options, .kernels = (const void *)&options};
    ck_assert_int_eq(engine->model_open("/nonexistent", &options, &other, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "takes no kernels", NULL);
    ck_assert_ptr_null(other);
    engines_close();
}
END_TEST

START_TEST(a_missing_checkpoint_is_an_error)
{
    engines_open(_i);
    assay_model *other = NULL;
    ck_assert_int_eq(engine->model_open("/no/such/directory", NULL, &other, &err), ASSAY_EIO);
    ck_assert_ptr_null(other);
    engine->model_free(NULL);
    engine->session_free(NULL);
    engines_close();
}
END_TEST

START_TEST(a_session_without_options_has_no_samples)
{
    engines_open(_i);
    assay_session *other;
    ck_assert_int_eq(engine->session_open(model, NULL, &other, &err), ASSAY_OK);
    ck_assert_int_eq(engines_step(other, 0, TEXT, 1, 0, NULL), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "no sample 0", NULL);
    ck_assert_int_eq(engine->step(other, NULL, 0, NULL, &err), ASSAY_OK);
    engine->session_free(other);
    engines_close();
}
END_TEST

/* Options of a later build: each struct of this build with one more member. */
static union {
    assay_model_options model;
    assay_session_options session;
    assay_step_options step;
    assay_tap tap;
    uint64_t words[16];
} later;

/* Calls the function that takes options number i. Returns its status. */
static assay_status pass_later(int i)
{
    assay_model *other_model = NULL;
    assay_session *other = NULL;
    switch (i) {
    case 0: return engine->model_open("/nonexistent", &later.model, &other_model, &err);
    case 1: return engine->session_open(model, &later.session, &other, &err);
    case 2: return engine->step(session, NULL, 0, &later.step, &err);
    default: return engine->tap(session, &later.tap, &err);
    }
}

START_TEST(options_with_a_set_member_of_a_later_build_are_refused)
{
    static const size_t SIZES[] = {sizeof(assay_model_options), sizeof(assay_session_options),
                                   sizeof(assay_step_options), sizeof(assay_tap)};
    static const char *const WHAT[] = {"assay_model_options", "assay_session_options", "assay_step_options",
                                       "assay_tap"};
    engines_open(_i);
    for (int i = 0; i < 4; i++) {
        memset(&later, 0, sizeof later);
        later.model.size = (uint32_t)SIZES[i] + 8;
        later.words[SIZES[i] / 8] = 1;
        ck_assert_int_eq(pass_later(i), ASSAY_EUNSUPPORTED);
        support_expect_error(&err, ASSAY_EUNSUPPORTED, WHAT[i], "the member at byte", NULL);
        later.words[SIZES[i] / 8] = 0;
        if (i > 0) {
            later.step.reserved = 7;
            ck_assert_int_eq(pass_later(i), ASSAY_EUNSUPPORTED);
            support_expect_error(&err, ASSAY_EUNSUPPORTED, WHAT[i], "reserved: found 7, expected 0", NULL);
        }
        later.step.reserved = 0;
        if (i > 1) ck_assert_int_eq(pass_later(i), ASSAY_OK);
    }
    engines_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/engine");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_table_is_complete, 0, N_ENGINES);
    tcase_add_loop_test(all, a_limit_without_capacity_for_the_latest_is_refused, 0, N_ENGINES);
    tcase_add_loop_test(all, a_limit_masks_positions_after_the_sink_tokens_in_every_step, 0, N_ENGINES);
    tcase_add_loop_test(all, a_rope_that_is_not_understood_is_refused, 0, N_ENGINES);
    tcase_add_loop_test(all, a_type_and_kernels_cannot_be_asked_for, 0, N_ENGINES);
    tcase_add_loop_test(all, a_missing_checkpoint_is_an_error, 0, N_ENGINES);
    tcase_add_loop_test(all, a_session_without_options_has_no_samples, 0, N_ENGINES);
    tcase_add_loop_test(all, options_with_a_set_member_of_a_later_build_are_refused, 0, N_ENGINES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
