/* Sessions with limited caches: their memory, and invalid limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "fastpath/session/session.h"

enum { N_LAYERS = 3, LENGTH = 700, LIMIT = 70, SINK_TOKENS = 4 };

/* The linker sends calls here; without forks a page has one user. */
fp_page *__real_fp_page_make(size_t n_bytes, fp_page_fill fill);
fp_page *__wrap_fp_page_make(size_t n_bytes, fp_page_fill fill);
void __real_fp_page_release(fp_page *page);
void __wrap_fp_page_release(fp_page *page);

static size_t n_pages, most_pages;

fp_page *__wrap_fp_page_make(size_t n_bytes, fp_page_fill fill)
{
    n_pages++;
    if (n_pages > most_pages) most_pages = n_pages;
    return __real_fp_page_make(n_bytes, fill);
}

void __wrap_fp_page_release(fp_page *page)
{
    n_pages -= page != NULL;
    __real_fp_page_release(page);
}

static fp_model *model;
static fp_session *session;
static assay_error err;

static void open_all(size_t limit, size_t sink_tokens)
{
    char path[4096];
    const char *top = getenv("top_srcdir");
    fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = 2, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/llama/base/model", top ? top : ".");
    ck_assert_msg(fp_model_open(path, &options, &model, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(model->plan->n_layers, N_LAYERS);
    ck_assert_int_eq(fp_session_open(model, &session, &err), ASSAY_OK);
    ck_assert_int_eq(fp_session_limit(session, limit, sink_tokens, &err), ASSAY_OK);
    n_pages = most_pages = 0;
}

static void close_all(void)
{
    fp_session_free(session);
    ck_assert_uint_eq(n_pages, 0);
    fp_model_free(model);
}

static size_t join(fp_session *s)
{
    size_t slot;
    ck_assert_int_eq(fp_session_join(s, &slot, &err), ASSAY_OK);
    return slot;
}

/* Appends n tokens, `chunk` in each step. */
static void append_tokens(size_t slot, size_t n, size_t chunk)
{
    int32_t tokens[LENGTH];
    for (size_t t = 0; t < n; t++) tokens[t] = (int32_t)((t * t * 5 + t * 11 + 1) % 90);
    for (size_t at = 0; at < n; at += chunk) {
        fp_step step = {.slot = slot, .tokens = tokens + at, .n_tokens = n - at < chunk ? n - at : chunk};
        ck_assert_msg(fp_session_step(session, &step, 1, NULL, &err) == ASSAY_OK, "%s", err.text);
    }
}

/* Pages that n positions touch at most, wherever they begin. */
static size_t pages_touched(size_t n)
{
    return (n + ASSAY_PAGE - 2) / ASSAY_PAGE + 1;
}

/* Besides the sink tokens and the window, a pass needs capacity for its own rows. */
START_TEST(pages_outside_every_window_are_freed)
{
    static const size_t AT_ONCE[] = {1, 7, 64, LENGTH};
    for (size_t i = 0; i < sizeof AT_ONCE / sizeof *AT_ONCE; i++) {
        size_t rows = AT_ONCE[i] < FP_CHUNK ? AT_ONCE[i] : FP_CHUNK;
        open_all(LIMIT, SINK_TOKENS);
        append_tokens(join(session), LENGTH, AT_ONCE[i]);
        ck_assert_uint_le(n_pages, N_LAYERS * (1 + pages_touched(LIMIT - SINK_TOKENS)));
        ck_assert_uint_le(most_pages, N_LAYERS * (1 + pages_touched(LIMIT - SINK_TOKENS + rows)));
        close_all();
    }
}
END_TEST

START_TEST(without_a_limit_all_pages_stay)
{
    open_all(0, 0);
    append_tokens(join(session), LENGTH, 7);
    ck_assert_uint_eq(n_pages, N_LAYERS * ((LENGTH + ASSAY_PAGE - 1) / ASSAY_PAGE));
    close_all();
}
END_TEST

START_TEST(a_fork_makes_no_pages)
{
    size_t slot, fork;
    open_all(LIMIT, SINK_TOKENS);
    slot = join(session);
    append_tokens(slot, 300, 50);
    size_t before = n_pages;
    ck_assert_int_eq(fp_session_fork(session, slot, session, &fork, &err), ASSAY_OK);
    ck_assert_uint_eq(n_pages, before);
    ck_assert_int_eq(fp_session_leave(session, fork, &err), ASSAY_OK);
    n_pages = before; /* the fork released what its origin still holds */
    close_all();
}
END_TEST

START_TEST(a_limit_without_capacity_for_the_latest_is_refused)
{
    open_all(0, 0);
    ck_assert_int_eq(fp_session_limit(session, 0, 1, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found 1 sink tokens", "fewer than the limit, 0", NULL);
    ck_assert_int_eq(fp_session_limit(session, 4, 4, &err), ASSAY_EINVAL);
    support_expect_error(&err, ASSAY_EINVAL, "found 4 sink tokens", "fewer than the limit, 4", NULL);
    ck_assert_int_eq(fp_session_limit(session, 4, 5, &err), ASSAY_EINVAL);
    append_tokens(join(session), 300, 64); /* as without a limit */
    ck_assert_uint_eq(n_pages, N_LAYERS * ((300 + ASSAY_PAGE - 1) / ASSAY_PAGE));
    close_all();
}
END_TEST

START_TEST(a_fork_into_a_session_with_other_limits_is_refused)
{
    static const size_t OTHERS[][2] = {{LIMIT, SINK_TOKENS - 1}, {LIMIT + 1, SINK_TOKENS}, {0, 0}};
    open_all(LIMIT, SINK_TOKENS);
    size_t slot = join(session), forked = 77;
    append_tokens(slot, 5, 5);
    for (size_t i = 0; i <= sizeof OTHERS / sizeof *OTHERS; i++) {
        const bool same = i == sizeof OTHERS / sizeof *OTHERS;
        fp_session *other;
        ck_assert_int_eq(fp_session_open(model, &other, &err), ASSAY_OK);
        ck_assert_int_eq(
            fp_session_limit(other, same ? LIMIT : OTHERS[i][0], same ? SINK_TOKENS : OTHERS[i][1], &err),
            ASSAY_OK);
        ck_assert_int_eq(fp_session_fork(session, slot, other, &forked, &err),
                         same ? ASSAY_OK : ASSAY_EINVAL);
        if (!same) support_expect_error(&err, ASSAY_EINVAL, "other limits", NULL);
        ck_assert_uint_eq(forked, same ? 0 : 77);
        size_t before = n_pages;
        fp_session_free(other);
        n_pages = before;
    }
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/limit");
    TCase *tc = tcase_create("limit");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, pages_outside_every_window_are_freed);
    tcase_add_test(tc, without_a_limit_all_pages_stay);
    tcase_add_test(tc, a_fork_makes_no_pages);
    tcase_add_test(tc, a_limit_without_capacity_for_the_latest_is_refused);
    tcase_add_test(tc, a_fork_into_a_session_with_other_limits_is_refused);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
