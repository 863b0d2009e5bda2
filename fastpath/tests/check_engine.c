/* The engine through its ABI.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include "base/tests/support.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_TOKENS = 6 };

static const assay_engine *engine;
static assay_model *model;
static assay_session *session;
static size_t vocab;
static assay_error err;

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : ".";
}

static assay_status open_model(void)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/fastpath/.libs/fastpath.so", environment("top_builddir"));
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    assay_engine_fn *table;
    *(void **)&table = dlsym(handle, ASSAY_ENGINE_SYMBOL); /* POSIX: how a function is had from dlsym */
    ck_assert(table != NULL);
    engine = table();
    (void)snprintf(path, sizeof path, "%s/fixtures/qwen3/window/model", environment("top_srcdir"));
    return engine->model_open(path, &model, &err);
}

static void open_engine(void)
{
    ck_assert_msg(open_model() == ASSAY_OK, "%s", err.text);
    vocab = engine->model_vocab(model);
    ck_assert_int_eq(engine->session_open(model, &session, &err), ASSAY_OK);
}

static void close_engine(void)
{
    engine->session_free(session);
    engine->model_free(model);
}

static float *blank(size_t n)
{
    float *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    memset(x, 0xff, n * sizeof *x);
    return x;
}

static assay_status prefill(const int32_t *tokens, const int32_t *length, size_t n_samples, float *logits)
{
    assay_batch batch = {.n_samples = n_samples, .n_tokens = N_TOKENS, .tokens = tokens, .length = length};
    return engine->prefill(session, &batch, logits, &err);
}

START_TEST(the_table_is_complete)
{
    open_engine();
    ck_assert_uint_eq(engine->abi, ASSAY_ENGINE_ABI);
    ck_assert_uint_eq(engine->size, sizeof *engine);
    ck_assert_str_eq(engine->name, "fastpath");
    ck_assert_int_eq(engine->logits_dtype, ASSAY_F32);
    ck_assert(engine->session_trace && engine->session_override && engine->rope && engine->model_stop_ids);
    ck_assert(engine->prefill_last && engine->session_open_with);
    close_engine();
}
END_TEST

START_TEST(the_environment_decides_and_is_checked)
{
    static const struct {
        const char *name, *value, *says;
    } REFUSED[] = {
        {"ASSAY_ISA", "sse9", "expected one of scalar, neon, avx2, avx512, avx512bf16, amx"},
        {"ASSAY_WORKERS", "0", "expected 1 to 256"},
        {"ASSAY_WORKERS", "257", "found \"257\""},
        {"ASSAY_WORKERS", "two", "found \"two\""},
        {"ASSAY_WORKERS", "-1", "found \"-1\""},
        {"ASSAY_WORKERS", "2x", "found \"2x\""},
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        ck_assert_int_eq(setenv(REFUSED[i].name, REFUSED[i].value, 1), 0);
        ck_assert_int_eq(open_model(), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, REFUSED[i].name, REFUSED[i].says, NULL);
        ck_assert_int_eq(unsetenv(REFUSED[i].name), 0);
    }
    ck_assert_int_eq(setenv("ASSAY_ISA", "scalar", 1), 0);
    ck_assert_int_eq(setenv("ASSAY_WORKERS", "3", 1), 0);
    open_engine();
    close_engine();
}
END_TEST

START_TEST(a_path_that_is_no_directory_is_an_error)
{
    open_engine();
    assay_model *none;
    ck_assert_int_ne(engine->model_open("/nonexistent", &none, &err), ASSAY_OK);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent"));
    close_engine();
}
END_TEST

START_TEST(a_refused_batch_leaves_the_session_as_it_was)
{
    open_engine();
    const int32_t tokens[] = {9, 9, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, length[] = {4, 6}, next[] = {7, 8};
    const int32_t bad_tokens[] = {9, 9, 3, 4, 5, 6, 1, 2, 3, 4, 5, 1 << 30}, zero[] = {4, 0},
                  long_[] = {7, 6}, minus_two[] = {7, -2};
    float *logits = blank(2 * N_TOKENS * vocab), *expected = blank(2 * vocab), *step = blank(2 * vocab);
    ck_assert_int_eq(prefill(tokens, length, 2, logits), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, next, expected, &err), ASSAY_OK);
    ck_assert_int_eq(prefill(tokens, length, 2, logits), ASSAY_OK);
    ck_assert_int_eq(prefill(bad_tokens, length, 2, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "sample 1", "found token 1073741824", NULL);
    ck_assert_int_eq(prefill(tokens, zero, 2, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "sample 1: found length 0, expected 1 to 6", NULL);
    ck_assert_int_eq(prefill(tokens, long_, 2, logits), ASSAY_EINVAL);
    ck_assert_int_eq(prefill(tokens, length, 0, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found 0 samples", NULL);
    ck_assert_int_eq(engine->decode(session, minus_two, step, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "decode: sample 1: found token -2", NULL);
    ck_assert_int_eq(engine->decode(session, next, step, &err), ASSAY_OK);
    ck_assert_mem_eq(step, expected, 2 * vocab * sizeof *step);
    free(logits);
    free(expected);
    free(step);
    close_engine();
}
END_TEST

START_TEST(prefill_last_is_bit_identical_to_prefill)
{
    open_engine();
    const int32_t tokens[] = {9, 9, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, length[] = {4, 6}, next[] = {7, 8};
    float *all = blank(2 * N_TOKENS * vocab), *last = blank(3 * vocab), *none = blank(vocab);
    float *expected = blank(2 * vocab), *step = blank(2 * vocab);
    const assay_batch batch = {.n_samples = 2, .n_tokens = N_TOKENS, .tokens = tokens, .length = length};
    ck_assert_int_eq(engine->prefill(session, &batch, all, &err), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, next, expected, &err), ASSAY_OK);
    ck_assert_int_eq(engine->prefill_last(session, &batch, last, &err), ASSAY_OK);
    for (size_t b = 0; b < 2; b++)
        ck_assert_mem_eq(last + b * vocab, all + ((b + 1) * N_TOKENS - 1) * vocab, vocab * sizeof *last);
    ck_assert_mem_eq(last + 2 * vocab, none, vocab * sizeof *last);
    ck_assert_int_eq(engine->decode(session, next, step, &err), ASSAY_OK);
    ck_assert_mem_eq(step, expected, 2 * vocab * sizeof *step);
    const assay_batch empty = {.n_tokens = N_TOKENS, .tokens = tokens, .length = length};
    ck_assert_int_eq(engine->prefill_last(session, &empty, last, &err), ASSAY_EINVAL);
    free(all);
    free(last);
    free(none);
    free(expected);
    free(step);
    close_engine();
}
END_TEST

START_TEST(an_unknown_input_is_refused)
{
    open_engine();
    const int32_t tokens[] = {1, 2, 3, 4, 5, 6}, length[] = {6};
    const assay_tensor image = {.name = "pixel_values"};
    const assay_batch batch = {.n_samples = 1,
                               .n_tokens = N_TOKENS,
                               .tokens = tokens,
                               .length = length,
                               .inputs = &image,
                               .n_inputs = 1};
    ck_assert_int_eq(engine->prefill(session, &batch, NULL, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "pixel_values", NULL);
    close_engine();
}
END_TEST

/* Invalid calls, each in a process of its own, which the engine's assertions or a sanitizer abort. */
static void decode_freed(void)
{
    engine->session_free(session);
    (void)engine->decode(session, (const int32_t[]){1}, NULL, &err);
}

static void prefill_freed(void)
{
    const int32_t tokens[] = {1, 2, 3, 4, 5, 6}, length[] = {6};
    float *logits = blank(N_TOKENS * vocab);
    engine->session_free(session);
    (void)prefill(tokens, length, 1, logits);
}

static void trace_freed(void)
{
    engine->session_free(session);
    engine->session_trace(session, NULL, NULL);
}

static void free_session_twice(void)
{
    engine->session_free(session);
    engine->session_free(session);
}

static void free_model_first(void)
{
    engine->model_free(model);
}

static void ask_freed_model(void)
{
    engine->session_free(session);
    engine->model_free(model);
    (void)engine->model_vocab(model);
}

static void open_on_freed_model(void)
{
    assay_session *other;
    engine->session_free(session);
    engine->model_free(model);
    (void)engine->session_open(model, &other, &err);
}

static void decode_as_model(void)
{
    (void)engine->decode((assay_session *)(void *)model, (const int32_t[]){1}, NULL, &err);
}

static void (*const MISUSES[])(void) = {decode_freed,        prefill_freed,    trace_freed,
                                        free_session_twice,  free_model_first, ask_freed_model,
                                        open_on_freed_model, decode_as_model};

START_TEST(using_a_freed_handle_aborts)
{
#ifndef NDEBUG
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)close(STDERR_FILENO);
        (void)signal(SIGABRT, SIG_DFL);
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        if (open_model() != ASSAY_OK || engine->session_open(model, &session, &err) != ASSAY_OK) _exit(0);
        vocab = engine->model_vocab(model);
        MISUSES[_i]();
        _exit(0);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != 0, "it went on");
    ck_assert(!WIFSIGNALED(status) || WTERMSIG(status) == SIGABRT);
#endif
}
END_TEST

START_TEST(a_limit_without_capacity_for_the_latest_is_refused)
{
    static const size_t BAD[][2] = {{0, 0}, {4, 4}, {4, 9}, {SIZE_MAX, SIZE_MAX}};
    open_engine();
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assay_session *other = session;
        const assay_session_options options = {
            .size = sizeof options, .limit = BAD[i][0], .sink_tokens = BAD[i][1]};
        ck_assert_int_eq(engine->session_open_with(model, &options, &other, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, i ? " sink tokens, expected fewer" : "found limit 0", NULL);
        ck_assert_ptr_eq(other, session);
    }
    close_engine(); /* asserts that no other session is open */
}
END_TEST

START_TEST(decoding_nothing_is_an_error)
{
    open_engine();
    const int32_t next[] = {1};
    ck_assert_int_eq(engine->decode(session, next, NULL, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "nothing was prefilled", NULL);
    close_engine();
}
END_TEST

START_TEST(samples_without_a_step_are_unchanged)
{
    open_engine();
    const int32_t tokens[] = {9, 9, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, length[] = {4, 6}, rest[] = {-1, -1};
    float *logits = blank(2 * N_TOKENS * vocab), *step = blank(2 * vocab), *none = blank(2 * vocab);
    ck_assert_int_eq(prefill(tokens, length, 2, logits), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, rest, step, &err), ASSAY_OK);
    ck_assert_mem_eq(step, none, 2 * vocab * sizeof *step);
    free(logits);
    free(step);
    free(none);
    close_engine();
}
END_TEST

/* Traced tensors of each sample, each a batch of one in one pass, in order; an override of the first changes
 * the input of the head. */
typedef struct trace_counts {
    size_t n_embed, n_norm, rows[2];
} trace_counts;

static void count_trace(void *context, size_t sample, const assay_tensor *tensor)
{
    trace_counts *h = context;
    ck_assert_uint_lt(sample, 2);
    if (strcmp(tensor->name, "embed") == 0) h->rows[sample] = tensor->shape[0];
    h->n_embed += strcmp(tensor->name, "embed") == 0;
    h->n_norm += strcmp(tensor->name, "norm") == 0;
}

static void zero_norm(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    (void)context;
    if (sample == 1 && strcmp(tensor->name, "norm") == 0)
        memset(data, 0, tensor->shape[0] * tensor->shape[1] * sizeof(float));
}

START_TEST(tensors_cover_each_whole_sample_and_can_be_overwritten)
{
    open_engine();
    const int32_t tokens[] = {9, 9, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, length[] = {4, 6};
    float *plain = blank(2 * N_TOKENS * vocab), *traced = blank(2 * N_TOKENS * vocab);
    trace_counts h = {0};
    ck_assert_int_eq(prefill(tokens, length, 2, plain), ASSAY_OK);
    engine->session_trace(session, count_trace, &h);
    ck_assert_int_eq(prefill(tokens, length, 2, traced), ASSAY_OK);
    ck_assert(h.n_embed == 2 && h.n_norm == 2 && h.rows[0] == 4 && h.rows[1] == 6);
    ck_assert_mem_eq(plain, traced, 2 * N_TOKENS * vocab * sizeof *plain);
    engine->session_trace(session, NULL, NULL);
    engine->session_override(session, zero_norm, NULL);
    ck_assert_int_eq(prefill(tokens, length, 2, traced), ASSAY_OK);
    ck_assert_mem_eq(plain, traced, N_TOKENS * vocab * sizeof *plain);
    for (size_t i = 0; i < N_TOKENS * vocab; i++) ck_assert(traced[N_TOKENS * vocab + i] == 0);
    ck_assert_uint_eq(h.n_norm, 2);
    free(plain);
    free(traced);
    close_engine();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/engine");
    TCase *tc = tcase_create("engine");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_table_is_complete);
    tcase_add_test(tc, the_environment_decides_and_is_checked);
    tcase_add_test(tc, a_path_that_is_no_directory_is_an_error);
    tcase_add_test(tc, a_refused_batch_leaves_the_session_as_it_was);
    tcase_add_test(tc, prefill_last_is_bit_identical_to_prefill);
    tcase_add_test(tc, an_unknown_input_is_refused);
    tcase_add_loop_test(tc, using_a_freed_handle_aborts, 0, (int)(sizeof MISUSES / sizeof *MISUSES));
    tcase_add_test(tc, a_limit_without_capacity_for_the_latest_is_refused);
    tcase_add_test(tc, decoding_nothing_is_an_error);
    tcase_add_test(tc, samples_without_a_step_are_unchanged);
    tcase_add_test(tc, tensors_cover_each_whole_sample_and_can_be_overwritten);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
