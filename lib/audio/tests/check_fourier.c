/* Tests of audio/fourier against the sum that defines it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "audio/fourier.h"

#include <math.h>

#include "base/tests/support.h"

enum { LONGEST = 480 };

START_TEST(a_transform_is_the_sum_that_defines_it)
{
    static const size_t lengths[] = {2, 3, 4, 5, 6, 16, 25, 30, 180, 400, 480};
    double x[LONGEST];
    fourier_number out[LONGEST];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t n = lengths[i];
        fourier *f = fourier_new(n);
        ck_assert_ptr_nonnull(f);
        for (size_t j = 0; j < n; j++) x[j] = (double)(j * j * 7 % 11) - 5;
        fourier_transform(f, x, out);
        for (size_t k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (size_t j = 0; j < n; j++) {
                const double angle = 2 * M_PI * (double)(j * k % n) / (double)n;
                re += x[j] * cos(angle);
                im -= x[j] * sin(angle);
            }
            ck_assert_double_eq_tol(out[k].re, re, 1e-10);
            ck_assert_double_eq_tol(out[k].im, im, 1e-10);
        }
        fourier_free(f);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("audio/fourier");
    TCase *c = tcase_create("fourier");
    tcase_add_test(c, a_transform_is_the_sum_that_defines_it);
    suite_add_tcase(s, c);
    return support_run(s);
}
