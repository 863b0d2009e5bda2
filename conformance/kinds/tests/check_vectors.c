/* Reading textual cases: members read, and broken files refused with file and member.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "conformance/case/case.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/tests/case_refused.h"
#include "conformance/tests/support.h"
#include "conformance/textual/textual.h"
#include "conformance/textual/threads.h"
#include "conformance/textual/threads_order.h"
#include "conformance/textual/threads_read.h"

#define FRAME(groups)           "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":" groups "}"
#define GROUP(vectors)          FRAME("[{\"name\":\"g\",\"vectors\":[" vectors "]}]")
#define BODY(steps, outcomes)   "\"input\":{\"program\":[" steps "]},\"expect\":{\"outcome\":[" outcomes "]}"
#define VECTOR(steps, outcomes) GROUP("{\"id\":1," BODY(steps, outcomes) "}")
#define STEP(rest)              "{\"thread\":0," rest "}"
#define EXIT                    BODY(STEP("\"op\":\"exit\""), "\"ok\"")
#define STREAM                  STEP("\"op\":\"new_stream\",\"as\":\"s\"") ","
#define ARRAY                   STEP("\"op\":\"make\",\"as\":\"a\",\"fn\":\"arange\",\"n\":3") ","

static const char *write_case(const char *text)
{
    const char *path = support_path("case.json");
    support_write_text(path, text);
    return path;
}

static conf_case *read_sound(const char *path)
{
    conf_case *c = NULL;
    assay_error err = {0};
    ck_assert_msg(conf_case_read(path, &c, &err) == ASSAY_OK, "%s", err.text);
    return c;
}

START_TEST(all_members_of_a_case_are_read)
{
    conf_case *c = read_sound(
        write_case("{\"schema\":\"assay/1\",\"kind\":\"threads\",\"source\":\"some "
                   "1\",\"recorder\":\"r\",\"catches\":\"c\","
                   "\"flags\":[\"f\",\"g\"],\"groups\":[{\"name\":\"empty\",\"vectors\":[]},{\"name\":\"a/"
                   "b\",\"vectors\":["
                   "{\"id\":7,\"comment\":\"why\",\"flags\":[\"x\"],\"verdict\":\"match\"," EXIT "},"
                   "{\"id\":0,\"verdict\":\"either\",\"reason\":\"varies\"," EXIT "}]}]}"));
    ck_assert_int_eq(c->kind, CONF_THREADS);
    ck_assert_str_eq(c->source, "some 1");
    ck_assert_str_eq(c->recorder, "r");
    ck_assert_str_eq(c->catches, "c");
    ck_assert_uint_eq(c->flags.n, 2);
    ck_assert_str_eq(c->flags.at[0], "f");
    ck_assert_str_eq(c->flags.at[1], "g");
    ck_assert_uint_eq(c->vectors.n, 2);
    ck_assert_uint_eq(c->vectors.n_groups, 2);
    ck_assert_int_eq(c->vectors.at[0].id, 7);
    ck_assert_str_eq(c->vectors.at[0].comment, "why");
    ck_assert_int_eq(c->vectors.at[0].rule, CONF_VECTOR_MATCH);
    ck_assert_int_eq(c->vectors.at[1].rule, CONF_VECTOR_EITHER);
    ck_assert_ptr_null(c->vectors.at[1].comment);
    char name[CONF_VECTOR_NAME_MAX];
    conf_vector_print_name(name, &c->vectors.at[0]);
    ck_assert_str_eq(name, "a/b/7");
    size_t n;
    ck_assert_str_eq(conf_vectors_group(&c->vectors, 0, &n), "empty");
    ck_assert_uint_eq(n, 0);
    ck_assert_str_eq(conf_vectors_group(&c->vectors, 1, &n), "a/b");
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(c->unknown.n, 0);
    conf_case_free(c);
}
END_TEST

START_TEST(all_members_of_a_program_are_read)
{
    conf_case *c = read_sound(write_case(
        VECTOR(STREAM ARRAY
               "{\"thread\":2,\"op\":\"make\",\"as\":\"b\",\"fn\":\"add\",\"of\":[\"a\",\"a\"],\"stream\":"
               "\"s\",\"scope\":\"s\"},{\"thread\":1,\"op\":\"default_stream\",\"device\":\"gpu:3\"},"
               "{\"thread\":1,\"op\":\"read\",\"of\":\"b\"}",
               "{\"index\":4},\"ok\",\"ok\",{\"error\":\"no\"},{\"value\":[0,2,-0.0,0.1]}")));
    conf_vector_place place;
    conf_threads_program program;
    const conf_json_at *at = conf_vector_find(&c->vectors, 0, c->path, &place);
    ck_assert_int_eq(conf_threads_program_read(at, &program, &c->unknown, NULL), ASSAY_OK);
    ck_assert_uint_eq(program.n_steps, 5);
    ck_assert_uint_eq(program.n_threads, 3);
    const conf_threads_step *s = program.steps;
    ck_assert_int_eq(s[0].expect.index, 4);
    ck_assert_uint_eq(s[1].length, 3);
    ck_assert_uint_eq(s[1].stream, CONF_THREADS_NONE);
    ck_assert_int_eq(s[2].fn, ASSAY_ARRAY_ADD);
    ck_assert_uint_eq(s[2].n_of, 2);
    ck_assert_uint_eq(s[2].of[1], 1);
    ck_assert_uint_eq(s[2].stream, 0);
    ck_assert_uint_eq(s[2].scope, 0);
    ck_assert_int_eq(s[3].device.type, ASSAY_GPU);
    ck_assert_int_eq(s[3].device.index, 3);
    ck_assert_str_eq(s[3].expect.error, "no");
    ck_assert_uint_eq(s[4].expect.n, 4);
    ck_assert(s[4].expect.value[3] == 0.1F);
    ck_assert(1 / s[4].expect.value[2] < 0);
    char text[128];
    conf_threads_step_print(text, sizeof text, &program, 2);
    ck_assert_str_eq(text, "step 2 (thread 2, make b on s)");
    conf_threads_step_print(text, sizeof text, &program, 4);
    ck_assert_str_eq(text, "step 4 (thread 1, read b)");
    conf_threads_program_free(&program);
    conf_case_free(c);
}
END_TEST

START_TEST(unknown_members_are_noted_with_their_path)
{
    conf_case *c = read_sound(write_case(
        "{\"schema\":\"assay/"
        "1\",\"kind\":\"threads\",\"hue\":1,\"groups\":[{\"name\":\"g\",\"hue\":1,\"vectors\":["
        "{\"id\":1,\"hue\":1,\"input\":{\"hue\":1,\"program\":[{\"thread\":0,\"op\":\"exit\",\"as\":\"x\"}]},"
        "\"expect\":{\"hue\":1,\"outcome\":[\"ok\"]}}]}]}"));
    static const char *const places[] = {"hue",
                                         "groups[0].hue",
                                         "groups[0].vectors[0].hue",
                                         "groups[0].vectors[0].input.hue",
                                         "groups[0].vectors[0].expect.hue",
                                         "groups[0].vectors[0].input.program[0].as"};
    ck_assert_uint_eq(c->unknown.n, sizeof places / sizeof *places);
    for (size_t i = 0; i < c->unknown.n; i++) ck_assert_str_eq(c->unknown.at[i], places[i]);
    conf_case_free(c);
}
END_TEST

static const char *const frames[][2] = {
    {"{", "case.json"},
    {"[]", ": found an array, expected an object"},
    {"null", ": found null, expected an object"},
    {"{\"kind\":\"eos\"}", ": schema: is missing, expected a string"},
    {"{\"schema\":1,\"kind\":\"eos\"}", ": schema: found a whole number, expected a string"},
    {"{\"schema\":\"assay/1\"}", ": kind: is missing"},
    {"{\"schema\":\"assay/1\",\"kind\":\"logits\"}", "kind \"logits\" is unknown"},
    {"{\"schema\":\"assay/2\",\"kind\":\"eos\"}", "newer"},
    {"{\"schema\":\"assay/1\\u0000\",\"kind\":\"eos\"}", ": schema: found a string with U+0000"},
    {"{\"schema\":\"assay/1\",\"kind\":\"threads\"}", ": groups: is missing, expected an array"},
    {"{\"schema\":\"assay/1\",\"kind\":\"eos\",\"source\":[]}",
     ": source: found an array, expected a string"},
    {"{\"schema\":\"assay/1\",\"kind\":\"eos\",\"flags\":[1]}", ": flags[0]: found a whole number"},
    {FRAME("{}"), ": groups: found an object, expected an array"},
    {FRAME("[]"), ": groups: found no vector, expected some"},
    {FRAME("[{\"name\":\"g\",\"vectors\":[]}]"), ": groups: found no vector, expected some"},
    {FRAME("[1]"), ": groups[0]: found a whole number, expected an object"},
    {FRAME("[{\"vectors\":[]}]"), ": groups[0].name: is missing, expected a string"},
    {FRAME("[{\"name\":\"\",\"vectors\":[]}]"), ": groups[0].name: found \"\", expected 1 to 64 bytes"},
    {FRAME("[{\"name\":\"a\\u001bb\",\"vectors\":[]}]"),
     ": groups[0].name: found \"a\\u001Bb\", expected 1 to 64"},
    {FRAME(
         "[{\"name\":\"12345678901234567890123456789012345678901234567890123456789012345\",\"vectors\":[]}]"),
     "expected 1 to 64 bytes without control characters"},
    {FRAME("[{\"name\":\"g\"}]"), ": groups[0].vectors: is missing, expected an array"},
    {GROUP("[]"), ": groups[0].vectors[0]: found an array, expected an object"},
    {GROUP("{" EXIT "}"), ": groups[0].vectors[0].id: is missing, expected a whole number"},
    {GROUP("{\"id\":-1," EXIT "}"), ".id: found -1, expected a whole number from 0 to 9007199254740992"},
    {GROUP("{\"id\":18446744073709551616," EXIT "}"),
     ".id: found 18446744073709551616, expected a whole number from 0 to 9007199254740992"},
    {GROUP("{\"id\":9223372036854775808," EXIT "}"), ".id: found 9223372036854775808, expected"},
    {GROUP("{\"id\":-9223372036854775809," EXIT "}"), ".id: found -9223372036854775809, expected"},
    {GROUP("{\"id\":1000000000000000000000000000000000000000000000000000000000000000000000," EXIT "}"),
     ".id: found 100000000000000000000000000000000000000000000000000000000000, expected"},
    {GROUP("{\"id\":1.5," EXIT "}"), ".id: found a number, expected a whole number"},
    {GROUP("{\"id\":1,\"comment\":1," EXIT "}"), ".comment: found a whole number, expected a string"},
    {GROUP("{\"id\":1,\"flags\":\"x\"," EXIT "}"), ".flags: found a string, expected an array"},
    {GROUP("{\"id\":1,\"flags\":[null]," EXIT "}"), ".flags[0]: found null, expected a string"},
    {GROUP("{\"id\":1,\"verdict\":\"mach\"," EXIT "}"),
     ".verdict: found \"mach\", expected one of match, reject, either"},
    {GROUP("{\"id\":1,\"verdict\":\"either\"," EXIT "}"), ".reason: is missing, expected a string"},
    {GROUP("{\"id\":1,\"verdict\":\"reject\"," EXIT "}"),
     ".verdict: found \"reject\", expected \"match\" or \"either\""},
    {GROUP("{\"id\":1,\"expect\":{}}"), ".input: is missing, expected an object"},
    {GROUP("{\"id\":1,\"input\":{}}"), ".expect: is missing, expected an object"},
    {GROUP("{\"id\":1,\"input\":[],\"expect\":{}}"), ".input: found an array, expected an object"},
};

START_TEST(a_broken_frame_is_refused_with_its_member)
{
    assert_case_refused(write_case(frames[_i][0]), ASSAY_EFORMAT, frames[_i][1]);
}
END_TEST

static const char *const doubled[][2] = {
    {GROUP("{\"id\":1," EXIT "},{\"id\":2," EXIT "},{\"id\":1," EXIT "}"),
     ": groups[0].vectors[2].id: found 1, which groups[0].vectors[0] has in the same group"},
    {FRAME("[{\"name\":\"g\",\"vectors\":[{\"id\":1," EXIT "}]},{\"name\":\"g\",\"vectors\":[{\"id\":1," EXIT
           "}]}]"),
     ": groups[1].vectors[0].id: found 1, which groups[0].vectors[0] has in the same group"},
};

START_TEST(a_repeated_id_breaks_the_later_vector)
{
    conf_case *c = read_sound(write_case(doubled[_i][0]));
    ck_assert_uint_eq(c->vectors.n_broken, 1);
    ck_assert_ptr_null(c->vectors.at[0].broken);
    assert_holds(c->vectors.at[c->vectors.n - 1].broken, doubled[_i][1]);
    conf_case_free(c);
}
END_TEST

START_TEST(a_vector_that_breaks_the_format_is_marked)
{
    conf_case *c = read_sound(write_case(GROUP("{\"id\":1," EXIT "},{\"id\":2},{\"id\":3," EXIT "},7")));
    ck_assert_uint_eq(c->vectors.n, 4);
    ck_assert_uint_eq(c->vectors.n_broken, 2);
    ck_assert_ptr_null(c->vectors.at[0].broken);
    ck_assert_ptr_null(c->vectors.at[2].broken);
    assert_holds(c->vectors.at[1].broken, "case.json: groups[0].vectors[1].input: is missing");
    assert_holds(c->vectors.at[3].broken, "groups[0].vectors[3]: found a whole number, expected an object");
    ck_assert_int_eq(c->vectors.at[3].id, -1);
    conf_case_free(c);
}
END_TEST

/* The number of reported broken vectors is limited, however large the file. */
START_TEST(more_than_a_thousand_broken_vectors_are_refused)
{
    static char text[65536];
    for (size_t extra = 0; extra < 2; extra++) {
        size_t n =
            (size_t)snprintf(text, sizeof text, "%s",
                             "{\"schema\":\"assay/1\",\"kind\":\"threads\",\"groups\":[{\"name\":\"g\","
                             "\"vectors\":[{\"id\":1," EXIT "}");
        for (size_t i = 0; i < CONF_VECTORS_BROKEN_MAX + extra; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, ",{}");
        (void)snprintf(text + n, sizeof text - n, "]}]}");
        if (extra == 0) conf_case_free(read_sound(write_case(text)));
        else
            assert_case_refused(write_case(text), ASSAY_EFORMAT, "1000 vectors before it are broken as well");
    }
}
END_TEST

static const char *const programs[][2] = {
    {GROUP("{\"id\":1,\"input\":{},\"expect\":{}}"), ".input.program: is missing, expected an array"},
    {GROUP("{\"id\":1,\"input\":{\"program\":[]},\"expect\":{}}"), ".expect.outcome: is missing"},
    {VECTOR("", ""), ".input.program: found 0 steps, expected 1 to 1024"},
    {VECTOR(STEP("\"op\":\"exit\""), ""), ".expect.outcome: found 0, expected one for each of 1 steps"},
    {VECTOR("1", "\"ok\""), ".input.program[0]: found a whole number, expected an object"},
    {VECTOR("{\"op\":\"exit\"}", "\"ok\""), ".program[0].thread: is missing"},
    {VECTOR("{\"thread\":64,\"op\":\"exit\"}", "\"ok\""),
     ".thread: found 64, expected a whole number from 0 to 63"},
    {VECTOR(STEP("\"as\":\"a\""), "\"ok\""), ".program[0].op: is missing"},
    {VECTOR(ARRAY STEP("\"op\":\"mak\""), "\"ok\",\"ok\""),
     ": groups[0].vectors[0].input.program[1].op: found \"mak\", expected one of async_eval, clear_streams, "
     "default_stream, enter_scope, eval, exit, leave_scope, make, new_stream, new_thread_local_stream, "
     "new_thread_unsafe_stream, read, set_default_stream, synchronize"},
    {VECTOR(STEP("\"op\":\"new_stream\""), "\"ok\""), ".as: is missing, expected for new_stream"},
    {VECTOR(STEP("\"op\":\"new_stream\",\"as\":3"), "\"ok\""),
     ".as: found a whole number, expected a string"},
    {VECTOR(STEP("\"op\":\"new_stream\",\"as\":\"s\",\"device\":\"tpu\""), "\"ok\""),
     ".device: found \"tpu\", expected cpu or gpu, or one of them with an index (cpu:1)"},
    {VECTOR(STEP("\"op\":\"new_stream\",\"as\":\"s\",\"device\":\"cpu:\""), "\"ok\""),
     ".device: found \"cpu:\""},
    {VECTOR(STEP("\"op\":\"new_stream\",\"as\":\"s\",\"device\":\"cpu:1x\""), "\"ok\""),
     ".device: found \"cpu:1x\""},
    {VECTOR(STEP("\"op\":\"new_stream\",\"as\":\"s\",\"device\":\"cpu:1001\""), "\"ok\""), ".device: found"},
    {VECTOR(STEP("\"op\":\"new_stream\",\"as\":\"s\",\"device\":\"cpus\""), "\"ok\""),
     ".device: found \"cpus\""},
    {VECTOR(STEP("\"op\":\"set_default_stream\""), "\"ok\""), ".stream: is missing"},
    {VECTOR(STEP("\"op\":\"enter_scope\""), "\"ok\""), ".stream: is missing"},
    {VECTOR(STEP("\"op\":\"synchronize\",\"stream\":\"s\"") "," STREAM STEP("\"op\":\"exit\""),
            "\"ok\",\"ok\",\"ok\""),
     ".stream: found \"s\", expected the name of a stream that an earlier step makes"},
    {VECTOR(ARRAY STEP("\"op\":\"synchronize\",\"stream\":\"a\""), "\"ok\",\"ok\""),
     ".stream: found \"a\", which step 0 (make) makes, expected the name of a stream"},
    {VECTOR(STREAM STEP("\"op\":\"read\",\"of\":\"s\""), "\"ok\",{\"value\":[]}"),
     ".of: found \"s\", which step 0 (new_stream) makes, expected the name of an array"},
    {VECTOR(ARRAY STEP("\"op\":\"read\",\"of\":\"a\""), "{\"error\":\"no\"},{\"value\":[]}"),
     ".of: found \"a\", expected what there is: step 0, which makes it, is expected to fail"},
    {VECTOR(ARRAY ARRAY STEP("\"op\":\"exit\""), "\"ok\",\"ok\",\"ok\""),
     ".program[1].as: found \"a\", which step 0 makes, expected a new name"},
    {VECTOR(STEP("\"op\":\"eval\""), "\"ok\""), ".of: is missing"},
    {VECTOR(STEP("\"op\":\"eval\",\"of\":[]"), "\"ok\""), ".of: found 0 names, expected 1 to 256"},
    {VECTOR(STEP("\"op\":\"eval\",\"of\":{}"), "\"ok\""), ".of: found an object, expected an array"},
    {VECTOR(ARRAY STEP("\"op\":\"async_eval\",\"of\":[\"a\",1]"), "\"ok\",\"ok\""),
     ".of[1]: found a whole number, expected a string"},
    {VECTOR(ARRAY STEP("\"op\":\"read\",\"of\":[\"a\",\"a\"]"), "\"ok\",{\"value\":[]}"),
     ".of: found 2 arrays, expected 1"},
    {VECTOR(STEP("\"op\":\"make\",\"as\":\"a\""), "\"ok\""), ".fn: is missing"},
    {VECTOR(STEP("\"op\":\"make\",\"as\":\"a\",\"fn\":\"cube\""), "\"ok\""),
     ".fn: found \"cube\", expected one of arange, square, negative, abs, add, inverse"},
    {VECTOR(STEP("\"op\":\"make\",\"as\":\"a\",\"fn\":\"arange\""), "\"ok\""), ".n: is missing"},
    {VECTOR(STEP("\"op\":\"make\",\"as\":\"a\",\"fn\":\"arange\",\"n\":65537"), "\"ok\""),
     ".n: found 65537, expected a whole number from 0 to 65536"},
    {VECTOR(ARRAY STEP("\"op\":\"make\",\"as\":\"b\",\"fn\":\"abs\",\"n\":3,\"of\":\"a\""), "\"ok\",\"ok\""),
     ".n: belongs to arange only"},
    {VECTOR(STEP("\"op\":\"make\",\"as\":\"a\",\"fn\":\"abs\""), "\"ok\""),
     ".of: found 0 arrays, expected 1"},
    {VECTOR(ARRAY STEP("\"op\":\"make\",\"as\":\"b\",\"fn\":\"add\",\"of\":\"a\""), "\"ok\",\"ok\""),
     ".of: found 1 arrays, expected 2"},
    {VECTOR(STEP("\"op\":\"make\",\"as\":\"a\",\"fn\":\"arange\",\"n\":1,\"scope\":\"s\""), "\"ok\""),
     ".scope: found \"s\", expected the name of a stream"},
    {VECTOR(STEP("\"op\":\"leave_scope\""), "\"ok\""),
     ".program[0]: leaves a scope, but thread 0 is in none"},
    {VECTOR(STREAM STEP("\"op\":\"enter_scope\",\"stream\":\"s\"") ",{\"thread\":1,\"op\":\"leave_scope\"}",
            "\"ok\",\"ok\",\"ok\""),
     ".program[2]: leaves a scope, but thread 1 is in none"},
    {VECTOR(STEP("\"op\":\"exit\"") "," STEP("\"op\":\"synchronize\""), "\"ok\",\"ok\""),
     ".program[1]: is a step of thread 0, which has ended"},
    {VECTOR(STEP("\"op\":\"exit\""), "\"fine\""),
     ".outcome[0]: found \"fine\", expected \"ok\": it cannot fail"},
    {VECTOR(STEP("\"op\":\"exit\""), "1"), ".outcome[0]: found a whole number, expected a string"},
    {VECTOR(STEP("\"op\":\"exit\""), "{}"), ".outcome[0]: found an object without index, value and error"},
    {VECTOR(STEP("\"op\":\"exit\""), "{\"error\":\"no\"}"),
     ".outcome[0]: found error, expected \"ok\": it cannot fail"},
    {VECTOR(STEP("\"op\":\"clear_streams\""), "{\"index\":0}"), ".outcome[0]: found index, expected"},
    {VECTOR(STEP("\"op\":\"default_stream\""), "\"ok\""),
     ".outcome[0]: found \"ok\", expected {\"index\": N} or {\"error\": text}"},
    {VECTOR(STEP("\"op\":\"default_stream\""), "{\"index\":-1}"), ".outcome[0].index: found -1"},
    {VECTOR(STEP("\"op\":\"default_stream\""), "{\"error\":null}"), ".outcome[0].error: found null"},
    {VECTOR(ARRAY STEP("\"op\":\"read\",\"of\":\"a\""), "\"ok\",\"ok\""),
     ".outcome[1]: found \"ok\", expected {\"value\": [numbers]} or {\"error\": text}"},
    {VECTOR(ARRAY STEP("\"op\":\"read\",\"of\":\"a\""), "\"ok\",{\"value\":1}"),
     ".outcome[1].value: found a whole"},
    {VECTOR(ARRAY STEP("\"op\":\"read\",\"of\":\"a\""), "\"ok\",{\"value\":[\"1\"]}"),
     ".outcome[1].value[0]: found a string, expected a number"},
    {VECTOR(ARRAY STEP("\"op\":\"read\",\"of\":\"a\""), "\"ok\",{\"value\":[1e39]}"),
     ".outcome[1].value[0]: found 1e+39, expected a number within the range of float32"},
    {VECTOR(ARRAY STEP("\"op\":\"synchronize\""), "\"ok\",{\"index\":0}"),
     ".outcome[1]: found index, expected \"ok\""},
};

START_TEST(a_broken_program_is_refused_with_its_member)
{
    assert_case_refused(write_case(programs[_i][0]), ASSAY_EFORMAT, programs[_i][1]);
}
END_TEST

START_TEST(every_textual_kind_that_is_replayed_has_its_functions)
{
    for (conf_kind k = 0; k < CONF_N_KINDS; k++) {
        const conf_textual *vectors = &conf_kind_of(k)->vectors;
        const bool replayed = conf_kind_of(k)->textual && !conf_kind_of(k)->refusal;
        ck_assert(replayed == (vectors->check && vectors->open && vectors->replay));
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("conformance/kinds/vectors");
    TCase *t = tcase_create("vectors");
    tcase_set_timeout(t, 120);
    tcase_add_checked_fixture(t, support_setup, support_teardown);
    tcase_add_test(t, all_members_of_a_case_are_read);
    tcase_add_test(t, all_members_of_a_program_are_read);
    tcase_add_test(t, unknown_members_are_noted_with_their_path);
    tcase_add_loop_test(t, a_broken_frame_is_refused_with_its_member, 0, sizeof frames / sizeof *frames);
    tcase_add_loop_test(t, a_repeated_id_breaks_the_later_vector, 0, 2);
    tcase_add_test(t, a_vector_that_breaks_the_format_is_marked);
    tcase_add_test(t, more_than_a_thousand_broken_vectors_are_refused);
    tcase_add_loop_test(t, a_broken_program_is_refused_with_its_member, 0,
                        sizeof programs / sizeof *programs);
    tcase_add_test(t, every_textual_kind_that_is_replayed_has_its_functions);
    suite_add_tcase(s, t);
    return support_run(s);
}
