/* Checksums of a checkpoint: the list next to it, and the index of a directory above it. Needs the fixtures
 * ($top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/checksums.h"

#include <check.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/tests/support.h"

#define SUM_OF_A "e8b7be43"
#define SUM_OF_B "71beeff9"
#define LIST     SUM_OF_A "  config.json\n" SUM_OF_B "  model.safetensors\n"
#define INDEX                                                                                                \
    SUM_OF_B "  base/model/config.json\n" SUM_OF_A "  family/base/model/config.json\n" SUM_OF_B              \
             "  family/base/model/model.safetensors\n" SUM_OF_B "  family/other/model/config.json\n"

static assay_error err;

/* tree/family/base/model, whose lines are in tree/CRC32SUMS. */
static void write_tree(void)
{
    support_setup();
    static const char *const directories[] = {"tree", "tree/family", "tree/family/base",
                                              "tree/family/base/model"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        support_mkdir(support_path("%s", directories[i]));
    support_write_text(support_path("tree/family/base/model/config.json"), "a");
    support_write_text(support_path("tree/family/base/model/model.safetensors"), "b");
    support_write_text(support_path("tree/CRC32SUMS"), INDEX);
}

static void assert_valid(const char *model)
{
    err = (assay_error){0};
    ck_assert_msg(conf_checksums_check(model, &err) == ASSAY_OK, "%s", err.text);
}

static void assert_broken(assay_status expected, const char *reason)
{
    err = (assay_error){0};
    ck_assert_int_eq(conf_checksums_check(support_path("tree/family/base/model"), &err), expected);
    assert_holds(err.text, reason);
}

START_TEST(an_index_above_lists_the_files)
{
    assert_valid(support_path("tree/family/base/model"));
    assert_valid(support_path("tree/family/base/model/"));
    assert_valid(support_path("tree/family/base/../base/model"));
}
END_TEST

START_TEST(a_changed_byte_is_found)
{
    support_write_text(support_path("tree/family/base/model/model.safetensors"), "a");
    assert_broken(ASSAY_EFORMAT, "tree/family/base/model/model.safetensors: its CRC-32 is " SUM_OF_A
                                 ", recorded was " SUM_OF_B);
}
END_TEST

START_TEST(a_missing_file_is_found)
{
    ck_assert_int_eq(unlink(support_path("tree/family/base/model/config.json")), 0);
    assert_broken(ASSAY_EIO, "tree/family/base/model/config.json: No such file");
}
END_TEST

START_TEST(a_missing_checkpoint_is_found)
{
    ck_assert_int_eq(support_shell("rm -r tree/family/base/model")->code, 0);
    assert_broken(ASSAY_EIO, "tree/family/base/model/config.json: No such file");
}
END_TEST

START_TEST(a_file_without_a_line_is_found)
{
    support_write_text(support_path("tree/family/base/model/tokenizer.json"), "{}");
    assert_broken(ASSAY_EFORMAT, "tree/CRC32SUMS: found no line for ");
    assert_holds(err.text, "/model/tokenizer.json, expected one for each file");
}
END_TEST

START_TEST(the_index_is_found_from_its_own_directories)
{
    static const struct {
        const char *directory, *model;
    } places[] = {
        {"tree", "family/base/model"}, {"tree/family/base", "model"}, {"tree/family/base/model", "../model"}};
    support_write_text(support_path("tree/family/base/model/config.json"), "b");
    char *before = getcwd(NULL, 0);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        ck_assert_int_eq(chdir(support_path("%s", places[i].directory)), 0);
        const assay_status rc = conf_checksums_check(places[i].model, &err);
        ck_assert_int_eq(chdir(before), 0);
        ck_assert_int_eq(rc, ASSAY_EFORMAT);
    }
    free(before);
}
END_TEST

START_TEST(the_index_is_found_through_a_link_to_a_directory)
{
    ck_assert_int_eq(symlink("tree/family", support_path("linked")), 0);
    assert_valid(support_path("linked/base/model"));
    support_write_text(support_path("tree/family/base/model/config.json"), "b");
    ck_assert_int_eq(conf_checksums_check(support_path("linked/base/model"), &err), ASSAY_EFORMAT);
}
END_TEST

START_TEST(a_checkpoint_that_the_nearest_index_lacks_is_not_judged)
{
    support_write_text(support_path("tree/family/base/model/config.json"), "b");
    support_write_text(support_path("tree/family/CRC32SUMS"), SUM_OF_A "  base/model2/config.json\n");
    assert_valid(support_path("tree/family/base/model"));
}
END_TEST

START_TEST(a_list_next_to_the_checkpoint_may_repeat_the_index)
{
    support_write_text(support_path("tree/family/base/model.crc32"), LIST);
    assert_valid(support_path("tree/family/base/model"));
    support_write_text(support_path("tree/family/base/model/config.json"), "b");
    assert_broken(ASSAY_EFORMAT, "config.json: its CRC-32 is " SUM_OF_B ", recorded was " SUM_OF_A);
}
END_TEST

/* A list, and the first line that only one of the two has. */
static const struct {
    const char *list, *line, *missing;
} different[] = {
    {SUM_OF_B "  config.json\n" SUM_OF_B "  model.safetensors\n", SUM_OF_B "  config.json", "tree/CRC32SUMS"},
    {LIST SUM_OF_A "  tokenizer.json\n", SUM_OF_A "  tokenizer.json", "tree/CRC32SUMS"},
    {SUM_OF_A "  config.json\n", SUM_OF_B "  model.safetensors", "base/model.crc32"},
    {"", SUM_OF_A "  config.json", "base/model.crc32"},
};

START_TEST(a_list_that_differs_from_the_index_is_an_error)
{
    char reason[256];
    support_write_text(support_path("tree/family/base/model.crc32"), different[_i].list);
    (void)snprintf(reason, sizeof reason, ": found %s, expected the same line in ", different[_i].line);
    assert_broken(ASSAY_EFORMAT, reason);
    const size_t n = strlen(err.text), n_missing = strlen(different[_i].missing);
    ck_assert_msg(n > n_missing && strcmp(err.text + n - n_missing, different[_i].missing) == 0, "%s",
                  err.text);
}
END_TEST

static const char *const malformed[] = {"config.json\n",
                                        "0123abc  family/base/model/config.json\n",
                                        "0123abcd  \n",
                                        "0123abcd  family/base/model/\n",
                                        "0123abcd  family/base/model/../config.json\n",
                                        "\n"};

START_TEST(a_malformed_index_is_an_error)
{
    support_write_text(support_path("tree/CRC32SUMS"), malformed[_i]);
    assert_broken(ASSAY_EFORMAT, "tree/CRC32SUMS: found \"");
}
END_TEST

START_TEST(an_index_that_cannot_be_read_is_an_error)
{
    ck_assert_int_eq(unlink(support_path("tree/CRC32SUMS")), 0);
    ck_assert_int_eq(symlink("nowhere", support_path("tree/CRC32SUMS")), 0);
    assert_broken(ASSAY_EIO, "tree/CRC32SUMS: No such file");
}
END_TEST

static size_t n_models;

static int check_directory(const char *path, const struct stat *s, int kind, struct FTW *walk)
{
    (void)s;
    if (kind != FTW_D || strcmp(path + walk->base, "model") != 0) return 0;
    n_models++;
    assert_valid(path);
    return 0;
}

START_TEST(every_bundled_checkpoint_is_the_recorded_one)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/fixtures", getenv("top_srcdir"));
    n_models = 0;
    ck_assert_int_eq(nftw(path, check_directory, 16, FTW_PHYS), 0);
    ck_assert_uint_gt(n_models, 0);
}
END_TEST

/* A file without a line, and a line without a file. */
START_TEST(the_index_has_a_line_for_each_file_of_a_bundled_checkpoint)
{
    const support_output *o =
        support_shell("index=$top_srcdir/fixtures/CRC32SUMS && cut -c 11- \"$index\" >listed && cd "
                      "\"$top_srcdir/fixtures\" && find . -path '*/model/*' -type f | cut -c 3- | LC_ALL=C "
                      "sort | diff \"$OLDPWD/listed\" -");
    ck_assert_str_eq(o->out, "");
    ck_assert_int_eq(o->code, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/support/checksums");
    TCase *index = tcase_create("index"), *bundled = tcase_create("bundled");
    tcase_add_checked_fixture(index, write_tree, support_teardown);
    tcase_add_test(index, an_index_above_lists_the_files);
    tcase_add_test(index, a_changed_byte_is_found);
    tcase_add_test(index, a_missing_file_is_found);
    tcase_add_test(index, a_missing_checkpoint_is_found);
    tcase_add_test(index, a_file_without_a_line_is_found);
    tcase_add_test(index, the_index_is_found_from_its_own_directories);
    tcase_add_test(index, the_index_is_found_through_a_link_to_a_directory);
    tcase_add_test(index, a_checkpoint_that_the_nearest_index_lacks_is_not_judged);
    tcase_add_test(index, a_list_next_to_the_checkpoint_may_repeat_the_index);
    tcase_add_loop_test(index, a_list_that_differs_from_the_index_is_an_error, 0,
                        (int)(sizeof different / sizeof *different));
    tcase_add_loop_test(index, a_malformed_index_is_an_error, 0, (int)(sizeof malformed / sizeof *malformed));
    tcase_add_test(index, an_index_that_cannot_be_read_is_an_error);
    suite_add_tcase(suite, index);
    tcase_set_timeout(bundled, 120);
    tcase_add_checked_fixture(bundled, support_setup, support_teardown);
    tcase_add_test(bundled, every_bundled_checkpoint_is_the_recorded_one);
    tcase_add_test(bundled, the_index_has_a_line_for_each_file_of_a_bundled_checkpoint);
    suite_add_tcase(suite, bundled);
    return support_run(suite);
}
