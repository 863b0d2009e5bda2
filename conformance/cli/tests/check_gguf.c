/* Commands whose checkpoint is a GGUF file, and files that they refuse. Needs the fixtures ($top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/tests/support.h"

#define FIXTURE "\"$top_srcdir/fixtures/qwen3/gguf-q4_k_m\""

static void setup(void)
{
    support_setup();
    assert_code(support_shell("cp -r " FIXTURE " q4 && chmod -R u+w q4"), 0);
}

START_TEST(info_shows_the_plan_of_a_file)
{
    const support_output *o = support_assay("info q4/model/model.gguf");
    assert_code(o, 0);
    assert_holds(o->out, "model        q4/model/model.gguf (qwen3)\n");
    assert_holds(o->out, "stored       Q4_K: ");
    o = support_assay("info --json - q4/model/model.gguf");
    assert_code(o, 0);
    assert_holds(o->out, "\"family\":\"qwen3\"");
}
END_TEST

/* Tensors have the names and types of the file. */
START_TEST(tensors_of_a_file_are_listed)
{
    const support_output *o = support_assay("info --tensors q4/model/model.gguf");
    assert_code(o, 0);
    assert_holds(o->out, "blk.0.attn_k.weight  Q4_K [16,256]  q4/model/model.gguf\n");
    assert_holds(o->out, "blk.0.attn_norm.weight  F32 [256]  q4/model/model.gguf\n");
    o = support_assay("info --tensors --json - q4/model/model.gguf");
    assert_code(o, 0);
    assert_holds(o->out, "\"type\":\"Q4_K\"");
}
END_TEST

START_TEST(text_is_generated_from_a_file)
{
    const support_output *o =
        support_assay("generate --model q4/model/model.gguf --prompt fox --max-tokens 3");
    assert_code(o, 0);
    assert_holds(o->err, "3 completion tokens");
}
END_TEST

/* The harness has the plan of the file: it divides prompts, and bundles have it. */
START_TEST(cases_of_a_file_have_its_plan)
{
    const support_output *o = support_assay("run -e ref32 q4/single.h5 --bundle bundle --json report.json");
    assert_code(o, 0);
    assert_lacks(o->out, "unknown");
    o = support_shell("sed -n '/\"family\"/p' report.json");
    assert_holds(o->out, "qwen3");
}
END_TEST

START_TEST(speed_of_a_file_is_measured)
{
    const support_output *o =
        support_assay("bench -e fastpath --model q4/model/model.gguf --prompt 8 --tokens 2");
    assert_code(o, 0);
    assert_holds(o->out, "q4/model/model.gguf");
}
END_TEST

/* A change of the file, what is opened then, and the message. */
static const struct {
    const char *change, *path, *reason;
} refused[] = {
    {"true", "q4/model",
     "assay: q4/model: found no config.json, but model.gguf; expected the file itself: "
     "q4/model/model.gguf\n"},
    {"cp q4/model/model.gguf q4/model/a-mmproj.gguf", "q4/model", "the file itself: q4/model/model.gguf\n"},
    {"truncate -s 20000 q4/model/model.gguf", "q4/model/model.gguf",
     "assay: q4/model/model.gguf: tensor 'blk.0.attn_k.weight': found 2304 bytes at offset "},
    {"printf 'version https://git-lfs' >q4/model/model.gguf", "q4/model/model.gguf",
     "assay: q4/model/model.gguf: found bytes 76 65 72 73, expected 'GGUF'"},
    {": >q4/model/model.gguf", "q4/model/model.gguf", "assay: q4/model/model.gguf: magic at byte 0: "},
    {"cp \"$top_srcdir\"/fixtures/llama/gguf-parts/model/*-0000[12]-* q4/model",
     "q4/model/model-00002-of-00003.gguf",
     "assay: q4/model/model-00002-of-00003.gguf: found file 2 of 3, expected the first, "},
    {"cp \"$top_srcdir\"/fixtures/llama/gguf-parts/model/*-0000[12]-* q4/model",
     "q4/model/model-00001-of-00003.gguf", "q4/model/model-00003-of-00003.gguf: No such file"},
    {"LC_ALL=C sed -i 's/\\(general.architecture....\\)\\x05\\(.......\\)qwen3/\\1\\x04\\2clip/' "
     "q4/model/model.gguf && printf 0 >>q4/model/model.gguf",
     "q4/model/model.gguf",
     "found \"clip\" (an mmproj file: a tower for images or audio alone), expected one of command-r, "},
    {"LC_ALL=C sed -i 's/\\(general.architecture............\\)qwen3/\\1qwenX/' q4/model/model.gguf",
     "q4/model/model.gguf",
     "assay: q4/model/model.gguf: key general.architecture: found \"qwenX\", expected one of "},
    {"printf x >q4/model/config", "q4/model/config",
     "assay: q4/model/config: found a file, expected a directory with a config.json, or a GGUF file\n"},
};

START_TEST(what_is_no_checkpoint_is_refused)
{
    assert_code(support_shell(refused[_i].change), 0);
    const support_output *o = support_assay("generate --model %s --prompt a", refused[_i].path);
    assert_code(o, 99);
    assert_holds(o->err, refused[_i].reason);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/cli/gguf");
    TCase *program = tcase_create("program");
    tcase_add_checked_fixture(program, setup, support_teardown);
    tcase_add_test(program, info_shows_the_plan_of_a_file);
    tcase_add_test(program, tensors_of_a_file_are_listed);
    tcase_add_test(program, text_is_generated_from_a_file);
    tcase_add_test(program, cases_of_a_file_have_its_plan);
    tcase_add_test(program, speed_of_a_file_is_measured);
    tcase_add_loop_test(program, what_is_no_checkpoint_is_refused, 0, sizeof refused / sizeof *refused);
    suite_add_tcase(suite, program);
    return support_run(suite);
}
