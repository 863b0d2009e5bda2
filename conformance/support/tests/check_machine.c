/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/machine.h"

#include <check.h>
#include <dlfcn.h>
#include <string.h>

#include "conformance/tests/support.h"

START_TEST(the_kernel_names_the_processor)
{
    char name[64];
    const char *path = support_path("cpuinfo");
    support_write_text(path,
                       "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some \033[1mCPU @ 3 GHz\nflags\t: a\n");
    conf_machine_name(path, name, sizeof name);
    ck_assert_str_eq(name, "Some \\u001B[1mCPU @ 3 GHz");
}
END_TEST

START_TEST(the_brand_string_is_the_fallback)
{
    char name[64] = "", again[64];
    conf_machine_name(support_path("missing"), name, sizeof name);
    ck_assert_str_ne(name, "");
    support_write_text(support_path("cpuinfo"), "Features : fp asimd\nmodel name :\n");
    conf_machine_name(support_path("cpuinfo"), again, sizeof again);
    ck_assert_str_eq(name, again);
}
END_TEST

START_TEST(every_fact_is_read)
{
    const conf_machine_facts facts = conf_machine_read();
    ck_assert_str_ne(facts.processor, "");
    ck_assert_str_ne(facts.architecture, "");
    ck_assert_str_ne(facts.instructions, "");
    ck_assert_uint_gt(facts.n_processors, 0);
}
END_TEST

/* The test has loaded ref32, which uses OpenBLAS, and fake32, which does not. */
START_TEST(the_blas_of_a_module_is_not_that_of_another)
{
    const char *ref = support_engine("../../../ref/ref32"), *fake = support_engine("fake32");
    char text[128];
    conf_machine_blas(ref, text, sizeof text);
    ck_assert_str_eq(text, "");
    ck_assert_ptr_nonnull(dlopen(ref, RTLD_NOW | RTLD_LOCAL));
    ck_assert_ptr_nonnull(dlopen(fake, RTLD_NOW | RTLD_LOCAL));
    conf_machine_blas(ref, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "OpenBLAS "));
    ck_assert_ptr_nonnull(strstr(text, ", core "));
    conf_machine_blas(fake, text, sizeof text);
    ck_assert_str_eq(text, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/support/machine");
    TCase *machine = tcase_create("machine");
    tcase_add_checked_fixture(machine, support_setup, support_teardown);
    tcase_add_test(machine, the_kernel_names_the_processor);
    tcase_add_test(machine, the_brand_string_is_the_fallback);
    tcase_add_test(machine, every_fact_is_read);
    tcase_add_test(machine, the_blas_of_a_module_is_not_that_of_another);
    suite_add_tcase(suite, machine);
    return support_run(suite);
}
