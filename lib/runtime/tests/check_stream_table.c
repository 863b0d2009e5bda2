/* The stream table that engines export: refusals, and results of its functions. The rules of threads
 * are tested by recorded programs, in fixtures/threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <math.h>
#include <stdint.h>

#include "runtime/stream_table.h"

static assay_array *make(assay_array_fn fn, size_t n, assay_array *first, assay_array *second)
{
    assay_array *a = NULL;
    assay_error err = {0};
    ck_assert_msg(stream_table.make(fn, n, (assay_array *[]){first, second}, NULL, &a, &err) == ASSAY_OK,
                  "%s", err.text);
    return a;
}

/* Evaluates and frees the array; its first three elements. */
static void expect(assay_array *a, float x, float y, float z)
{
    float out[4] = {NAN, NAN, NAN, NAN};
    size_t n = 0;
    assay_error err = {0};
    ck_assert_msg(stream_table.read(a, out, 4, &n, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(n, 3);
    ck_assert(out[0] == x && out[1] == y && out[2] == z && isnan(out[3]));
    stream_table.array_free(a);
}

START_TEST(functions_work_element_by_element)
{
    assay_array *x = make(ASSAY_ARRAY_ARANGE, 3, NULL, NULL), *minus = make(ASSAY_ARRAY_NEGATIVE, 0, x, NULL);
    assay_array *magnitude = make(ASSAY_ARRAY_ABS, 0, minus, NULL);
    float zero[3] = {NAN, NAN, NAN};
    size_t n;
    expect(make(ASSAY_ARRAY_SQUARE, 0, minus, NULL), 0, 1, 4);
    expect(make(ASSAY_ARRAY_ADD, 0, x, x), 0, 2, 4);
    ck_assert_int_eq(stream_table.eval(&magnitude, 1, true, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_table.synchronize(NULL, NULL), ASSAY_OK);
    ck_assert_int_eq(stream_table.read(magnitude, zero, 3, &n, NULL), ASSAY_OK);
    ck_assert(!signbit(zero[0]) && zero[1] == 1 && zero[2] == 2);
    expect(magnitude, 0, 1, 2);
    expect(minus, 0, -1, -2);
    expect(x, 0, 1, 2);
}
END_TEST

/* Every array that can be made of ranges has a 0, so there is no other inverse. */
START_TEST(the_inverse_of_zero_fails_with_the_published_text)
{
    assay_array *x = make(ASSAY_ARRAY_ARANGE, 2, NULL, NULL), *bad = make(ASSAY_ARRAY_INVERSE, 0, x, NULL);
    assay_error err = {0};
    support_expect_error(&err, stream_table.eval(&bad, 1, false, &err),
                         "[Inverse::eval_cpu] LU factorization failed with error code 1", NULL);
    ck_assert_int_eq(err.status, ASSAY_EINTERNAL);
    stream_table.array_free(x);
    stream_table.array_free(bad);
}
END_TEST

START_TEST(arrays_that_cannot_be_made_or_read_are_refused)
{
    assay_array *two = make(ASSAY_ARRAY_ARANGE, 2, NULL, NULL),
                *three = make(ASSAY_ARRAY_ARANGE, 3, NULL, NULL);
    assay_array *none = NULL;
    assay_error err = {0};
    float out[2];
    size_t n = 77;
    support_expect_error(
        &err, stream_table.make(ASSAY_ARRAY_ADD, 0, (assay_array *[]){two, three}, NULL, &none, &err),
        "found arrays of 2 and 3 elements, expected one length", NULL);
    support_expect_error(&err, stream_table.make((assay_array_fn)99, 1, &two, NULL, &none, &err),
                         "found function 99, expected 0 to 5", NULL);
    ck_assert_int_eq(stream_table.make(ASSAY_ARRAY_ARANGE, SIZE_MAX / 2, NULL, NULL, &none, &err),
                     ASSAY_ENOMEM);
    ck_assert_ptr_null(none);
    support_expect_error(&err, stream_table.read(three, out, 2, &n, &err),
                         "found a capacity of 2 elements, expected 3", NULL);
    ck_assert_int_eq(err.status, ASSAY_EINVAL);
    ck_assert_uint_eq(n, 77);
    stream_table.array_free(two);
    stream_table.array_free(three);
    stream_table.array_free(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runtime/stream_table");
    TCase *all = tcase_create("all");
    tcase_add_test(all, functions_work_element_by_element);
    tcase_add_test(all, the_inverse_of_zero_fails_with_the_published_text);
    tcase_add_test(all, arrays_that_cannot_be_made_or_read_are_refused);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
