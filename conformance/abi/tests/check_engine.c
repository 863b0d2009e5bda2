/* Opening modules that are not engines, and finding engines by name or path.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/abi/engine.h"
#include "conformance/abi/module.h"
#include "conformance/tests/support.h"

static const char *const modules[][2] = {
    {"no_symbol", "does not export assay_engine_v2"},
    {"wrong_abi", "built for engine ABI 3, expected 2"},
    {"wrong_size", "its table has 16 bytes, expected at least "},
    {"wrong_dtype", "logits_dtype is 4, expected ASSAY_F32 or ASSAY_F64"},
    {"empty", "its table lacks the required model_open"},
    {"no_table", "returned no table"},
    {"not_there", "cannot open shared object file"},
};

START_TEST(a_module_that_is_not_an_engine_is_refused)
{
    const assay_engine *e = NULL;
    assay_error err = {0};
    ck_assert_int_ne(conf_engine_open(support_engine(modules[_i][0]), &e, &err), ASSAY_OK);
    ck_assert_ptr_null(e);
    assert_holds(err.text, modules[_i][1]);
}
END_TEST

START_TEST(a_name_is_searched_in_order_and_a_path_is_used_unchanged)
{
    support_mkdir(support_path("one"));
    support_mkdir(support_path("two"));
    support_write_text(support_path("two/mine.so"), "");
    char *dirs[] = {(char *)(uintptr_t)support_path("one"), (char *)(uintptr_t)support_path("two")};
    conf_strings list = {.n = 2, .at = dirs};
    char *path;
    assay_error err = {0};
    ck_assert_int_eq(conf_engine_find("mine", &list, &path, &err), ASSAY_OK);
    assert_holds(path, "/two/mine.so");
    free(path);
    ck_assert_int_eq(conf_engine_find("mine.so", &list, &path, &err), ASSAY_OK);
    ck_assert_str_eq(path, "./mine.so");
    free(path);
    ck_assert_int_eq(conf_engine_find("ref46", &list, &path, &err), ASSAY_EIO);
    assert_holds(err.text, "did you mean ref64?");
    assert_holds(err.text, "/one, ");
}
END_TEST

START_TEST(a_module_that_is_loaded_early_leaves_the_environment)
{
    const char *ref64 = support_path("ref64.so"); /* no such file, which is the same to the environment */
    ck_assert_int_eq(setenv("OPENBLAS_NUM_THREADS", "3", 1), 0);
    conf_module_load_early(ref64);
    ck_assert_str_eq(getenv("OPENBLAS_NUM_THREADS"), "3");
    ck_assert_int_eq(unsetenv("OPENBLAS_NUM_THREADS"), 0);
    conf_module_load_early(ref64);
    ck_assert_ptr_null(getenv("OPENBLAS_NUM_THREADS"));
}
END_TEST

/* The libraries of a module of the user are not those that a bundled engine has set up. */
START_TEST(engines_are_bundled_if_all_of_them_are)
{
    static const char *const names[] = {"ref64", "fastpath", "./mine.so"};
    ck_assert(conf_engine_are_bundled(names, 2));
    ck_assert(!conf_engine_are_bundled(names, 3));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/abi/engine");
    TCase *tests = tcase_create("engines");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, a_module_that_is_not_an_engine_is_refused, 0, 7);
    tcase_add_test(tests, a_name_is_searched_in_order_and_a_path_is_used_unchanged);
    tcase_add_test(tests, a_module_that_is_loaded_early_leaves_the_environment);
    tcase_add_test(tests, engines_are_bundled_if_all_of_them_are);
    suite_add_tcase(suite, tests);
    return support_run(suite);
}
