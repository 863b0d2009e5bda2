/* The ids of cases below several directories.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/case/find.h"
#include "conformance/tests/support.h"

static char *before;

static void setup(void)
{
    static const char *const dirs[] = {"a", "b", "b/sub", "top", "top/left", "top/right", "top/right/deep"};
    static const char *const files[] = {"a/x.h5",        "b/x.h5",         "b/sub/x.h5",
                                        "top/left/x.h5", "top/right/x.h5", "top/right/deep/y.json"};
    support_setup();
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) support_mkdir(support_path("%s", dirs[i]));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        support_write_text(support_path("%s", files[i]), "");
}

/* Makes the test's directory the working directory, so that tests can use relative paths. */
static void enter(void)
{
    before = get_current_dir_name();
    ck_assert_int_eq(chdir(support_path(".")), 0);
}

static void leave(void)
{
    ck_assert_int_eq(chdir(before), 0);
    free(before);
}

/* Arguments, and the ids of the cases found, in order (only the first four are listed). */
static const struct {
    const char *arguments[3];
    const char *ids[4];
} given[] = {
    {{"a"}, {"x"}},
    {{"a/"}, {"x"}},
    {{"b"}, {"sub/x", "x"}},
    {{"a", "b"}, {"a/x", "b/sub/x", "b/x"}},
    {{"b", "a"}, {"b/sub/x", "b/x", "a/x"}},
    {{"./a/", "b/"}, {"a/x", "b/sub/x", "b/x"}},
    {{".//a/", "b/"}, {"a/x", "b/sub/x", "b/x"}},
    {{"./", "a"}, {"a/x", "b/sub/x", "b/x", "top/left/x"}},
    {{"a", "./a"}, {"x", "x"}},
    {{"top/left", "top/right"}, {"left/x", "right/deep/y", "right/x"}},
    {{"./top/left", "top/right/deep"}, {"left/x", "right/deep/y"}},
    {{"top", "top/left"}, {"left/x", "right/deep/y", "right/x", "left/x"}},
    {{"b", "b/sub"}, {"sub/x", "x", "sub/x"}},
    {{".", "a"}, {"a/x", "b/sub/x", "b/x", "top/left/x"}},
    {{"a", "b/x.h5"}, {"x", "b/x"}},
    {{"a", "./b/x.h5", "b/sub"}, {"a/x", "b/x", "b/sub/x"}},
};

START_TEST(a_case_has_a_name_before_its_extension)
{
    static const struct {
        const char *path;
        size_t stem; /* 0: not a case's name */
    } names[] = {{"x.h5", 1},   {"a/x.json", 3},   {"a.h5/bc.json.gz", 7}, {".h5", 0}, {"a/.json", 0},
                 {"a.h5/b", 0}, {"a/x.h5.txt", 0}, {"a/xh5", 0},           {"", 0}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t stem = 0;
        ck_assert_int_eq(conf_case_is_named(names[i].path, &stem), names[i].stem > 0);
        ck_assert_int_eq(conf_case_is_named(names[i].path, NULL), names[i].stem > 0);
        ck_assert_uint_eq(stem, names[i].stem);
    }
}
END_TEST

START_TEST(ids_begin_after_the_common_prefix)
{
    conf_found_list list = {0};
    assay_error err = {0};
    size_t n = 0, n_ids = 0;
    while (n < 3 && given[_i].arguments[n]) n++;
    enter();
    ck_assert_msg(conf_find_all(given[_i].arguments, n, &list, &err) == ASSAY_OK, "%s", err.text);
    leave();
    while (n_ids < 4 && given[_i].ids[n_ids]) n_ids++;
    if (n_ids < 4) ck_assert_uint_eq(list.n, n_ids);
    for (size_t i = 0; i < n_ids; i++) ck_assert_str_eq(list.at[i].id, given[_i].ids[i]);
    conf_found_free(&list);
}
END_TEST

START_TEST(absolute_directories_have_ids_without_their_common_prefix)
{
    char left[4096], right[4096];
    conf_found_list list = {0};
    assay_error err = {0};
    char *here = realpath(support_path("top"), NULL);
    (void)snprintf(left, sizeof left, "%s/left", here);
    (void)snprintf(right, sizeof right, "%s/right/deep/", here);
    free(here);
    ck_assert_int_eq(conf_find_all((const char *const[]){left, right}, 2, &list, &err), ASSAY_OK);
    ck_assert_uint_eq(list.n, 2);
    ck_assert_str_eq(list.at[0].id, "left/x");
    ck_assert_str_eq(list.at[1].id, "right/deep/y");
    conf_found_free(&list);
}
END_TEST

/* A link that leads nowhere is found, too: running it says what is wrong. */
START_TEST(links_to_files_are_followed_and_links_to_directories_are_not)
{
    conf_found_list list = {0};
    assay_error err = {0};
    ck_assert_int_eq(symlink("x.h5", support_path("a/file.h5")), 0);
    ck_assert_int_eq(symlink("gone", support_path("a/nowhere.h5")), 0);
    ck_assert_int_eq(symlink("../b", support_path("a/directory.h5")), 0);
    ck_assert_msg(conf_find(support_path("a"), &list, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(list.n, 3);
    ck_assert_str_eq(list.at[0].id, "file");
    ck_assert_str_eq(list.at[1].id, "nowhere");
    ck_assert_str_eq(list.at[2].id, "x");
    conf_found_free(&list);
}
END_TEST

/* The bundled cases are of these kinds. */
START_TEST(a_directory_is_searched_for_cases_of_every_kind)
{
    static const char *const dirs[] = {
        "qwen2/base",     "rope",          "serving/eos",      "serving/reasoning",
        "serving/events", "serving/tools", "serving/template", "tokenizer",
        "trained",        "threads"};
    static const char *const kinds[] = {" logits ",    " generate ", " rope ",   " eos ",
                                        " reasoning ", " events ",   " tools ",  " template ",
                                        " tokenizer ", " dialogue ", " threads "};
    char all[sizeof dirs / sizeof *dirs * 512] = "";
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        (void)snprintf(all + strlen(all), sizeof all - strlen(all), " \"$top_srcdir/fixtures/%s\"", dirs[i]);
    const support_output *o = support_assay("list%s", all);
    assert_code(o, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) assert_holds(o->out, kinds[i]);
}
END_TEST

START_TEST(reports_and_filters_use_ids_relative_to_the_directory)
{
    (void)support_write_decoder(support_path("a/x.h5"), "logits", "ok");
    (void)support_write_decoder(support_path("top/left/x.h5"), "logits", "off");
    const support_output *o = support_assay("run -e %s a top/left", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (logits) top/left/x.h5 ");
    o = support_assay("run -v -e %s --filter 'a/*' a top/left", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "pass a/x.h5 ");
    o = support_assay("list a top/left");
    assert_holds(o->out, "a/x ");
    assert_holds(o->out, "top/left/x ");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/case/find");
    TCase *cases = tcase_create("ids");
    tcase_add_checked_fixture(cases, setup, support_teardown);
    tcase_add_test(cases, a_case_has_a_name_before_its_extension);
    tcase_add_loop_test(cases, ids_begin_after_the_common_prefix, 0, sizeof given / sizeof *given);
    tcase_add_test(cases, absolute_directories_have_ids_without_their_common_prefix);
    tcase_add_test(cases, links_to_files_are_followed_and_links_to_directories_are_not);
    tcase_add_test(cases, a_directory_is_searched_for_cases_of_every_kind);
    tcase_add_test(cases, reports_and_filters_use_ids_relative_to_the_directory);
    suite_add_tcase(suite, cases);
    return support_run(suite);
}
