/* A tokenizer reuses its encoders for any number of threads. The test counts them: the linker wraps the
 * functions that open and free encoders with those below.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/encoders.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tests/support.h"
#include "dialogue/tokenizing.h"

enum { N_THREADS = 12, N_ROUNDS = 200, N_TEXTS = 5, N_IDS = 64 };

static atomic_int n_opened, n_freed;

assay_status __real_tokenizer_encoder_open(const tokenizer *t, tokenizer_encoder **out, assay_error *err);
assay_status __wrap_tokenizer_encoder_open(const tokenizer *t, tokenizer_encoder **out, assay_error *err);
assay_status __wrap_tokenizer_encoder_open(const tokenizer *t, tokenizer_encoder **out, assay_error *err)
{
    n_opened++;
    return __real_tokenizer_encoder_open(t, out, err);
}

void __real_tokenizer_encoder_free(tokenizer_encoder *e);
void __wrap_tokenizer_encoder_free(tokenizer_encoder *e);
void __wrap_tokenizer_encoder_free(tokenizer_encoder *e)
{
    if (e) n_freed++;
    __real_tokenizer_encoder_free(e);
}

static assay_tokenizer *tokenizer_of_all;

static void setup(void)
{
    const char *top = getenv("top_srcdir");
    char dir[1024];
    assay_error err = {0};
    (void)snprintf(dir, sizeof dir, "%s/fixtures/trained/qwen3/model", top ? top : ".");
    ck_assert_msg(serve_tokenizer_open(dir, &tokenizer_of_all, &err) == ASSAY_OK, "%s", err.text);
    n_opened = n_freed = 0;
}

static void teardown(void)
{
    serve_tokenizer_free(tokenizer_of_all);
    ck_assert_int_eq(n_opened, n_freed);
}

static const char *const texts[N_TEXTS] = {"<think>", "", "How is the weather in Oslo?", "\xFF 12 <|im_end|>",
                                           "I ask for Z\xC3\xBCrich."};

typedef struct encoded {
    int32_t ids[N_IDS];
    size_t n;
} encoded;

static bool encode(const char *text, encoded *out)
{
    *out = (encoded){0};
    return serve_encode(tokenizer_of_all, text, strlen(text), true, out->ids, N_IDS, &out->n, NULL) ==
           ASSAY_OK;
}

START_TEST(consecutive_texts_share_an_encoder)
{
    encoded found;
    for (size_t i = 0; i < N_TEXTS; i++) ck_assert(encode(texts[i], &found));
    ck_assert_int_eq(n_opened, 1);
    ck_assert_int_eq(n_freed, 0);
}
END_TEST

START_TEST(an_encoder_is_not_kept_after_a_long_text)
{
    const size_t n = SERVE_ENCODERS_TEXT + 1;
    char *text = malloc(n);
    size_t n_ids;
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', n);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(serve_encode(tokenizer_of_all, text, n, true, NULL, 0, &n_ids, NULL), ASSAY_OK);
    ck_assert_int_eq(n_opened, 2);
    ck_assert_int_eq(n_freed, 2);
    ck_assert_int_eq(serve_encode(tokenizer_of_all, text, n - 1, true, NULL, 0, &n_ids, NULL), ASSAY_OK);
    ck_assert_int_eq(n_freed, 2);
    free(text);
}
END_TEST

static encoded expected[N_TEXTS];

static void *encode_all(void *wrong)
{
    encoded found;
    for (size_t i = 0; i < N_ROUNDS; i++) {
        const encoded *one = &expected[i % N_TEXTS];
        if (!encode(texts[i % N_TEXTS], &found) || found.n != one->n ||
            memcmp(found.ids, one->ids, sizeof found.ids) != 0)
            *(bool *)wrong = true;
    }
    return NULL;
}

START_TEST(threads_encode_as_one_does)
{
    pthread_t threads[N_THREADS];
    bool wrong[N_THREADS] = {false};
    for (size_t i = 0; i < N_TEXTS; i++) ck_assert(encode(texts[i], &expected[i]));
    for (size_t i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, encode_all, &wrong[i]), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert(!wrong[i]);
    }
    ck_assert_int_le(n_opened - n_freed, SERVE_ENCODERS_MAX);
}
END_TEST

/* As many at once as the pool keeps, and more. */
START_TEST(no_two_have_the_same_encoder)
{
    tokenizer *t;
    char dir[1024];
    const char *top = getenv("top_srcdir");
    serve_encoders *encoders;
    tokenizer_encoder *taken[SERVE_ENCODERS_MAX + 2];
    const size_t n = sizeof taken / sizeof *taken;
    (void)snprintf(dir, sizeof dir, "%s/fixtures/trained/qwen3/model", top ? top : ".");
    ck_assert_int_eq(tokenizer_open(dir, &t, NULL), ASSAY_OK);
    ck_assert_int_eq(serve_encoders_open(t, &encoders, NULL), ASSAY_OK);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < n; i++) {
            ck_assert_int_eq(serve_encoders_acquire(encoders, &taken[i], NULL), ASSAY_OK);
            for (size_t j = 0; j < i; j++) ck_assert_ptr_ne(taken[i], taken[j]);
        }
        for (size_t i = 0; i < n; i++) serve_encoders_release(encoders, taken[i], true);
    }
    ck_assert_int_eq(n_opened, n + 2);
    serve_encoders_free(encoders);
    tokenizer_free(t);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/encoders");
    TCase *c = tcase_create("encoders");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, consecutive_texts_share_an_encoder);
    tcase_add_test(c, an_encoder_is_not_kept_after_a_long_text);
    tcase_add_test(c, threads_encode_as_one_does);
    tcase_add_test(c, no_two_have_the_same_encoder);
    suite_add_tcase(s, c);
    return support_run(s);
}
