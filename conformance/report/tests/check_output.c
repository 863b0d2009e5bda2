/* Files that are written atomically.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/output.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conformance/tests/support.h"

static const char *read_text(const char *path)
{
    static char text[256];
    FILE *f = fopen(path, "r");
    if (!f) return NULL;
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    return text;
}

/* Files in the test's directory, hidden ones too. */
static size_t count_files(void)
{
    size_t n = 0;
    DIR *dir = opendir(support_path("."));
    for (struct dirent *entry; (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(dir);
    return n;
}

static conf_output open_output(const char *path)
{
    conf_output o = {0};
    assay_error err;
    ck_assert_msg(conf_output_open(path, &o, &err) == ASSAY_OK, "%s", err.text);
    return o;
}

static void close_output(conf_output *o)
{
    assay_error err;
    ck_assert_msg(conf_output_close(o, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_ptr_null(o->file);
}

START_TEST(the_file_has_its_name_only_when_it_is_complete)
{
    const char *path = support_path("report");
    support_write_text(path, "of an earlier run");
    conf_output o = open_output(path);
    ck_assert_int_ne(access(path, F_OK), 0);
    (void)fputs("complete", o.file);
    (void)fflush(o.file);
    ck_assert_int_ne(access(path, F_OK), 0);
    close_output(&o);
    ck_assert_str_eq(read_text(path), "complete");
    ck_assert_uint_eq(count_files(), 1);
    close_output(&o); /* does nothing */
}
END_TEST

START_TEST(an_empty_file_is_removed)
{
    conf_output o = open_output(support_path("report"));
    close_output(&o);
    ck_assert_uint_eq(count_files(), 0);
}
END_TEST

START_TEST(two_attempts_never_write_one_file)
{
    const char *path = support_path("report");
    conf_output a = open_output(path), b = open_output(path);
    (void)fputs("first", a.file);
    (void)fputs("second", b.file);
    close_output(&b);
    ck_assert_str_eq(read_text(path), "second");
    close_output(&a);
    ck_assert_str_eq(read_text(path), "first");
    ck_assert_uint_eq(count_files(), 1);
}
END_TEST

START_TEST(the_mode_is_that_of_an_ordinary_file)
{
    struct stat s;
    const mode_t before = umask(027);
    conf_output o = open_output(support_path("report"));
    (void)fputs("x", o.file);
    close_output(&o);
    (void)umask(before);
    ck_assert_int_eq(stat(support_path("report"), &s), 0);
    ck_assert_uint_eq(s.st_mode & 0777, 0640);
}
END_TEST

START_TEST(a_link_stays_and_its_file_is_replaced)
{
    struct stat s;
    support_mkdir(support_path("dir"));
    support_write_text(support_path("dir/file"), "old");
    ck_assert_int_eq(symlink("dir/file", support_path("link")), 0);
    conf_output o = open_output(support_path("link"));
    (void)fputs("new", o.file);
    close_output(&o);
    ck_assert_int_eq(lstat(support_path("link"), &s), 0);
    ck_assert(S_ISLNK(s.st_mode));
    ck_assert_str_eq(read_text(support_path("dir/file")), "new");
}
END_TEST

START_TEST(devices_are_written_in_place)
{
    conf_output o = open_output("/dev/null");
    (void)fputs("x", o.file);
    ck_assert_ptr_null(o.unfinished);
    close_output(&o);
    struct stat s;
    ck_assert_int_eq(stat("/dev/null", &s), 0);
    ck_assert(S_ISCHR(s.st_mode));
}
END_TEST

START_TEST(a_long_name_fits)
{
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    conf_output o = open_output(support_path("%s", name));
    (void)fputs("x", o.file);
    close_output(&o);
    ck_assert_str_eq(read_text(support_path("%s", name)), "x");
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_named)
{
    conf_output o = {0};
    assay_error err;
    ck_assert_int_eq(conf_output_open(support_path("none/report"), &o, &err), ASSAY_EIO);
    assert_holds(err.text, "none/report: No such file or directory");
    ck_assert_ptr_null(o.file);
    ck_assert_int_eq(conf_output_open("/dev/full", &o, &err), ASSAY_OK);
    (void)fputs("x", o.file);
    ck_assert_int_eq(conf_output_close(&o, &err), ASSAY_EIO);
    assert_holds(err.text, "/dev/full: No space left on device");
    ck_assert_ptr_null(o.file);
}
END_TEST

START_TEST(a_directory_is_refused)
{
    conf_output o = {0};
    assay_error err;
    support_mkdir(support_path("dir"));
    ck_assert_int_eq(conf_output_open(support_path("dir"), &o, &err), ASSAY_EIO);
    assert_holds(err.text, "dir: Is a directory");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/report/output");
    TCase *t = tcase_create("all");
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_test(t, the_file_has_its_name_only_when_it_is_complete);
    tcase_add_test(t, an_empty_file_is_removed);
    tcase_add_test(t, two_attempts_never_write_one_file);
    tcase_add_test(t, the_mode_is_that_of_an_ordinary_file);
    tcase_add_test(t, a_link_stays_and_its_file_is_replaced);
    tcase_add_test(t, devices_are_written_in_place);
    tcase_add_test(t, a_long_name_fits);
    tcase_add_test(t, a_file_that_cannot_be_written_is_named);
    tcase_add_test(t, a_directory_is_refused);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
