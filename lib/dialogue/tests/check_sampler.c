/* The sampler compared with the distributions of transformers' logits processors, and its own guarantees.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/tests/support.h"
#include "dialogue/sampler.h"

enum { MOST = 64 };

static serve_sampler *open_sampler(const serve_sampling *sampling, size_t vocab)
{
    serve_sampler *s = NULL;
    assay_error err = {0};
    ck_assert_msg(serve_sampler_open(sampling, vocab, &s, &err) == ASSAY_OK, "%s", err.text);
    return s;
}

static double number(json_object *of, const char *name, double otherwise)
{
    json_object *value;
    return json_object_object_get_ex(of, name, &value) ? json_object_get_double(value) : otherwise;
}

static void check_vector(json_object *vector, size_t index)
{
    json_object *p = json_object_object_get(vector, "parameters"),
                *seen = json_object_object_get(vector, "seen"),
                *logits = json_object_object_get(vector, "logits"),
                *expected = json_object_object_get(vector, "probabilities");
    const serve_sampling sampling = {.temperature = number(p, "temperature", -1),
                                     .top_k = (size_t)number(p, "top_k", 0),
                                     .top_p = number(p, "top_p", 1),
                                     .min_p = number(p, "min_p", 0),
                                     .repetition_penalty = number(p, "repetition_penalty", 1)};
    double logit[MOST], found[MOST];
    const size_t n = json_object_array_length(logits);
    ck_assert_uint_le(n, MOST);
    for (size_t i = 0; i < n; i++) {
        json_object *value = json_object_array_get_idx(logits, i);
        logit[i] = value ? json_object_get_double(value) : -INFINITY;
    }
    serve_sampler *s = open_sampler(&sampling, n);
    for (size_t i = 0; i < json_object_array_length(seen); i++)
        serve_sampler_accept(s, json_object_get_int(json_object_array_get_idx(seen, i)));
    serve_sampler_weigh(s, logit, ASSAY_F64, found);
    serve_sampler_free(s);
    for (size_t i = 0; i < n; i++) {
        const double should = json_object_get_double(json_object_array_get_idx(expected, i));
        ck_assert_msg(fabs(found[i] - should) <= 1e-13 && (found[i] > 0) == (should > 0),
                      "vector %zu, token %zu: %.17g, expected %.17g", index, i, found[i], should);
    }
}

START_TEST(the_remaining_tokens_are_those_of_transformers)
{
    const char *top = getenv("top_srcdir");
    char path[1024];
    json_object *document = NULL;
    assay_error err = {0};
    (void)snprintf(path, sizeof path, "%s/lib/dialogue/tests/vectors/sampling.json", top ? top : ".");
    ck_assert_msg(json_read(path, &document, &err) == ASSAY_OK, "%s", err.text);
    json_object *vectors = json_object_object_get(document, "vectors");
    ck_assert_uint_gt(json_object_array_length(vectors), 100);
    for (size_t i = 0; i < json_object_array_length(vectors); i++)
        check_vector(json_object_array_get_idx(vectors, i), i);
    json_object_put(document);
}
END_TEST

START_TEST(greedy_chooses_the_first_of_the_best)
{
    const float logits[] = {-1, 3, NAN, 3, -INFINITY}, nothing[] = {NAN, -INFINITY, NAN, NAN, -INFINITY};
    const double wide[] = {NAN, -INFINITY, -1, -2, -1};
    serve_sampler *s = open_sampler(&serve_sampling_greedy, 5);
    double left[5];
    for (uint64_t step = 0; step < 20; step++)
        ck_assert_int_eq(serve_sampler_choose(s, logits, ASSAY_F32, step), 1);
    ck_assert_int_eq(serve_sampler_choose(s, wide, ASSAY_F64, 0), 2);
    ck_assert_int_eq(serve_sampler_choose(s, nothing, ASSAY_F32, 0), -1);
    serve_sampler_weigh(s, logits, ASSAY_F32, left);
    ck_assert(left[1] == 1 && left[3] == 0);
    serve_sampler_free(s);
}
END_TEST

START_TEST(a_penalty_moves_the_best_of_what_was_seen)
{
    const double logits[] = {2, 1.5, -1, -1.5};
    const serve_sampling sampling = {.top_p = 1, .repetition_penalty = 2};
    serve_sampler *s = open_sampler(&sampling, 4);
    serve_sampler_accept(s, 0);
    serve_sampler_accept(s, 4);
    serve_sampler_accept(s, -1);
    ck_assert_int_eq(serve_sampler_choose(s, logits, ASSAY_F64, 0), 1);
    const double negative[] = {-9, -9, -1, -1.5};
    serve_sampler_accept(s, 2);
    ck_assert_int_eq(serve_sampler_choose(s, negative, ASSAY_F64, 0), 3);
    serve_sampler_free(s);
}
END_TEST

START_TEST(if_every_token_is_dropped_no_token_is_chosen)
{
    const float nothing[] = {NAN, -INFINITY, NAN};
    const serve_sampling sampling = {.temperature = 1, .top_p = 1, .repetition_penalty = 1};
    serve_sampler *s = open_sampler(&sampling, 3);
    double left[3];
    ck_assert_int_eq(serve_sampler_choose(s, nothing, ASSAY_F32, 0), -1);
    serve_sampler_weigh(s, nothing, ASSAY_F32, left);
    for (int i = 0; i < 3; i++) ck_assert(left[i] == 0);
    serve_sampler_free(s);
}
END_TEST

START_TEST(infinite_logits_are_as_likely_as_each_other)
{
    const float logits[] = {INFINITY, 5, INFINITY, -INFINITY};
    const serve_sampling sampling = {.temperature = 1, .top_p = 1, .repetition_penalty = 1};
    serve_sampler *s = open_sampler(&sampling, 4);
    double left[4];
    serve_sampler_weigh(s, logits, ASSAY_F32, left);
    ck_assert(left[0] == 0.5 && left[2] == 0.5 && left[1] == 0 && left[3] == 0);
    serve_sampler_free(s);
}
END_TEST

/* Probabilities of 1, 2, 3 and 4 tenths. */
static const double shares[] = {0, 0.6931471805599453, 1.0986122886681098, 1.3862943611198906};

START_TEST(draws_have_the_shares_of_their_tokens)
{
    const serve_sampling sampling = {.temperature = 1, .top_p = 1, .repetition_penalty = 1, .seed = 7};
    serve_sampler *s = open_sampler(&sampling, 4);
    size_t drawn[4] = {0};
    for (uint64_t step = 0; step < 40000; step++) drawn[serve_sampler_choose(s, shares, ASSAY_F64, step)]++;
    serve_sampler_free(s);
    for (size_t i = 0; i < 4; i++) { /* five standard deviations of a binomial count */
        const double share = (double)(i + 1) / 10, most = 5 * sqrt(40000 * share * (1 - share));
        ck_assert_double_lt(fabs((double)drawn[i] - 40000 * share), most);
    }
}
END_TEST

/* Must never change, because users store seeds. Calculated by hand from the definition in sampler.h and
 * sampler.c. */
START_TEST(a_seed_draws_the_same_tokens_for_ever)
{
    static const int expected[2][16] = {{1, 3, 2, 1, 1, 0, 2, 0, 2, 2, 1, 3, 1, 2, 3, 3},
                                        {3, 3, 2, 3, 3, 1, 1, 2, 3, 2, 3, 0, 3, 3, 0, 2}};
    serve_sampling sampling = {.temperature = 1, .top_p = 0.95, .repetition_penalty = 1};
    for (uint64_t seed = 0; seed < 2; seed++) {
        sampling.seed = seed;
        serve_sampler *s = open_sampler(&sampling, 4);
        for (uint64_t step = 0; step < 16; step++)
            ck_assert_int_eq(serve_sampler_choose(s, shares, ASSAY_F64, step), expected[seed][step]);
        /* a step does not depend on earlier steps */
        ck_assert_int_eq(serve_sampler_choose(s, shares, ASSAY_F64, 3), expected[seed][3]);
        serve_sampler_free(s);
    }
}
END_TEST

START_TEST(the_type_of_logits_makes_no_difference)
{
    float narrow[4];
    for (size_t i = 0; i < 4; i++) narrow[i] = (float)i / 4;
    const double wide[] = {0, 0.25, 0.5, 0.75};
    const serve_sampling sampling = {.temperature = 0.5, .top_k = 3, .top_p = 0.9, .repetition_penalty = 1};
    serve_sampler *s = open_sampler(&sampling, 4);
    for (uint64_t step = 0; step < 100; step++)
        ck_assert_int_eq(serve_sampler_choose(s, narrow, ASSAY_F32, step),
                         serve_sampler_choose(s, wide, ASSAY_F64, step));
    serve_sampler_free(s);
}
END_TEST

static const struct {
    serve_sampling sampling;
    const char *reason;
} refused[] = {
    {{.temperature = -1, .top_p = 1, .repetition_penalty = 1}, "temperature: found -1, expected 0 or more"},
    {{.temperature = NAN, .top_p = 1, .repetition_penalty = 1}, "temperature"},
    {{.temperature = INFINITY, .top_p = 1, .repetition_penalty = 1}, "temperature"},
    {{.top_p = 0, .repetition_penalty = 1}, "top-p: found 0, expected more than 0"},
    {{.top_p = 1.5, .repetition_penalty = 1}, "top-p"},
    {{.top_p = 1, .min_p = 2, .repetition_penalty = 1}, "min-p: found 2, expected 0 to 1"},
    {{.top_p = 1, .min_p = NAN, .repetition_penalty = 1}, "min-p"},
    {{.top_p = 1, .repetition_penalty = 0}, "repetition penalty: found 0, expected more than 0"},
};

START_TEST(invalid_sampling_options_are_refused_by_name)
{
    serve_sampler *s = NULL;
    assay_error err = {0};
    ck_assert_int_eq(serve_sampler_open(&refused[_i].sampling, 3, &s, &err), ASSAY_EINVAL);
    ck_assert_ptr_null(s);
    support_expect_error(&err, ASSAY_EINVAL, refused[_i].reason, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dialogue/sampler");
    TCase *all = tcase_create("all");
    tcase_add_test(all, the_remaining_tokens_are_those_of_transformers);
    tcase_add_test(all, greedy_chooses_the_first_of_the_best);
    tcase_add_test(all, a_penalty_moves_the_best_of_what_was_seen);
    tcase_add_test(all, if_every_token_is_dropped_no_token_is_chosen);
    tcase_add_test(all, infinite_logits_are_as_likely_as_each_other);
    tcase_add_test(all, draws_have_the_shares_of_their_tokens);
    tcase_add_test(all, a_seed_draws_the_same_tokens_for_ever);
    tcase_add_test(all, the_type_of_logits_makes_no_difference);
    tcase_add_loop_test(all, invalid_sampling_options_are_refused_by_name, 0,
                        (int)(sizeof refused / sizeof *refused));
    suite_add_tcase(suite, all);
    return support_run(suite);
}
