/* Which parts a plan needs, and that an engine without one of them refuses it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/feature.h"

#include "base/tests/support.h"
#include "model/loader.h"
#include "model/tests/checkpoint.h"

static const struct {
    const char *fixture;
    uint32_t needed;
} NEEDED[] = {
    {"llama/base", 0},
    {"qwen2/base", PLAN_BIASES},
    {"qwen3/window", PLAN_WINDOW | PLAN_HEAD_NORMS},
    {"qwen3_moe/base", PLAN_HEAD_NORMS | PLAN_EXPERTS},
    {"olmo2/base", PLAN_PROJECTION_NORMS | PLAN_POST_NORMS | PLAN_NO_PRE_NORMS},
    {"granite/base", PLAN_EMBEDDING_SCALE | PLAN_RESIDUAL_FACTOR | PLAN_LOGIT_FACTOR},
    {"gemma/base", PLAN_NORM_OFFSET | PLAN_EMBEDDING_SCALE},
    {"gemma2/base", PLAN_WINDOW | PLAN_NORM_OFFSET | PLAN_SCORE_CAP | PLAN_LOGIT_CAP | PLAN_POST_NORMS |
                        PLAN_EMBEDDING_SCALE},
    {"gemma3n/text", PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS |
                         PLAN_EMBEDDING_SCALE | PLAN_LOGIT_CAP | PLAN_SPARSE_MLP | PLAN_LAYER_INPUTS |
                         PLAN_LAUREL | PLAN_STREAMS},
    {"gemma4/k-eq-v", PLAN_WINDOW | PLAN_VALUE_IS_KEY | PLAN_HEAD_NORMS | PLAN_POST_NORMS |
                          PLAN_EMBEDDING_SCALE | PLAN_LAYER_SCALAR},
    {"gemma4/blocks", PLAN_WINDOW | PLAN_SHARED_KEYS | PLAN_HEAD_NORMS | PLAN_POST_NORMS |
                          PLAN_EMBEDDING_SCALE | PLAN_LAYER_INPUTS | PLAN_LAYER_SCALAR | PLAN_PLACEHOLDERS |
                          PLAN_BLOCKS},
};

START_TEST(a_plan_needs_what_its_model_has)
{
    plan *p = checkpoint_open_fixture(NEEDED[_i].fixture);
    ck_assert_msg(plan_features(p) == NEEDED[_i].needed, "%s: found %#x, expected %#x", NEEDED[_i].fixture,
                  plan_features(p), NEEDED[_i].needed);
    plan_free(p);
}
END_TEST

START_TEST(an_engine_that_lacks_a_part_refuses_the_plan_by_name)
{
    plan *p = checkpoint_open_fixture(NEEDED[_i].fixture);
    assay_error err = {0};
    ck_assert_int_eq(plan_check_features(p, NEEDED[_i].needed, 0, "mine", &err), ASSAY_OK);
    for (uint32_t lacking = 1; lacking && lacking <= NEEDED[_i].needed; lacking <<= 1) {
        if (!(lacking & NEEDED[_i].needed)) continue;
        ck_assert_int_eq(plan_check_features(p, ~lacking, 0, "mine", &err), ASSAY_EUNSUPPORTED);
        support_expect_error(&err, ASSAY_EUNSUPPORTED, NEEDED[_i].fixture, "the model has ",
                             ", which mine does not implement", NULL);
    }
    plan_free(p);
}
END_TEST

START_TEST(the_message_names_the_part)
{
    plan *p = checkpoint_open_fixture("gemma2/base");
    assay_error err = {0};
    ck_assert_int_eq(plan_check_features(p, ~(uint32_t)PLAN_SCORE_CAP, 0, "mine", &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "a cap of attention scores, which mine does not implement",
                         NULL);
    plan_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/plan/feature");
    TCase *all = tcase_create("features");
    tcase_add_loop_test(all, a_plan_needs_what_its_model_has, 0, sizeof NEEDED / sizeof *NEEDED);
    tcase_add_loop_test(all, an_engine_that_lacks_a_part_refuses_the_plan_by_name, 0,
                        sizeof NEEDED / sizeof *NEEDED);
    tcase_add_test(all, the_message_names_the_part);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
