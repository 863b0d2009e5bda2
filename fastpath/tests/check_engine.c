/* The engine's table, options and handles.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"
#include "fastpath/tests/abi.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char MODEL[] = "qwen3/window";

static void open_engine(void)
{
    abi_open(MODEL, 1);
}

START_TEST(the_table_is_complete)
{
    open_engine();
    ck_assert_uint_eq(engine->abi, ASSAY_ENGINE_ABI);
    ck_assert_uint_eq(engine->size, sizeof *engine);
    ck_assert_str_eq(engine->name, "fastpath");
    ck_assert_int_eq(engine->logits_dtype, ASSAY_F32);
    ck_assert(engine->model_stop_ids && engine->model_arrays && engine->join && engine->leave);
    ck_assert(engine->rewind && engine->fork && engine->tap && engine->taps_can_write && engine->rope);
    abi_close();
}
END_TEST

START_TEST(matrices_of_codes_that_become_float32_are_noted)
{
    ck_assert_int_eq(abi_open_model("llama/fp8-block", NULL), ASSAY_OK);
    const char *note = engine->model_note(model);
    ck_assert_ptr_nonnull(note);
    ck_assert_str_eq(note, "6 matrices of codes are float32 in memory, the first "
                           "model.layers.0.self_attn.q_proj.weight (FP8): its inputs are no multiple of 16");
    engine->model_free(model);
    ck_assert_int_eq(abi_open_model("qwen3/fp8-block", NULL), ASSAY_OK);
    ck_assert_ptr_null(engine->model_note(model));
    engine->model_free(model);
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
        ck_assert_int_eq(abi_open_model(MODEL, NULL), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, REFUSED[i].name, REFUSED[i].says, NULL);
        ck_assert_int_eq(unsetenv(REFUSED[i].name), 0);
    }
    ck_assert_int_eq(setenv("ASSAY_ISA", "scalar", 1), 0);
    ck_assert_int_eq(setenv("ASSAY_WORKERS", "3", 1), 0);
    open_engine();
    abi_close();
}
END_TEST

START_TEST(a_type_that_it_does_not_have_is_refused_by_name)
{
    static const struct {
        const char *dir, *name, *cache, *says;
    } REFUSED[] = {
        {MODEL, "nvfp4", NULL, "compute: found nvfp4, which fastpath does not have"},
        {MODEL, "q8_0", "int8", NULL},
        {"llama/mlx-2bit", "int8-token", NULL, NULL},
        {"llama/mlx-2bit", "q8_K", NULL, "q8_K, which is not defined for model.embed_tokens.weight of MLX"},
        {MODEL, NULL, "fp4", "cache: found fp4, which fastpath does not have"},
        {MODEL, NULL, "q8_0",
         "cache: found q8_0, whose blocks of 32 do not divide the heads of 14 of layer 0"}};
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        const assay_model_options options = {
            .size = sizeof options, .compute_name = REFUSED[i].name, .cache_name = REFUSED[i].cache};
        const assay_status rc = abi_open_model(REFUSED[i].dir, &options);
        if (REFUSED[i].says) support_expect_error(&err, ASSAY_EUNSUPPORTED, REFUSED[i].says, NULL);
        ck_assert_int_eq(rc, REFUSED[i].says ? ASSAY_EUNSUPPORTED : ASSAY_OK);
        if (rc == ASSAY_OK) engine->model_free(model);
    }
    ck_assert_str_eq(engine->compute_types[0], "q8_0");
    ck_assert_str_eq(engine->cache_types[0], "f16");
}
END_TEST

START_TEST(a_path_that_is_no_directory_is_an_error)
{
    open_engine();
    assay_model *none;
    ck_assert_int_ne(engine->model_open("/nonexistent", NULL, &none, &err), ASSAY_OK);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent"));
    abi_close();
}
END_TEST

/* Options structs of a later version of the header. */
START_TEST(a_member_that_is_not_known_is_refused_unless_it_is_zero)
{
    struct {
        assay_model_options options;
        uint64_t later;
    } for_model = {{.size = sizeof for_model}, 0};
    struct {
        assay_session_options options;
        uint64_t later;
    } for_session = {{.size = sizeof for_session, .n_samples = 1}, 0};
    struct {
        assay_step_options options;
        uint64_t later;
    } for_step = {{.size = sizeof for_step}, 0};
    const int32_t token = 1;
    const assay_step step = {.sample = 0, .tokens = &token, .n_tokens = 1};
    for (uint64_t later = 0; later < 2; later++) {
        const assay_status expected = later ? ASSAY_EUNSUPPORTED : ASSAY_OK;
        for_model.later = for_session.later = for_step.later = later;
        open_engine();
        assay_model *other_model = model;
        assay_session *other = session;
        err = (assay_error){0};
        ck_assert_int_eq(engine->session_open(model, &for_session.options, &other, &err), expected);
        if (later) support_expect_error(&err, expected, "session options: the member at byte", NULL);
        ck_assert((other != session) == (later == 0));
        ck_assert_int_eq(engine->step(session, &step, 1, &for_step.options, &err), expected);
        if (later) support_expect_error(&err, expected, "step options: the member at byte", NULL);
        ck_assert_int_eq(abi_open_model(MODEL, &for_model.options), expected);
        if (later) support_expect_error(&err, expected, "model options: the member at byte", NULL);
        ck_assert((other_model != model) == (later == 0));
        if (model != other_model) engine->model_free(model);
        if (other != session) engine->session_free(other);
        model = other_model;
        abi_close();
    }
}
END_TEST

START_TEST(a_reserved_member_that_is_set_is_refused)
{
    open_engine();
    const int32_t token = 1;
    const assay_step step = {.sample = 0, .tokens = &token, .n_tokens = 1};
    const assay_step_options for_step = {.size = sizeof for_step, .reserved = 1};
    const assay_session_options for_session = {.size = sizeof for_session, .reserved = 1};
    assay_session *other = session;
    ck_assert_int_eq(engine->step(session, &step, 1, &for_step, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "step options: reserved is 1", NULL);
    ck_assert_int_eq(engine->session_open(model, &for_session, &other, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "session options: reserved is 1", NULL);
    ck_assert_ptr_eq(other, session);
    abi_close();
}
END_TEST

START_TEST(a_session_without_options_has_no_samples)
{
    open_engine();
    assay_session *own = session;
    size_t sample = 77;
    ck_assert_int_eq(engine->session_open(model, NULL, &session, &err), ASSAY_OK);
    ck_assert_int_eq(abi_step(0, abi_text(0), 1, NULL, 0), ASSAY_EINVAL);
    ck_assert_int_eq(engine->join(session, &sample, &err), ASSAY_OK);
    ck_assert_uint_eq(sample, 0);
    ck_assert_int_eq(abi_step(0, abi_text(0), 1, NULL, 0), ASSAY_OK);
    engine->session_free(session);
    session = own;
    abi_close();
}
END_TEST

START_TEST(a_session_has_as_many_samples_as_were_asked_for)
{
    open_engine();
    engine->session_free(session);
    session = abi_open_session(5, 0, 0);
    float *whole = abi_whole(0);
    for (size_t i = 0; i < 5; i++) abi_expect(i, 0, 0, 3, whole);
    ck_assert_int_eq(abi_step(5, abi_text(0), 1, NULL, 0), ASSAY_EINVAL);
    free(whole);
    abi_close();
}
END_TEST

START_TEST(more_samples_than_a_session_can_have_are_refused)
{
    open_engine();
    assay_session *other = session;
    size_t sample;
    const assay_session_options options = {.size = sizeof options, .n_samples = SIZE_MAX};
    ck_assert_int_eq(engine->session_open(model, &options, &other, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "found 4097 samples, expected at most 4096", NULL);
    ck_assert_ptr_eq(other, session);
    for (size_t i = 1; i < 4096; i++) ck_assert_int_eq(engine->join(session, &sample, &err), ASSAY_OK);
    ck_assert_int_eq(engine->join(session, &sample, &err), ASSAY_EUNSUPPORTED);
    ck_assert_int_eq(engine->leave(session, 7, &err), ASSAY_OK);
    ck_assert_int_eq(engine->join(session, &sample, &err), ASSAY_OK);
    ck_assert_uint_eq(sample, 7);
    abi_close();
}
END_TEST

/* Invalid calls, each in a process of its own, which the engine's assertions or a sanitizer abort. */
static void step_freed(void)
{
    engine->session_free(session);
    (void)abi_step(0, abi_text(0), 1, NULL, 0);
}

static void join_freed(void)
{
    size_t sample;
    engine->session_free(session);
    (void)engine->join(session, &sample, &err);
}

static void leave_freed(void)
{
    engine->session_free(session);
    (void)engine->leave(session, 0, &err);
}

static void rewind_freed(void)
{
    engine->session_free(session);
    (void)engine->rewind(session, 0, 0, &err);
}

static void fork_into_freed(void)
{
    size_t sample;
    assay_session *other = abi_open_session(0, 0, 0);
    engine->session_free(other);
    (void)engine->fork(session, 0, other, &sample, &err);
}

static void tap_freed(void)
{
    engine->session_free(session);
    (void)engine->tap(session, NULL, &err);
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
    (void)engine->session_open(model, NULL, &other, &err);
}

static void step_as_model(void)
{
    session = (assay_session *)(void *)model;
    (void)abi_step(0, abi_text(0), 1, NULL, 0);
}

static void (*const MISUSES[])(void) = {
    step_freed,         join_freed,       leave_freed,     rewind_freed,        fork_into_freed, tap_freed,
    free_session_twice, free_model_first, ask_freed_model, open_on_freed_model, step_as_model};

START_TEST(using_a_freed_handle_aborts)
{
#ifndef NDEBUG
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)close(STDERR_FILENO);
        (void)signal(SIGABRT, SIG_DFL);
        (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        open_engine();
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
    static const size_t BAD[][2] = {{0, 1}, {4, 4}, {4, 9}, {SIZE_MAX, SIZE_MAX}};
    open_engine();
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assay_session *other = session;
        const assay_session_options options = {
            .size = sizeof options, .limit = BAD[i][0], .sink_tokens = BAD[i][1]};
        ck_assert_int_eq(engine->session_open(model, &options, &other, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, " sink tokens, expected fewer", NULL);
        ck_assert_ptr_eq(other, session);
    }
    abi_close(); /* asserts that no other session is open */
}
END_TEST

/* llama/base has no window, so that every layer is limited. */
START_TEST(a_limit_changes_logits_beyond_it_and_limit_0_does_not)
{
    abi_open("llama/base", 1);
    float *whole = abi_whole(0), *logits = abi_blank(ABI_LENGTH * vocab);
    engine->session_free(session);
    session = abi_open_session(1, 11, 4);
    ck_assert_int_eq(abi_step(0, abi_text(0), ABI_LENGTH, logits, ABI_LENGTH), ASSAY_OK);
    ck_assert_mem_eq(logits, whole, 11 * vocab * sizeof *logits);
    ck_assert_int_ne(memcmp(logits + 11 * vocab, whole + 11 * vocab, vocab * sizeof *logits), 0);
    engine->session_free(session);
    session = abi_open_session(1, SIZE_MAX, 0);
    abi_expect(0, 0, 0, ABI_LENGTH, whole);
    free(whole);
    free(logits);
    abi_close();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/engine");
    TCase *tc = tcase_create("engine");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_table_is_complete);
    tcase_add_test(tc, matrices_of_codes_that_become_float32_are_noted);
    tcase_add_test(tc, the_environment_decides_and_is_checked);
    tcase_add_test(tc, a_type_that_it_does_not_have_is_refused_by_name);
    tcase_add_test(tc, a_path_that_is_no_directory_is_an_error);
    tcase_add_test(tc, a_member_that_is_not_known_is_refused_unless_it_is_zero);
    tcase_add_test(tc, a_reserved_member_that_is_set_is_refused);
    tcase_add_test(tc, a_session_without_options_has_no_samples);
    tcase_add_test(tc, a_session_has_as_many_samples_as_were_asked_for);
    tcase_add_test(tc, more_samples_than_a_session_can_have_are_refused);
    tcase_add_loop_test(tc, using_a_freed_handle_aborts, 0, (int)(sizeof MISUSES / sizeof *MISUSES));
    tcase_add_test(tc, a_limit_without_capacity_for_the_latest_is_refused);
    tcase_add_test(tc, a_limit_changes_logits_beyond_it_and_limit_0_does_not);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
