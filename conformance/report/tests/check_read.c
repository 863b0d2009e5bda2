/* Reading results from a file that nobody needs to have written: each member is checked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "conformance/report/json.h"
#include "conformance/report/profiles.h"
#include "conformance/tests/support.h"

/* Two engines, two cases, a file that is no case at position 1. */
static const char sound[] =
    "{\"schema\":\"assay-results/"
    "1\",\"kernels\":null,\"kernels_module\":\"\",\"compute\":\"bf16\",\"settings\":{\"version\":\"0.1.0\","
    "\"manner\":null,\"vector\":null,\"seed\":7,\"context_shift\":null,\"timeout\":60.0,\"timeout_fixed\":"
    "false,\"memory\":null,"
    "\"allow_unknown\":[\"a\"]},"
    "\"engines\":[{\"engine\":\"./x.so\",\"unit\":\"noise\",\"version\":\"x "
    "1\",\"module\":\"00000000000000aa\"}],"
    "\"machines\":[{\"processor\":\"p\",\"architecture\":\"a\",\"instructions\":\"i j\",\"processors\":2,"
    "\"blas\":\"b\",\"isa\":\"avx2\",\"workers\":\"3\",\"jobs\":4},{\"processor\":\"q\",\"architecture\":"
    "\"a\",\"instructions\":\"i\",\"processors\":1,"
    "\"blas\":\"\"}],"
    "\"shard\":{\"index\":2,\"total\":3,\"selected\":9,\"selection\":\"00000000000000ff\",\"passed_over\":[1,"
    "4],\"passed_over_cases\":[\"o\",\"p\"],\"division\":\"00000000000000ee\","
    "\"interrupted\":false,\"finished\":\"2026-11-28T03:04:05.678Z\"},"
    "\"totals\":{\"passed\":0,\"failed\":1,\"skipped\":0,\"broken\":0,\"warnings\":2},\"results\":[{"
    "\"case\":\"a\",\"path\":\"d/a.h5\",\"engine\":\"./"
    "x.so\",\"position\":3,\"digest\":\"00000000000000dd\",\"kind\":\"k\",\"family\":\"f\",\"outcome\":"
    "\"failed\","
    "\"class\":\"logits\",\"measured\":true,\"multiple\":null,\"unit\":\"noise\",\"bound\":4.0,\"stage\":"
    "\"prefill\","
    "\"reason\":\"why\",\"where\":\"w\",\"trace\":\"t\",\"last_trace\":\"l\",\"notes\":\"n\",\"manner\":"
    "\"late\",\"remark\":\"m\",\"explained\":\"e\","
    "\"manners_left_out\":[{\"manners\":[\"rewind\",\"fork\"],\"reason\":\"r\"}],\"vector\":\"G/v\","
    "\"other_traces\":true,\"profile\":{\"of\":\"rope\",\"tensors\":[{\"name\":\"embed\",\"multiple\":0.25},"
    "{\"name\":\"head\",\"multiple\":null}],\"rows\":[{\"sample\":1,\"pos\":6,\"decode\":true,\"multiple\":"
    "8.5}],\"manners\":[{\"name\":\"whole\",\"multiple\":0}],\"found\":[1,2,3,4,5,6,7,8],"
    "\"recorded\":[9,0,0,0,0,0,0,0]},"
    "\"seconds\":1.5,\"repro\":\"assay run x\"}]}";

static assay_status read_text(const char *text, conf_results *out, assay_error *err)
{
    json_object *document;
    ck_assert_msg(json_parse("f", text, strlen(text), &document, err) == ASSAY_OK, "%s", err->text);
    return conf_results_take("f", document, out, err);
}

START_TEST(every_member_is_read)
{
    conf_results r;
    assay_error err;
    ck_assert_msg(read_text(sound, &r, &err) == ASSAY_OK, "%s", err.text);
    const conf_verdict *v = &r.at[0].verdicts[0];
    ck_assert_uint_eq(r.n, 1);
    ck_assert_uint_eq(r.n_engines, 1);
    ck_assert_str_eq(r.engines[0].name, "./x.so");
    ck_assert_str_eq(r.engines[0].label, "x.so");
    ck_assert_int_eq(r.compute, CONF_COMPUTE_BF16);
    ck_assert_uint_eq(r.shard.index, 2);
    ck_assert_uint_eq(r.shard.total, 3);
    ck_assert_uint_eq(r.shard.n_selected, 9);
    ck_assert_uint_eq(r.shard.selection, 255);
    ck_assert_uint_eq(r.n_passed_over, 2);
    ck_assert_uint_eq(r.passed_over[1].position, 4);
    ck_assert_str_eq(r.passed_over[1].id, "p");
    ck_assert_uint_eq(r.shard.division, 238);
    ck_assert_str_eq(r.engines[0].version, "x 1");
    ck_assert_str_eq(r.engines[0].module, "00000000000000aa");
    ck_assert_str_eq(r.at[0].digest, "00000000000000dd");
    ck_assert_str_eq(r.finished, "2026-11-28T03:04:05.678Z");
    ck_assert_uint_eq(r.n_warnings, 2);
    ck_assert_uint_eq(r.n_machines, 2);
    ck_assert_str_eq(r.machines[0].facts.instructions, "i j");
    ck_assert_uint_eq(r.machines[1].facts.n_processors, 1);
    ck_assert_str_eq(r.machines[0].blas, "b");
    ck_assert_str_eq(r.machines[0].facts.isa, "avx2");
    ck_assert_str_eq(r.machines[0].facts.workers, "3");
    ck_assert(r.machines[0].n_jobs == 4 && r.machines[1].n_jobs == 0);
    ck_assert_str_eq(r.at[0].id, "a");
    ck_assert_str_eq(r.at[0].path, "d/a.h5");
    ck_assert_uint_eq(r.at[0].position, 3);
    ck_assert_str_eq(r.at[0].repros[0], "assay run x");
    ck_assert_int_eq(v->outcome, CONF_FAILED);
    ck_assert_int_eq(v->class, CONF_CLASS_LOGITS);
    ck_assert_int_eq(v->stage, CONF_STAGE_PREFILL);
    ck_assert(v->measured && isinf(v->multiple) && !v->float64 && v->other_traces);
    ck_assert_str_eq(v->left_out, "rewind, fork\tr\n");
    ck_assert_str_eq(v->manner, "late");
    ck_assert_str_eq(v->vector, "G/v");
    ck_assert_double_eq(v->seconds, 1.5);
    ck_assert_str_eq(v->kind, "k");
    ck_assert_str_eq(v->checkpoint.family, "f");
    const conf_profile *p = r.at[0].profiles[0];
    ck_assert_int_eq(p->manner, conf_manner_find("late"));
    ck_assert(p->n_tensors == 2 && p->n_rows == 1 && p->n_manners == 1 && p->has_recorded);
    ck_assert_int_eq(p->of, CONF_PROFILE_ROPE);
    ck_assert_str_eq(p->tensors[0].name, "embed");
    ck_assert(isinf(p->tensors[1].multiple) && p->rows[0].decode);
    ck_assert(p->rows[0].sample == 1 && p->rows[0].pos == 6 && p->found[7] == 8 && p->recorded[0] == 9);
    ck_assert_double_eq(p->rows[0].multiple, 8.5);
    conf_results_free(&r);
}
END_TEST

/* An edit of the sound document: the first `from` becomes `to`; and what the message has. */
static const struct {
    const char *from, *to, *message;
} edits[] = {
    {"results/1", "results/2", "f: schema: found \"assay-results/2\", expected \"assay-results/1\""},
    {"\"schema\":\"assay-results/1\",", "", "f: schema: is missing, expected a string"},
    {"\"kernels\":null", "\"kernels\":1", "f: kernels: found a whole number, expected a string"},
    {"\"kernels\":null,", "", "f: kernels: is missing, expected a string or null"},
    {"\"kernels\":null", "\"kernels\":\"\\u001b\"", "f: kernels: found a string with control characters"},
    {"\"kernels\"", "\"new\":1,\"kernels\"", "f: new: is unknown to this version, expected no such member"},
    {"bf16", "f8", "f: compute: found \"f8\", expected null or the name of a compute type"},
    {"\"seed\":7", "\"seed\":-7", "f: settings.seed: found -7, expected a whole number from 0 to 2^64 - 1"},
    {"\"seed\":7", "\"seed\":18446744073709551616", "f: settings.seed: found 18446744073709551616, expected"},
    {"\"seed\":7", "\"sead\":7", "f: settings.sead: is unknown"},
    {"60.0", "\"60\"", "f: settings.timeout: found a string, expected a number"},
    {"_fixed\":false", "_fixed\":0", "f: settings.timeout_fixed: found a whole number, expected a boolean"},
    {"\"timeout_fixed\":false,", "", "f: settings.timeout_fixed: is missing, expected a boolean"},
    {"[\"a\"]", "[1]", "f: settings.allow_unknown[0]: found a whole number, expected a string"},
    {"\"unit\"", "\"unity\"", "f: engines[0].unity: is unknown"},
    {"\"unit\":\"noise\"", "\"unit\":\"x\"", "f: engines[0].unit: found \"x\", expected one of noise, bound"},
    {"[{\"engine\":\"./x.so\",\"unit\":\"noise\",\"version\":\"x 1\",\"module\":\"00000000000000aa\"}]", "[]",
     "f: results: found 1 elements, expected one for each of 0"},
    {"[{\"engine\"", "[7,{\"engine\"", "f: engines[0]: found a whole number, expected an object"},
    {"\"processors\":2", "\"processors\":0", "f: machines[0].processors: found 0, expected"},
    {"\"instructions\":\"i\"", "\"sets\":\"i\"", "f: machines[1].sets: is unknown"},
    {"\"processor\":\"q\",", "", "f: machines[1].processor: is missing, expected a string"},
    {"\"blas\":\"b\"", "\"blas\":\"\\n\"", "f: machines[0].blas: found a string with control"},
    {"\"family\":\"f\"", "\"family\":null", "f: results[0].family: found null, expected a string"},
    {"\"kind\":\"k\"", "\"kind\":\"kkkkkkkkkkkkkkkk\"",
     "f: results[0].kind: found 16 bytes, expected at most 15"},
    {"\"isa\":\"avx2\"", "\"isa\":2", "f: machines[0].isa: found a whole number, expected a string"},
    {"\"workers\":\"3\"", "\"workers\":3", "f: machines[0].workers: found a whole number, expected a string"},
    {"\"jobs\":4", "\"jobs\":0", "f: machines[0].jobs: found 0, expected a whole number from 1"},
    {"\"index\":2", "\"index\":4", "f: shard.index: found 4, expected a whole number from 1 to 3"},
    {"\"index\":2", "\"index\":0", "f: shard.index: found 0, expected"},
    {"\"total\":3", "\"total\":0", "f: shard.total: found 0, expected a whole number from 1 to 1000000"},
    {"\"total\":3", "\"total\":1000001", "f: shard.total: found 1000001, expected"},
    {"\"selected\":9", "\"selected\":-1", "f: shard.selected: found -1, expected"},
    {"00ff\"", "00fF\"", "f: shard.selection: found \"00000000000000fF\", expected 16 hexadecimal digits"},
    {"[1,4]", "[4,1]", "f: shard.passed_over[1]: found 1, expected a whole number from 5 to 8"},
    {"[1,4]", "[1,9]", "f: shard.passed_over[1]: found 9, expected a whole number from 2 to 8"},
    {"\"interrupted\":false", "\"interrupted\":0",
     "f: shard.interrupted: found a whole number, expected a boolean"},
    {"678Z", "678", "f: shard.finished: found \"2026-11-28T03:04:05.678\", expected a time such as"},
    {"678Z", "678Zz", "f: shard.finished: found"},
    {"\"failed\":1", "\"failed\":2",
     "f: totals.failed: found 2, expected 1, as many as results have that outcome"},
    {"\"outcome\":\"failed\"", "\"outcome\":\"expected\"",
     "f: results[0].expected: found \"\" with outcome expected, expected what was expected"},
    {"\"outcome\":\"failed\"", "\"expected\":\"why\",\"outcome\":\"expected\"",
     "f: totals.failed: found 1, expected 0"},
    {"\"class\":\"logits\"", "\"class\":\"fixed\"",
     "f: results[0].expected: found \"\" with outcome failed, expected what was expected"},
    {"\"outcome\":\"failed\"", "\"expected\":\"\",\"outcome\":\"failed\"",
     "f: results[0].expected: found \"\" with outcome failed, expected no such member"},
    {"\"outcome\":\"failed\",\"class\":\"logits\"",
     "\"expected\":\"why\",\"outcome\":\"skipped\",\"class\":\"\"",
     "f: results[0].expected: found \"why\" with outcome skipped, expected no such member"},
    {"\"failed\":1", "\"failed\":1,\"expected\":1", "f: totals.expected: found 1, expected 0"},
    {"\"seed\":7", "\"expected\":\"x\",\"seed\":7",
     "f: settings.expected: found \"x\", expected 16 hexadecimal"},
    {"\"seed\":7", "\"expected\":\"00000000000000bb\",\"seed\":7",
     "f: totals.expected: is missing, expected a whole number"},
    {"\"where\"", "\"rows\":0,\"where\"", "f: results[0].rows: found 0, expected a whole number from 1"},
    {"\"where\"", "\"rows\":7,\"where\"", "f: results[0].same_best: is missing, expected a whole number"},
    {"\"where\"", "\"rows\":7,\"same_best\":8,\"where\"",
     "f: results[0].same_best: found 8, expected a whole number from 0 to 7"},
    {"\"outcome\":\"failed\",\"class\":\"logits\"", "\"rows\":7,\"outcome\":\"skipped\",\"class\":\"\"",
     "f: results[0].rows: found a member, expected none: outcome skipped"},
    {"\"warnings\":2", "\"warnings\":-2", "f: totals.warnings: found -2, expected"},
    {"\"engine\":\"./x.so\",\"position\"", "\"engine\":\"./y.so\",\"position\"",
     "f: results[0].engine: found \"./y.so\", expected \"./x.so\", engine 0"},
    {"\"position\":3", "\"position\":9",
     "f: results[0].position: found 9, expected a whole number from 0 to 8"},
    {"\"outcome\":\"failed\"", "\"outcome\":\"lost\"",
     "f: results[0].outcome: found \"lost\", expected one of passed, failed, skipped, broken"},
    {"\"class\":\"logits\"", "\"class\":\"\"",
     "f: results[0].class: found \"\" with outcome failed, expected a class"},
    {"\"outcome\":\"failed\"", "\"outcome\":\"passed\"",
     "f: results[0].class: found \"logits\" with outcome passed, expected \"\""},
    {"\"multiple\":null", "\"multiple\":-1", "f: results[0].multiple: found -1, expected 0 or more"},
    {"\"multiple\":null,", "", "f: results[0].multiple: is missing, expected a number or null"},
    {"true,\"multiple\":null", "false,\"multiple\":1",
     "f: results[0].multiple: found a number, expected null: nothing was measured"},
    {"4.0", "5.0", "f: results[0].bound: found 5, expected 4, that of the unit noise"},
    {"\"stage\":\"prefill\"", "\"stage\":\"x\"", "f: results[0].stage: found \"x\", expected one of"},
    {"\"manner\":\"late\"", "\"manner\":\"soon\"",
     "f: results[0].manner: found \"soon\", expected one of whole"},
    {"[\"rewind\",\"fork\"]", "[\"rewind\",\"x\"]",
     "f: results[0].manners_left_out[0].manners[1]: found \"x\""},
    {"\"other_traces\":true", "\"other_traces\":1", "f: results[0].other_traces: found a whole number"},
    {"\"seconds\":1.5", "\"seconds\":-1.5", "f: results[0].seconds: found -1.5, expected 0 or more"},
    {"\"repro\":\"assay run x\"", "\"repro\":\"a\\nb\"", "f: results[0].repro: found a string with control"},
    {"\"repro\":\"assay run x\"", "\"x\":1", "f: results[0].x: is unknown"},
    {"\"multiple\":null", "\"multiple\":3.5",
     "f: results[0].outcome: found failed with class logits, expected passed: the multiple is 3.5"},
    {"\"outcome\":\"failed\",\"class\":\"logits\"", "\"outcome\":\"passed\",\"class\":\"\"",
     "f: results[0].outcome: found passed, expected failed: the multiple is inf, of which 4 are allowed"},
    {"\"reason\":\"why\"", "\"reason\":\"\"", "f: results[0].reason: found \"\" with outcome failed"},
    {"00dd\"", "00d\"", "f: results[0].digest: found \"00000000000000d\", expected 16 hexadecimal digits"},
    {"\"00000000000000aa\"", "\"\"", "f: engines[0].module: found \"\", expected 16 hexadecimal digits"},
    {"00ee\"", "00e\"", "f: shard.division: found \"00000000000000e\", expected 16 hexadecimal digits"},
    {"[\"o\",\"p\"]", "[\"o\"]", "f: shard.passed_over_cases: found 1 elements, expected 2"},
    {"\"kernels_module\":\"\"", "\"kernels_module\":\"x\"", "f: kernels_module: found \"x\", expected 16"},
    {"\"reason\":\"why\"", "\"reason\":\"\\u0000\"", "f: results[0].reason: found a string with U+0000"},
    {"\"profile\":{", "\"profile\":7,\"profiles\":{", "f: results[0].profiles: is unknown"},
    {"\"of\":\"rope\"", "\"of\":\"x\"",
     "f: results[0].profile.of: found \"x\", expected one of logits, rope, positions"},
    {"\"of\":\"rope\",", "", "f: results[0].profile.of: is missing"},
    {"\"tensors\":[", "\"tensor\":[", "f: results[0].profile.tensor: is unknown"},
    {"\"rows\":[{", "\"rows\":[7,{",
     "f: results[0].profile.rows[0]: found a whole number, expected an object"},
    {"\"rows\":[{\"sample\":1", "\"rows\":[{\"sample\":-1",
     "f: results[0].profile.rows[0].sample: found -1, expected a whole number from 0 to 4294967295"},
    {"\"pos\":6", "\"pos\":6.5", "f: results[0].profile.rows[0].pos: found a number"},
    {"\"pos\":6", "\"pose\":6", "f: results[0].profile.rows[0].pose: is unknown"},
    {"\"decode\":true", "\"decode\":1",
     "f: results[0].profile.rows[0].decode: found a whole number, expected a boolean"},
    {"\"multiple\":8.5", "\"multiple\":-8.5",
     "f: results[0].profile.rows[0].multiple: found -8.5, expected 0 or more"},
    {",\"multiple\":8.5", "",
     "f: results[0].profile.rows[0].multiple: is missing, expected a number or null"},
    {"\"name\":\"embed\"", "\"name\":\"\\u202e\"",
     "f: results[0].profile.tensors[0].name: found a string with"},
    {"\"name\":\"embed\"", "\"name\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"",
     "f: results[0].profile.tensors[0].name: found 48 bytes, expected at most 47"},
    {"\"name\":\"embed\"", "\"title\":\"embed\"", "f: results[0].profile.tensors[0].name: is missing"},
    {"\"manners\":[{", "\"manners\":[{\"x\":1},{", "f: results[0].profile.manners[0].name: is missing"},
    {"\"found\":[1", "\"found\":[0,1", "f: results[0].profile.found: found 9 elements, expected 8"},
    {"\"found\":[1", "\"found\":[-1",
     "f: results[0].profile.found[0]: found -1, expected a whole number from 0"},
    {"\"found\":[1,2,3,4,5,6,7,8],", "", "f: results[0].profile.found: is missing, expected an array"},
    {"\"recorded\":[9", "\"recorded\":[\"9\"", "f: results[0].profile.recorded[0]: found a string"},
    {"\"recorded\":[9,0,0,0,0,0,0,0]", "\"recorded\":7",
     "f: results[0].profile.recorded: found a whole number, expected an array"},
    {",\"recorded\":[9,0,0,0,0,0,0,0]", "", "f: results[0].profile.recorded: is missing, expected an array"},
    {"\"class\":\"logits\"", "\"class\":\"crash\"",
     "f: results[0].profile: found a member, expected none: outcome failed, class \"crash\""},
};

START_TEST(what_no_run_writes_is_refused)
{
    static conf_results r, untouched;
    char text[8192];
    assay_error err;
    const char *at = strstr(sound, edits[_i].from);
    ck_assert_ptr_nonnull(at);
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - sound), sound, edits[_i].to,
                   at + strlen(edits[_i].from));
    memset(&r, 0x5a, sizeof r);
    memset(&untouched, 0x5a, sizeof untouched);
    const assay_status status = read_text(text, &r, &err);
    ck_assert_int_ne(status, ASSAY_OK);
    ck_assert_int_eq(err.status, status);
    ck_assert_msg(strstr(err.text, edits[_i].message) != NULL, "found: %s\nexpected: %s", err.text,
                  edits[_i].message);
    ck_assert_int_eq(memcmp(&r, &untouched, sizeof r), 0);
}
END_TEST

START_TEST(texts_that_a_verdict_cannot_hold_are_refused)
{
    char text[8192], reason[CONF_TEXT_MAX + 1];
    conf_results r;
    assay_error err;
    memset(reason, 'r', CONF_TEXT_MAX);
    reason[CONF_TEXT_MAX] = '\0';
    const char *at = strstr(sound, "why");
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - sound), sound, reason, at + 3);
    ck_assert_int_eq(read_text(text, &r, &err), ASSAY_EFORMAT);
    ck_assert_str_eq(err.text, "f: results[0].reason: found 640 bytes, expected at most 639");
}
END_TEST

/* Replaces the first `from` of the sound document by n times `element`, separated by commas. */
static void read_many(const char *from, const char *element, size_t n, assay_error *err)
{
    static char text[262144];
    conf_results r;
    const char *at = strstr(sound, from);
    size_t size = (size_t)snprintf(text, sizeof text, "%.*s", (int)(at - sound), sound);
    for (size_t i = 0; i < n; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", i ? "," : "", element);
    (void)snprintf(text + size, sizeof text - size, "%s", at + strlen(from));
    ck_assert_int_eq(read_text(text, &r, err), ASSAY_EFORMAT);
}

START_TEST(profiles_are_bounded)
{
    assay_error err;
    read_many("{\"name\":\"embed\",\"multiple\":0.25}", "{\"name\":\"x\",\"multiple\":1}", 256, &err);
    assert_holds(err.text, "f: results[0].profile.tensors: found 257 elements, expected at most 256");
    read_many("{\"sample\":1,\"pos\":6,\"decode\":true,\"multiple\":8.5}", "1", 513, &err);
    assert_holds(err.text, "f: results[0].profile.rows: found 513 elements, expected at most 512");
    read_many("{\"name\":\"whole\",\"multiple\":0}", "1", 99, &err);
    assert_holds(err.text, "f: results[0].profile.manners: found 99 elements, expected at most ");
}
END_TEST

/* As many results as make one profile too many. */
START_TEST(a_document_has_few_profiles)
{
    static char text[65536];
    conf_results r;
    assay_error err;
    const char *selected = strstr(sound, "9,\"selection"), *failed = strstr(sound, "1,\"skipped"),
               *first = strstr(sound, "{\"case\""), *position = strstr(first, "3,\"digest"),
               *end = strrchr(sound, ']');
    size_t n = (size_t)snprintf(text, sizeof text, "%.*s9%.*s1%.*s", (int)(selected - sound), sound,
                                (int)(failed - selected), selected, (int)(first - failed), failed);
    for (int i = 0; i <= CONF_PROFILES_MAX; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s%d%.*s", i ? "," : "",
                              (int)(position - first), first, i, (int)(end - position - 1), position + 1);
    (void)snprintf(text + n, sizeof text - n, "%s", end);
    ck_assert_int_eq(read_text(text, &r, &err), ASSAY_EFORMAT);
    ck_assert_str_eq(err.text, "f: results[10].profile: found profile 11, expected at most 10 in a document");
}
END_TEST

START_TEST(a_document_that_is_no_object_is_refused)
{
    static const char *const texts[] = {"null", "[]", "7", "\"x\""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        conf_results r;
        assay_error err;
        ck_assert_int_eq(read_text(texts[i], &r, &err), ASSAY_EFORMAT);
        assert_holds(err.text, "f: found ");
        assert_holds(err.text, ", expected an object");
    }
}
END_TEST

/* The document as it is written after it has been read; the caller frees it. */
static char *rewrite(const char *text)
{
    char *out = NULL;
    size_t size;
    conf_results r;
    assay_error err;
    ck_assert_msg(read_text(text, &r, &err) == ASSAY_OK, "%s", err.text);
    FILE *f = open_memstream(&out, &size);
    ck_assert_int_eq(conf_json_print(f, &r, &err), ASSAY_OK);
    (void)fclose(f);
    conf_results_free(&r);
    return out;
}

START_TEST(a_document_of_an_earlier_version_has_no_machines)
{
    const char *from = strstr(sound, "\"machines\""), *to = strstr(sound, "\"shard\"");
    char text[sizeof sound];
    conf_results r;
    assay_error err;
    (void)snprintf(text, sizeof text, "%.*s%s", (int)(from - sound), sound, to);
    ck_assert_msg(read_text(text, &r, &err) == ASSAY_OK, "%s", err.text);
    ck_assert_uint_eq(r.n_machines, 0);
    conf_results_free(&r);
}
END_TEST

START_TEST(what_is_read_is_written_unchanged)
{
    char *first = rewrite(sound), *second = rewrite(first);
    json_object *a, *b;
    assay_error err;
    ck_assert_str_eq(first, second);
    ck_assert_int_eq(json_parse("f", sound, strlen(sound), &a, &err), ASSAY_OK);
    ck_assert_int_eq(json_parse("f", first, strlen(first), &b, &err), ASSAY_OK);
    ck_assert(json_equals(a, b, JSON_BY_VALUE));
    (void)json_object_put(a);
    (void)json_object_put(b);
    free(first);
    free(second);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/report/read");
    TCase *t = tcase_create("all");
    tcase_add_test(t, a_document_of_an_earlier_version_has_no_machines);
    tcase_add_test(t, every_member_is_read);
    tcase_add_loop_test(t, what_no_run_writes_is_refused, 0, (int)(sizeof edits / sizeof *edits));
    tcase_add_test(t, texts_that_a_verdict_cannot_hold_are_refused);
    tcase_add_test(t, profiles_are_bounded);
    tcase_add_test(t, a_document_has_few_profiles);
    tcase_add_test(t, a_document_that_is_no_object_is_refused);
    tcase_add_test(t, what_is_read_is_written_unchanged);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
