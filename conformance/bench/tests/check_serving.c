/* assay bench --serving: replies, how speed is counted and shown, and what happens to modules that
 * fail. No test depends on actual speed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bench/serving.h"

#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "conformance/tests/support.h"

static size_t n_parsers(void)
{
    size_t n = 0;
    while (conf_bench_parser_at(n)) n++;
    return n;
}

START_TEST(every_parser_is_measured_once)
{
    static const char *const reasoning[] = {"qwen3",   "deepseek_r1", "deepseek_v4", "glm4",    "gemma4",
                                            "mistral", "step3p5",     "poolside_v1", "gpt_oss", "harmony"};
    static const char *const tools[] = {"gemma4",   "hermes",   "qwen",    "qwen3_xml",   "llama",
                                        "mistral",  "glm47",    "harmony", "step3p5",     "auto",
                                        "nemotron", "granite",  "xlam",    "functionary", "poolside_v1",
                                        "kimi",     "deepseek", "minimax", "deepseek_v4"};
    const size_t n_reasoning = sizeof reasoning / sizeof *reasoning, n_tools = sizeof tools / sizeof *tools;
    ck_assert_uint_eq(n_parsers(), n_reasoning + n_tools);
    for (size_t i = 0; i < n_parsers(); i++) {
        const conf_bench_parser *p = conf_bench_parser_at(i);
        ck_assert_int_eq(p->tools, i >= n_reasoning);
        ck_assert_str_eq(p->name, p->tools ? tools[i - n_reasoning] : reasoning[i]);
    }
}
END_TEST

static conf_bench_replies make(size_t parser, uint64_t seed)
{
    conf_bench_replies r;
    ck_assert_int_eq(conf_bench_replies_make(parser, seed, &r, NULL), ASSAY_OK);
    return r;
}

static void assert_cut(const conf_bench_replies *r)
{
    size_t at = 0, n_wide = 0, n_wrong = 0;
    ck_assert_uint_eq(utf8_valid_prefix(r->text, r->n), r->n);
    for (size_t i = 0; i < r->n_deltas && at < r->n; at += r->deltas[i++])
        n_wrong += r->deltas[i] < 1 || r->deltas[i] > 11 || ((unsigned char)r->text[at] & 0xc0) == 0x80;
    ck_assert_uint_eq(n_wrong, 0);
    ck_assert_uint_eq(at, r->n);
    for (size_t i = 0; i < r->n; i++) n_wide += (unsigned char)r->text[i] >= 0x80;
    ck_assert_double_ge((double)n_wide / (double)r->n, 0.2);
    const double mean = (double)r->n / (double)r->n_deltas;
    ck_assert(mean >= 3 && mean <= 5);
    for (size_t k = 1; k < CONF_BENCH_REPLIES; k++) ck_assert_uint_gt(r->ends[k], r->ends[k - 1]);
    ck_assert_uint_eq(r->ends[CONF_BENCH_REPLIES - 1], r->n_deltas);
    ck_assert_uint_ge(r->n, CONF_BENCH_REPLIES * CONF_BENCH_REPLY_BYTES);
    ck_assert_uint_le(r->n, CONF_BENCH_REPLIES * CONF_BENCH_REPLY_BYTES * 5 / 4);
}

START_TEST(replies_are_cut_between_characters_and_half_of_them_is_reasoning_or_calls)
{
    conf_bench_replies r = make((size_t)_i, 7);
    assert_cut(&r);
    const conf_bench_found *e = &r.expected;
    if (r.parser->tools) {
        ck_assert_uint_ge(e->n_calls, 10 * CONF_BENCH_REPLIES);
        ck_assert_uint_eq(e->n_reasoning + e->n_content, 0);
    } else {
        ck_assert_uint_eq(e->n_calls, 0);
        ck_assert_uint_gt(e->n_reasoning, r.n / 3);
        ck_assert_uint_gt(e->n_content, r.n / 3);
        ck_assert_uint_lt(e->n_reasoning + e->n_content, r.n);
    }
    conf_bench_replies_free(&r);
}
END_TEST

START_TEST(the_seed_determines_the_replies)
{
    conf_bench_replies a = make(0, 1), b = make(0, 1), other = make(0, 2);
    ck_assert_uint_eq(a.n, b.n);
    ck_assert_int_eq(memcmp(a.text, b.text, a.n), 0);
    ck_assert_uint_eq(a.n_deltas, b.n_deltas);
    ck_assert_int_eq(memcmp(a.deltas, b.deltas, a.n_deltas), 0);
    ck_assert(a.n != other.n || memcmp(a.text, other.text, a.n) != 0);
    conf_bench_replies_free(&a);
    conf_bench_replies_free(&b);
    conf_bench_replies_free(&other);
}
END_TEST

START_TEST(marks_are_all_but_white_space)
{
    ck_assert_uint_eq(conf_bench_count_nonblank(" a\tb\r\n\xc3\xa9 ", 9), 4);
    ck_assert_uint_eq(conf_bench_count_nonblank("", 0), 0);
}
END_TEST

/* Two modules, three repetitions; then the second has fewer times and the first fails. */
START_TEST(speeds_are_best_and_median)
{
    conf_bench_reading first[] = {{2, 1}, {1, 0.5}, {4, 1}}, second[] = {{2, 1}, {8, 1}, {4, 0.25}};
    conf_bench_readings readings[] = {{.at = first, .n = 3}, {.at = second, .n = 3}};
    conf_bench_text text = {.n_bytes = 800, .n_deltas = 200};
    conf_bench_serving b = {.n_engines = 2, .n_parsers = 1, .texts = &text, .readings = readings};
    conf_bench_serving_speed s = conf_bench_serving_speed_of(&b, 0, 1);
    ck_assert_double_eq(s.best, 400);
    ck_assert_double_eq(s.median, 200);
    ck_assert_double_eq(s.limit, 3200);
    ck_assert_double_eq(s.ratio, 0.5);
    readings[1].n = 2;
    ck_assert_double_eq(conf_bench_serving_speed_of(&b, 0, 1).median, 250);
    ck_assert_double_eq(conf_bench_serving_speed_of(&b, 0, 0).ratio, 1);
    readings[0].verdict.outcome = CONF_FAILED;
    ck_assert_double_eq(conf_bench_serving_speed_of(&b, 0, 0).best, 0);
    ck_assert_double_eq(conf_bench_serving_speed_of(&b, 0, 1).ratio, 0);
    ck_assert_double_eq(conf_bench_serving_speed_of(&b, 0, 1).best, 400);
}
END_TEST

static void assert_table(const support_output *o)
{
    static const char *const parts[] = {"processor ",          "\nreplies ",           "\ndeltas ",
                                        "in the mean\nlimit ", "\nreasoning qwen3  ",  "\nreasoning harmony ",
                                        "\ntools     hermes ", "\ntools     harmony ", " serving.so ",
                                        "    first\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_holds(o->out, parts[i]);
    assert_holds(o->out, "\nskip serving.so, reasoning qwen3: parser: expected angles\n");
    for (const char *line = o->out; *line; line += strcspn(line, "\n") + 1)
        ck_assert_msg(strcspn(line, "\n") <= 100, "too long: %.*s", (int)strcspn(line, "\n"), line);
}

static json_object *member(json_object *of, const char *name)
{
    json_object *value = NULL;
    ck_assert_msg(json_object_object_get_ex(of, name, &value), "no member %s in %s", name,
                  json_object_to_json_string(of));
    return value;
}

static double real(json_object *of, const char *name)
{
    return json_object_get_double(member(of, name));
}

static const char *text(json_object *of, const char *name)
{
    return json_object_get_string(member(of, name));
}

/* The best of n repetitions, in bytes per second. */
static double best_of(json_object *one, const char *name, size_t n)
{
    json_object *seconds = member(one, name);
    double least = INFINITY;
    ck_assert_uint_eq(json_object_array_length(seconds), n);
    for (size_t i = 0; i < n; i++)
        least = fmin(least, json_object_get_double(json_object_array_get_idx(seconds, i)));
    return real(one, "bytes") / least;
}

/* Result i of a parser, of which the first is that of ref32 and the next that of fastpath. */
static void assert_result(json_object *results, size_t first, size_t i, const conf_bench_parser *p,
                          size_t n_repeats)
{
    json_object *one = json_object_array_get_idx(results, first + i);
    ck_assert_str_eq(text(one, "measure"), p->tools ? "tools" : "reasoning");
    ck_assert_str_eq(text(one, "parser"), p->name);
    ck_assert_str_eq(text(one, "engine"), i ? "fastpath" : "ref32");
    ck_assert_str_eq(text(one, "outcome"), "passed");
    ck_assert_double_gt(real(one, "bytes") / real(one, "deltas"), 3);
    const double best = best_of(one, "seconds", n_repeats), limit = best_of(one, "limit_seconds", n_repeats);
    ck_assert_double_eq_tol(real(one, "best"), best, 1e-9 * best);
    ck_assert_double_le(real(one, "median"), best * (1 + 1e-9));
    ck_assert_double_eq_tol(real(one, "limit"), limit, 1e-9 * limit);
    ck_assert_double_eq_tol(real(one, "fraction"), best / limit, 1e-9);
    const double of_first = real(json_object_array_get_idx(results, first), "best");
    ck_assert_double_eq_tol(real(one, "ratio"), best / of_first, 1e-9);
}

START_TEST(json_holds_every_measurement_and_the_table_fits_100_columns)
{
    const support_output *o = support_assay(
        "bench --serving -e ref32 -e %s --repeat 1 --seed 3 --json speeds.json", support_engine("serving"));
    assert_code(o, 0);
    ck_assert_str_eq(o->err, "");
    assert_table(o);
    json_object *document = json_object_from_file(support_path("speeds.json"));
    ck_assert_ptr_nonnull(document);
    ck_assert_str_eq(text(document, "schema"), "assay-bench-serving/1");
    ck_assert_int_eq(json_object_get_int(member(document, "seed")), 3);
    json_object *results = member(document, "results");
    ck_assert_uint_eq(json_object_array_length(results), 2 * n_parsers());
    for (size_t p = 0; p < n_parsers(); p++) {
        assert_result(results, 2 * p, 0, conf_bench_parser_at(p), 1);
        ck_assert_str_eq(text(json_object_array_get_idx(results, 2 * p + 1), "outcome"), "skipped");
    }
    json_object_put(document);
}
END_TEST

START_TEST(parsers_that_are_named_are_measured_repeatedly)
{
    const support_output *o = support_assay("bench --serving -e ref32 -e fastpath --repeat 2 --json - "
                                            "--reasoning-parser glm4 --tool-parser mistral");
    assert_code(o, 0);
    json_object *document = json_tokener_parse(o->out);
    ck_assert_ptr_nonnull(document);
    json_object *results = member(document, "results");
    ck_assert_uint_eq(json_object_array_length(results), 4);
    for (size_t i = 0; i < 2; i++) {
        assert_result(results, 0, i, &(conf_bench_parser){"glm4", false}, 2);
        assert_result(results, 2, i, &(conf_bench_parser){"mistral", true}, 2);
    }
    json_object_put(document);
}
END_TEST

static const support_output *bench(const char *environment, const char *arguments)
{
    char command[8192];
    (void)snprintf(command, sizeof command, "%s \"$ASSAY\" bench --serving -e %s --repeat 1 %s", environment,
                   support_engine("serving"), arguments);
    return support_shell(command);
}

static const struct {
    const char *environment, *parsers;
    int code;
    const char *line; /* expected output */
} ends[] = {
    {"", "--reasoning-parser qwen3", 77, "skip serving.so, reasoning qwen3: parser: expected angles\n"},
    {"SERVING_PARSER=qwen3", "--reasoning-parser qwen3 --tool-parser hermes", 1,
     "FAIL serving.so, reasoning qwen3: but for white space found "},
    {"SERVING_PARSER=hermes", "--reasoning-parser qwen3 --tool-parser hermes", 1,
     "FAIL serving.so, tools hermes: found "},
    {"SERVING_PARSER=glm4 MODULE_FAULT=feed", "--reasoning-parser glm4", 1,
     "FAIL serving.so, reasoning glm4: it cannot go on\n"},
    {"SERVING_PARSER=glm47 MODULE_FAULT=no-memory", "--tool-parser glm47", 1,
     "FAIL serving.so, tools glm47: no memory (see --memory)\n"},
    {"SERVING_PARSER=llama MODULE_FAULT=crash", "--tool-parser llama", 1,
     "FAIL serving.so, tools llama: the engine was terminated by SIGKILL (Killed) in a reply\n"},
    {"MODULE_FAULT=lacks", "", 77, "\nskip serving.so, reasoning qwen3: its serving table lacks reply_end\n"},
};

START_TEST(failures_are_reported)
{
    const support_output *o = bench(ends[_i].environment, ends[_i].parsers);
    assert_code(o, ends[_i].code);
    assert_holds(o->out, ends[_i].line);
}
END_TEST

START_TEST(missing_speeds_are_null)
{
    const support_output *o = bench("SERVING_PARSER=qwen3", "--reasoning-parser qwen3 --json -");
    assert_code(o, 1);
    static const char *const none[] = {"best", "median", "limit", "fraction", "ratio"};
    json_object *document = json_tokener_parse(o->out);
    ck_assert_ptr_nonnull(document);
    json_object *one = json_object_array_get_idx(member(document, "results"), 0);
    ck_assert_str_eq(text(one, "outcome"), "failed");
    ck_assert_str_eq(text(one, "class"), "text");
    ck_assert_uint_eq(json_object_array_length(member(one, "seconds")), 0);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) ck_assert_ptr_null(member(one, none[i]));
    json_object_put(document);
}
END_TEST

START_TEST(a_module_without_serving_is_skipped)
{
    const support_output *o = support_assay("bench --serving -e %s --repeat 1", support_engine("fake32"));
    assert_code(o, 77);
    assert_holds(o->out, "skip fake32.so, reasoning qwen3: it has no serving functions: it does not export "
                         "assay_serving_v2\n");
    ck_assert_ptr_null(strstr(o->out, "skip fake32.so, reasoning deepseek_r1"));
}
END_TEST

START_TEST(a_missing_table_is_an_error)
{
    const support_output *o = bench("MODULE_FAULT=no-table", "");
    assert_code(o, 99);
    assert_holds(o->err, "assay_serving_v2 returned no table");
    ck_assert_str_eq(o->out, "");
}
END_TEST

static const struct {
    const char *arguments;
    int code;
    const char *text;
} wrong[] = {
    {"--serving --model d", 2,
     "assay: option --model: cannot be combined with --serving, which measures no checkpoint\n"},
    {"--serving --compute f32", 2, "assay: option --compute: cannot be combined with --serving"},
    {"--serving --kernels k.so", 2, "assay: option --kernels: cannot be combined with --serving"},
    {"--serving --prompt 4", 2, "assay: option --prompt: cannot be combined with --serving"},
    {"--serving --context 4", 2, "assay: option --context: cannot be combined with --serving"},
    {"--serving --batch 4", 2, "assay: option --batch: cannot be combined with --serving"},
    {"--serving --tokens 4", 2, "assay: option --tokens: cannot be combined with --serving"},
    {"--model d --tool-parser qwen", 2,
     "assay: bench takes --reasoning-parser and --tool-parser only with --serving"},
    {"--serving --reasoning-parser hermes", 2,
     "assay: option --reasoning-parser: found hermes, expected a parser that assay bench --serving "
     "measures\n"},
    {"--serving --tool-parser deepseek_r1 --reasoning-parser qwen3", 2,
     "assay: option --tool-parser: found deepseek_r1, expected a parser "},
    {"--serving more", 2, "assay: bench takes no argument: see assay bench --help\n"},
    {"--serving=1", 2, "option --serving takes no value\n"},
    {"--serving --engine missing", 99, "assay: engine missing: there is no missing.so in "},
    {"--serving --json nowhere/file", 99, "assay: nowhere/file: No such file or directory\n"},
};

START_TEST(errors_are_reported_before_measuring)
{
    const support_output *o = support_assay("bench %s", wrong[_i].arguments);
    assert_code(o, wrong[_i].code);
    assert_holds(o->err, wrong[_i].text);
    ck_assert_str_eq(o->out, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/bench/serving");
    TCase *replies = tcase_create("replies"), *program = tcase_create("program");
    tcase_set_timeout(replies, 60);
    tcase_add_test(replies, every_parser_is_measured_once);
    tcase_add_loop_test(replies, replies_are_cut_between_characters_and_half_of_them_is_reasoning_or_calls, 0,
                        (int)n_parsers());
    tcase_add_test(replies, the_seed_determines_the_replies);
    tcase_add_test(replies, marks_are_all_but_white_space);
    tcase_add_test(replies, speeds_are_best_and_median);
    suite_add_tcase(suite, replies);
    tcase_add_checked_fixture(program, support_setup, support_teardown);
    tcase_set_timeout(program, 300);
    tcase_add_test(program, json_holds_every_measurement_and_the_table_fits_100_columns);
    tcase_add_test(program, parsers_that_are_named_are_measured_repeatedly);
    tcase_add_loop_test(program, failures_are_reported, 0, (int)(sizeof ends / sizeof *ends));
    tcase_add_test(program, missing_speeds_are_null);
    tcase_add_test(program, a_module_without_serving_is_skipped);
    tcase_add_test(program, a_missing_table_is_an_error);
    tcase_add_loop_test(program, errors_are_reported_before_measuring, 0,
                        (int)(sizeof wrong / sizeof *wrong));
    suite_add_tcase(suite, program);
    return support_run(suite);
}
