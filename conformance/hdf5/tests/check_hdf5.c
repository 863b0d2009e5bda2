/* Untrusted files, cases of other kinds, and finding cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/case/case.h"
#include "conformance/case/find.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/support.h"

static const char *path;

static void setup(void)
{
    support_setup();
    path = support_write_decoder(support_path("case.h5"), "logits", "model");
}

static void assert_refused(const char *file, assay_status status, const char *reason)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_int_eq(conf_case_read(file, &c, &err), status);
    ck_assert_ptr_null(c);
    assert_holds(err.text, file);
    assert_holds(err.text, reason);
}

START_TEST(a_file_that_is_not_there_is_refused)
{
    assert_refused(support_path("none.h5"), ASSAY_EIO, "No such file");
}
END_TEST

START_TEST(a_text_file_named_like_a_case_is_refused)
{
    const char *text = support_path("text.h5");
    support_write_text(text, "schema: assay/1\n");
    assert_refused(text, ASSAY_EFORMAT, "not an HDF5 file");
}
END_TEST

START_TEST(a_file_that_was_cut_short_is_refused)
{
    static const off_t sizes[] = {0, 4, 100, 1000, 3000};
    ck_assert_int_eq(truncate(path, sizes[_i]), 0);
    assert_refused(path, ASSAY_EFORMAT, "");
}
END_TEST

static void add_external_link(hid_t file)
{
    ck_assert_int_ge(H5Ldelete(file, "/input/length", H5P_DEFAULT), 0);
    ck_assert_int_ge(H5Lcreate_external("other.h5", "/x", file, "/input/length", H5P_DEFAULT, H5P_DEFAULT),
                     0);
}

START_TEST(a_link_to_another_file_is_not_followed)
{
    edit_file(path, add_external_link);
    assert_refused(path, ASSAY_EFORMAT, "/input/length is an external link");
}
END_TEST

static void add_soft_link(hid_t file)
{
    ck_assert_int_ge(H5Lmove(file, "/expect/truth", file, "/moved", H5P_DEFAULT, H5P_DEFAULT), 0);
    ck_assert_int_ge(H5Lcreate_soft("/moved", file, "/expect/truth", H5P_DEFAULT, H5P_DEFAULT), 0);
}

START_TEST(a_soft_link_is_not_followed)
{
    edit_file(path, add_soft_link);
    assert_refused(path, ASSAY_EFORMAT, "/expect/truth");
}
END_TEST

/* Creates a dataset of int32 in the place of an existing one, and closes space and plist. */
static void replace_dataset(hid_t file, const char *name, hid_t space, hid_t plist)
{
    ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
    hid_t dataset = H5Dcreate2(file, name, H5T_NATIVE_INT32, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(plist);
}

static void store_outside(hid_t file)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    ck_assert_int_ge(H5Pset_external(plist, "/etc/passwd", 0, 8), 0);
    hid_t space = H5Screate_simple(1, (hsize_t[]){2}, NULL);
    replace_dataset(file, "/input/length", space, plist);
}

START_TEST(a_dataset_stored_outside_the_file_is_refused)
{
    edit_file(path, store_outside);
    assert_refused(path, ASSAY_EFORMAT, "/input/length is stored outside the file");
}
END_TEST

static void make_virtual(hid_t file)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, (hsize_t[]){2}, NULL);
    ck_assert_int_ge(H5Pset_virtual(plist, space, "other.h5", "/x", space), 0);
    replace_dataset(file, "/input/length", space, plist);
}

START_TEST(a_virtual_dataset_is_refused)
{
    edit_file(path, make_virtual);
    assert_refused(path, ASSAY_EFORMAT, "/input/length is a virtual dataset");
}
END_TEST

/* Chunks that are never written take no space in the file, even if its shape is huge. */
static void make_huge(hid_t file)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    ck_assert_int_ge(H5Pset_chunk(plist, 2, (hsize_t[]){1, 16}), 0);
    hid_t space = H5Screate_simple(2, (hsize_t[]){(hsize_t)1 << 31, (hsize_t)1 << 31}, NULL);
    replace_dataset(file, "/input/tokens", space, plist);
}

START_TEST(a_dataset_too_large_for_memory_is_refused_before_it_is_read)
{
    edit_file(path, make_huge);
    assert_refused(path, ASSAY_EFORMAT, "/input/tokens is larger than 2048 MiB");
}
END_TEST

START_TEST(too_many_axes_are_refused)
{
    edit_i32(path, "/input/extra", 8, (size_t[]){1, 1, 1, 1, 1, 1, 1, 1}, (const int32_t[]){1});
    conf_case *c;
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    conf_case_free(c);
    edit_remove(path, "/input/extra");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t space = H5Screate_simple(9, (hsize_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1}, NULL);
    (void)H5Dclose(
        H5Dcreate2(file, "/input/extra", H5T_NATIVE_INT32, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    (void)H5Sclose(space);
    (void)H5Fclose(file);
    assert_refused(path, ASSAY_EFORMAT, "/input/extra has 9 axes");
}
END_TEST

static void make_group(hid_t file)
{
    ck_assert_int_ge(H5Ldelete(file, "/input/length", H5P_DEFAULT), 0);
    (void)H5Gclose(H5Gcreate2(file, "/input/length", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

START_TEST(a_group_in_a_datasets_place_is_refused)
{
    edit_file(path, make_group);
    assert_refused(path, ASSAY_EFORMAT, "/input/length is not a dataset");
}
END_TEST

START_TEST(a_dataset_in_a_groups_place_is_refused)
{
    edit_i32(path, "/expect/bfloat16", 1, (size_t[]){1}, (const int32_t[]){1});
    assert_refused(path, ASSAY_EFORMAT, "members of /expect/bfloat16 cannot be listed");
}
END_TEST

START_TEST(an_observation_is_no_case)
{
    edit_remove(path, "/expect");
    edit_f64(path, "/observed/prefill", 1, (size_t[]){1}, (const double[]){1});
    edit_remove_attribute(path, "kind");
    edit_remove_attribute(path, "schema");
    conf_case *c;
    ck_assert_int_eq(conf_case_read(path, &c, NULL), ASSAY_OK);
    ck_assert_int_eq(c->kind, CONF_OBSERVATION);
    conf_case_free(c);
}
END_TEST

START_TEST(kinds_that_are_not_replayed_are_read_no_further)
{
    const char *text = support_path("schedule.json");
    support_write_text(text, "{\"schema\":\"assay/1\",\"kind\":\"schedule\"}");
    conf_case *c;
    ck_assert_int_eq(conf_case_read(text, &c, NULL), ASSAY_OK);
    ck_assert_int_eq(c->kind, CONF_SCHEDULE);
    ck_assert(!!conf_kind_of(c->kind)->refusal);
    conf_case_free(c);
}
END_TEST

static const char *const rotated[] = {"/input/x", "/expect/truth/x", "/expect/truth/cos", "/expect/truth/sin",
                                      "/input/position"};

START_TEST(every_member_of_a_rope_case_is_checked)
{
    const char *rope = support_write_rope(support_path("rope.h5"), "{}");
    char reason[64];
    edit_texts(rope, rotated[_i], 1, (const char *const[]){"3"});
    (void)snprintf(reason, sizeof reason, "%s: its type is none of", rotated[_i]);
    assert_refused(rope, ASSAY_EFORMAT, reason);
    for (size_t k = 0; k < 2 && _i < 4; k++) {
        support_write_rope(rope, "{}");
        edit_element(rope, rotated[_i], 11 * k, 1.0 / 0.0);
        (void)snprintf(reason, sizeof reason, "%s: element %zu is inf", rotated[_i], 11 * k);
        assert_refused(rope, ASSAY_EFORMAT, reason);
    }
}
END_TEST

START_TEST(unknown_members_of_a_rope_case_are_noted)
{
    static const char *const names[] = {"/later", "/input/later", "/expect/later", "/expect/truth/later",
                                        "/expect/float32/later"};
    const char *rope = support_write_rope(support_path("rope.h5"), "{}");
    edit_f64(rope, "/expect/float32/x", 0, NULL, (const double[]){1});
    for (size_t i = 0; i < 5; i++) edit_f64(rope, names[i], 0, NULL, (const double[]){1});
    conf_case *c;
    ck_assert_int_eq(conf_case_read(rope, &c, NULL), ASSAY_OK);
    ck_assert_uint_eq(c->unknown.n, 5);
    for (size_t i = 0; i < 5; i++) ck_assert_str_eq(c->unknown.at[i], names[i]);
    conf_case_free(c);
}
END_TEST

static const char *const textual[] = {"schema", "kind", "source", "recorder", "catches", "flags"};

START_TEST(every_member_of_a_textual_header_is_checked)
{
    static const char *const sound[] = {"\"assay/1\"", "\"eos\"", "\"s\"", "\"r\"", "\"c\"", "[\"f\"]"};
    const char *text = support_path("text.json");
    for (int broken = 0; broken < 2; broken++) {
        char json[400] = "{";
        for (int i = 0; i < 6; i++) {
            const size_t n = strlen(json);
            (void)snprintf(json + n, sizeof json - n, "\"%s\":%s,", textual[i],
                           i != _i  ? sound[i]
                           : i == 5 ? broken ? "[1]" : "\"f\""
                                    : "1");
        }
        (void)strcat(json, "\"groups\":[]}");
        support_write_text(text, json);
        assert_refused(text, ASSAY_EFORMAT, textual[_i]);
    }
}
END_TEST

START_TEST(broken_rope_cases_are_refused)
{
    const char *rope = support_path("rope.h5");
    support_write_rope(rope, "{\"rope_theta\":1e4,}");
    assert_refused(rope, ASSAY_EFORMAT, "the attribute config");
    support_write_rope(rope, "{}");
    edit_i32(rope, "/input/position", 2, (size_t[]){2, 3}, (const int32_t[]){0, 1, 2, 0, 1, 2});
    assert_refused(rope, ASSAY_EFORMAT, "/input/position has neither shape [P] nor [3,P]");
    edit_i32(rope, "/input/position", 1, (size_t[]){2}, (const int32_t[]){0, 1});
    assert_refused(rope, ASSAY_EFORMAT, "/input/x has neither shape [2,head] nor [2,heads,head]");
    support_write_rope(rope, "{}");
    edit_remove(rope, "/expect/truth/sin");
    assert_refused(rope, ASSAY_EFORMAT, "/expect/truth/sin is missing");
    support_write_rope(rope, "{}");
    edit_f64(rope, "/expect/truth/cos", 2, (size_t[]){3, 5}, (const double[15]){0});
    assert_refused(rope, ASSAY_EFORMAT, "/expect/truth/cos has 5 columns, expected 1..4");
    support_write_rope(rope, "{}");
    edit_element(rope, "/expect/truth/x", 3, 1.0 / 0.0);
    assert_refused(rope, ASSAY_EFORMAT, "/expect/truth/x: element 3 is inf");
    support_write_rope(rope, "{}");
    edit_remove_attribute(rope, "config");
    assert_refused(rope, ASSAY_EFORMAT, "the attribute config is missing");
}
END_TEST

static conf_found_list found_below(const char *dir)
{
    conf_found_list list = {0};
    assay_error err = {0};
    ck_assert_msg(conf_find(dir, &list, &err) == ASSAY_OK, "%s", err.text);
    return list;
}

START_TEST(cases_are_found_in_the_order_of_their_ids_and_not_in_checkpoints)
{
    const char *root = support_path("tree");
    static const char *const dirs[] = {"tree",         "tree/b",       "tree/a",
                                       "tree/a/model", "tree/a/other", "tree/.hidden"};
    for (size_t i = 0; i < 6; i++) support_mkdir(support_path("%s", dirs[i]));
    static const char *const files[] = {
        "tree/b/x.h5",       "tree/a/z.json",    "tree/a/model/m.h5",        "tree/a/other/o.json",
        "tree/.hidden/h.h5", "tree/a/README.md", "tree/a/other/config.json", "tree/a/y.json.gz",
        "tree/a/.h5"};
    for (size_t i = 0; i < 9; i++) support_write_text(support_path("%s", files[i]), "");
    conf_found_list list = found_below(root);
    ck_assert_uint_eq(list.n, 3);
    ck_assert_str_eq(list.at[0].id, "a/y");
    ck_assert_str_eq(list.at[1].id, "a/z");
    ck_assert_str_eq(list.at[2].id, "b/x");
    assert_holds(list.at[2].path, "/tree/b/x.h5");
    conf_found_free(&list);
}
END_TEST

START_TEST(a_filter_is_a_glob_or_a_part_of_the_id)
{
    static const char *const filters[] = {"case", "ca*", "*.h5", "x", "c?se", "[cd]ase"};
    static const size_t n_left[] = {1, 1, 0, 0, 1, 1};
    char dir[64];
    (void)snprintf(dir, sizeof dir, "%.*s", (int)(strlen(path) - strlen("/case.h5")), path);
    for (size_t i = 0; i < 6; i++) {
        conf_found_list list = found_below(dir);
        conf_find_filter(&list, filters[i]);
        ck_assert_msg(list.n == n_left[i], "%s leaves %zu", filters[i], list.n);
        conf_found_free(&list);
    }
}
END_TEST

START_TEST(a_file_whose_name_no_case_has_is_refused)
{
    conf_found_list list = {0};
    support_write_text(support_path("notes.md"), "");
    ck_assert_int_eq(conf_find(support_path("notes.md"), &list, NULL), ASSAY_EINVAL);
    ck_assert_int_eq(conf_find(support_path("nothing"), &list, NULL), ASSAY_EIO);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/hdf5/hdf5");
    TCase *files = tcase_create("files");
    tcase_add_checked_fixture(files, setup, support_teardown);
    tcase_add_test(files, a_file_that_is_not_there_is_refused);
    tcase_add_test(files, a_text_file_named_like_a_case_is_refused);
    tcase_add_loop_test(files, a_file_that_was_cut_short_is_refused, 0, 5);
    tcase_add_test(files, a_link_to_another_file_is_not_followed);
    tcase_add_test(files, a_soft_link_is_not_followed);
    tcase_add_test(files, a_dataset_stored_outside_the_file_is_refused);
    tcase_add_test(files, a_virtual_dataset_is_refused);
    tcase_add_test(files, a_dataset_too_large_for_memory_is_refused_before_it_is_read);
    tcase_add_test(files, too_many_axes_are_refused);
    tcase_add_test(files, a_group_in_a_datasets_place_is_refused);
    tcase_add_test(files, a_dataset_in_a_groups_place_is_refused);
    tcase_add_test(files, an_observation_is_no_case);
    tcase_add_test(files, kinds_that_are_not_replayed_are_read_no_further);
    tcase_add_loop_test(files, every_member_of_a_rope_case_is_checked, 0, 5);
    tcase_add_test(files, unknown_members_of_a_rope_case_are_noted);
    tcase_add_loop_test(files, every_member_of_a_textual_header_is_checked, 0, 6);
    tcase_add_test(files, broken_rope_cases_are_refused);
    suite_add_tcase(suite, files);
    TCase *finding = tcase_create("finding");
    tcase_add_checked_fixture(finding, setup, support_teardown);
    tcase_add_test(finding, cases_are_found_in_the_order_of_their_ids_and_not_in_checkpoints);
    tcase_add_test(finding, a_filter_is_a_glob_or_a_part_of_the_id);
    tcase_add_test(finding, a_file_whose_name_no_case_has_is_refused);
    suite_add_tcase(suite, finding);

    return support_run(suite);
}
