/* Observations in groups of one file, which "FILE/GROUP" names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/hdf5/hdf5.h"
#include "conformance/hdf5/text.h"
#include "conformance/tests/compare.h"

#define FIRST 38 /* an element of the first row without padding */

/* pack.h5/base/good, pack.h5/base/off, and pack.h5/base/failed, of a system that gave no answer. */
static void add_observations(hid_t pack)
{
    static const char *const names[] = {"/base/good", "/base/off"};
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    (void)H5Pset_create_intermediate_group(links, 1);
    for (size_t i = 0; i < 2; i++) {
        if (i) edit_element(compare_seen, "/observed/prefill", FIRST, 100);
        hid_t from = H5Fopen(compare_seen, H5F_ACC_RDONLY, H5P_DEFAULT);
        ck_assert_int_ge(H5Ocopy(from, "/", pack, names[i], H5P_DEFAULT, links), 0);
        (void)H5Fclose(from);
    }
    static const char words[] = "system 1.0, on a CPU: ValueError: no";
    hid_t failed = H5Gcreate2(pack, "/base/failed", links, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    (void)H5Tset_size(type, sizeof words);
    hid_t attribute = H5Acreate2(failed, "error", type, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(attribute, type, words), 0);
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Gclose(failed);
    (void)H5Pclose(links);
}

static void setup(void)
{
    compare_setup();
    ck_assert_int_ge(H5Fclose(H5Fcreate(support_path("pack.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
                     0);
    edit_file(support_path("pack.h5"), add_observations);
}

START_TEST(a_group_of_a_file_is_an_observation)
{
    const support_output *o = support_assay("diff case.h5 pack.h5/base/good");
    assert_code(o, 0);
    assert_holds(o->out, "pass case.h5 pack.h5/base/good\n");
    ck_assert_str_eq(o->err, "");
    assert_code(support_assay("diff pack.h5/base/good pack.h5/base/good"), 0);
    assert_code(support_assay("diff \"$PWD/case.h5\" \"$PWD/pack.h5/base/good\""), 0);
}
END_TEST

START_TEST(another_group_is_judged_by_itself)
{
    const support_output *o = support_assay("diff case.h5 pack.h5/base/off");
    assert_code(o, 1);
    assert_holds(o->out, "FAIL (logits) case.h5 pack.h5/base/off\n");
    assert_holds(o->out, "\n  first:  sample 0, prefill, position 0, id 0: expected ");
    assert_holds(o->out, "\n  REPRO: assay diff case.h5 pack.h5/base/off\n");
    assert_code(support_assay("diff pack.h5/base/good pack.h5/base/off"), 1);
}
END_TEST

START_TEST(a_system_that_gave_no_answer_is_reported_in_its_words)
{
    const support_output *o = support_assay("diff case.h5 pack.h5/base/failed");
    assert_code(o, 99);
    assert_holds(
        o->err,
        "pack.h5/base/failed: the observed system gave no answer: system 1.0, on a CPU: ValueError: no");
}
END_TEST

/* A path that names no observation, and the message. */
static const struct {
    const char *path, *reason;
} refused[] = {
    {"pack.h5", "pack.h5: no observation: /observed is missing; if it has several, expected the path of one, "
                "such as pack.h5/base"},
    {"pack.h5/base", "pack.h5/base: no observation: /observed is missing; if it has several, expected the "
                     "path of one, such as "
                     "pack.h5/base/failed"},
    {"pack.h5/base/none", "pack.h5/base/none: found no group /base/none in the file"},
    {"pack.h5/base/good/observed/decode", "pack.h5/base/good/observed/decode: "},
    {"pack.h5/", "pack.h5/: found no group / in the file"},
    {"none.h5/base/good", "none.h5/base/good: No such file or directory"},
    {"text/base/good", "text/base/good: not an HDF5 file"},
    {"none/pack.h5/base", "none/pack.h5/base: No such file or directory"},
};

START_TEST(a_path_without_an_observation_is_refused)
{
    support_write_text(support_path("text"), "no HDF5");
    const support_output *o = support_assay("diff case.h5 %s", refused[_i].path);
    assert_code(o, 99);
    assert_holds(o->err, refused[_i].reason);
}
END_TEST

START_TEST(a_group_has_the_members_and_attributes_of_a_file)
{
    conf_h5 *file;
    conf_strings members, attributes;
    assay_error err = {0};
    ck_assert_msg(conf_h5_open(support_path("pack.h5/base/good"), &file, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_int_eq(conf_h5_members(file, "/", &members, &err), ASSAY_OK);
    ck_assert_int_eq(conf_h5_attributes(file, &attributes, &err), ASSAY_OK);
    ck_assert_uint_eq(members.n, 1);
    ck_assert_str_eq(members.at[0], "observed");
    ck_assert(conf_h5_has(file, "/observed/decode") && !conf_h5_has(file, "/base"));
    conf_strings_free(&members);
    conf_strings_free(&attributes);
    conf_h5_close(file);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/diff/packs");
    TCase *tc = tcase_create("groups of a file");
    tcase_add_checked_fixture(tc, setup, support_teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_group_of_a_file_is_an_observation);
    tcase_add_test(tc, another_group_is_judged_by_itself);
    tcase_add_test(tc, a_system_that_gave_no_answer_is_reported_in_its_words);
    tcase_add_loop_test(tc, a_path_without_an_observation_is_refused, 0,
                        (int)(sizeof refused / sizeof *refused));
    tcase_add_test(tc, a_group_has_the_members_and_attributes_of_a_file);
    suite_add_tcase(s, tc);
    return support_run(s);
}
