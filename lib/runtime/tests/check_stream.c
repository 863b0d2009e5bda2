/* Streams: names, defaults, owners and errors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "runtime/stream.h"

static const assay_device CPU = {ASSAY_CPU, 0}, SECOND = {ASSAY_CPU, 1}, GPU = {ASSAY_GPU, 0};

/* Each test is a process of its own, so that streams are numbered from 0. */
static int32_t default_index(void)
{
    assay_stream s;
    ck_assert_int_eq(stream_default(CPU, &s, NULL), ASSAY_OK);
    return s.index;
}

static assay_stream new_stream(assay_stream_kind kind)
{
    assay_stream s;
    ck_assert_int_eq(stream_new(CPU, kind, &s, NULL), ASSAY_OK);
    return s;
}

static stream *find(assay_stream name)
{
    stream *s;
    assay_error err = {0};
    ck_assert_msg(stream_find(&name, &s, &err) == ASSAY_OK, "%s", err.text);
    return s;
}

static void *call(void *context)
{
    (*(void (**)(void))context)();
    return NULL;
}

static void on_another_thread(void (*fn)(void))
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, call, &fn), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

static void expect_default_1(void)
{
    ck_assert_int_eq(default_index(), 1);
    ck_assert_int_eq(default_index(), 1);
}

static void expect_default_3(void)
{
    ck_assert_int_eq(default_index(), 3);
}

START_TEST(a_thread_has_a_default_of_its_own_from_its_first_use_on)
{
    ck_assert_int_eq(default_index(), 0);
    on_another_thread(expect_default_1);
    ck_assert_int_eq(default_index(), 0);
    ck_assert_int_eq(new_stream(ASSAY_STREAM_OWNED).index, 2);
    on_another_thread(expect_default_3);
}
END_TEST

START_TEST(a_device_that_is_not_there_is_refused)
{
    assay_stream s = {.index = 77};
    assay_error err = {0};
    support_expect_error(&err, stream_default(SECOND, &s, &err), "[default_stream] Device(cpu, 1)",
                         "expected an index below 1", NULL);
    ck_assert_int_eq(err.status, ASSAY_EINVAL);
    support_expect_error(&err, stream_default(GPU, &s, &err),
                         "[default_stream] Cannot get gpu stream without gpu backend.", NULL);
    support_expect_error(&err, stream_new(GPU, ASSAY_STREAM_OWNED, &s, &err),
                         "[new_stream] Cannot make gpu stream without gpu backend.", NULL);
    support_expect_error(&err, stream_new(GPU, ASSAY_STREAM_SHARED, &s, &err),
                         "[new_thread_unsafe_stream] Cannot make gpu stream", NULL);
    ck_assert_int_eq(s.index, 77);
    ck_assert_uint_eq(stream_device_count(ASSAY_CPU), 1);
    ck_assert_uint_eq(stream_device_count(ASSAY_GPU), 0);
    ck_assert_int_eq(default_index(), 2); /* two numbers went to the gpu, and no stream */
    ck_assert_int_eq(stream_set_default((assay_stream){CPU, 0, ASSAY_STREAM_OWNED}, &err), ASSAY_EINVAL);
    ck_assert_int_eq(stream_new(SECOND, ASSAY_STREAM_OWNED, &s, &err), ASSAY_OK);
    support_expect_error(&err, stream_set_default(s, &err), "[set_default_stream] Device(cpu, 1)", NULL);
}
END_TEST

START_TEST(a_name_that_no_stream_has_is_refused)
{
    stream *s = NULL;
    assay_error err = {0};
    const assay_stream names[] = {{CPU, 1, ASSAY_STREAM_OWNED},
                                  {CPU, 5, ASSAY_STREAM_OWNED},
                                  {CPU, -1, ASSAY_STREAM_OWNED},
                                  {CPU, 0, ASSAY_STREAM_PER_THREAD}};
    (void)default_index();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ck_assert_int_eq(stream_find(&names[i], &s, &err), ASSAY_EINVAL);
        ck_assert_ptr_null(s);
    }
    ck_assert_int_eq(stream_set_default(names[0], &err), ASSAY_EINVAL);
    ck_assert_int_eq(stream_synchronize(&names[0], &err), ASSAY_EINVAL);
}
END_TEST

static assay_stream passed;

static void expect_foreign(void)
{
    assay_error err = {0};
    support_expect_error(&err, stream_check(find(passed), &err),
                         "There is no Stream(cpu, 0) in current thread.", NULL);
    ck_assert_int_eq(err.status, ASSAY_ESTREAM);
    ck_assert_int_eq(stream_synchronize(&passed, &err), ASSAY_OK);
}

START_TEST(a_stream_belongs_to_the_thread_that_created_it)
{
    passed = new_stream(ASSAY_STREAM_OWNED);
    ck_assert_int_eq(stream_check(find(passed), NULL), ASSAY_OK);
    on_another_thread(expect_foreign);
    ck_assert_int_eq(stream_check(find(passed), NULL), ASSAY_OK);
}
END_TEST

START_TEST(a_default_stream_belongs_to_its_thread)
{
    ck_assert_int_eq(stream_default(CPU, &passed, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_check(find(passed), NULL), ASSAY_OK);
    on_another_thread(expect_foreign);
}
END_TEST

static void make_passed(void)
{
    passed = new_stream(ASSAY_STREAM_OWNED);
}

START_TEST(a_stream_of_an_ended_thread_belongs_to_no_thread)
{
    on_another_thread(make_passed);
    expect_foreign();
    for (int i = 0; i < 20; i++) on_another_thread(expect_foreign); /* one may get the same pthread_t */
}
END_TEST

static void expect_own(void)
{
    ck_assert_int_eq(stream_check(find(passed), NULL), ASSAY_OK);
}

START_TEST(a_shared_stream_is_usable_on_every_thread_even_after_a_clear)
{
    passed = new_stream(ASSAY_STREAM_SHARED);
    expect_own();
    on_another_thread(expect_own);
    stream_clear();
    expect_own();
}
END_TEST

START_TEST(cleared_streams_live_nowhere_and_stay_defaults)
{
    passed = new_stream(ASSAY_STREAM_OWNED);
    assay_stream own = new_stream(ASSAY_STREAM_PER_THREAD);
    const int32_t mine = stream_name(find(own)).index;
    ck_assert_int_eq(default_index(), 2);
    stream_clear();
    expect_foreign();
    ck_assert_int_eq(default_index(), 2);
    ck_assert_int_eq(stream_name(find(own)).index, mine);
    ck_assert_int_eq(stream_check(find(own), NULL), ASSAY_ESTREAM);
}
END_TEST

static void expect_own_number_2(void)
{
    ck_assert_int_eq(stream_name(find(passed)).index, 2);
    ck_assert_int_eq(stream_name(find(passed)).index, 2);
    expect_own();
}

START_TEST(a_per_thread_stream_is_created_on_each_thread)
{
    passed = new_stream(ASSAY_STREAM_PER_THREAD);
    ck_assert_int_eq(passed.index, 0);
    ck_assert_int_eq(new_stream(ASSAY_STREAM_PER_THREAD).index, 1);
    ck_assert_int_eq(default_index(), 0); /* they have numbers of their own */
    ck_assert_int_eq(stream_name(find(passed)).index, 1);
    on_another_thread(expect_own_number_2);
    ck_assert_int_eq(stream_name(find(passed)).index, 1);
    passed.index = 1; /* the second one is another */
    ck_assert_int_eq(stream_name(find(passed)).index, 3);
}
END_TEST

START_TEST(a_scope_restores_the_previous_default)
{
    assay_scope outer, inner;
    const assay_stream a = new_stream(ASSAY_STREAM_OWNED), b = new_stream(ASSAY_STREAM_OWNED);
    ck_assert_int_eq(stream_scope_enter(a, &outer, NULL), ASSAY_OK);
    ck_assert_int_eq(outer.before.index, 2); /* the default came to be for it */
    ck_assert_int_eq(default_index(), a.index);
    ck_assert_int_eq(stream_scope_enter(b, &inner, NULL), ASSAY_OK);
    ck_assert_int_eq(default_index(), b.index);
    ck_assert_int_eq(stream_scope_leave(&inner, NULL), ASSAY_OK);
    ck_assert_int_eq(default_index(), a.index);
    ck_assert_int_eq(stream_scope_leave(&outer, NULL), ASSAY_OK);
    ck_assert_int_eq(default_index(), 2);
}
END_TEST

/* As upstream: an unknown name denotes a stream of that device, and so no stream. */
START_TEST(a_scope_that_is_refused_has_changed_the_device_until_the_outer_one_ends)
{
    assay_scope outer, inner;
    assay_stream second;
    assay_error err = {0};
    stream *s;
    ck_assert_int_eq(stream_new(SECOND, ASSAY_STREAM_OWNED, &second, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_scope_enter(new_stream(ASSAY_STREAM_OWNED), &outer, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_find(NULL, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_scope_enter(second, &inner, &err), ASSAY_EINVAL);
    support_expect_error(&err, stream_find(NULL, &s, &err), "[default_stream] Device(cpu, 1)", NULL);
    ck_assert_int_eq(stream_scope_leave(&outer, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_find(NULL, &s, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_name(s).index, outer.before.index);
}
END_TEST

static void fail_it(queue *q, void *context)
{
    assay_error err = {0};
    (void)assay_fail(&err, ASSAY_ENOMEM, "%s", (const char *)context);
    queue_fail(q, &err);
}

START_TEST(the_first_error_is_kept_and_returned_once)
{
    static char first[] = "first", second[] = "second";
    assay_error err = {0};
    passed = new_stream(ASSAY_STREAM_OWNED);
    queue *q = stream_queue(find(passed));
    ck_assert_int_eq(queue_add(q, fail_it, first, NULL, NULL), ASSAY_OK);
    ck_assert_int_eq(queue_add(q, fail_it, second, NULL, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_synchronize(&passed, &err), ASSAY_ENOMEM);
    ck_assert_str_eq(err.text, "first");
    ck_assert_int_eq(stream_synchronize(&passed, &err), ASSAY_OK);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime/stream");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_thread_has_a_default_of_its_own_from_its_first_use_on);
    tcase_add_test(all, a_device_that_is_not_there_is_refused);
    tcase_add_test(all, a_name_that_no_stream_has_is_refused);
    tcase_add_test(all, a_stream_belongs_to_the_thread_that_created_it);
    tcase_add_test(all, a_default_stream_belongs_to_its_thread);
    tcase_add_test(all, a_stream_of_an_ended_thread_belongs_to_no_thread);
    tcase_add_test(all, a_shared_stream_is_usable_on_every_thread_even_after_a_clear);
    tcase_add_test(all, cleared_streams_live_nowhere_and_stay_defaults);
    tcase_add_test(all, a_per_thread_stream_is_created_on_each_thread);
    tcase_add_test(all, a_scope_restores_the_previous_default);
    tcase_add_test(all, a_scope_that_is_refused_has_changed_the_device_until_the_outer_one_ends);
    tcase_add_test(all, the_first_error_is_kept_and_returned_once);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
