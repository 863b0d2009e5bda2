/* SPDX-License-Identifier: Apache-2.0 */
#include "base/grow.h"

#include "base/buffer.h"
#include "base/tests/support.h"
#include "base/utf8.h"

#include <stdlib.h>

START_TEST(appended_elements_keep_their_values)
{
    size_t *array = NULL;
    for (size_t n = 0; n < 1000; n++) {
        array = grow_by_one(array, n, sizeof *array);
        ck_assert_ptr_nonnull(array);
        array[n] = n;
    }
    for (size_t i = 0; i < 1000; i++) ck_assert_uint_eq(array[i], i);
    free(array);
}
END_TEST

/* A sanitizer detects an append beyond the capacity. */
START_TEST(elements_can_be_dropped_between_appends)
{
    size_t *array = NULL;
    for (size_t most = 0; most < 70; most++)
        for (size_t least = 0; least < most; least++)
            for (size_t n = least; n < most; n++) {
                array = grow_by_one(array, n, sizeof *array);
                ck_assert_ptr_nonnull(array);
                array[n] = n;
            }
    free(array);
}
END_TEST

START_TEST(a_capacity_at_least_doubles)
{
    size_t capacity = 0;
    short *array = grow_to(NULL, &capacity, 1, sizeof *array);
    ck_assert_ptr_nonnull(array);
    ck_assert_uint_eq(capacity, 64);
    ck_assert_ptr_eq(grow_to(array, &capacity, 64, sizeof *array), array);
    array[63] = 63;
    array = grow_to(array, &capacity, 65, sizeof *array);
    ck_assert_ptr_nonnull(array);
    ck_assert_uint_eq(capacity, 128);
    array = grow_to(array, &capacity, 1000, sizeof *array);
    ck_assert_ptr_nonnull(array);
    ck_assert_uint_eq(capacity, 1000);
    ck_assert_int_eq(array[63], 63);
    free(array);
}
END_TEST

START_TEST(a_size_that_overflows_leaves_the_array_unchanged)
{
    size_t capacity = 0;
    short *array = grow_to(NULL, &capacity, 1, sizeof *array);
    ck_assert_ptr_nonnull(array);
    ck_assert_ptr_null(grow_to(array, &capacity, SIZE_MAX / 2 + 2, sizeof *array));
    ck_assert_ptr_null(grow_by_one(array, SIZE_MAX / 2 + 1, sizeof *array));
    ck_assert_uint_eq(capacity, 64);
    array[63] = 0;
    free(array);
}
END_TEST

START_TEST(a_buffer_keeps_its_bytes_as_it_grows)
{
    buffer b = {0};
    for (uint32_t c = 1; c < 3000; c++) ck_assert(buffer_append_char(&b, c));
    ck_assert_uint_eq(utf8_valid_prefix(b.data, b.n), b.n);
    buffer_drop(&b, 127);
    ck_assert_mem_eq(b.data, "\xc2\x80", 2);
    ck_assert(buffer_append(&b, NULL, 0));
    buffer_free(&b);
    ck_assert_uint_eq(b.n, 0);
}
END_TEST

START_TEST(a_buffer_records_a_failed_allocation)
{
    buffer b = {0};
    ck_assert(buffer_append(&b, "abc", 3));
    ck_assert(!buffer_reserve(&b, SIZE_MAX - 8));
    ck_assert(b.failed);
    ck_assert(!buffer_append(&b, "d", 1));
    ck_assert(!buffer_append_string(&b, "d"));
    ck_assert(!buffer_append(&b, NULL, 0));
    ck_assert_uint_eq(b.n, 3);
    buffer_free(&b);
    ck_assert(!b.failed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/grow");
    TCase *all = tcase_create("all");
    tcase_add_test(all, appended_elements_keep_their_values);
    tcase_add_test(all, elements_can_be_dropped_between_appends);
    tcase_add_test(all, a_capacity_at_least_doubles);
    tcase_add_test(all, a_size_that_overflows_leaves_the_array_unchanged);
    tcase_add_test(all, a_buffer_keeps_its_bytes_as_it_grows);
    tcase_add_test(all, a_buffer_records_a_failed_allocation);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
