/* The arrays of a model: all of them, private ones too, realised before anybody else may read them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "runtime/array_eval.h"
#include "runtime/array_list.h"

static assay_status make_3(void *context, array *self, array *const *inputs, assay_error *err)
{
    int *value = array_allocate(self);
    (void)context, (void)inputs, (void)err;
    *value = 3;
    return ASSAY_OK;
}

static assay_status make_nothing(void *context, array *self, array *const *inputs, assay_error *err)
{
    (void)context, (void)self, (void)inputs;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "there is no such thing");
}

static array_list *open_list(void)
{
    array_list *l;
    ck_assert_int_eq(array_list_open(&l, NULL), ASSAY_OK);
    return l;
}

static array *defer(array_list *l, const char *name, bool is_private, array_fn *fn)
{
    return array_list_defer(l, name, is_private, sizeof(int), (array_maker){fn, NULL, NULL}, NULL, 0);
}

static void count_deferred(void *context, const assay_array_info *info)
{
    if (info->state != ASSAY_ARRAY_REALISED) ++*(size_t *)context;
}

START_TEST(every_array_is_listed_with_its_state)
{
    array_list *l = open_list();
    assay_array_info info;
    size_t n_deferred = 0;
    (void)defer(l, "model.norm.weight", false, make_3);
    (void)defer(l, "ropes.0.inverse_frequency", true, make_3);
    ck_assert_uint_eq(array_list_count(l), 2);
    (void)array_list_at(l, 1, &info);
    ck_assert_str_eq(info.name, "ropes.0.inverse_frequency");
    ck_assert(info.is_private && info.state == ASSAY_ARRAY_DEFERRED);
    ck_assert_int_eq(info.stream, 0);
    ck_assert_uint_eq(info.n_bytes, sizeof(int));
    array_list_visit(l, count_deferred, &n_deferred);
    ck_assert_uint_eq(n_deferred, 2);
    ck_assert_int_eq(array_list_realise(l, NULL), ASSAY_OK);
    n_deferred = 0;
    array_list_visit(l, count_deferred, &n_deferred);
    ck_assert_uint_eq(n_deferred, 0);
    array_list_free(l);
}
END_TEST

static void *expect_refused(void *list)
{
    assay_error err = {0};
    support_expect_error(&err, array_list_require(list, &err),
                         "There is no Stream(cpu, 0) in current thread.", "array 'ropes.0.inverse_frequency'",
                         NULL);
    ck_assert_int_eq(err.status, ASSAY_ESTREAM);
    return NULL;
}

static void *expect_granted(void *list)
{
    ck_assert_int_eq(array_list_require(list, NULL), ASSAY_OK);
    return NULL;
}

static void on_another_thread(void *(*fn)(void *), void *context)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, fn, context), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

/* The failure that the project began with: the parameters are evaluated, a private table is not. */
START_TEST(a_deferred_private_array_is_named_on_another_thread)
{
    array_list *l = open_list();
    array *parameter = defer(l, "model.norm.weight", false, make_3);
    (void)defer(l, "ropes.0.inverse_frequency", true, make_3);
    ck_assert_int_eq(array_evaluate(&parameter, 1, NULL), ASSAY_OK);
    on_another_thread(expect_refused, l);
    ck_assert_int_eq(array_list_require(l, NULL), ASSAY_OK);
    on_another_thread(expect_granted, l);
    array_list_free(l);
}
END_TEST

START_TEST(arrays_deferred_later_are_realised_later)
{
    array_list *l = open_list();
    (void)defer(l, "a", false, make_3);
    ck_assert_int_eq(array_list_realise(l, NULL), ASSAY_OK);
    array *b = defer(l, "ropes.0.inverse_frequency", true, make_3);
    on_another_thread(expect_refused, l);
    ck_assert_int_eq(array_list_realise(l, NULL), ASSAY_OK);
    ck_assert_int_eq(*(const int *)array_data(b), 3);
    array_list_free(l);
}
END_TEST

START_TEST(a_failure_is_reported_and_stays_with_its_array)
{
    array_list *l = open_list();
    assay_array_info info;
    assay_error err = {0};
    (void)defer(l, "good", false, make_3);
    (void)defer(l, "bad", false, make_nothing);
    support_expect_error(&err, array_list_realise(l, &err), "there is no such thing", NULL);
    ck_assert_int_eq(err.status, ASSAY_EUNSUPPORTED);
    (void)array_list_at(l, 1, &info);
    ck_assert_int_eq(info.state, ASSAY_ARRAY_FAILED);
    support_expect_error(&err, array_list_require(l, &err), "there is no such thing", "array 'bad'", NULL);
    array_list_free(l);
}
END_TEST

enum { N_MANY = 200 };

static int n_made;

static assay_status make_next(void *context, array *self, array *const *inputs, assay_error *err)
{
    int *value = array_allocate(self);
    (void)context, (void)inputs, (void)err;
    *value = n_made++;
    return ASSAY_OK;
}

START_TEST(arrays_are_realised_in_the_order_in_which_they_were_deferred)
{
    array_list *l = open_list();
    char name[32];
    for (int i = 0; i < N_MANY; i++) {
        (void)snprintf(name, sizeof name, "array.%d", i);
        ck_assert_ptr_nonnull(defer(l, name, i % 3 == 0, make_next));
    }
    ck_assert_int_eq(array_list_realise(l, NULL), ASSAY_OK);
    for (int i = 0; i < N_MANY; i++) {
        assay_array_info info;
        const array *a = array_list_at(l, (size_t)i, &info);
        (void)snprintf(name, sizeof name, "array.%d", i);
        ck_assert_str_eq(info.name, name);
        ck_assert(info.is_private == (i % 3 == 0));
        ck_assert_int_eq(*(const int *)array_data(a), i);
    }
    array_list_free(l);
}
END_TEST

START_TEST(a_list_keeps_to_the_stream_that_it_was_opened_on)
{
    assay_stream other, own;
    assay_array_info info;
    ck_assert_int_eq(stream_new((assay_device){ASSAY_CPU, 0}, ASSAY_STREAM_OWNED, &other, NULL), ASSAY_OK);
    array_list *l = open_list();
    ck_assert_int_eq(stream_default((assay_device){ASSAY_CPU, 0}, &own, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_set_default(other, NULL), ASSAY_OK);
    (void)defer(l, "a", false, make_3);
    (void)array_list_at(l, 0, &info);
    ck_assert_int_ne(own.index, other.index);
    ck_assert_int_eq(info.stream, own.index);
    ck_assert_int_eq(array_list_realise(l, NULL), ASSAY_OK);
    array_list_free(l);
}
END_TEST

static assay_status make_nothing_else(void *context, array *self, array *const *inputs, assay_error *err)
{
    (void)context, (void)self, (void)inputs;
    return assay_fail(err, ASSAY_EFORMAT, "nor such a thing");
}

/* Takes the first error of the stream; the next caller finds none. */
START_TEST(the_first_of_two_failures_is_reported_and_the_stream_clears_both)
{
    assay_error err = {0};
    array_list *l = open_list();
    (void)defer(l, "bad", false, make_nothing);
    (void)defer(l, "worse", true, make_nothing_else);
    support_expect_error(&err, array_list_realise(l, &err), "there is no such thing", NULL);
    ck_assert_int_eq(err.status, ASSAY_EUNSUPPORTED);
    ck_assert_int_eq(stream_synchronize(NULL, NULL), ASSAY_OK);
    ck_assert_int_eq(array_list_realise(l, NULL), ASSAY_EUNSUPPORTED);
    array_list_free(l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime/array_list");
    TCase *all = tcase_create("all");
    tcase_add_test(all, every_array_is_listed_with_its_state);
    tcase_add_test(all, a_deferred_private_array_is_named_on_another_thread);
    tcase_add_test(all, arrays_deferred_later_are_realised_later);
    tcase_add_test(all, a_failure_is_reported_and_stays_with_its_array);
    tcase_add_test(all, arrays_are_realised_in_the_order_in_which_they_were_deferred);
    tcase_add_test(all, a_list_keeps_to_the_stream_that_it_was_opened_on);
    tcase_add_test(all, the_first_of_two_failures_is_reported_and_the_stream_clears_both);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
