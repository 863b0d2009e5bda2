/* Verdicts on cases of kind rope.
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

static const char *const engines[] = {"fake32", "fake64", "no_stop_ids"};

static conf_verdict verdict_on(const char *path, const char *engine)
{
    const conf_assignment assignment = {.engine = support_engine(engine), .path = path};
    return verdict_of_assignment(&assignment);
}

static const struct {
    const char *config;
    conf_outcome outcome;
    conf_class class;
    const char *reason, *where;
} ropes[] = {
    {"{}", CONF_PASSED, CONF_CLASS_NONE, "", ""},
    {"{\"is\":\"off-x\"}", CONF_FAILED, CONF_CLASS_ROPE, "a rotated value is",
     "x: row 2 (position 1000), head 0, element 3: expected 1.5"},
    {"{\"is\":\"off-cos\"}", CONF_FAILED, CONF_CLASS_ROPE, "a rotated value is",
     "cos: row 0 (position 0), head 0, element 1: expected 1"},
    {"{\"is\":\"off-sin\"}", CONF_FAILED, CONF_CLASS_ROPE, "inf times its bound", "sin: row 0"},
    {"{\"is\":\"narrow\"}", CONF_FAILED, CONF_CLASS_SHAPE,
     "the engine rotates 2 of 4 elements; the recorded tables have 4 columns", ""},
    {"{\"is\":\"unsupported\"}", CONF_SKIPPED, CONF_CLASS_NONE, "no such rope", ""},
};

START_TEST(each_rope_has_its_verdict)
{
    const char *path = support_write_rope(support_path("rope.h5"), ropes[_i].config);
    for (size_t e = 0; e < 2; e++) {
        conf_verdict v = verdict_on(path, engines[e]);
        assert_verdict(&v, ropes[_i].outcome, ropes[_i].reason);
        ck_assert_str_eq(conf_class_name(v.class), conf_class_name(ropes[_i].class));
        assert_holds(v.where, ropes[_i].where);
    }
}
END_TEST

START_TEST(tables_of_half_width_are_the_first_half)
{
    const char *path = support_write_rope(support_path("rope.h5"), "{}");
    edit_f64(path, "/expect/truth/cos", 2, (size_t[]){3, 2}, (const double[]){1, 1, 1, 1, 1, 1});
    edit_f64(path, "/expect/truth/sin", 2, (size_t[]){3, 2}, (const double[6]){0});
    conf_verdict v = verdict_on(path, "fake64");
    assert_verdict(&v, CONF_PASSED, "");
}
END_TEST

START_TEST(a_rotation_may_be_off_by_more_at_far_positions)
{
    const char *path = support_write_rope(support_path("rope.h5"), "{}");
    double off = 1.5 * ldexp(1000, -24);
    edit_element(path, "/expect/truth/x", 11, 1.5 + off); /* position 1000 */
    conf_verdict v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_PASSED, "");
    edit_element(path, "/expect/truth/x", 3, 0.5 + off); /* position 0 */
    v = verdict_on(path, "fake32");
    assert_verdict(&v, CONF_FAILED, "a rotated value is");
}
END_TEST

START_TEST(an_engine_without_rope_skips_its_cases)
{
    conf_verdict v = verdict_on(support_write_rope(support_path("rope.h5"), "{}"), "no_rope");
    assert_verdict(&v, CONF_SKIPPED, "the engine has no rope of its own");
}
END_TEST

START_TEST(an_engine_with_a_shorter_table_lacks_later_members)
{
    const assay_engine *e = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_engine_open(support_engine("old_table"), &e, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_lt(e->size, sizeof *e);
    ck_assert(e->model_stop_ids == NULL && e->join == NULL && e->tap == NULL && e->rope == NULL);
    const char *path = support_write_decoder(support_path("sound.h5"), "generate", "sound");
    support_write_text(support_path("sound/config.json"), "{\"eos_token_id\": 5}");
    conf_verdict v = verdict_on(path, "old_table");
    assert_verdict(&v, CONF_PASSED, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/rope");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_loop_test(t, each_rope_has_its_verdict, 0, (int)(sizeof ropes / sizeof *ropes));
    tcase_add_test(t, tables_of_half_width_are_the_first_half);
    tcase_add_test(t, a_rotation_may_be_off_by_more_at_far_positions);
    tcase_add_test(t, an_engine_without_rope_skips_its_cases);
    tcase_add_test(t, an_engine_with_a_shorter_table_lacks_later_members);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
