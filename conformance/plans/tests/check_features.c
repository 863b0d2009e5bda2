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

/* The features that no bundled checkpoint needs to have. */
static const plan_feature_set RARE = {{[FEATURE_NOPE] = true,
                                       [FEATURE_TOWER_CHANNELS_LAST] = true,
                                       [FEATURE_TOWER_STANDARDISED] = true,
                                       [FEATURE_TOWER_CLAMPS] = true}};

/* Makes the engines of this test lack these features (see change.c). */
static void set_lacked(const plan_feature_set *lacked)
{
    char digits[PLAN_N_FEATURES + 1] = {0};
    for (size_t i = 0; i < PLAN_N_FEATURES; i++) digits[i] = lacked->has[i] ? '1' : '0';
    ck_assert_int_eq(setenv("ASSAY_TEST_LACKS", digits, 1), 0);
}

/* Expects the engine to refuse a checkpoint without each of the features that it needs, and to open it
 * without all others. */
static void expect_refusals(const assay_engine *engine, const char *name, const char *dir,
                            const plan_feature_set *needed)
{
    assay_model *model = NULL;
    plan_feature_set rest;
    char refusal[256];
    for (size_t i = 0; i < PLAN_N_FEATURES; i++) {
        plan_feature_set lacked = {0};
        lacked.has[i] = true;
        rest.has[i] = !needed->has[i];
        if (!needed->has[i]) continue;
        set_lacked(&lacked);
        (void)snprintf(refusal, sizeof refusal, ": the model%s has %s, which %s does not implement",
                       i < FEATURE_TOWER_RASTER ? "" : "'s tower", plan_feature_name((plan_feature)i), name);
        ck_assert_msg(engine->model_open(dir, NULL, &model, &err) == ASSAY_EUNSUPPORTED, "%s: opened", dir);
        assert_holds(err.text, dir);
        assert_holds(err.text, refusal);
        ck_assert_ptr_null(model);
    }
    set_lacked(&rest);
    ck_assert_msg(engine->model_open(dir, NULL, &model, &err) == ASSAY_OK, "%s", err.text);
    engine->model_free(model);
    set_lacked(&(plan_feature_set){0});
}

START_TEST(a_checkpoint_is_refused_by_name_without_any_feature_that_it_needs)
{
    char path[4096];
    glob_t found;
    const assay_engine *engine = NULL;
    plan_feature_set seen = RARE;
    (void)snprintf(path, sizeof path, "%s/conformance/plans/changed_%s.so", environment("top_builddir"),
                   ENGINES[_i]);
    ck_assert_msg(conf_engine_open(path, &engine, &err) == ASSAY_OK, "%s", err.text);
    (void)snprintf(path, sizeof path, "%s/fixtures/*/*/model/config.json", environment("top_srcdir"));
    ck_assert_int_eq(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        plan *p;
        *strrchr(found.gl_pathv[i], '/') = '\0';
        ck_assert_msg(plan_open(found.gl_pathv[i], &p, &err) == ASSAY_OK, "%s", err.text);
        const plan_feature_set needed = plan_features(p);
        plan_free(p);
        expect_refusals(engine, ENGINES[_i], found.gl_pathv[i], &needed);
        for (size_t k = 0; k < PLAN_N_FEATURES; k++) seen.has[k] = seen.has[k] || needed.has[k];
    }
    globfree(&found);
    for (size_t k = 0; k < PLAN_N_FEATURES; k++)
        ck_assert_msg(seen.has[k], "no bundled checkpoint has %s", plan_feature_name((plan_feature)k));
}
END_TEST

/* Runs the cases of a fixture with an engine that lacks sliding-window attention. */
static const support_output *run_without_windows(const char *engine, const char *fixture)
{
    char command[8192], top[4096], build[4096];
    ck_assert_ptr_nonnull(realpath(environment("top_srcdir"), top));
    ck_assert_ptr_nonnull(realpath(environment("top_builddir"), build));
    set_lacked(&(plan_feature_set){{[FEATURE_SLIDING_WINDOW] = true}});
    (void)snprintf(command, sizeof command,
                   "\"$ASSAY\" run -e %.2000s/conformance/plans/changed_%s.so %.2000s/fixtures/%s", build,
                   engine, top, fixture);
    return support_shell(command);
}

START_TEST(a_run_in_which_every_case_is_skipped_for_a_feature_is_not_green)
{
    const support_output *o = run_without_windows(ENGINES[_i], "qwen3/window");
    assert_code(o, 77);
    assert_holds(o->out, "the model has sliding-window attention, which ");
    assert_holds(o->out, " does not implement");
    assert_holds(o->out, "0 passed, 0 failed, ");
    o = run_without_windows(ENGINES[_i], "qwen3/base");
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
