/* Where a checkpoint is that a case names below the checkpoint root.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/root.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/tests/support.h"

static char path[] = "cases/a.h5";

/* Fails with this status and a text that has `words`. */
static void assert_refused(const char *checkpoint, assay_status status, const char *words)
{
    conf_case c = {.path = path};
    assay_error err = {0};
    ck_assert_int_eq(conf_root_find(&c, checkpoint, &err), status);
    ck_assert_msg(strstr(err.text, words) != NULL, "found \"%s\", expected \"%s\"", err.text, words);
    ck_assert_ptr_null(c.model);
    ck_assert_ptr_null(c.checksums);
}

START_TEST(a_case_cannot_leave_the_root)
{
    conf_root_set(".");
    static const char *const outside[] = {"", "/etc", "..", "a/../..", "a/..", "../a"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_refused(outside[i], ASSAY_EFORMAT,
                       "expected a path below the checkpoint root, without \"..\"");
}
END_TEST

START_TEST(what_is_missing_is_named)
{
    conf_root_set(NULL);
    assert_refused(
        "llama", ASSAY_EFORMAT,
        "cases/a.h5: checkpoint \"llama\": found no checkpoint root, expected --checkpoint-root DIR");
    conf_root_set("");
    assert_refused("llama", ASSAY_EFORMAT, "found no checkpoint root");
    conf_root_set("/nonesuch");
    assert_refused(
        "llama", ASSAY_EIO,
        "cases/a.h5: checkpoint \"llama\": /nonesuch/llama: No such file or directory, expected it below");
    conf_root_set("/dev");
    assert_refused("null", ASSAY_EIO, "checkpoint \"null\": /dev/null: Not a directory");
}
END_TEST

START_TEST(directories_and_links_below_the_root_are_found)
{
    char root[] = "/tmp/assay-root-XXXXXX", name[64];
    ck_assert_ptr_nonnull(mkdtemp(root));
    (void)snprintf(name, sizeof name, "%s/..b", root);
    ck_assert_int_eq(symlink("/", name), 0);
    conf_root_set(root);
    conf_case c = {.path = path};
    ck_assert_int_eq(conf_root_find(&c, "..b", NULL), ASSAY_OK);
    ck_assert_str_eq(c.model, name);
    ck_assert_str_eq(c.checksums, "cases/model.crc32");
    free(c.model);
    free(c.checksums);
    ck_assert_int_eq(unlink(name), 0);
    ck_assert_int_eq(rmdir(root), 0);
}
END_TEST

START_TEST(the_option_is_printed_for_a_shell)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    conf_root_set(NULL);
    conf_root_print(f);
    conf_root_set("my models");
    conf_root_print(f);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_str_eq(text, " --checkpoint-root 'my models'");
    free(text);
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("root");
    tcase_add_test(c, a_case_cannot_leave_the_root);
    tcase_add_test(c, what_is_missing_is_named);
    tcase_add_test(c, directories_and_links_below_the_root_are_found);
    tcase_add_test(c, the_option_is_printed_for_a_shell);
    Suite *suite = suite_create("case/root");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
