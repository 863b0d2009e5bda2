/* The parts of evaluation that are functions of their arguments.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/tests/support.h"
#include "server/evaluate/chunk.h"
#include "server/evaluate/logprobs.h"
#include "server/job/metrics.h"
#include "server/tests/asking.h"
#include "server/tests/toy.h"

START_TEST(chunks_cover_a_prompt)
{
    const server_prompt p = {.n_tokens = 1100};
    ck_assert_uint_eq(server_chunk_length(&p, 0, 512, false, true), 512);
    ck_assert_uint_eq(server_chunk_length(&p, 512, 512, false, true), 512);
    ck_assert_uint_eq(server_chunk_length(&p, 1024, 512, false, true), 76);
    ck_assert_uint_eq(server_chunk_length(&p, 0, 512, true, true), 1100);
    ck_assert_uint_eq(server_chunk_length(&p, 0, 512, true, false), 0);
    ck_assert_uint_eq(server_chunk_length(&p, 0, 1100, true, false), 1100);
}
END_TEST

START_TEST(no_chunk_divides_the_span_of_an_item)
{
    const assay_item items[] = {{.offset = 10, .n_tokens = 50}, {.offset = 80, .n_tokens = 600}};
    const server_prompt p = {.n_tokens = 800, .items = items, .n_items = 2};
    size_t first;
    ck_assert_uint_eq(server_chunk_length(&p, 0, 30, false, true), 10);
    ck_assert_uint_eq(server_chunk_length(&p, 10, 30, false, false), 0);
    ck_assert_uint_eq(server_chunk_length(&p, 10, 30, false, true), 50);
    ck_assert_uint_eq(server_chunk_length(&p, 0, 60, false, true), 60);
    ck_assert_uint_eq(server_chunk_length(&p, 60, 512, false, true), 20);
    ck_assert_uint_eq(server_chunk_length(&p, 80, 512, false, true), 600);
    ck_assert_uint_eq(server_chunk_length(&p, 680, 512, false, true), 120);
    ck_assert_uint_eq(server_chunk_items(&p, 0, 10, &first), 0);
    ck_assert_uint_eq(server_chunk_items(&p, 10, 50, &first), 1);
    ck_assert_uint_eq(first, 0);
    ck_assert_uint_eq(server_chunk_items(&p, 60, 700, &first), 1);
    ck_assert_uint_eq(first, 1);
    ck_assert_uint_eq(server_chunk_items(&p, 0, 800, &first), 2);
}
END_TEST

START_TEST(a_prompt_with_an_item_of_unknown_span_is_not_divided)
{
    const assay_item item = {.offset = 0, .n_tokens = 0};
    const server_prompt p = {.n_tokens = 800, .items = &item, .n_items = 1};
    ck_assert_uint_eq(server_chunk_length(&p, 0, 512, false, true), 800);
    ck_assert_uint_eq(server_chunk_length(&p, 0, 512, false, false), 0);
}
END_TEST

/* A model with the trained checkpoint's tokenizer and logits of another width. */
static void open_logprobs(asking *a, server_token_texts **texts, server_logprobs **logprobs)
{
    static const server_scheduler_options options = {.n_running = 1, .n_queued = 1, .stall_seconds = 1};
    assay_error err = {0};
    asking_open(a, &toy_engine, &options);
    ck_assert_msg(server_token_texts_open(a->model, texts, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(server_logprobs_open(a->model, *texts, logprobs, &err) == ASSAY_OK, "%s", err.text);
}

static void close_logprobs(asking *a, server_token_texts *texts, server_logprobs *logprobs)
{
    server_logprobs_free(logprobs);
    server_token_texts_free(texts);
    asking_close(a);
}

START_TEST(logprobs_are_those_of_the_softmax_in_double)
{
    asking a;
    server_token_texts *texts;
    server_logprobs *l;
    assay_logprobs found;
    assay_token_logprob top[TOY_VOCAB];
    float logits[TOY_VOCAB];
    assay_error err = {0};
    open_logprobs(&a, &texts, &l);
    for (size_t i = 0; i < TOY_VOCAB; i++) logits[i] = 1000;
    ck_assert_int_eq(server_logprobs_of(l, logits, ASSAY_F32, 7, 3, top, &found, &err), ASSAY_OK);
    ck_assert_double_eq_tol(found.token.logprob, -log(300), 1e-13);
    ck_assert_uint_eq(found.token.rank, 1);
    for (int32_t i = 0; i < 3; i++) ck_assert_int_eq(found.top[i].id, i); /* equal ones by id */
    logits[20] = 1001;
    logits[10] = logits[30] = 1002;
    logits[40] = NAN;
    logits[41] = -INFINITY;
    ck_assert_int_eq(server_logprobs_of(l, logits, ASSAY_F32, 20, TOY_VOCAB + 5, top, &found, &err),
                     ASSAY_OK);
    const double sum = log(295 + exp(1) + 2 * exp(2));
    ck_assert_uint_eq(found.n_top, TOY_VOCAB);
    ck_assert_int_eq(found.top[0].id, 10);
    ck_assert_int_eq(found.top[1].id, 30);
    ck_assert_int_eq(found.top[2].id, 20);
    ck_assert_int_eq(found.top[3].id, 0);
    ck_assert_uint_eq(found.top[0].rank, 1);
    ck_assert_uint_eq(found.top[1].rank, 1);
    ck_assert_uint_eq(found.top[2].rank, 3);
    ck_assert_uint_eq(found.token.rank, 3);
    ck_assert_double_eq_tol(found.token.logprob, 1 - sum, 1e-13);
    ck_assert_double_eq_tol(found.top[0].logprob, 2 - sum, 1e-13);
    ck_assert_double_eq(found.top[TOY_VOCAB - 1].logprob, -INFINITY);
    ck_assert_double_eq(found.top[TOY_VOCAB - 2].logprob, -INFINITY);
    for (size_t i = 0; i < TOY_VOCAB; i++) logits[i] = NAN;
    ck_assert_int_eq(server_logprobs_of(l, logits, ASSAY_F32, 20, 1, top, &found, &err), ASSAY_OK);
    ck_assert(isnan(found.token.logprob));
    close_logprobs(&a, texts, l);
}
END_TEST

/* The texts of the tokens of a text, joined. */
static void expect_joined(const asking *a, server_token_texts *texts, const char *text)
{
    int32_t ids[64];
    size_t n = 0;
    buffer joined = {0};
    assay_text one;
    ck_assert_int_eq(
        a->model->serving->encode(a->model->tokenizer, text, strlen(text), false, ids, 64, &n, NULL),
        ASSAY_OK);
    ck_assert_uint_le(n, 64);
    for (size_t i = 0; i < n; i++) {
        if ((size_t)ids[i] >= a->model->vocab) continue;
        ck_assert_int_eq(server_token_text(texts, ids[i], &one, NULL), ASSAY_OK);
        (void)buffer_append_text(&joined, one);
    }
    (void)buffer_append(&joined, "", 1);
    ck_assert_str_eq(joined.data, text);
    buffer_free(&joined);
}

START_TEST(texts_of_tokens_are_their_bytes)
{
    asking a;
    server_token_texts *texts;
    server_logprobs *l;
    open_logprobs(&a, &texts, &l);
    /* characters of two to four bytes that no token has whole */
    expect_joined(&a, texts, "\xC3\xBF\xE2\x82\xAC\xF0\x9F\xA6\x94");
    expect_joined(&a, texts, " 7.");
    expect_joined(&a, texts, "\xEF\xBF\xBD");
    close_logprobs(&a, texts, l);
}
END_TEST

START_TEST(metrics_are_the_text_of_prometheus)
{
    server_metrics *m = server_metrics_new();
    buffer text = {0};
    server_metrics_add(m, SERVER_COUNT_STEPS, 3);
    server_metrics_add(m, SERVER_GAUGE_RUNNING, 2);
    server_metrics_add(m, SERVER_GAUGE_RUNNING, -1);
    server_metrics_observe(m, SERVER_TIME_STEP, 0.003);
    server_metrics_observe(m, SERVER_TIME_STEP, 100);
    server_metrics_answered(m, "/v1/messages", 200);
    server_metrics_answered(m, "/v1/messages", 200);
    server_metrics_answered(m, "/secret", 418);
    ck_assert(server_metrics_write(m, &text));
    ck_assert(buffer_append(&text, "", 1));
    static const char *const lines[] = {
        "# TYPE assay_steps_total counter\nassay_steps_total 3\n",
        "\nassay_running_samples 1\n",
        "assay_step_seconds_bucket{le=\"0.002\"} 0\nassay_step_seconds_bucket{le=\"0.005\"} 1\n",
        "assay_step_seconds_bucket{le=\"60\"} 1\nassay_step_seconds_bucket{le=\"+Inf\"} 2\n",
        "assay_step_seconds_sum 100.003000000\nassay_step_seconds_count 2\n",
        "assay_requests_total{path=\"/v1/messages\",status=\"200\"} 2\n",
        "assay_requests_total{path=\"other\",status=\"other\"} 1\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ck_assert_msg(strstr(text.data, lines[i]) != NULL, "%s", lines[i]);
    buffer_free(&text);
    server_metrics_free(m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("server/parts");
    TCase *t = tcase_create("parts");
    tcase_set_timeout(t, 60); /* of a machine that does other things, under a sanitizer */
    tcase_add_test(t, chunks_cover_a_prompt);
    tcase_add_test(t, no_chunk_divides_the_span_of_an_item);
    tcase_add_test(t, a_prompt_with_an_item_of_unknown_span_is_not_divided);
    tcase_add_test(t, logprobs_are_those_of_the_softmax_in_double);
    tcase_add_test(t, texts_of_tokens_are_their_bytes);
    tcase_add_test(t, metrics_are_the_text_of_prometheus);
    suite_add_tcase(s, t);
    return support_run(s);
}
