/* The engine on kernels from outside.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/kernel.h>

#include "base/tests/support.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_TOKENS = 6 };

static const assay_engine *engine;
static assay_kernels kernels; /* the engine's own, as it exports them */
static assay_model *model;
static assay_error err;
static const char *checkpoint = "qwen3/window/model";

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value ? value : ".";
}

static void setup(void)
{
    char path[4096];
    assay_engine_fn *engine_table;
    assay_kernels_fn *kernels_table;
    (void)snprintf(path, sizeof path, "%s/fastpath/fastpath.so", environment("top_builddir"));
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    *(void **)&engine_table =
        dlsym(handle, ASSAY_ENGINE_SYMBOL); /* POSIX: how a function is had from dlsym */
    *(void **)&kernels_table = dlsym(handle, ASSAY_KERNELS_SYMBOL);
    ck_assert(engine_table && kernels_table);
    engine = engine_table();
    kernels = *kernels_table();
}

static assay_status open_with(assay_dtype compute, const assay_kernels *given)
{
    char path[4096];
    const assay_model_options options = {
        .size = sizeof options, .compute = (uint32_t)compute, .kernels = given};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s", environment("top_srcdir"), checkpoint);
    return engine->model_open(path, &options, &model, &err);
}

/* The logits of one prompt; owned by the caller. */
static float *answer_in(assay_dtype compute, const assay_kernels *given, size_t *n)
{
    static const int32_t tokens[N_TOKENS] = {1, 2, 3, 4, 5, 6};
    const assay_session_options options = {.size = sizeof options, .n_samples = 1};
    assay_session *session;
    ck_assert_msg(open_with(compute, given) == ASSAY_OK, "%s", err.text);
    *n = N_TOKENS * engine->model_vocab(model);
    float *logits = calloc(*n, sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    const assay_output output = {.name = "logits", .n_last = N_TOKENS, .data = logits};
    const assay_step step = {
        .sample = 0, .tokens = tokens, .n_tokens = N_TOKENS, .outputs = &output, .n_outputs = 1};
    ck_assert_int_eq(engine->session_open(model, &options, &session, &err), ASSAY_OK);
    ck_assert_int_eq(engine->step(session, &step, 1, NULL, &err), ASSAY_OK);
    engine->session_free(session);
    engine->model_free(model);
    return logits;
}

static float *compute_logits(const assay_kernels *given, size_t *n)
{
    return answer_in(ASSAY_F32, given, n);
}

static assay_rms_norm_fn *own_norm;
static size_t n_norms;

static void counted_norm(float *y, size_t ld_y, const float *x, size_t ld_x, size_t n_rows, size_t width,
                         const float *weight, double epsilon)
{
    __atomic_add_fetch(&n_norms, 1, __ATOMIC_RELAXED);
    own_norm(y, ld_y, x, ld_x, n_rows, width, weight, epsilon);
}

static assay_attention_fn *own_attention;
static size_t n_attended, n_not_bfloat16;

static void watched_attention(const assay_attention_call *c)
{
    for (size_t r = 0; r < c->n_rows; r++)
        for (size_t i = 0; i < c->n_heads * c->head_dim; i++) {
            uint32_t bits;
            memcpy(&bits, &c->q[r * c->ld_q + i], sizeof bits);
            if (bits & 0xFFFF) __atomic_add_fetch(&n_not_bfloat16, 1, __ATOMIC_RELAXED);
        }
    __atomic_add_fetch(&n_attended, 1, __ATOMIC_RELAXED);
    own_attention(c);
}

START_TEST(queries_for_pages_of_bfloat16_are_bfloat16)
{
    static const assay_dtype TYPES[] = {ASSAY_BF16, ASSAY_I8};
    size_t n;
    own_attention = kernels.attention_bf16->f32;
    const assay_attention attention = {.size = sizeof attention, .f32 = watched_attention};
    const assay_kernels watching = {
        .abi = ASSAY_KERNELS_ABI, .size = sizeof watching, .name = "watching", .attention_bf16 = &attention};
    free(answer_in(TYPES[_i], &watching, &n));
    ck_assert_uint_gt(n_attended, 0);
    ck_assert_uint_eq(n_not_bfloat16, 0);
}
END_TEST

START_TEST(external_kernels_are_used)
{
    size_t n;
    float *own = compute_logits(NULL, &n);
    own_norm = kernels.rms_norm->f32;
    const assay_rms_norm norm = {.size = sizeof norm, .f32 = counted_norm};
    kernels.rms_norm = &norm;
    float *given = compute_logits(&kernels, &n);
    ck_assert_uint_gt(n_norms, 0);
    ck_assert_mem_eq(own, given, n * sizeof *own);
    free(own);
    free(given);
}
END_TEST

START_TEST(a_model_that_needs_a_product_which_kernels_lack_is_refused)
{
    assay_matmul matmul = *kernels.matmul_bf16;
    matmul.bf16 = NULL;
    kernels.matmul_bf16 = &matmul;
    ck_assert_int_eq(open_with(ASSAY_F32, &kernels), ASSAY_OK);
    engine->model_free(model);
    ck_assert_int_eq(open_with(ASSAY_BF16, &kernels), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "qwen3/window/model: kernels ", kernels.name,
                         ": matmul_bf16 has no bf16", NULL);
}
END_TEST

static size_t n_stored;

static void counted_stored(const assay_stored_product *p)
{
    __atomic_add_fetch(&n_stored, 1, __ATOMIC_RELAXED);
    kernels.matmul_stored->f32(p);
}

START_TEST(matrices_that_matmul_stored_supports_go_to_it)
{
    assay_matmul_stored stored = *kernels.matmul_stored;
    const assay_kernels given = {
        .abi = ASSAY_KERNELS_ABI, .size = sizeof given, .name = "counting", .matmul_stored = &stored};
    size_t n;
    stored.f32 = counted_stored;
    stored.bf16 = NULL;
    checkpoint = "qwen3/gguf-q4_k_m/model/model.gguf";
    free(answer_in(ASSAY_F32, &given, &n));
    ck_assert_uint_gt(n_stored, 0);
    ck_assert_int_eq(open_with(ASSAY_BF16, &given), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "kernels counting: matmul_stored has no bf16", NULL);
}
END_TEST

START_TEST(a_table_of_another_abi_is_refused)
{
    kernels.abi++;
    ck_assert_int_eq(open_with(ASSAY_F32, &kernels), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "built for kernel ABI 3, expected 2", NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/outside");
    TCase *tc = tcase_create("outside");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_test(tc, external_kernels_are_used);
    tcase_add_loop_test(tc, queries_for_pages_of_bfloat16_are_bfloat16, 0, 2);
    tcase_add_test(tc, a_model_that_needs_a_product_which_kernels_lack_is_refused);
    tcase_add_test(tc, matrices_that_matmul_stored_supports_go_to_it);
    tcase_add_test(tc, a_table_of_another_abi_is_refused);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
