/* Engines that lack a feature: each bundled checkpoint that needs it is refused by name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/abi/engine.h"
#include "conformance/tests/support.h"
#include "model/loader.h"
#include "model/plan/feature.h"

static const char *const ENGINES[] = {"ref64", "ref32", "fastpath"};
enum { N_ENGINES = 3 };

static assay_error err;

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : ".";
}

/* Features of plans or of towers: the variable that takes some from an engine, and what a refusal says. */
typedef struct kind {
    const char *lacks, *has;
    uint64_t all, rare; /* rare: those that the bundled checkpoints need not have */
} kind;

static const kind PLANS = {
    "ASSAY_TEST_LACKS", ": the model has ",
    ((PLAN_PLAIN_MLP << 1) - 1) | PLAN_CHOICE_BIAS | PLAN_SUM_FLOOR | PLAN_OWN_EXPERTS | PLAN_SIGMOIDS |
        PLAN_GROUPS | PLAN_SUM_OFFSET | PLAN_SHARE_FACTOR | PLAN_NORMS_AFTER_ROPE | PLAN_DOUBLED_ROPE |
        PLAN_IMAGE_POSITIONS | PLAN_AUDIO | PLAN_SQUARED_GATE | PLAN_SINKS | PLAN_PLANE_ROPE |
        PLAN_KV_REPEATS | PLAN_BLOCK_POSITIONS | PLAN_CROSS | PLAN_RESIDUAL_GATES | PLAN_MORE_EMBEDDINGS |
        PLAN_ID_TABLE | PLAN_HEAD_BIAS | PLAN_UP_OFFSET | PLAN_ROUTER_BIAS | PLAN_PARALLEL | PLAN_HEAD_SCALES,
    PLAN_NO_ROPE};
static const kind TOWERS = {"ASSAY_TEST_LACKS_TOWER", ": the model's tower has ",
                            ((PLAN_TOWER_LAST << 1) - 1) | PLAN_TOWER_MERGER_VECTORS | PLAN_TOWER_SOUND |
                                PLAN_TOWER_SINUSOIDS | PLAN_TOWER_TILES | PLAN_TOWER_GATES |
                                PLAN_TOWER_COLLECTED | PLAN_TOWER_SECOND | PLAN_TOWER_CONV |
                                PLAN_TOWER_CONV_ATTENTION | PLAN_TOWER_CONV_KEYS | PLAN_TOWER_CONV_SCALES |
                                PLAN_TOWER_LEADING | PLAN_TOWER_CROPS,
                            PLAN_TOWER_CHANNELS_LAST | PLAN_TOWER_STANDARDISED | PLAN_TOWER_CLIPS};

static void set_lacking(const kind *k, uint64_t features)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lu", (unsigned long)features);
    ck_assert_int_eq(setenv(k->lacks, text, 1), 0);
}

/* Expects the engine to refuse a checkpoint without each of the features that it needs, and to open it
 * without all others. */
static void expect_refusals(const assay_engine *engine, const char *name, const char *dir, const kind *k,
                            uint64_t needed)
{
    assay_model *model = NULL;
    char refusal[64];
    (void)snprintf(refusal, sizeof refusal, ", which %s does not implement", name);
    for (uint64_t lacking = 1; lacking != 0 && lacking <= k->all; lacking <<= 1) {
        if (!(needed & lacking)) continue;
        set_lacking(k, lacking);
        ck_assert_msg(engine->model_open(dir, NULL, &model, &err) == ASSAY_EUNSUPPORTED, "%s: opened", dir);
        assert_holds(err.text, dir);
        assert_holds(err.text, k->has);
        assert_holds(err.text, refusal);
        ck_assert_ptr_null(model);
    }
    set_lacking(k, ~needed);
    ck_assert_msg(engine->model_open(dir, NULL, &model, &err) == ASSAY_OK, "%s", err.text);
    engine->model_free(model);
    set_lacking(k, 0);
}

START_TEST(a_checkpoint_is_refused_by_name_without_any_feature_that_it_needs)
{
    char path[4096];
    glob_t found;
    const assay_engine *engine = NULL;
    uint64_t needed = 0, tower_needed = 0;
    (void)snprintf(path, sizeof path, "%s/conformance/plans/.libs/changed_%s.so", environment("top_builddir"),
                   ENGINES[_i]);
    ck_assert_msg(conf_engine_open(path, &engine, &err) == ASSAY_OK, "%s", err.text);
    (void)snprintf(path, sizeof path, "%s/fixtures/*/*/model/config.json", environment("top_srcdir"));
    ck_assert_int_eq(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        plan *p;
        *strrchr(found.gl_pathv[i], '/') = '\0';
        ck_assert_msg(plan_open(found.gl_pathv[i], &p, &err) == ASSAY_OK, "%s", err.text);
        const uint64_t features = plan_features(p),
                       of_tower = plan_tower_features(&p->vision) | plan_tower_features(&p->audio);
        plan_free(p);
        expect_refusals(engine, ENGINES[_i], found.gl_pathv[i], &PLANS, features);
        expect_refusals(engine, ENGINES[_i], found.gl_pathv[i], &TOWERS, of_tower);
        needed |= features;
        tower_needed |= of_tower;
    }
    globfree(&found);
    ck_assert_uint_eq(needed | PLANS.rare, PLANS.all);
    ck_assert_uint_eq(tower_needed | TOWERS.rare, TOWERS.all);
}
END_TEST

/* Runs the cases of a fixture with an engine that lacks the features. */
static const support_output *run_lacking(uint64_t features, const char *engine, const char *fixture)
{
    char command[8192], top[4096], build[4096];
    ck_assert_ptr_nonnull(realpath(environment("top_srcdir"), top));
    ck_assert_ptr_nonnull(realpath(environment("top_builddir"), build));
    (void)snprintf(command, sizeof command,
                   "ASSAY_TEST_LACKS=%lu \"$ASSAY\" run -e %.2000s/conformance/plans/.libs/changed_%s.so "
                   "%.2000s/fixtures/%s",
                   (unsigned long)features, build, engine, top, fixture);
    return support_shell(command);
}

START_TEST(a_run_in_which_every_case_is_skipped_for_a_feature_is_not_green)
{
    const support_output *o = run_lacking(PLAN_WINDOW, ENGINES[_i], "qwen3/window");
    assert_code(o, 77);
    assert_holds(o->out, "the model has sliding windows, which ");
    assert_holds(o->out, " does not implement");
    assert_holds(o->out, "0 passed, 0 failed, ");
    o = run_lacking(PLAN_WINDOW, ENGINES[_i], "qwen3/base");
    assert_code(o, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/plans/features");
    TCase *t = tcase_create("all");
    tcase_set_timeout(t, 300);
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_loop_test(t, a_checkpoint_is_refused_by_name_without_any_feature_that_it_needs, 0, N_ENGINES);
    tcase_add_loop_test(t, a_run_in_which_every_case_is_skipped_for_a_feature_is_not_green, 0, N_ENGINES);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
