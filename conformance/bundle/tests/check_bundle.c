/* Bundles of failures that the planted bugs of bundle.test do not have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/bundle/paths.h"
#include "conformance/tests/support.h"

#define FOLDER "out/case-fake32"

/* Bundles the failure of the test engine on a case whose checkpoint names its bug. */
static const support_output *bundle(const char *fault, const char *options)
{
    (void)support_write_decoder(support_path("case.h5"), "logits", fault);
    return support_assay("run %s --bundle out -e %s case.h5", options, support_engine("fake32"));
}

static void assert_issue(const char *text)
{
    const support_output *o = support_shell("cat " FOLDER "/ISSUE.md");
    assert_holds(o->out, text);
}

START_TEST(a_crash_has_no_observation)
{
    const support_output *o = bundle("crash", "");
    assert_code(o, 1);
    assert_holds(o->out, "bundle: " FOLDER ": 2 files, ");
    assert_holds(o->out, "repeats the failure\n");
    assert_issue("# case fails with fake32.so: crash\n");
    assert_issue("    FAIL (crash) case.h5 ./fake32.so\n");
    assert_issue("\n| case.h5 | the case: inputs and expected results | ");
    assert_code(support_assay("run -e %s out", support_engine("fake32")), 1);
}
END_TEST

START_TEST(an_engine_that_hangs_is_not_run_again)
{
    const support_output *o = bundle("hang", "--timeout 1");
    assert_code(o, 1);
    assert_holds(o->out, " bytes, not run again\n");
    assert_issue("    assay run --engine ./fake32.so --timeout 1 case.h5\n");
}
END_TEST

START_TEST(a_case_of_a_checkpoint_root_has_it_in_its_folder)
{
    const char *path = support_path("case.h5");
    (void)support_write_decoder(path, "logits", "off");
    edit_remove_attribute(path, "model");
    edit_attribute(path, "checkpoint", "models/off");
    const support_output *o =
        support_shell("mkdir -p secret/models/off; echo text >secret/models/off/a.txt; "
                      ": >model.crc32; crc32() { gzip -c \"$1\" | tail -c 8 | od -An -N4 "
                      "-tx4 | tr -d ' \\n'; }; printf '%s  a.txt\\n' \"$(crc32 "
                      "secret/models/off/a.txt)\" >model.crc32");
    assert_code(o, 0);
    o = support_assay("run --checkpoint-root secret --bundle out -e %s case.h5", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "repeats the failure\n");
    assert_issue("    assay run --engine ./fake32.so --checkpoint-root . case.h5\n");
    o = support_shell("cd " FOLDER "; cat models/off/a.txt; cat model.crc32; grep -rl secret .");
    assert_holds(o->out, "text\n");
    assert_lacks(o->out, "./");
    o = support_assay("run --checkpoint-root " FOLDER " -e %s " FOLDER, support_engine("fake32"));
    assert_code(o, 1);
}
END_TEST

START_TEST(a_case_without_a_checkpoint_is_bundled)
{
    (void)support_write_rope(support_path("case.h5"), "{\"rope_type\":\"off-x\"}");
    const support_output *o = support_assay("run --bundle out -e %s case.h5", support_engine("stateful"));
    assert_code(o, 1);
    o = support_shell("ls out/*");
    assert_holds(o->out, "ISSUE.md\ncase.h5\n");
    assert_lacks(o->out, "plan.txt");
}
END_TEST

START_TEST(a_checkpoint_that_is_a_gguf_file_is_bundled)
{
    const support_output *o =
        support_shell("mkdir gguf && cp \"$top_srcdir\"/fixtures/tokenizer/gguf/gpt2/model.gguf* gguf && "
                      "gzip -dc \"$top_srcdir/fixtures/tokenizer/gguf/gpt2/vectors.json.gz\" | "
                      "sed '0,/\"ids\":\\[\\]/s//\"ids\":[1]/' >gguf/case.json");
    assert_code(o, 0);
    o = support_assay("run -e ref32 --bundle out gguf/case.json");
    assert_code(o, 1);
    assert_holds(o->out, "bundle: out/case-ref32: 4 files, ");
    assert_holds(o->out, "repeats the failure\n");
    o = support_shell("cmp gguf/model.gguf out/case-ref32/model.gguf && "
                      "cmp gguf/model.gguf.crc32 out/case-ref32/model.gguf.crc32");
    assert_code(o, 0);
}
END_TEST

START_TEST(a_program_is_not_named)
{
    (void)support_write_decoder(support_path("case.h5"), "logits", "off");
    const support_output *o =
        support_shell("PYTHONPATH=$top_srcdir/adapters/python \"$ASSAY\" run --bundle out --engine "
                      "\"exec:env SECRET=token python3 $top_srcdir/examples/exec-engine/engine.py\" case.h5");
    assert_code(o, 1);
    assert_holds(o->out, "bundle: out/case-exec: ");
    o = support_shell("cat out/case-exec/ISSUE.md");
    assert_holds(o->out, "    assay run --engine exec:COMMAND case.h5\n");
    assert_code(support_shell("grep -rq -e SECRET -e token= -e engine.py out"), 1);
}
END_TEST

/* A folder of the user may have the name of one in the bundle. */
START_TEST(names_of_the_bundle_are_not_taken_for_paths_of_the_user)
{
    support_mkdir(support_path("off"));
    (void)support_write_decoder(support_path("off/case.h5"), "logits", "off");
    support_write_text(support_path("off/off/a.txt"), "<b>|*\n");
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "cp %s '<script>|`*.so' && \"$ASSAY\" run --bundle out -e './<script>|`*.so' off/case.h5",
                   support_engine("fake32"));
    const support_output *o = support_shell(command);
    assert_code(o, 1);
    o = support_shell("cat out/*/ISSUE.md");
    assert_holds(o->out, "# case fails with \\<script\\>\\|\\`\\*.so: logits\n");
    assert_holds(o->out, "| engine | ./\\<script\\>\\|\\`\\*.so |\n");
    assert_holds(o->out, "\n    assay run --engine './<script>|`*.so' case.h5\n");
    assert_holds(o->out, "| off/a.txt | of the checkpoint | 6 |\n");
    assert_lacks(o->out, "off/case.h5");
    assert_holds(o->out, "\n- `first` is the first position with wrong logits, ");
    assert_lacks(o->out, "\n- `tensor` is ");
    assert_holds(o->out, "\nof the published model, one in float32 and one in float64.\n");
}
END_TEST

/* The replacement of paths in a text. */
static void assert_replaced(const char *text, const char *expected)
{
    conf_bundle_paths paths = {0};
    size_t n;
    ck_assert_int_eq(conf_bundle_paths_add(&paths, "/home/me", "~", NULL), ASSAY_OK);
    ck_assert_int_eq(conf_bundle_paths_add(&paths, "/home/me/work/", "", NULL), ASSAY_OK);
    ck_assert_int_eq(conf_bundle_paths_add_parent(&paths, "cases/a.h5", NULL), ASSAY_OK);
    ck_assert_int_eq(conf_bundle_paths_add(&paths, ".", "x", NULL), ASSAY_OK);
    char *found = conf_bundle_paths_replace(&paths, false, text, strlen(text), &n);
    ck_assert_str_eq(found, expected);
    ck_assert_uint_eq(n, strlen(expected));
    free(found);
    found = conf_bundle_paths_replace(&paths, true, "/home/me/cases/a.h5 cases/a.h5", 30, &n);
    ck_assert_str_eq(found, "~/cases/a.h5 cases/a.h5");
    free(found);
    conf_bundle_paths_free(&paths);
}

START_TEST(the_longest_path_is_replaced_wherever_it_can_begin)
{
    assert_replaced("", "");
    assert_replaced("/home/me/work/e.so: file:///home/me/x", "e.so: file://~/x");
    assert_replaced("cases/a.h5, (cases/b) showcases/c ./cases/d", "a.h5, (b) showcases/c ./cases/d");
    assert_replaced("a.b.", "a.b.");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/bundle/bundle");
    TCase *all = tcase_create("bundle");
    tcase_add_checked_fixture(all, support_setup, support_teardown);
    tcase_add_test(all, a_crash_has_no_observation);
    tcase_add_test(all, an_engine_that_hangs_is_not_run_again);
    tcase_add_test(all, a_case_of_a_checkpoint_root_has_it_in_its_folder);
    tcase_add_test(all, a_case_without_a_checkpoint_is_bundled);
    tcase_add_test(all, a_checkpoint_that_is_a_gguf_file_is_bundled);
    tcase_add_test(all, a_program_is_not_named);
    tcase_add_test(all, names_of_the_bundle_are_not_taken_for_paths_of_the_user);
    tcase_add_test(all, the_longest_path_is_replaced_wherever_it_can_begin);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
