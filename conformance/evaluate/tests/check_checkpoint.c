/* Cases whose checkpoint is broken or of an unknown family: the verdict on the case, and that on the
 * engine. Needs the build tree and the fixtures ($top_builddir, $top_srcdir).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/tests/support.h"

/* Copies a variant of the fixtures into the test's directory, as `copy`, and changes its checkpoint by a
 * command that is run in its directory. */
static void copy_variant(const char *variant, const char *change)
{
    char command[4096];
    (void)snprintf(command, sizeof command,
                   "cp -r \"$top_srcdir/fixtures/%s\" copy && chmod -R u+w copy && cd copy/model && %s",
                   variant, change);
    ck_assert_int_eq(support_shell(command)->code, 0);
}

/* A change of the checkpoint, and the message of the harness. */
static const struct {
    const char *change, *reason;
} broken[] = {
    {"truncate -s -1 model.safetensors", "/model.safetensors: "},
    {"truncate -s 100 model.safetensors", "/model.safetensors: "},
    {"printf '\\001' | dd of=model.safetensors bs=1 seek=7 conv=notrunc 2>/dev/null", "/model.safetensors: "},
    {"sed -i 's/\"dtype\":\"F32\"/\"dtype\":\"F3x\"/' model.safetensors", "/model.safetensors: "},
    {"rm model.safetensors", "/model: no weights found"},
    {"rm config.json", "/model: no config.json next to its weights"},
    {"truncate -s 50 config.json", "/config.json: "},
    {"sed -i 's/\"hidden_size\": [0-9]*/\"hidden_size\": 4/' config.json", "copy/model: "},
    {"sed -i 's/\"hidden_size\": [0-9]*/\"hidden_size\": 1e400/' config.json", "/config.json: "},
    {"sed -i 's/\"vocab_size\": [0-9]*/\"vocab_size\": \"many\"/' config.json", "/config.json: "},
};

enum { N_BROKEN = sizeof broken / sizeof *broken };

START_TEST(a_broken_checkpoint_breaks_its_case)
{
    copy_variant("llama/base", broken[_i].change);
    const support_output *o = support_assay("run -e ref32 copy");
    assert_code(o, 99);
    assert_holds(o->out, "ERROR copy/single.h5 ref32\n  the checkpoint is broken: copy/model");
    assert_holds(o->out, broken[_i].reason);
    assert_lacks(o->out, "FAIL ");
    assert_holds(o->out, "0 passed, 0 failed, 0 skipped, 4 broken\n");
}
END_TEST

/* The loader reads these files, and the engine computes other logits from them. */
static const struct {
    const char *variant, *change, *reason;
} corrupt[] = {
    {"llama/base",
     "printf '\\177\\177\\177\\177' | dd of=model.safetensors bs=1 seek=9000 conv=notrunc 2>/dev/null",
     "model.safetensors: its CRC-32 is "},
    {"llama/base", "dd if=/dev/zero of=model.safetensors bs=1000 seek=50 count=10 conv=notrunc 2>/dev/null",
     "model.safetensors: its CRC-32 is "},
    {"llama/base", "sed -i 's/\"rms_norm_eps\": [^,]*/\"rms_norm_eps\": 0.5/' config.json",
     "config.json: its CRC-32 is "},
    {"llama/base", "sed -i 's/\"llama\"/\"mamba\"/' config.json", "config.json: its CRC-32 is "},
    {"trained/qwen3", "sed -i 's/\"add_prefix_space\": *false/\"add_prefix_space\":true/' tokenizer.json",
     "tokenizer.json: its CRC-32 is "},
};

enum { N_CORRUPT = sizeof corrupt / sizeof *corrupt };

START_TEST(a_corrupt_file_that_can_be_read_breaks_its_case)
{
    copy_variant(corrupt[_i].variant, corrupt[_i].change);
    const support_output *o = support_assay("run -e ref32 copy");
    assert_code(o, 99);
    assert_holds(o->out, "  the checkpoint is broken: copy/model/");
    assert_holds(o->out, corrupt[_i].reason);
    assert_holds(o->out, ": not the file that the case was recorded with\n");
    assert_lacks(o->out, "FAIL ");
}
END_TEST

/* scripts/record/own writes a directory of links to the files of a user's checkpoint. */
START_TEST(a_changed_file_behind_a_link_is_named)
{
    copy_variant("llama/base", "mkdir ../../theirs && mv * ../../theirs && ln -s \"$PWD\"/../../theirs/* .");
    const support_output *o = support_assay("run -e ref32 copy/single.h5");
    assert_code(o, 0);
    const char *change = "printf '\\177\\177\\177\\177' | dd of=theirs/model.safetensors bs=1 seek=9000 "
                         "conv=notrunc 2>/dev/null";
    ck_assert_int_eq(support_shell(change)->code, 0);
    o = support_assay("run -e ref32 copy/single.h5");
    assert_code(o, 99);
    assert_holds(o->out, "the checkpoint is broken: copy/model/model.safetensors: its CRC-32 is ");
    ck_assert_int_eq(support_shell("rm theirs/model.safetensors")->code, 0);
    o = support_assay("run -e ref32 copy/single.h5");
    assert_code(o, 99);
    assert_holds(o->out, "the checkpoint is broken: copy/model/model.safetensors: ");
}
END_TEST

static const char *const malformed[] = {
    "config.json",  "0123abcd config.json\n", "0123abc  config.json\n", "0123ABCD  config.json\n",
    "0123abcd  \n", "0123abcd  ../model\n",   "0123abcd  ..\n",         "\n"};

START_TEST(a_malformed_list_breaks_its_case)
{
    copy_variant("llama/base", "true");
    support_write_text(support_path("copy/model.crc32"), malformed[_i]);
    const support_output *o = support_assay("run -v -e ref32 copy/single.h5");
    assert_code(o, 0);
    assert_holds(o->out, "agrees, though the checkpoint is broken: copy/model.crc32: found \"");
}
END_TEST

START_TEST(a_nul_does_not_end_the_list)
{
    copy_variant("llama/base", "printf '\\000' | cat - ../model.crc32 >list && mv list ../model.crc32");
    const support_output *o = support_assay("run -v -e ref32 copy/single.h5");
    assert_holds(o->out, "agrees, though the checkpoint is broken: copy/model.crc32: found \"\"");
}
END_TEST

START_TEST(a_listed_file_that_is_missing_breaks_its_case)
{
    copy_variant("llama/base", "rm generation_config.json");
    const support_output *o = support_assay("run -v -e ref32 copy/single.h5");
    assert_code(o, 0);
    assert_holds(o->out, "the checkpoint is broken: copy/model/generation_config.json: No such file");
}
END_TEST

/* The list without the lines that match a pattern. */
static const struct {
    const char *variant, *pattern, *missing;
} incomplete[] = {
    {"llama/base", ".", "config.json"},
    {"llama/base", "model.safetensors", "model.safetensors"},
    {"llama/base", "generation_config.json", "generation_config.json"},
    {"trained/qwen3", "tokenizer.json", "tokenizer.json"},
};

START_TEST(an_incomplete_list_breaks_its_case)
{
    char change[256], reason[256];
    (void)snprintf(change, sizeof change, "{ grep -v '%s' ../model.crc32 >list; mv list ../model.crc32; }",
                   incomplete[_i].pattern);
    copy_variant(incomplete[_i].variant, change);
    const support_output *o = support_assay("run -v -e ref32 copy");
    assert_code(o, 0);
    (void)snprintf(reason, sizeof reason,
                   "the checkpoint is broken: copy/model.crc32: found no line for copy/model/%s, expected",
                   incomplete[_i].missing);
    assert_holds(o->out, reason);
}
END_TEST

START_TEST(no_engine_is_blamed_for_weights_that_the_list_leaves_out)
{
    copy_variant("llama/base", "printf '\177\177\177\177' | dd of=model.safetensors bs=1 seek=9000 "
                               "conv=notrunc 2>/dev/null && : >../model.crc32");
    const support_output *o = support_assay("run -e ref32 copy/single.h5");
    assert_code(o, 99);
    assert_lacks(o->out, "FAIL ");
}
END_TEST

START_TEST(a_list_that_cannot_be_read_breaks_its_case)
{
    copy_variant("llama/base", "ln -sf nowhere ../model.crc32");
    const support_output *o = support_assay("run -v -e ref32 copy/single.h5");
    assert_holds(o->out, "the checkpoint is broken: copy/model.crc32: No such file");
}
END_TEST

/* Of a checkpoint that is a GGUF file, the list is beside it. */
START_TEST(a_checkpoint_that_is_a_file_has_its_checksum)
{
    static const struct {
        const char *change, *reason; /* NULL: it agrees */
    } rows[] = {
        {"true", NULL},
        {"rm model.gguf.crc32", NULL},
        {"printf x >>model.gguf", "copy/model.gguf: its CRC-32 is "},
        {": >model.gguf.crc32", "copy/model.gguf.crc32: found no line for copy/model.gguf, expected one"},
        {"mkdir model && mv model.gguf model/ && mv model.gguf.crc32 model.crc32 && zcat vectors.json.gz | "
         "sed 's,\"model.gguf\",\"model/model.gguf\",' | gzip >v && mv v vectors.json.gz && printf x "
         ">>model/model.gguf",
         "copy/model/model.gguf: its CRC-32 is "},
        {"printf 'GGUF\\003\\000\\000\\000' >model.gguf; rm model.gguf.crc32",
         "copy/model.gguf: number of tensors"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char command[600];
        (void)snprintf(
            command, sizeof command,
            "rm -rf copy && cp -r \"$top_srcdir/fixtures/tokenizer/gguf/gpt2\" copy && cd copy && { %s; }",
            rows[i].change);
        const support_output *o = support_shell(command);
        assert_code(o, 0);
        o = support_assay("run -v -e ref32 copy");
        assert_holds(o->out, rows[i].reason ? rows[i].reason : "1 passed");
        ck_assert((strstr(o->out, "the checkpoint is broken") != NULL) == (rows[i].reason != NULL));
    }
}
END_TEST

START_TEST(every_bundled_checkpoint_has_its_checksums)
{
    const support_output *o =
        support_shell("cd \"$top_srcdir/fixtures\" && find . -name model -type d | while read -r model; do "
                      "cut -c 11- \"$model.crc32\" | sort >\"$OLDPWD/listed\" && ls \"$model\" | sort | "
                      "cmp - \"$OLDPWD/listed\" || echo \"$model\"; done 2>&1");
    ck_assert_str_eq(o->out, "");
    ck_assert_int_eq(o->code, 0);
}
END_TEST

START_TEST(locate_and_schedule_report_a_broken_checkpoint_too)
{
    copy_variant("llama/base", broken[0].change);
    const support_output *o = support_assay("locate -e ref32 copy/single.h5");
    assert_code(o, 99);
    assert_holds(o->err, "assay: the checkpoint is broken: copy/model/model.safetensors: ");
    o = support_assay("schedule -e ref32 copy/single.h5");
    assert_code(o, 99);
    assert_holds(o->out, "the checkpoint is broken: copy/model/model.safetensors: ");
}
END_TEST

/* Neither an engine that crashes on the file, nor one that answers other numbers, is blamed either. */
START_TEST(no_failure_on_a_broken_checkpoint_is_the_engines)
{
    static const char *const faults[] = {"off", "crash", "unsupported"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s/config.json", faults[i]);
        (void)support_write_decoder(support_path("%s.h5", faults[i]), "logits", faults[i]);
        support_write_text(support_path("%s", name), "{\"model_type\": \"llama\"");
        const support_output *o = support_assay("run -e %s %s.h5", support_engine("fake32"), faults[i]);
        assert_code(o, 99);
        assert_holds(o->out, "  the checkpoint is broken: ");
        assert_holds(o->out, "config.json: byte 22: ");
        assert_holds(o->out, "the engine: ");
    }
}
END_TEST

START_TEST(an_engine_that_agrees_all_the_same_passes)
{
    (void)support_write_decoder(support_path("ok.h5"), "logits", "ok");
    support_write_text(support_path("ok/config.json"), "{");
    const support_output *o = support_assay("run -v -e %s ok.h5", support_engine("fake32"));
    assert_code(o, 0);
    assert_holds(o->out, "agrees, though the checkpoint is broken: ok/config.json: ");
}
END_TEST

START_TEST(an_engine_that_cannot_open_a_valid_checkpoint_fails)
{
    copy_variant("llama/base", "mv ../model ../refused");
    edit_attribute(support_path("copy/single.h5"), "model", "refused");
    const support_output *o = support_assay("run -e %s copy/single.h5", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, "model_open failed: no such ");
}
END_TEST

/* Another engine may know a family that the harness does not. */
START_TEST(an_unknown_family_is_left_to_the_engine)
{
    static const char *const models[] = {"ok", "off", "unsupported"};
    static const int codes[] = {0, 1, 77};
    support_mkdir(support_path("cases"));
    for (size_t i = 0; i < 3; i++) {
        (void)support_write_decoder(support_path("cases/%s.h5", models[i]), "logits", models[i]);
        support_write_text(support_path("cases/%s/config.json", models[i]), "{\"model_type\": \"mamba\"}");
        const support_output *o =
            support_assay("run -e %s --filter %s cases", support_engine("fake32"), models[i]);
        assert_code(o, codes[i]);
    }
}
END_TEST

START_TEST(safetensors_of_an_unknown_family_must_be_valid)
{
    copy_variant("llama/base",
                 "sed -i 's/\"llama\"/\"mamba\"/' config.json && truncate -s -1 model.safetensors");
    const support_output *o = support_assay("run -e ref32 copy");
    assert_code(o, 99);
    assert_holds(o->out, "the checkpoint is broken: copy/model/model.safetensors: ");
}
END_TEST

START_TEST(a_case_of_an_unknown_family_is_skipped_by_name)
{
    static const char *const commands[] = {"run -e ref32 copy", "run -e ref32 copy/single.h5",
                                           "locate -e ref32 copy/single.h5", "schedule -e ref32 copy",
                                           "schedule -e ref32 copy/single.h5"};
    copy_variant("llama/base", "rm ../model.crc32 && sed -i 's/\"llama\"/\"mamba\"/' config.json");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_code(support_assay("%s", commands[i]), 77);
    const support_output *o = support_assay("run -e ref32 copy/single.h5");
    assert_holds(o->out, "skipped: copy/model/config.json: model_type: found \"mamba\"");
    o = support_assay("run -e ref32 copy/single.h5 --bisect");
    assert_code(o, 125);
    o = support_assay("run -e ref32 --tap - copy/single.h5");
    assert_holds(o->out,
                 "ok 1 - copy/single ref32 # SKIP copy/model/config.json: model_type: found \"mamba\"");
    o = support_assay("run -e ref32 copy/single.h5 \"$top_srcdir/fixtures/llama/base/single.h5\"");
    assert_code(o, 0);
}
END_TEST

START_TEST(a_broken_tokenizer_breaks_the_cases_of_its_texts)
{
    static const char *const models[] = {"tokenizer", "trained"};
    for (size_t i = 0; i < 2; i++) {
        char command[4096];
        (void)snprintf(
            command, sizeof command,
            "cd copy 2>/dev/null || { mkdir copy && cd copy; }; "
            "d=$(find \"$top_srcdir/fixtures\" -path '*%s*' -name tokenizer.json | sort | head -1) && "
            "cp -r \"$(dirname \"$(dirname \"$d\")\")\" %s && chmod -R u+w . && truncate -s 200 "
            "%s/model/tokenizer.json",
            models[i], models[i], models[i]);
        ck_assert_int_eq(support_shell(command)->code, 0);
        const support_output *o = support_assay("run -e ref32 copy/%s", models[i]);
        assert_code(o, 99);
        assert_holds(o->out, "  the checkpoint is broken: ");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/evaluate/checkpoint");
    TCase *cases = tcase_create("cases");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, support_setup, support_teardown);
    tcase_add_loop_test(cases, a_broken_checkpoint_breaks_its_case, 0, N_BROKEN);
    tcase_add_loop_test(cases, a_corrupt_file_that_can_be_read_breaks_its_case, 0, N_CORRUPT);
    tcase_add_loop_test(cases, a_malformed_list_breaks_its_case, 0,
                        (int)(sizeof malformed / sizeof *malformed));
    tcase_add_test(cases, a_changed_file_behind_a_link_is_named);
    tcase_add_test(cases, a_nul_does_not_end_the_list);
    tcase_add_test(cases, a_listed_file_that_is_missing_breaks_its_case);
    tcase_add_loop_test(cases, an_incomplete_list_breaks_its_case, 0,
                        (int)(sizeof incomplete / sizeof *incomplete));
    tcase_add_test(cases, no_engine_is_blamed_for_weights_that_the_list_leaves_out);
    tcase_add_test(cases, a_list_that_cannot_be_read_breaks_its_case);
    tcase_add_test(cases, a_checkpoint_that_is_a_file_has_its_checksum);
    tcase_add_test(cases, every_bundled_checkpoint_has_its_checksums);
    tcase_add_test(cases, locate_and_schedule_report_a_broken_checkpoint_too);
    tcase_add_test(cases, no_failure_on_a_broken_checkpoint_is_the_engines);
    tcase_add_test(cases, an_engine_that_agrees_all_the_same_passes);
    tcase_add_test(cases, an_engine_that_cannot_open_a_valid_checkpoint_fails);
    tcase_add_test(cases, an_unknown_family_is_left_to_the_engine);
    tcase_add_test(cases, safetensors_of_an_unknown_family_must_be_valid);
    tcase_add_test(cases, a_case_of_an_unknown_family_is_skipped_by_name);
    tcase_add_test(cases, a_broken_tokenizer_breaks_the_cases_of_its_texts);
    suite_add_tcase(suite, cases);
    return support_run(suite);
}
