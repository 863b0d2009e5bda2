/* Runs with engines that hang, crash, or allocate too much, with several in parallel, and with a part of
 * the cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/case/find.h"
#include "conformance/process/isolate.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    support_mkdir(support_path("cases"));
    (void)support_write_decoder(support_path("cases/sound.h5"), "logits", "ok");
}

static void add_case(const char *name, const char *fault)
{
    (void)support_write_decoder(support_path("cases/%s.h5", name), "logits", fault);
}

START_TEST(a_hang_is_killed_and_fails_with_its_stage)
{
    add_case("hang", "hang");
    const support_output *o = support_assay("run -e %s --timeout 0.5 cases", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out,
                 "  the engine did not answer within 0.5 s and was killed in traced prefill; the last tensor "
                 "it gave is embed\n");
    assert_holds(o->out, "REPRO: assay run --engine ");
    assert_holds(o->out, " --timeout 0.5 cases/hang.h5\n");
    assert_holds(o->out, "1 passed, 1 failed, 0 skipped\n");
}
END_TEST

START_TEST(child_processes_of_an_engine_end_with_it)
{
    add_case("leaves", "leaves-child");
    const support_output *o = support_assay("run -e %s cases; sleep 1.5", support_engine("fake32"));
    assert_holds(o->out, "2 passed, 0 failed, 0 skipped\n");
    assert_lacks(o->err, "left behind");
}
END_TEST

/* The engine writes a second after it was asked, unless it is gone by then. */
START_TEST(a_killed_run_kills_its_engines)
{
    add_case("late", "talks-late");
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "\"$ASSAY\" run -e %s -f late cases & sleep 0.5; kill -KILL $!; sleep 1.5",
                   support_engine("fake32"));
    const support_output *o = support_shell(command);
    assert_lacks(o->err, "late words");
    o = support_assay("run -e %s -f late cases", support_engine("fake32"));
    assert_holds(o->err, "late words");
}
END_TEST

static const struct {
    const char *fault, *reason;
    bool traceless; /* the case has no traces of its own; the harness listens all the same */
} ends[] = {
    {"crash-traced",
     "the engine was terminated by SIGSEGV (Segmentation fault) in traced prefill; the last tensor it gave "
     "is embed\n",
     false},
    {"crash-traced",
     "the engine was terminated by SIGSEGV (Segmentation fault) in traced prefill; the last tensor it gave "
     "is embed\n",
     true},
    {"crash", "the engine was terminated by SIGSEGV (Segmentation fault) in traced prefill\n", false},
    {"exit", "the engine ended the process with exit status 3 in decode\n", false},
};

START_TEST(an_end_names_signal_stage_and_last_tensor)
{
    add_case("ends", ends[_i].fault);
    if (ends[_i].traceless) edit_remove(support_path("cases/ends.h5"), "/trace");
    const support_output *o = support_assay("run -e %s cases", support_engine("fake32"));
    assert_code(o, 1);
    assert_holds(o->out, ends[_i].reason);
}
END_TEST

/* Runs the program with a reader that crashes on some files. */
static const support_output *assay_with_crashing_reader(const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command,
                   "LD_PRELOAD='%s' ASAN_OPTIONS=verify_asan_link_order=0 \"$ASSAY\" %s",
                   support_engine("crashing_open"), arguments);
    return support_shell(command);
}

START_TEST(a_case_that_crashes_the_reader_is_broken_and_the_others_run)
{
    add_case("crashing", "ok");
    char arguments[4200];
    (void)snprintf(arguments, sizeof arguments, "run -e %s cases", support_engine("fake32"));
    const support_output *o = assay_with_crashing_reader(arguments);
    assert_code(o, 99);
    assert_holds(o->out, "ERROR cases/crashing.h5 ");
    assert_holds(o->out, "  the harness was terminated by SIGSEGV (Segmentation fault) in reading\n");
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped, 1 broken\n");
}
END_TEST

START_TEST(a_case_on_which_the_reader_hangs_is_broken)
{
    add_case("endless", "ok");
    char arguments[4200];
    (void)snprintf(arguments, sizeof arguments, "run -e %s --timeout 0.5 cases", support_engine("fake32"));
    const support_output *o = assay_with_crashing_reader(arguments);
    assert_code(o, 99);
    assert_holds(o->out, "  the harness did not answer within 0.5 s and was killed in reading\n");
    assert_holds(o->out, "1 passed, 0 failed, 0 skipped, 1 broken\n");
}
END_TEST

START_TEST(a_crash_of_the_reader_is_an_error_that_names_the_file)
{
    add_case("crashing", "ok");
    const support_output *o = assay_with_crashing_reader("info cases/crashing.h5 cases/sound.h5");
    assert_code(o, 99);
    ck_assert_str_eq(
        o->err,
        "assay: cases/crashing.h5: the harness was terminated by SIGSEGV (Segmentation fault) in reading\n");
    assert_holds(o->out, "cases/sound.h5\n");
    o = assay_with_crashing_reader("diff cases/sound.h5 cases/crashing.h5");
    assert_code(o, 99);
    ck_assert_str_eq(o->err,
                     "assay: cases/sound.h5 or cases/crashing.h5: the harness was terminated by SIGSEGV "
                     "(Segmentation fault) in reading\n");
    o = assay_with_crashing_reader("list cases");
    assert_code(o, 99);
    assert_holds(o->err, "assay: cases/crashing.h5: the harness was terminated by SIGSEGV");
    assert_holds(o->out, "sound     logits");
}
END_TEST

START_TEST(memory_is_limited)
{
    add_case("eats", "eat-memory");
    const support_output *o = support_assay("run -e %s cases", support_engine("fake32"));
    assert_code(o, 0);
    o = support_assay("run -e %s --memory 1000 cases", support_engine("fake32"));
    if (!CONF_LIMITS_MEMORY) {
        assert_code(o, 0);
        return;
    }
    assert_code(o, 1);
    assert_holds(o->out, "prefill failed: no memory for logits (within 1000 MiB: see --memory)\n");
    assert_holds(o->out, " --memory 1000 cases/eats.h5\n");
    assert_holds(o->out, "1 passed, 1 failed, 0 skipped\n");
}
END_TEST

START_TEST(the_reference_is_out_of_memory_immediately)
{
    if (!CONF_LIMITS_MEMORY) return;
    const support_output *o = support_assay(
        "run -e ref32 --memory 100 --timeout 60 %s/fixtures/qwen3/base/single.h5", getenv("top_srcdir"));
    assert_code(o, 1);
    assert_holds(o->out, "out of memory for 7 tokens (within 100 MiB: see --memory)\n");
    o = support_shell("ulimit -v 400000 && \"$ASSAY\" schedule -e ref32 --timeout 60 "
                      "\"$top_srcdir/fixtures/qwen3/base/single.h5\"");
    assert_code(o, 1);
    assert_holds(o->out, "out of memory for ");
}
END_TEST

/* Copies a checkpoint whose embedding, the first tensor of its file, has so many rows instead; they are a
 * hole in the file. False where the file system has none that large. */
static bool grow_embedding(const char *from, const char *to, int64_t rows)
{
    static const char name[] = "model.embed_tokens.weight";
    char path[8192];
    (void)snprintf(path, sizeof path, "%s/config.json", from);
    json_object *config = json_object_from_file(path);
    json_object_object_add(config, "vocab_size", json_object_new_int64(rows));
    (void)snprintf(path, sizeof path, "%s/config.json", to);
    ck_assert_int_eq(json_object_to_file(path, config), 0);
    (void)snprintf(path, sizeof path, "%s/model.safetensors", from);
    FILE *f = fopen(path, "rb");
    uint64_t length;
    ck_assert_uint_eq(fread(&length, sizeof length, 1, f), 1);
    char *header = calloc(1, length + 1);
    ck_assert_uint_eq(fread(header, 1, length, f), length);
    (void)fclose(f);
    json_object *tensors = json_tokener_parse(header), *made = json_object_new_object();
    int64_t end = 0;
    json_object_object_foreach(tensors, key, tensor)
    {
        json_object *shape;
        if (!json_object_object_get_ex(tensor, "shape", &shape)) continue;
        if (strcmp(key, name) == 0) json_object_array_put_idx(shape, 0, json_object_new_int64(rows));
        int64_t bytes = sizeof(float);
        json_object *offsets = json_object_new_array();
        for (size_t i = 0; i < json_object_array_length(shape); i++)
            bytes *= json_object_get_int64(json_object_array_get_idx(shape, i));
        json_object_array_add(offsets, json_object_new_int64(end));
        json_object_array_add(offsets, json_object_new_int64(end += bytes));
        json_object_object_add(tensor, "data_offsets", offsets);
        json_object_object_add(made, key, json_object_get(tensor));
    }
    (void)snprintf(path, sizeof path, "%s/model.safetensors", to);
    f = fopen(path, "wb");
    const char *text = json_object_to_json_string_ext(made, JSON_C_TO_STRING_PLAIN);
    length = strlen(text);
    ck_assert_uint_eq(fwrite(&length, sizeof length, 1, f), 1);
    ck_assert_uint_eq(fwrite(text, 1, length, f), length);
    ck_assert_int_eq(fflush(f), 0);
    const bool fits = ftruncate(fileno(f), (off_t)(sizeof length + length) + end) == 0;
    (void)fclose(f);
    free(header);
    json_object_put(config);
    json_object_put(tensors);
    json_object_put(made);
    return fits;
}

/* Only headers are read. */
START_TEST(a_checkpoint_larger_than_the_memory_is_described)
{
    char from[4096], says[64];
    const size_t width = 27, rows = conf_mib_default() / (width * sizeof(float)) * 5 / 4 << 20;
    (void)snprintf(from, sizeof from, "%s/fixtures/qwen3/base/model", getenv("top_srcdir"));
    support_mkdir(support_path("large"));
    if (!grow_embedding(from, support_path("large"), (int64_t)rows)) return;
    (void)snprintf(says, sizeof says, "vocabulary   %zu, head tied", rows);
    const support_output *o = support_assay("info large");
    assert_code(o, 0);
    assert_holds(o->out, says);
    if (!CONF_LIMITS_MEMORY) return;
    o = support_assay("info --memory 2 %s/fixtures/trained/gemma4/turns.h5", getenv("top_srcdir"));
    assert_code(o, 99);
    assert_holds(o->err, " (within 2 MiB: see --memory)\n");
    o = support_assay("arrays --memory 500 -e fastpath large");
    assert_code(o, 1);
    assert_holds(o->out, "large: out of memory for ");
    assert_holds(o->out, " (within 500 MiB: see --memory)\n");
    o = support_shell("ulimit -v 1000000 && \"$ASSAY\" info large");
    assert_code(o, 99);
    assert_holds(o->err, "large/model.safetensors: no address space for its ");
    assert_holds(o->err, " bytes (see ulimit -v)");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/process/contain");
    TCase *contain = tcase_create("contain");
    tcase_add_checked_fixture(contain, setup, support_teardown);
    tcase_set_timeout(contain, 60);
    tcase_add_test(contain, a_hang_is_killed_and_fails_with_its_stage);
    tcase_add_test(contain, child_processes_of_an_engine_end_with_it);
    tcase_add_test(contain, a_killed_run_kills_its_engines);
    tcase_add_loop_test(contain, an_end_names_signal_stage_and_last_tensor, 0,
                        (int)(sizeof ends / sizeof *ends));
    tcase_add_test(contain, a_case_that_crashes_the_reader_is_broken_and_the_others_run);
    tcase_add_test(contain, a_case_on_which_the_reader_hangs_is_broken);
    tcase_add_test(contain, a_crash_of_the_reader_is_an_error_that_names_the_file);
    tcase_add_test(contain, memory_is_limited);
    tcase_add_test(contain, the_reference_is_out_of_memory_immediately);
    tcase_add_test(contain, a_checkpoint_larger_than_the_memory_is_described);
    suite_add_tcase(suite, contain);

    return support_run(suite);
}
