/* The table of kernels that fastpath exports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/kernel.h>

#include "base/tests/support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/kernels/kernels.h"

const assay_kernels *assay_kernels_v2(void);

enum { N_THREADS = 4 };

static pthread_barrier_t start;

static void *find_table(void *found)
{
    (void)pthread_barrier_wait(&start);
    *(const assay_kernels **)found = assay_kernels_v2();
    return NULL;
}

/* The first calls of the process. The thread sanitizer reports an unsynchronised write. */
START_TEST(threads_that_call_at_once_get_the_same_table)
{
    pthread_t threads[N_THREADS];
    const assay_kernels *tables[N_THREADS] = {NULL};
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, N_THREADS), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, find_table, &tables[i]), 0);
    for (size_t i = 0; i < N_THREADS; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    (void)pthread_barrier_destroy(&start);
    ck_assert_ptr_nonnull(tables[0]);
    for (size_t i = 1; i < N_THREADS; i++) ck_assert_ptr_eq(tables[i], tables[0]);
    ck_assert_uint_eq(tables[0]->size, sizeof(assay_kernels));
    ck_assert_uint_eq(tables[0]->router->size, sizeof(assay_router));
}
END_TEST

START_TEST(a_table_does_not_change_when_another_set_is_asked_for)
{
    fp_isa best;
    ck_assert_int_eq(fp_isa_choose(getenv("ASSAY_ISA"), "ASSAY_ISA", &best, NULL), ASSAY_OK);
    const assay_kernels *first = assay_kernels_v2(), before = *first;
    ck_assert_str_eq(first->name, fp_isa_name(best));
    ck_assert_int_eq(setenv("ASSAY_ISA", "scalar", 1), 0);
    const assay_kernels *scalar = assay_kernels_v2();
    ck_assert_str_eq(scalar->name, "scalar");
    ck_assert(scalar->rms_norm->f32 == fp_rms_norm_f32__scalar);
    ck_assert_mem_eq(first, &before, sizeof before);
    ck_assert_int_eq(setenv("ASSAY_ISA", "mmx", 1), 0);
    ck_assert_ptr_null(assay_kernels_v2());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/kernels_table");
    TCase *tc = tcase_create("kernels_table");
    tcase_add_test(tc, threads_that_call_at_once_get_the_same_table);
    tcase_add_test(tc, a_table_does_not_change_when_another_set_is_asked_for);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
