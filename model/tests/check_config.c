/* SPDX-License-Identifier: Apache-2.0 */
#include "model/config.h"

#include "model/json.h"
#include "model/tests/support.h"

#include <string.h>

/* A document being read, from its text. */
typedef struct reading {
    json_object *document;
    config_notes notes;
    assay_error err;
    config c;
} reading;

static void start(reading *r, const char *text)
{
    memset(r, 0, sizeof *r);
    ck_assert_int_eq(json_parse("config.json", text, strlen(text), &r->document, &r->err), ASSAY_OK);
    config_begin(&r->c, "config.json", "", r->document, &r->notes, &r->err);
}

static void finish(reading *r)
{
    config_end(&r->c);
    config_notes_free(&r->notes);
    json_object_put(r->document);
}

static void expect(reading *r, assay_status status, const char *member, const char *found)
{
    ck_assert_int_eq(r->c.status, status);
    support_expect_error(&r->err, status, "config.json", member, found, NULL);
    finish(r);
}

START_TEST(a_missing_required_member_is_named)
{
    reading r;
    start(&r, "{}");
    ck_assert_uint_eq(config_size(&r.c, "hidden_size"), 0);
    expect(&r, ASSAY_EFORMAT, "hidden_size", "missing");
}
END_TEST

START_TEST(null_counts_as_missing)
{
    reading r;
    start(&r, "{\"hidden_size\": null}");
    (void)config_size(&r.c, "hidden_size");
    expect(&r, ASSAY_EFORMAT, "hidden_size", "missing");
}
END_TEST

static const struct {
    const char *text, *found;
} NOT_SIZES[] = {
    {"{\"n\": \"8\"}", "\"8\""},
    {"{\"n\": 8.5}", "8.5"},
    {"{\"n\": 0}", "0"},
    {"{\"n\": -3}", "-3"},
    {"{\"n\": true}", "true"},
    {"{\"n\": [8]}", "[8]"},
    {"{\"n\": 2147483648}", "2147483648"},
};

START_TEST(only_positive_integers_are_sizes)
{
    reading r;
    start(&r, NOT_SIZES[_i].text);
    ck_assert_uint_eq(config_size(&r.c, "n"), 0);
    expect(&r, ASSAY_EFORMAT, "n: found", NOT_SIZES[_i].found);
}
END_TEST

START_TEST(a_count_may_be_zero_and_not_negative)
{
    reading r;
    start(&r, "{\"n\": 0, \"m\": -1}");
    ck_assert_uint_eq(config_count_or(&r.c, "n", 7), 0);
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    (void)config_count_or(&r.c, "m", 7);
    expect(&r, ASSAY_EFORMAT, "m: found", "-1");
}
END_TEST

START_TEST(text_is_not_a_number_nor_a_flag)
{
    reading r;
    start(&r, "{\"x\": \"1e-6\"}");
    (void)config_real(&r.c, "x");
    expect(&r, ASSAY_EFORMAT, "x: found", "a finite number");
    start(&r, "{\"x\": \"true\"}");
    (void)config_flag_or(&r.c, "x", false);
    expect(&r, ASSAY_EFORMAT, "x: found", "true or false");
    start(&r, "{\"x\": 3}");
    (void)config_text(&r.c, "x");
    expect(&r, ASSAY_EFORMAT, "x: found", "a string");
}
END_TEST

START_TEST(a_default_is_noted)
{
    reading r;
    start(&r, "{}");
    ck_assert(config_real_or(&r.c, "rms_norm_eps", 0.5) == 0.5);
    ck_assert_uint_eq(r.notes.n, 1);
    ck_assert_str_eq(r.notes.line[0], "rms_norm_eps: absent, default 0.5 taken");
    finish(&r);
}
END_TEST

START_TEST(a_member_that_nobody_asked_for_is_noted)
{
    reading r;
    start(&r, "{\"hidden_size\": 8, \"architectures\": [], \"surprise\": 1, \"nothing\": null}");
    (void)config_size(&r.c, "hidden_size");
    config_end(&r.c);
    ck_assert_uint_eq(r.notes.n, 1);
    ck_assert_str_eq(r.notes.line[0], "surprise: not understood and not used");
    config_notes_free(&r.notes);
    json_object_put(r.document);
}
END_TEST

START_TEST(lists_must_have_their_length)
{
    reading r;
    double out[3];
    start(&r, "{\"x\": [1, 2]}");
    ck_assert(!config_reals(&r.c, "x", true, out, 3));
    expect(&r, ASSAY_EFORMAT, "x: found [1,2]", "one or a list of 3 numbers");
}
END_TEST

START_TEST(lists_must_hold_numbers_of_their_kind)
{
    reading r;
    double reals[2];
    size_t sizes[2];
    start(&r, "{\"x\": [1, \"2\"]}");
    ck_assert(!config_reals(&r.c, "x", false, reals, 2));
    expect(&r, ASSAY_EFORMAT, "x: found [1,\"2\"]", "finite numbers");
    start(&r, "{\"x\": [1, 0]}");
    ck_assert(!config_sizes(&r.c, "x", false, sizes, 2));
    expect(&r, ASSAY_EFORMAT, "x: found [1,0]", "positive integers");
}
END_TEST

START_TEST(a_scalar_stands_for_a_list_only_where_allowed)
{
    reading r;
    size_t out[2] = {0};
    start(&r, "{\"x\": 5}");
    ck_assert(config_sizes(&r.c, "x", true, out, 2));
    ck_assert_uint_eq(out[1], 5);
    ck_assert(!config_sizes(&r.c, "x", false, out, 2));
    expect(&r, ASSAY_EFORMAT, "x: found 5", "a list of 2");
}
END_TEST

START_TEST(the_first_error_stays)
{
    reading r;
    start(&r, "{\"b\": 0}");
    (void)config_size(&r.c, "a");
    (void)config_size(&r.c, "b");
    expect(&r, ASSAY_EFORMAT, "a: missing", "");
}
END_TEST

START_TEST(what_would_change_the_mathematics_is_refused)
{
    reading r;
    start(&r, "{\"a\": false, \"b\": {}, \"c\": 0, \"quantization\": {\"bits\": 4}}");
    config_refuse(&r.c, "a");
    config_refuse(&r.c, "b");
    config_refuse(&r.c, "c");
    config_refuse(&r.c, "absent");
    ck_assert_int_eq(r.c.status, ASSAY_OK);
    config_refuse(&r.c, "quantization");
    expect(&r, ASSAY_EUNSUPPORTED, "quantization", "\"bits\"");
}
END_TEST

START_TEST(a_document_that_is_no_object_is_refused)
{
    reading r;
    start(&r, "[1]");
    ck_assert_uint_eq(config_size(&r.c, "a"), 0);
    expect(&r, ASSAY_EFORMAT, "an object", "array");
}
END_TEST

/* Ropes ------------------------------------------------------------------------------------------------- */

static rope read_rope(reading *r, const char *text, const config_rope_request *request)
{
    rope out;
    start(r, text);
    config_rope(&r->c, request, &out);
    return out;
}

static const config_rope_request PLAIN = {.head_dim = 8, .default_theta = 10000, .old_scaling = true};
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
     "\"short_factor\": [1, 1, 1, 0], \"long_factor\": [1, 1, 1, 1]}}",
     ASSAY_EFORMAT,
     {"short_factor", "above 0"}},
    {&PLAIN,
     "{\"rope_scaling\": {\"type\": \"linear\", \"factor\": 2}, "
     "\"rope_parameters\": {\"rope_type\": \"linear\", \"factor\": 3}}",
     ASSAY_EFORMAT,
     {"rope_scaling.factor", "contradicts rope_parameters.factor"}},
    {&PLAIN,
     "{\"rope_theta\": 500, \"rope_parameters\": {\"rope_type\": \"default\", \"rope_theta\": 600}}",
     ASSAY_EFORMAT,
     {"rope_parameters.rope_theta: found 600", "rope_theta beside it is 500"}},
    {&PHI,
     "{\"partial_rotary_factor\": 0.5, \"rope_parameters\": {\"partial_rotary_factor\": 0.25}}",
     ASSAY_EFORMAT,
     {"rope_parameters.partial_rotary_factor: found 0.25", "beside it is 0.5"}},
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
    expect(&r, REFUSED_ROPES[_i].status, REFUSED_ROPES[_i].fragment[0], REFUSED_ROPES[_i].fragment[1]);
}
END_TEST

START_TEST(both_spellings_of_a_rope_agree)
{
    reading r;
    rope older = read_rope(
        &r, "{\"rope_theta\": 500, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 3}}", &PLAIN);
    finish(&r);
    rope newer = read_rope(
        &r, "{\"rope_parameters\": {\"rope_theta\": 500, \"rope_type\": \"linear\", \"factor\": 3}}", &PLAIN);
    finish(&r);
    ck_assert_int_eq(older.type, ROPE_LINEAR);
    ck_assert_int_eq(newer.type, ROPE_LINEAR);
    ck_assert(older.theta == 500 && newer.theta == 500 && older.factor == 3 && newer.factor == 3);
}
END_TEST

START_TEST(a_nested_rope_must_be_there)
{
    static const config_rope_request NESTED = {
        .layer_type = "full_attention", .head_dim = 8, .default_theta = 10000};
    reading r;
    (void)read_rope(&r, "{\"rope_parameters\": {\"sliding_attention\": {\"rope_type\": \"default\"}}}",
                    &NESTED);
    expect(&r, ASSAY_EFORMAT, "rope_parameters.full_attention", "missing");
}
END_TEST

START_TEST(what_upstream_ignores_in_a_nested_rope_is_refused)
{
    static const config_rope_request NESTED = {
        .layer_type = "full_attention", .head_dim = 8, .default_theta = 10000};
    reading r;
    (void)read_rope(&r,
                    "{" MAX_POSITIONS "\"rope_parameters\": {\"full_attention\": {\"rope_type\": \"yarn\", "
                    "\"factor\": 2, \"truncate\": false}}}",
                    &NESTED);
    expect(&r, ASSAY_EUNSUPPORTED, "truncate: found false", "ignores");
    (void)read_rope(&r,
                    "{\"rope_parameters\": {\"full_attention\": {\"rope_type\": \"proportional\", "
                    "\"partial_rotary_factor\": 1.5}}}",
                    &NESTED);
    expect(&r, ASSAY_EFORMAT, "partial_rotary_factor: found 1.5", "0 to 1");
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
    finish(&r);
}
END_TEST

START_TEST(a_failure_deep_inside_reaches_every_reader)
{
    reading r;
    config a, b;
    start(&r, "{\"a\": {\"b\": {\"n\": -1}}}");
    config_begin_inside(&a, &r.c, "a.", config_member(&r.c, "a"));
    config_begin_inside(&b, &a, "a.b.", config_member(&a, "b"));
    ck_assert_uint_eq(config_size(&b, "n"), 0);
    ck_assert(a.status == ASSAY_EFORMAT && r.c.status == ASSAY_EFORMAT);
    config_drop(&b);
    config_drop(&a);
    expect(&r, ASSAY_EFORMAT, "a.b.n: found -1", "a positive integer");
}
END_TEST

START_TEST(mrope_sections_must_fill_the_rotating_half)
{
    reading r;
    rope out;
    start(&r, "{\"rope_type\": \"default\", \"mrope_section\": [1, 1, 1]}");
    config_rope_alone(&r.c, 8, &out);
    expect(&r, ASSAY_EFORMAT, "mrope_section", "expected 4");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/config");
    TCase *members = tcase_create("members"), *ropes = tcase_create("ropes");
    tcase_add_test(members, a_missing_required_member_is_named);
    tcase_add_test(members, null_counts_as_missing);
    tcase_add_loop_test(members, only_positive_integers_are_sizes, 0,
                        (int)(sizeof NOT_SIZES / sizeof *NOT_SIZES));
    tcase_add_test(members, a_count_may_be_zero_and_not_negative);
    tcase_add_test(members, text_is_not_a_number_nor_a_flag);
    tcase_add_test(members, a_default_is_noted);
    tcase_add_test(members, a_member_that_nobody_asked_for_is_noted);
    tcase_add_test(members, lists_must_have_their_length);
    tcase_add_test(members, lists_must_hold_numbers_of_their_kind);
    tcase_add_test(members, a_scalar_stands_for_a_list_only_where_allowed);
    tcase_add_test(members, the_first_error_stays);
    tcase_add_test(members, what_would_change_the_mathematics_is_refused);
    tcase_add_test(members, a_document_that_is_no_object_is_refused);
    tcase_add_test(members, a_failure_deep_inside_reaches_every_reader);
    suite_add_tcase(suite, members);
    tcase_add_loop_test(ropes, a_rope_that_is_not_understood_is_refused, 0,
                        (int)(sizeof REFUSED_ROPES / sizeof *REFUSED_ROPES));
    tcase_add_test(ropes, both_spellings_of_a_rope_agree);
    tcase_add_test(ropes, a_nested_rope_must_be_there);
    tcase_add_test(ropes, what_upstream_ignores_in_a_nested_rope_is_refused);
    tcase_add_test(ropes, the_documents_own_original_length_outranks_the_ropes);
    tcase_add_test(ropes, mrope_sections_must_fill_the_rotating_half);
    suite_add_tcase(suite, ropes);
    return support_run(suite);
}
