/* The directories that a case may name as its checkpoint.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/case_refused.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "generate", "model");
}

static const char *const outside[] = {"../model", "/tmp", "model/../../x", "./../model", ".", "model/..", ""};

START_TEST(a_model_outside_the_case_is_refused)
{
    support_mkdir(support_path("model"));
    edit_attribute(path, "model", outside[_i]);
    assert_case_refused(path, ASSAY_EFORMAT, "model");
}
END_TEST

START_TEST(a_link_to_a_model_outside_the_case_is_refused)
{
    ck_assert_int_eq(symlink("/", support_path("link")), 0);
    edit_attribute(path, "model", "link");
    assert_case_refused(path, ASSAY_EFORMAT, "lies outside the case's directory, at /");
}
END_TEST

/* A GGUF file may be a link itself, but not lie in another directory. */
START_TEST(a_link_to_a_file_is_a_model)
{
    const support_output *o = support_shell("mkdir -p theirs && printf 'GGUF' >theirs/a.gguf");
    conf_case *c = NULL;
    ck_assert_int_eq(o->code, 0);
    ck_assert_int_eq(symlink("theirs/a.gguf", support_path("a.gguf")), 0);
    edit_attribute(path, "model", "a.gguf");
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    conf_case_free(c);
    ck_assert_int_eq(support_shell("mkdir ../theirs.$PPID; mv theirs/a.gguf ../theirs.$PPID; rm -r theirs; "
                                   "ln -s ../theirs.$PPID theirs")
                         ->code,
                     0);
    edit_attribute(path, "model", "theirs/a.gguf");
    assert_case_refused(path, ASSAY_EFORMAT, "lies outside the case's directory, at /");
    (void)support_shell("rm -r ../theirs.$PPID");
}
END_TEST

START_TEST(a_missing_model_is_refused)
{
    edit_attribute(path, "model", "nowhere");
    assert_case_refused(path, ASSAY_EIO, "No such file");
}
END_TEST

START_TEST(a_model_in_a_directory_below_is_found)
{
    support_mkdir(support_path("a"));
    support_mkdir(support_path("a/b"));
    edit_attribute(path, "model", "a/../a/b");
    conf_case *c;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    assert_holds(c->model, "/a/../a/b");
    conf_case_free(c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/kinds/model");
    TCase *models = tcase_create("models");
    tcase_add_checked_fixture(models, setup, support_teardown);
    tcase_add_loop_test(models, a_model_outside_the_case_is_refused, 0, 7);
    tcase_add_test(models, a_link_to_a_model_outside_the_case_is_refused);
    tcase_add_test(models, a_link_to_a_file_is_a_model);
    tcase_add_test(models, a_missing_model_is_refused);
    tcase_add_test(models, a_model_in_a_directory_below_is_found);
    suite_add_tcase(suite, models);

    return support_run(suite);
}
