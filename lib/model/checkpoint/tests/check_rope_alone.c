/* A RoPE as a single operation: its parameters are resolved.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config.h"

#include "base/tests/support.h"
#include "model/checkpoint/config_rope.h"
#include "model/tests/reading.h"

static const struct {
    const char *text;
    rope_type type;
    double theta;
    rope_sections sections;
    rope_pairing pairing;
} ALONE[] = {
    {"{}", ROPE_DEFAULT, 10000, ROPE_SECTIONS_NONE, ROPE_PAIRS_HALF},
    {"{\"head_dim\": 8, \"layer_type\": \"x\", \"rope_parameters\": {\"x\": {\"rope_theta\": 3, "
     "\"rope_type\": \"linear\", \"factor\": 2}}}",
     ROPE_LINEAR, 3, ROPE_SECTIONS_NONE, ROPE_PAIRS_HALF},
    {"{\"rope_scaling\": {\"mrope_section\": [1, 2, 1]}}", ROPE_DEFAULT, 10000, ROPE_SECTIONS_CHUNKED,
     ROPE_PAIRS_HALF},
    {"{\"mrope_section\": [1, 2, 1], \"mrope_interleaved\": true}", ROPE_DEFAULT, 10000,
     ROPE_SECTIONS_INTERLEAVED, ROPE_PAIRS_HALF},
    {"{\"model_type\": \"ernie4_5_vl\", \"mrope_section\": [1, 2, 1]}", ROPE_DEFAULT, 10000,
     ROPE_SECTIONS_ALTERNATING, ROPE_PAIRS_ADJACENT},
};

START_TEST(a_rope_without_a_model_is_resolved)
{
    reading r;
    rope out;
    reading_start(&r, ALONE[_i].text);
    config_rope_standalone(&r.c, 8, &out);
    ck_assert_msg(r.c.status == ASSAY_OK, "%s", r.err.text);
    ck_assert_int_eq(out.type, ALONE[_i].type);
    ck_assert_double_eq(out.theta, ALONE[_i].theta);
    ck_assert_int_eq(out.sections, ALONE[_i].sections);
    ck_assert_int_eq(out.pairing, ALONE[_i].pairing);
    ck_assert_uint_eq(out.section[1], out.sections == ROPE_SECTIONS_NONE ? 0 : 2);
    reading_finish(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/rope_alone");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, a_rope_without_a_model_is_resolved, 0, (int)(sizeof ALONE / sizeof *ALONE));
    suite_add_tcase(suite, t);
    return support_run(suite);
}
