/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config.h"

#include "base/tests/support.h"
#include "model/checkpoint/config_rope.h"
#include "model/tests/reading.h"

static rope read_rope(reading *r, const char *text, const config_rope_request *request)
{
    rope out;
    reading_start(r, text);
    config_rope(&r->c, request, &out);
    return out;
}

static const config_rope_request PLAIN = {.head_dim = 8, .default_theta = 10000, .old_scaling = true};
static const config_rope_request PAIR = {.head_dim = 2, .default_theta = 10000, .old_scaling = true};
static const config_rope_request PHI = {
    .head_dim = 8, .default_theta = 10000, .old_scaling = true, .partial = true, .long_only = true};

#define MAX_POSITIONS "\"max_position_embeddings\": 64, "

static const struct {
    const config_rope_request *request;
    const char *text;
    assay_status status;
    const char *fragment[2];
} REFUSED_ROPES[] = {
    {&PLAIN,
     "{\"rope_scaling\": {\"type\": \"wavy\", \"factor\": 2}}",
     ASSAY_EUNSUPPORTED,
     {"rope_scaling.rope_type: found \"wavy\"", "expected default, linear"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": 3}}",
     ASSAY_EFORMAT,
     {"rope_parameters.rope_type", "a string"}},
    {&PLAIN, "{\"rope_parameters\": 3}", ASSAY_EFORMAT, {"rope_parameters.", "expected an object"}},
    {&PLAIN, "{\"rope_parameters\": {\"rope_type\": \"linear\"}}", ASSAY_EFORMAT, {"factor", "missing"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": -2}}",
     ASSAY_EFORMAT,
     {"factor", "-2"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 2, \"beta_fast\": 3}}",
     ASSAY_EUNSUPPORTED,
     {"beta_fast", "not understood with rope_type \"linear\""}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"default\", \"factor\": 2}}",
     ASSAY_EUNSUPPORTED,
     {"factor", "not understood"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"dynamic\", \"factor\": 2}}",
     ASSAY_EFORMAT,
     {"max_position_embeddings", "missing"}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"llama3\", \"factor\": 2, \"low_freq_factor\": 4, "
     "\"high_freq_factor\": 4, \"original_max_position_embeddings\": 8}}",
     ASSAY_EFORMAT,
     {"high_freq_factor", "more than low_freq_factor (4)"}},
    {&PLAIN, "{\"rope_theta\": -10000.0}", ASSAY_EFORMAT, {"rope_theta: found -10000.0", "above 1"}},
    {&PLAIN, "{\"rope_theta\": 0.99999999}", ASSAY_EFORMAT, {"rope_theta: found 0.99999999", "above 1"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"linear\\u0000\", \"factor\": 2}}",
     ASSAY_EFORMAT,
     {"rope_parameters.rope_type: found \"linear\\u0000\"", "without U+0000"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 0.0}}",
     ASSAY_EFORMAT,
     {"factor: found 0.0, expected a number above 0", ""}},
    {&PLAIN,
     "{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 1e-400}}",
     ASSAY_EFORMAT,
     {"rope_scaling.factor: found 1e-400", "above 0"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": 2, \"original_max_position_embeddings\": "
     "8, \"beta_fast\": -1}}",
     ASSAY_EFORMAT,
     {"beta_fast: found -1", "at least 0"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": 2, \"original_max_position_embeddings\": "
     "8, \"beta_slow\": 33.0}}",
     ASSAY_EFORMAT,
     {"beta_slow: found 33.0", "at most beta_fast (32)"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": 2, \"original_max_position_embeddings\": "
     "8, \"beta_fast\": 0.5}}",
     ASSAY_EFORMAT,
     {"beta_fast: found 0.5", "at least beta_slow (1)"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": 2, \"original_max_position_embeddings\": "
     "8, \"mscale\": -2.5, \"mscale_all_dim\": 1}}",
     ASSAY_EFORMAT,
     {"mscale: found -2.5", "at least 0"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": 2, \"original_max_position_embeddings\": "
     "8, \"attention_factor\": 0}}",
     ASSAY_EFORMAT,
     {"attention_factor: found 0", "above 0"}},
    {&PLAIN,
     "{\"rope_parameters\": {\"rope_type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": -1, "
     "\"high_freq_factor\": 4, \"original_max_position_embeddings\": 8}}",
     ASSAY_EFORMAT,
     {"low_freq_factor: found -1", "above 0"}},
    {&PHI,
     "{\"max_position_embeddings\": 64, \"original_max_position_embeddings\": 1, \"rope_scaling\": "
     "{\"type\": \"longrope\", \"short_factor\": [1,1,1,1], \"long_factor\": [1,1,1,1]}}",
     ASSAY_EFORMAT,
     {"attention_factor: its parameters make it inf", "above 0"}},
    {&PHI,
     "{\"partial_rotary_factor\": -0.50}",
     ASSAY_EFORMAT,
     {"partial_rotary_factor: found -0.50", "more than 0"}},
    {&PLAIN, "{\"rope_theta\": 1}", ASSAY_EFORMAT, {"rope_theta", "above 1"}},
    {&PLAIN, "{\"rope_theta\": \"10000\"}", ASSAY_EFORMAT, {"rope_theta", "a finite number"}},
    {&PLAIN, "{\"partial_rotary_factor\": 0.5}", ASSAY_EUNSUPPORTED, {"partial_rotary_factor", "as a whole"}},
    {&PHI, "{\"partial_rotary_factor\": 1.5}", ASSAY_EFORMAT, {"partial_rotary_factor", "at most 1"}},
    {&PHI,
     "{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}}",
     ASSAY_EUNSUPPORTED,
     {"found \"linear\"", "default or longrope"}},
    {&PHI,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"type\": \"su\", \"short_factor\": [1], \"long_factor\": [1]}}",
     ASSAY_EFORMAT,
     {"original_max_position_embeddings", "missing"}},
    {&PHI,
     "{" MAX_POSITIONS "\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"su\", "
     "\"short_factor\": [1, 1, 1], \"long_factor\": [1, 1, 1, 1]}}",
     ASSAY_EFORMAT,
     {"short_factor", "a list of 4 numbers"}},
    {&PHI,
     "{" MAX_POSITIONS "\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"su\", "
     "\"short_factor\": 1, \"long_factor\": [1, 1, 1, 1]}}",
     ASSAY_EFORMAT,
     {"short_factor: found 1", "a list of 4 numbers"}},
    {&PHI,
     "{" MAX_POSITIONS "\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"su\", "
     "\"short_factor\": [1, 1, 1, 0], \"long_factor\": [1, 1, 1, 1]}}",
     ASSAY_EFORMAT,
     {"short_factor[3]: found 0", "above 0"}},
    {&PLAIN,
     "{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}, "
     "\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 3}}",
     ASSAY_EFORMAT,
     {"rope_scaling.factor", "contradicts rope_parameters.factor"}},
    {&PLAIN,
     "{\"rope_theta\": 500, \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 600}}",
     ASSAY_EFORMAT,
     {"rope_parameters.rope_theta: found 600", "rope_theta next to it is 500"}},
    {&PHI,
     "{\"partial_rotary_factor\": 0.5, \"rope_parameters\": {\"partial_rotary_factor\": 0.25}}",
     ASSAY_EFORMAT,
     {"rope_parameters.partial_rotary_factor: found 0.25", "next to it is 0.5"}},
    {&PAIR,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 2}}",
     ASSAY_EFORMAT,
     {"dynamic needs more than 2", ""}},
    {&PLAIN,
     "{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}, "
     "\"rope_parameters\": {\"rope_type\": \"default\"}}",
     ASSAY_EFORMAT,
     {"rope_scaling.type", "contradicts rope_parameters.rope_type"}},
    {&PLAIN,
     "{\"rope_scaling\": {\"factor\": 2}, \"rope_parameters\": {\"rope_type\": \"linear\"}}",
     ASSAY_EFORMAT,
     {"rope_scaling.factor", "contradicts rope_parameters.factor"}},
};

START_TEST(a_rope_that_is_not_understood_is_refused)
{
    reading r;
    rope out = read_rope(&r, REFUSED_ROPES[_i].text, REFUSED_ROPES[_i].request);
    ck_assert_uint_eq(out.dim, 0);
    ck_assert_ptr_null(out.short_factor);
    reading_expect(&r, REFUSED_ROPES[_i].status, REFUSED_ROPES[_i].fragment[0],
                   REFUSED_ROPES[_i].fragment[1]);
}
END_TEST

static const config_rope_request NESTED = {
    .layer_type = "full_attention", .head_dim = 8, .default_theta = 10000};
static const config_rope_request SHARED = {.head_dim = 8,
                                           .default_theta = 500,
                                           .old_theta = "theta",
                                           .default_type = "proportional",
                                           .default_partial = 0.75};

#define LLAMA3 "\"rope_type\": \"llama3\", \"factor\": 8, \"low_freq_factor\": 1, \"high_freq_factor\": 4"
#define LISTS  "\"short_factor\": [1, 2, 3, 4], \"long_factor\": [5, 6, 7, 8]"

/* Longer by a factor of 4, as yarn and longrope scale cos and sin. */
#define YARN_OF_4(mscale) (0.1 * (mscale)*1.3862943611198906 + 1)
#define LONG_OF_4         1.2247448713915890 /* sqrt(1 + log 4 / log 16) */

static const struct {
    const config_rope_request *request;
    const char *text;
    rope expected; /* head_dim 8; dim, exponent_dim 0: 8; theta 0: 10000; attention_factor 0: 1 */
} ROPES[] = {
    {&PLAIN, "{}", {.type = ROPE_DEFAULT}},
    {&PLAIN, "{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 3}}", {ROPE_LINEAR, .factor = 3}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_parameters\": {" LLAMA3 "}}",
     {ROPE_LLAMA3, .factor = 8, .low_freq_factor = 1, .high_freq_factor = 4, .original_length = 64}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_parameters\": {" LLAMA3 ", \"original_max_position_embeddings\": 8}}",
     {ROPE_LLAMA3, .factor = 8, .low_freq_factor = 1, .high_freq_factor = 4, .original_length = 8}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"dynamic\", \"factor\": 2}}",
     {ROPE_DYNAMIC, .factor = 2, .max_length = 64}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"yarn\", "
     "\"original_max_position_embeddings\": 16}}",
     {ROPE_YARN, .factor = 4, .original_length = 16, .beta_fast = 32, .beta_slow = 1, .truncate = true,
      .attention_factor = YARN_OF_4(1)}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"beta_fast\": 5, "
     "\"beta_slow\": 5, \"truncate\": false, \"mscale\": 2, \"mscale_all_dim\": 3}}",
     {ROPE_YARN, .factor = 4, .original_length = 64, .beta_fast = 5, .beta_slow = 5,
      .attention_factor = YARN_OF_4(2) / YARN_OF_4(3)}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"mscale\": 0.75, "
     "\"mscale_all_dim\": 0.5}}",
     {ROPE_YARN, .factor = 4, .original_length = 64, .beta_fast = 32, .beta_slow = 1, .truncate = true,
      .attention_factor = YARN_OF_4(0.75) / YARN_OF_4(0.5)}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, \"mscale\": 2, "
     "\"beta_fast\": 0}}",
     {ROPE_YARN, .factor = 4, .original_length = 64, .beta_fast = 32, .beta_slow = 1, .truncate = true,
      .attention_factor = YARN_OF_4(1)}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4, "
     "\"mscale_all_dim\": 2}}",
     {ROPE_YARN, .factor = 4, .original_length = 64, .beta_fast = 32, .beta_slow = 1, .truncate = true,
      .attention_factor = YARN_OF_4(1)}},
    {&PLAIN,
     "{" MAX_POSITIONS "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 0.5}}",
     {ROPE_YARN, .factor = 0.5, .original_length = 64, .beta_fast = 32, .beta_slow = 1, .truncate = true}},
    {&PHI,
     "{" MAX_POSITIONS "\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"su\", " LISTS
     "}}",
     {ROPE_LONGROPE, .original_length = 16, .attention_factor = LONG_OF_4}},
    {&PHI,
     "{\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"yarn\", \"factor\": 4, " LISTS
     "}}",
     {ROPE_LONGROPE, .original_length = 16, .attention_factor = LONG_OF_4}},
    {&PHI,
     "{\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"longrope\", \"factor\": "
     "1, " LISTS "}}",
     {ROPE_LONGROPE, .original_length = 16}},
    {&PHI,
     "{\"original_max_position_embeddings\": 16, \"rope_scaling\": {\"type\": \"longrope\", \"factor\": 4, "
     "\"attention_factor\": 1.5, " LISTS "}}",
     {ROPE_LONGROPE, .original_length = 16, .attention_factor = 1.5}},
    {&PHI, "{\"partial_rotary_factor\": 0.5}", {ROPE_DEFAULT, .dim = 4, .exponent_dim = 4}},
    {&PHI, "{\"partial_rotary_factor\": 0.625}", {ROPE_DEFAULT, .dim = 6, .exponent_dim = 5}},
    {&PLAIN,
     "{\"rope_theta\": 1.5, \"rope_scaling\": {\"rope_type\": \"proportional\"}}",
     {ROPE_PROPORTIONAL, .theta = 1.5, .factor = 1, .n_angles = 4}},
    {&PLAIN,
     "{\"rope_scaling\": {\"rope_type\": \"proportional\", \"factor\": 2, \"partial_rotary_factor\": 0}}",
     {ROPE_PROPORTIONAL, .factor = 2}},
    {&SHARED, "{\"theta\": 77}", {ROPE_PROPORTIONAL, .theta = 77, .factor = 1, .n_angles = 3}},
    {&SHARED,
     "{\"rope_parameters\": {\"partial_rotary_factor\": 1}, \"rope_scaling\": null}",
     {ROPE_PROPORTIONAL, .theta = 500, .factor = 1, .n_angles = 4}},
    {&NESTED,
     "{\"rope_theta\": 7, \"rope_parameters\": {\"full_attention\": {\"rope_theta\": 9}}}",
     {ROPE_DEFAULT, .theta = 9}},
};

static void expect_rope(const rope *found, const rope *expected)
{
    const size_t dim = expected->dim ? expected->dim : 8;
    ck_assert_int_eq(found->type, expected->type);
    ck_assert_uint_eq(found->head_dim, 8);
    ck_assert_uint_eq(found->dim, dim);
    ck_assert_uint_eq(found->exponent_dim, expected->exponent_dim ? expected->exponent_dim : dim);
    ck_assert_double_eq(found->theta, expected->theta > 0 ? expected->theta : 10000);
    ck_assert_double_eq(found->factor, expected->factor);
    ck_assert_double_eq_tol(found->attention_factor,
                            expected->attention_factor > 0 ? expected->attention_factor : 1, 1e-15);
    ck_assert_double_eq(found->max_length, expected->max_length);
    ck_assert_double_eq(found->original_length, expected->original_length);
    ck_assert_double_eq(found->low_freq_factor, expected->low_freq_factor);
    ck_assert_double_eq(found->high_freq_factor, expected->high_freq_factor);
    ck_assert_double_eq(found->beta_fast, expected->beta_fast);
    ck_assert_double_eq(found->beta_slow, expected->beta_slow);
    ck_assert_int_eq(found->truncate, expected->truncate);
    ck_assert_uint_eq(found->n_angles, expected->n_angles);
    ck_assert_int_eq(found->short_factor != NULL, expected->type == ROPE_LONGROPE);
    for (size_t i = 0; found->short_factor && i < dim / 2; i++) {
        ck_assert_double_eq(found->short_factor[i], (double)(i + 1));
        ck_assert_double_eq(found->long_factor[i], (double)(i + 5));
    }
}

START_TEST(a_rope_is_resolved)
{
    reading r;
    rope out = read_rope(&r, ROPES[_i].text, ROPES[_i].request);
    ck_assert_msg(r.c.status == ASSAY_OK, "%s", r.err.text);
    expect_rope(&out, &ROPES[_i].expected);
    rope_free(&out);
    reading_finish(&r);
}
END_TEST

START_TEST(a_base_that_is_absent_is_noted)
{
    reading r;
    rope out = read_rope(&r, "{\"rope_parameters\": {\"rope_type\": \"default\"}}", &PLAIN);
    ck_assert_uint_eq(r.notes.n, 1);
    ck_assert_str_eq(r.notes.line[0], "rope_parameters.rope_theta: absent, default 10000 taken");
    rope_free(&out);
    reading_finish(&r);
}
END_TEST

START_TEST(both_spellings_of_a_rope_agree)
{
    reading r;
    rope older = read_rope(
        &r, "{\"rope_theta\": 500, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 3}}", &PLAIN);
    reading_finish(&r);
    rope newer = read_rope(
        &r, "{\"rope_parameters\": {\"rope_theta\": 500, \"rope_type\": \"linear\", \"factor\": 3}}", &PLAIN);
    reading_finish(&r);
    ck_assert_int_eq(older.type, ROPE_LINEAR);
    ck_assert_int_eq(newer.type, ROPE_LINEAR);
    ck_assert(older.theta == 500 && newer.theta == 500 && older.factor == 3 && newer.factor == 3);
}
END_TEST

START_TEST(a_nested_rope_must_be_there)
{
    reading r;
    (void)read_rope(&r, "{\"rope_parameters\": {\"sliding_attention\": {\"rope_type\": \"default\"}}}",
                    &NESTED);
    reading_expect(&r, ASSAY_EFORMAT, "rope_parameters.full_attention", "missing");
}
END_TEST

START_TEST(members_of_a_nested_rope_that_upstream_ignores_are_refused)
{
    reading r;
    (void)read_rope(&r,
                    "{" MAX_POSITIONS "\"rope_parameters\": {\"full_attention\": {\"rope_type\": \"yarn\", "
                    "\"factor\": 2, \"truncate\": false}}}",
                    &NESTED);
    reading_expect(&r, ASSAY_EUNSUPPORTED, "truncate: found false", "ignores");
    (void)read_rope(&r,
                    "{\"rope_parameters\": {\"full_attention\": {\"rope_type\": \"proportional\", "
                    "\"partial_rotary_factor\": 1.5}}}",
                    &NESTED);
    reading_expect(&r, ASSAY_EFORMAT, "partial_rotary_factor: found 1.5", "0 to 1");
}
END_TEST

START_TEST(the_documents_own_original_length_outranks_the_ropes)
{
    reading r;
    rope out =
        read_rope(&r,
                  "{\"original_max_position_embeddings\": 32, \"rope_scaling\": {\"rope_type\": \"yarn\", "
                  "\"factor\": 2, \"original_max_position_embeddings\": 8}}",
                  &PLAIN);
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    ck_assert(out.original_length == 32);
    reading_finish(&r);
}
END_TEST

START_TEST(mrope_sections_must_fill_the_rotating_half)
{
    reading r;
    rope out;
    reading_start(&r, "{\"rope_type\": \"default\", \"mrope_section\": [1, 1, 1]}");
    config_rope_standalone(&r.c, 8, &out);
    reading_expect(&r, ASSAY_EFORMAT, "mrope_section", "expected 4");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/checkpoint/config_rope");
    TCase *ropes = tcase_create("ropes");
    tcase_add_loop_test(ropes, a_rope_that_is_not_understood_is_refused, 0,
                        (int)(sizeof REFUSED_ROPES / sizeof *REFUSED_ROPES));
    tcase_add_loop_test(ropes, a_rope_is_resolved, 0, (int)(sizeof ROPES / sizeof *ROPES));
    tcase_add_test(ropes, a_base_that_is_absent_is_noted);
    tcase_add_test(ropes, both_spellings_of_a_rope_agree);
    tcase_add_test(ropes, a_nested_rope_must_be_there);
    tcase_add_test(ropes, members_of_a_nested_rope_that_upstream_ignores_are_refused);
    tcase_add_test(ropes, the_documents_own_original_length_outranks_the_ropes);
    tcase_add_test(ropes, mrope_sections_must_fill_the_rotating_half);
    suite_add_tcase(suite, ropes);
    return support_run(suite);
}
