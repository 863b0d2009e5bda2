/* Buffers that end at an inaccessible page.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/guard.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/tests/support.h"

static conf_guard guard;

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void read_byte(volatile unsigned char *at)
{
    (void)*at;
}

static void write_byte(volatile unsigned char *at)
{
    *at = 1;
}

/* Whether the access to this address ends the process. */
static bool faults(void (*access)(volatile unsigned char *), unsigned char *at)
{
    int status;
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        access(at);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static unsigned char *take(size_t n_bytes)
{
    unsigned char *data = conf_guard_take(&guard, n_bytes, "the tokens of sample 1");
    ck_assert_ptr_nonnull(data);
    ck_assert_ptr_eq(data, guard.data);
    return data;
}

static const size_t sizes[] = {1, 12, 4095, 4096, 4097, 100000};

START_TEST(a_buffer_ends_at_an_inaccessible_page)
{
    const size_t n = sizes[_i];
    unsigned char *data = take(n);
    ck_assert_uint_eq((uintptr_t)(data + n) % page_bytes(), 0);
    memset(data, 7, n);
    ck_assert(!faults(read_byte, data + n - 1));
    ck_assert(faults(read_byte, data + n));
    ck_assert(faults(write_byte, data + n));
    ck_assert(faults(read_byte, guard.map - 1));
    conf_guard_free(&guard);
}
END_TEST

START_TEST(a_read_only_buffer_can_be_read_and_not_written)
{
    unsigned char *data = take(12);
    data[3] = 9;
    conf_guard_protect(&guard, CONF_GUARD_READ_ONLY);
    ck_assert_int_eq(data[3], 9);
    ck_assert(!faults(read_byte, data));
    ck_assert(faults(write_byte, data));
    conf_guard_protect(&guard, CONF_GUARD_WRITABLE);
    ck_assert(!faults(write_byte, data));
    conf_guard_free(&guard);
}
END_TEST

START_TEST(a_hidden_buffer_can_neither_be_read_nor_written)
{
    unsigned char *data = take(12);
    conf_guard_protect(&guard, CONF_GUARD_HIDDEN);
    ck_assert(faults(read_byte, data));
    ck_assert(faults(write_byte, data));
    conf_guard_free(&guard);
}
END_TEST

START_TEST(a_write_before_the_buffer_is_seen)
{
    unsigned char *data = take(12);
    memset(data, 0xA5, 12);
    ck_assert(conf_guard_is_intact(&guard));
    data[-1] = 0;
    ck_assert(!conf_guard_is_intact(&guard));
    data = take(12);
    ck_assert(conf_guard_is_intact(&guard));
    guard.map[0] = 0; /* the first byte of the page */
    ck_assert(!conf_guard_is_intact(&guard));
    conf_guard_free(&guard);
}
END_TEST

START_TEST(a_guard_is_found_by_the_addresses_of_its_pages)
{
    conf_guard other = {0};
    unsigned char *data = take(12);
    ck_assert_ptr_nonnull(conf_guard_take(&other, 12, "the logits of sample 0"));
    ck_assert_ptr_eq(conf_guard_find(data), &guard);
    ck_assert_ptr_eq(conf_guard_find(data + 12), &guard);
    ck_assert_ptr_eq(conf_guard_find(data + 11 + page_bytes()), &guard);
    ck_assert_ptr_eq(conf_guard_find(guard.map - 1), &guard);
    ck_assert_ptr_eq(conf_guard_find(other.data), &other);
    ck_assert_str_eq(conf_guard_find(data)->name, "the tokens of sample 1");
    ck_assert_str_eq(conf_guard_find(other.data)->name, "the logits of sample 0");
    ck_assert_ptr_null(conf_guard_find(&other));
    unsigned char *gone = other.data;
    conf_guard_free(&other);
    ck_assert_ptr_null(conf_guard_find(gone));
    ck_assert_ptr_eq(conf_guard_find(data), &guard);
    conf_guard_free(&guard);
    ck_assert_ptr_null(conf_guard_find(data));
    ck_assert_ptr_null(conf_guard_find(NULL));
}
END_TEST

START_TEST(a_guard_is_used_again_with_another_size_and_name)
{
    unsigned char *data = take(5000), *end = data + 5000;
    conf_guard_protect(&guard, CONF_GUARD_HIDDEN);
    data = take(12);
    ck_assert_ptr_eq(data + 12, end); /* the same pages */
    ck_assert_uint_eq(guard.n_bytes, 12);
    ck_assert(!faults(write_byte, data));
    ck_assert(conf_guard_is_intact(&guard));
    const size_t more = 20 * page_bytes();
    data = conf_guard_take(&guard, more, "the logits of sample 3");
    ck_assert_ptr_nonnull(data);
    memset(data, 1, more);
    ck_assert(faults(read_byte, data + more));
    ck_assert_str_eq(conf_guard_find(data + more)->name, "the logits of sample 3");
    conf_guard_free(&guard);
    ck_assert_ptr_null(guard.map);
    conf_guard_free(&guard);
}
END_TEST

START_TEST(a_buffer_that_no_memory_can_hold_is_not_made)
{
    ck_assert_ptr_null(conf_guard_take(&guard, SIZE_MAX, "all"));
    ck_assert_ptr_null(conf_guard_take(&guard, SIZE_MAX / 2, "half"));
    ck_assert_ptr_null(guard.map);
    (void)take(12);
    conf_guard_free(&guard);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/support/guard");
    TCase *t = tcase_create("all");
    tcase_add_loop_test(t, a_buffer_ends_at_an_inaccessible_page, 0, (int)(sizeof sizes / sizeof *sizes));
    tcase_add_test(t, a_read_only_buffer_can_be_read_and_not_written);
    tcase_add_test(t, a_hidden_buffer_can_neither_be_read_nor_written);
    tcase_add_test(t, a_write_before_the_buffer_is_seen);
    tcase_add_test(t, a_guard_is_found_by_the_addresses_of_its_pages);
    tcase_add_test(t, a_guard_is_used_again_with_another_size_and_name);
    tcase_add_test(t, a_buffer_that_no_memory_can_hold_is_not_made);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
