/* Both reference engines through their ABI. The modules are found below $top_builddir, the checkpoint
 * below $top_srcdir.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include "base/tests/support.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const MODULES[] = {"ref32", "ref64"};

enum { N_MODULES = 2, N_TOKENS = 6 };

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

static void open_engine(int module)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/ref/.libs/%s.so", environment("top_builddir"), MODULES[module]);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(handle != NULL, "%s", dlerror());
    assay_engine_fn *table;
    *(void **)&table =
        dlsym(handle, ASSAY_ENGINE_SYMBOL); /* POSIX: converts the result of dlsym to a function pointer */
    ck_assert(table != NULL);
    engine = table();
    (void)snprintf(path, sizeof path, "%s/fixtures/llama/base/model", environment("top_srcdir"));
    ck_assert_msg(engine->model_open(path, &model, &err) == ASSAY_OK, "%s", err.text);
    vocab = engine->model_vocab(model);
    ck_assert_int_eq(engine->session_open(model, &session, &err), ASSAY_OK);
}

static void close_engine(void)
{
    engine->session_free(session);
    engine->model_free(model);
}

/* n logits, all NaN. */
static char *blank(size_t n)
{
    size_t size = engine->logits_dtype == ASSAY_F64 ? 8 : 4;
    char *bytes = malloc(n * size);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 0xff, n * size);
    return bytes;
}

static size_t row_bytes(void)
{
    return vocab * (engine->logits_dtype == ASSAY_F64 ? 8 : 4);
}

static bool is_untouched(const char *row)
{
    for (size_t i = 0; i < row_bytes(); i++)
        if (row[i] != (char)0xff) return false;
    return true;
}

static double logit(const char *logits, size_t i)
{
    return engine->logits_dtype == ASSAY_F64 ? ((const double *)(const void *)logits)[i]
                                             : (double)((const float *)(const void *)logits)[i];
}

/* Some cores of OpenBLAS sum a row in another order if the product has more rows. */
static void expect_alike(const char *a, const char *b, size_t n_rows)
{
    const double bound = engine->logits_dtype == ASSAY_F64 ? 1e-12 : 1e-4;
    for (size_t i = 0; i < n_rows * vocab; i++)
        ck_assert_msg(fabs(logit(a, i) - logit(b, i)) <= bound, "logit %zu: %g and %g", i, logit(a, i),
                      logit(b, i));
}

static assay_status prefill(const int32_t *tokens, const int32_t *length, size_t n_samples, void *logits)
{
    assay_batch batch = {.n_samples = n_samples, .n_tokens = N_TOKENS, .tokens = tokens, .length = length};
    return engine->prefill(session, &batch, logits, &err);
}

START_TEST(the_table_is_complete)
{
    open_engine(_i);
    ck_assert_uint_eq(engine->abi, ASSAY_ENGINE_ABI);
    ck_assert_uint_eq(engine->size, sizeof *engine);
    ck_assert_str_eq(engine->name, MODULES[_i]);
    ck_assert_int_eq(engine->logits_dtype, _i ? ASSAY_F64 : ASSAY_F32);
    close_engine();
}
END_TEST

START_TEST(logits_are_batch_invariant_for_any_left_padding)
{
    open_engine(_i);
    const int32_t batch[] = {99, 99, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, length[] = {4, 6};
    const int32_t alone[] = {7, 7, 3, 4, 5, 6}, alone_length[] = {4};
    char *both = blank(2 * N_TOKENS * vocab), *one = blank(N_TOKENS * vocab);
    ck_assert_msg(prefill(batch, length, 2, both) == ASSAY_OK, "%s", err.text);
    ck_assert_msg(prefill(alone, alone_length, 1, one) == ASSAY_OK, "%s", err.text);
    ck_assert(is_untouched(both) && is_untouched(both + row_bytes()));
    ck_assert(!is_untouched(both + 2 * row_bytes()));
    ck_assert_mem_eq(both, one, N_TOKENS * row_bytes());
    free(both);
    free(one);
    close_engine();
}
END_TEST

START_TEST(a_decode_step_equals_the_longer_prompt)
{
    open_engine(_i);
    const int32_t longer[] = {1, 2, 3, 4, 5, 6}, shorter[] = {0, 1, 2, 3, 4, 5}, six[] = {6}, five[] = {5},
                  next[] = {6};
    char *whole = blank(N_TOKENS * vocab), *part = blank(N_TOKENS * vocab), *row = blank(vocab);
    ck_assert_int_eq(prefill(longer, six, 1, whole), ASSAY_OK);
    ck_assert_int_eq(prefill(shorter, five, 1, part), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, next, row, &err), ASSAY_OK);
    expect_alike(whole + (N_TOKENS - 1) * row_bytes(), row, 1);
    free(whole);
    free(part);
    free(row);
    close_engine();
}
END_TEST

START_TEST(a_sample_without_a_step_is_unchanged)
{
    open_engine(_i);
    const int32_t tokens[] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, length[] = {6, 6}, next[] = {-1, 2};
    char *logits = blank(2 * N_TOKENS * vocab), *rows = blank(2 * vocab);
    ck_assert_int_eq(prefill(tokens, length, 2, logits), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, next, rows, &err), ASSAY_OK);
    ck_assert(is_untouched(rows));
    ck_assert(!is_untouched(rows + row_bytes()));
    free(logits);
    free(rows);
    close_engine();
}
END_TEST

START_TEST(bad_batches_are_refused_by_name)
{
    open_engine(_i);
    const int32_t high[] = {1, 2, 3, 4, 5, (int32_t)vocab}, negative[] = {1, 2, -3, 4, 5, 6},
                  good[] = {1, 2, 3, 4, 5, 6};
    const int32_t six[] = {6}, zero[] = {0}, seven[] = {7};
    char *logits = blank(N_TOKENS * vocab);
    ck_assert_int_eq(prefill(high, six, 1, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "sample 0", "found token 1", "expected 0 to", NULL);
    ck_assert_int_eq(prefill(negative, six, 1, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found token -3", NULL);
    ck_assert_int_eq(prefill(good, zero, 1, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found length 0", "expected 1 to 6", NULL);
    ck_assert_int_eq(prefill(good, seven, 1, logits), ASSAY_EINVAL);
    ck_assert_int_eq(prefill(good, six, 0, logits), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found 0 samples", NULL);
    const assay_tensor image = {.name = "pixel_values", .dtype = ASSAY_F32};
    assay_batch batch = {
        .n_samples = 1, .n_tokens = 6, .tokens = good, .length = six, .inputs = &image, .n_inputs = 1};
    ck_assert_int_eq(engine->prefill(session, &batch, logits, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "'pixel_values'", NULL);
    ck_assert(is_untouched(logits));
    free(logits);
    close_engine();
}
END_TEST

START_TEST(a_limit_without_capacity_for_the_latest_is_refused)
{
    static const size_t BAD[][2] = {{0, 0}, {4, 4}, {4, 9}, {SIZE_MAX, SIZE_MAX}};
    open_engine(_i);
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        assay_session *other = session;
        const assay_session_options options = {
            .size = sizeof options, .limit = BAD[i][0], .sink_tokens = BAD[i][1]};
        ck_assert_int_eq(engine->session_open_with(model, &options, &other, &err), ASSAY_EINVAL);
        support_expect_error(&err, ASSAY_EINVAL, i ? " sink tokens, expected fewer" : "found limit 0", NULL);
        ck_assert_ptr_eq(other, session);
    }
    close_engine();
}
END_TEST

/* With a limit of three positions, of which the first is sink_tokens: the last token attends to the same
 * keys, the tokens between do not. */
START_TEST(a_limit_masks_positions_after_the_sink_tokens_in_prefill_and_decode)
{
    open_engine(_i);
    const int32_t tokens[] = {7, 1, 2, 3, 4, 5}, length[] = {N_TOKENS}, shorter[] = {N_TOKENS - 1};
    const int32_t next[] = {5};
    const assay_session_options options = {.size = sizeof options, .limit = 3, .sink_tokens = 1};
    const size_t last = (N_TOKENS - 1) * row_bytes();
    char *whole = blank(N_TOKENS * vocab), *part = blank(N_TOKENS * vocab), *step = blank(vocab);
    ck_assert_int_eq(prefill(tokens, length, 1, part), ASSAY_OK);
    engine->session_free(session);
    ck_assert_int_eq(engine->session_open_with(model, &options, &session, &err), ASSAY_OK);
    ck_assert_int_eq(prefill(tokens, length, 1, whole), ASSAY_OK);
    ck_assert_mem_eq(whole, part, 3 * row_bytes());
    for (size_t t = 3; t < N_TOKENS; t++)
        ck_assert_mem_ne(whole + t * row_bytes(), part + t * row_bytes(), row_bytes());
    const assay_batch batch = {.n_samples = 1, .n_tokens = N_TOKENS - 1, .tokens = tokens, .length = shorter};
    ck_assert_int_eq(engine->prefill(session, &batch, part, &err), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, next, step, &err), ASSAY_OK);
    expect_alike(part, whole, N_TOKENS - 1);
    expect_alike(step, whole + last, 1);
    free(whole);
    free(part);
    free(step);
    close_engine();
}
END_TEST

START_TEST(decode_before_prefill_and_bad_tokens_are_refused)
{
    open_engine(_i);
    const int32_t tokens[] = {1, 2, 3, 4, 5, 6}, six[] = {6}, high[] = {(int32_t)vocab}, low[] = {-2};
    char *logits = blank(N_TOKENS * vocab);
    ck_assert_int_eq(engine->decode(session, six, logits, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "nothing was prefilled", NULL);
    ck_assert_int_eq(prefill(tokens, six, 1, logits), ASSAY_OK);
    ck_assert_int_eq(engine->decode(session, high, logits, &err), ASSAY_EINVAL);
    ck_assert_int_eq(engine->decode(session, low, logits, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "decode", "found token -2", NULL);
    free(logits);
    close_engine();
}
END_TEST

static void count_traces(void *context, size_t sample, const assay_tensor *tensor)
{
    size_t *n = context;
    ck_assert_uint_eq(sample, 0);
    ck_assert_uint_eq(tensor->rank, 2);
    ck_assert_uint_eq(tensor->shape[0], 4); /* without padding */
    n[0]++;
    if (strcmp(tensor->name, "embed") == 0 || strcmp(tensor->name, "layer.00.out") == 0 ||
        strcmp(tensor->name, "norm") == 0)
        n[1]++;
}

START_TEST(traces_are_named_and_free_of_padding)
{
    open_engine(_i);
    const int32_t tokens[] = {0, 0, 3, 4, 5, 6}, four[] = {4};
    size_t n[2] = {0}, before;
    char *logits = blank(N_TOKENS * vocab);
    engine->session_trace(session, count_traces, n);
    ck_assert_int_eq(prefill(tokens, four, 1, logits), ASSAY_OK);
    ck_assert_uint_eq(n[1], 3);
    before = n[0];
    engine->session_trace(session, NULL, NULL);
    ck_assert_int_eq(prefill(tokens, four, 1, logits), ASSAY_OK);
    ck_assert_uint_eq(n[0], before);
    free(logits);
    close_engine();
}
END_TEST

/* Overwrites the embedding of the tokens 3, 4, 5, 6 by that of 6, 5, 4, 3. */
static void reverse_embedding(void *context, size_t sample, const assay_tensor *tensor, void *data)
{
    size_t *n = context;
    ck_assert_uint_eq(sample, 0);
    ck_assert(tensor->data == data);
    n[0]++;
    if (strcmp(tensor->name, "embed") != 0) return;
    size_t bytes = tensor->shape[1] * (tensor->dtype == ASSAY_F64 ? 8 : 4);
    char *rows = data, swap[4096];
    ck_assert_uint_le(bytes, sizeof swap);
    for (size_t t = 0; t < tensor->shape[0] / 2; t++) {
        char *a = rows + t * bytes, *b = rows + (tensor->shape[0] - 1 - t) * bytes;
        memcpy(swap, a, bytes);
        memcpy(a, b, bytes);
        memcpy(b, swap, bytes);
    }
}

START_TEST(an_override_changes_later_tensors)
{
    open_engine(_i);
    const int32_t tokens[] = {0, 0, 3, 4, 5, 6}, reversed[] = {0, 0, 6, 5, 4, 3}, four[] = {4};
    size_t n_overrides[1] = {0}, n_traces[2] = {0};
    char *changed = blank(N_TOKENS * vocab), *logits = blank(N_TOKENS * vocab);
    engine->session_override(session, reverse_embedding, n_overrides);
    engine->session_trace(session, count_traces, n_traces);
    ck_assert_int_eq(prefill(tokens, four, 1, changed), ASSAY_OK);
    ck_assert_uint_eq(n_overrides[0], n_traces[0]);
    engine->session_trace(session, NULL, NULL);
    engine->session_override(session, NULL, NULL);
    ck_assert_int_eq(prefill(reversed, four, 1, logits), ASSAY_OK);
    ck_assert_mem_eq(changed, logits, N_TOKENS * row_bytes());
    ck_assert_uint_eq(n_overrides[0], n_traces[0]);
    free(changed);
    free(logits);
    close_engine();
}
END_TEST

START_TEST(a_rope_that_is_not_understood_is_refused)
{
    open_engine(_i);
    const int32_t position[] = {0, 1};
    double x[16] = {0}, out[16], cosine[16], sine[16];
    size_t dim = 77;
    assay_rope_request request = {.config = "{\"rope_type\": \"wavy\"}",
                                  .n_axes = 1,
                                  .n_positions = 2,
                                  .n_heads = 1,
                                  .head_dim = 8,
                                  .position = position,
                                  .x = x};
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "rope_type: found \"wavy\"", NULL);
    request.config = "{\"max_position_embeddings\": 64, \"partial_rotary_fraction\": 0.5}";
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED,
                         "partial_rotary_fraction: found 0.5, which is not understood", NULL);
    ck_assert_ptr_null(strstr(err.text, "--allow-unknown"));
    request.config = "{\"rope_type\": ";
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EFORMAT);
    request.config = "{\"head_dim\": 6}";
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EFORMAT);
    support_expect_error(&err, ASSAY_EFORMAT, "head_dim", NULL);
    request.config = "{}";
    request.n_axes = 2;
    ck_assert_int_eq(engine->rope(&request, out, cosine, sine, &dim, &err), ASSAY_EINVAL);
    ck_assert_uint_eq(dim, 77);
    close_engine();
}
END_TEST

START_TEST(a_type_and_kernels_cannot_be_asked_for)
{
    assay_model *other = NULL;
    assay_model_options options = {.size = sizeof options, .compute = ASSAY_F32};
    open_engine(_i);
    ck_assert_int_eq(engine->model_open_with("/nonexistent", &options, &other, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "no choice of the type that it computes in", NULL);
    options = (assay_model_options){.size = sizeof options, .kernels = (const void *)&options};
    ck_assert_int_eq(engine->model_open_with("/nonexistent", &options, &other, &err), ASSAY_EUNSUPPORTED);
    support_expect_error(&err, ASSAY_EUNSUPPORTED, "takes no kernels", NULL);
    ck_assert_ptr_null(other);
    close_engine();
}
END_TEST

START_TEST(a_missing_checkpoint_is_an_error)
{
    open_engine(_i);
    assay_model *other = NULL;
    ck_assert_int_eq(engine->model_open("/no/such/directory", &other, &err), ASSAY_EIO);
    ck_assert_ptr_null(other);
    engine->model_free(NULL);
    engine->session_free(NULL);
    close_engine();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ref/engine");
    TCase *all = tcase_create("all");
    tcase_add_loop_test(all, the_table_is_complete, 0, N_MODULES);
    tcase_add_loop_test(all, logits_are_batch_invariant_for_any_left_padding, 0, N_MODULES);
    tcase_add_loop_test(all, a_decode_step_equals_the_longer_prompt, 0, N_MODULES);
    tcase_add_loop_test(all, a_sample_without_a_step_is_unchanged, 0, N_MODULES);
    tcase_add_loop_test(all, bad_batches_are_refused_by_name, 0, N_MODULES);
    tcase_add_loop_test(all, a_limit_without_capacity_for_the_latest_is_refused, 0, N_MODULES);
    tcase_add_loop_test(all, a_limit_masks_positions_after_the_sink_tokens_in_prefill_and_decode, 0,
                        N_MODULES);
    tcase_add_loop_test(all, decode_before_prefill_and_bad_tokens_are_refused, 0, N_MODULES);
    tcase_add_loop_test(all, traces_are_named_and_free_of_padding, 0, N_MODULES);
    tcase_add_loop_test(all, an_override_changes_later_tensors, 0, N_MODULES);
    tcase_add_loop_test(all, a_rope_that_is_not_understood_is_refused, 0, N_MODULES);
    tcase_add_loop_test(all, a_type_and_kernels_cannot_be_asked_for, 0, N_MODULES);
    tcase_add_loop_test(all, a_missing_checkpoint_is_an_error, 0, N_MODULES);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
