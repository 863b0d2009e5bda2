/* Joining two runs: engines, cases, and what is said about them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/compare.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/abi/engine.h"
#include "conformance/compare/document.h"
#include "conformance/compare/print.h"
#include "conformance/judge/compute.h"
#include "conformance/tests/support.h"

enum { ENGINES_MOST = 3, CASES_MOST = 4 };

/* A run whose verdicts all pass at `multiple`, in a second each. */
typedef struct run {
    conf_results results;
    conf_engine_column engines[ENGINES_MOST];
    conf_result cases[CASES_MOST];
    conf_verdict verdicts[CASES_MOST][ENGINES_MOST];
    char names[64], ids[64];
} run;

/* names, ids: separated by blanks. */
static void make_run(run *r, const char *names, const char *ids, double multiple)
{
    char *at;
    *r = (run){.results = {.engines = r->engines, .at = r->cases, .finished = "2026-11-28T03:04:05.678Z"}};
    (void)snprintf(r->names, sizeof r->names, "%s", names);
    (void)snprintf(r->ids, sizeof r->ids, "%s", ids);
    r->results.limits = (conf_limits){.seconds = 60, .mib = conf_mib_default()};
    for (char *word = strtok_r(r->names, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        conf_engine_column *e = &r->engines[r->results.n_engines++];
        *e = (conf_engine_column){.name = word, .label = conf_engine_label(word)};
    }
    for (char *word = strtok_r(r->ids, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        const size_t i = r->results.n++;
        r->cases[i] = (conf_result){.id = word, .position = i, .verdicts = r->verdicts[i]};
        for (size_t e = 0; e < r->results.n_engines; e++)
            r->verdicts[i][e] =
                (conf_verdict){.outcome = CONF_PASSED, .measured = true, .multiple = multiple, .seconds = 1};
    }
}

static void fail_case(run *r, size_t i, size_t engine)
{
    r->verdicts[i][engine].outcome = CONF_FAILED;
    r->verdicts[i][engine].class = CONF_CLASS_LOGITS;
    r->verdicts[i][engine].multiple = 9;
}

static assay_status compare(const run *before, const run *after, const char *asked, conf_comparison *out,
                            assay_error *err)
{
    const conf_compared_run old = {"old.json", &before->results}, new = {"new.json", &after->results};
    return conf_compare(&old, &new, &asked, asked != NULL, out, err);
}

/* "0>1 1>0 ->2": the indices of the engines of each pair. */
static void assert_pairs(const char *before, const char *after, const char *asked, const char *expected)
{
    char found[128] = "";
    run old, new;
    conf_engine_pair *pairs;
    size_t n;
    assay_error err;
    make_run(&old, before, "a", 1);
    make_run(&new, after, "a", 1);
    ck_assert_msg(conf_engines_pair(&old.results, &new.results, &asked, asked != NULL, &pairs, &n, &err) ==
                      ASSAY_OK,
                  "%s", err.text);
    for (size_t i = 0, at = 0; i < n; i++)
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%d>%d", i ? " " : "", (int)pairs[i].before,
                               (int)pairs[i].after);
    ck_assert_str_eq(found, expected);
    free(pairs);
}

START_TEST(engines_are_paired_by_name_then_label_then_what_is_left)
{
    assert_pairs("ref32 fastpath", "fastpath ref32", NULL, "1>0 0>1");
    assert_pairs("a/e.so a/f.so", "b/f.so b/e.so", NULL, "1>0 0>1");
    assert_pairs("a/e.so b/e.so", "b/e.so c/e.so", NULL, "1>0 0>1");
    assert_pairs("ref32 old.so", "new.so ref32", NULL, "1>0 0>1");
    assert_pairs("x.so y.so", "v.so w.so", NULL, "-1>0 -1>1 0>-1 1>-1");
    assert_pairs("x.so y.so", "v.so w.so", "y.so=v.so", "1>0 0>1");
    assert_pairs("ref32 x.so", "x.so ref32", "ref32=x.so", "0>0 1>1");
    assert_pairs("exec:a=b", "exec:c=d exec:a=b", "exec:a=b=exec:c=d", "0>0 -1>1");
}
END_TEST

START_TEST(a_pair_of_engines_that_are_not_there_is_refused)
{
    static const char *const asked[] = {"x.so", "x.so=", "=v.so", "x.so=w.so", "v.so=x.so"};
    run old, new;
    conf_engine_pair *pairs;
    size_t n;
    assay_error err;
    make_run(&old, "x.so", "a", 1);
    make_run(&new, "v.so", "a", 1);
    ck_assert_int_eq(conf_engines_pair(&old.results, &new.results, &asked[_i], 1, &pairs, &n, &err),
                     ASSAY_EUNSUPPORTED);
    assert_holds(err.text, "option --pair: found \"");
    assert_holds(err.text, asked[_i]);
}
END_TEST

START_TEST(cases_are_joined_by_their_ids_in_any_order)
{
    run old, new;
    conf_comparison c;
    assay_error err;
    make_run(&old, "ref32", "c a b", 0.3);
    make_run(&new, "ref32", "d b c", 2.9);
    fail_case(&old, 0, 0);
    ck_assert_msg(compare(&old, &new, NULL, &c, &err) == ASSAY_OK, "%s", err.text);
    static const struct {
        const char *id;
        conf_change change;
    } expected[] = {{"a", CONF_CHANGE_GONE},
                    {"b", CONF_CHANGE_DRIFTS},
                    {"c", CONF_CHANGE_PASSES},
                    {"d", CONF_CHANGE_NEW}};
    ck_assert_uint_eq(c.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const conf_result *r = c.at[i].after ? c.at[i].after : c.at[i].before;
        ck_assert_str_eq(r->id, expected[i].id);
        ck_assert_int_eq(c.at[i].change, expected[i].change);
        ck_assert_uint_eq(c.n_of[expected[i].change], 1);
    }
    ck_assert_uint_eq(c.times[0].n_cases, 2);
    ck_assert_uint_eq(c.remarks.n, 0);
    conf_comparison_free(&c);
}
END_TEST

/* The first run was given the family, the second one the folder above it. */
START_TEST(cases_of_other_ids_are_joined_by_the_digests_of_their_files)
{
    run before, after;
    conf_comparison c;
    assay_error err;
    make_run(&before, "e", "base/a base/b", 1);
    make_run(&after, "e", "qwen3/base/b qwen3/base/new qwen3/base/a", 1);
    (void)snprintf(before.cases[0].digest, sizeof before.cases[0].digest, "a");
    (void)snprintf(before.cases[1].digest, sizeof before.cases[1].digest, "b");
    (void)snprintf(after.cases[0].digest, sizeof after.cases[0].digest, "b");
    (void)snprintf(after.cases[2].digest, sizeof after.cases[2].digest, "a");
    fail_case(&after, 2, 0);
    ck_assert_int_eq(compare(&before, &after, NULL, &c, &err), ASSAY_OK);
    ck_assert_uint_eq(c.n, 3);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_FAILS], 1);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_NONE], 1);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_NEW], 1);
    ck_assert_str_eq(c.at[0].after->id, "qwen3/base/a");
    conf_comparison_free(&c);
}
END_TEST

START_TEST(cases_of_one_id_are_paired_in_their_order)
{
    run old, new;
    conf_comparison c;
    assay_error err;
    make_run(&old, "ref32", "a a b", 1);
    make_run(&new, "ref32", "a a a", 1);
    fail_case(&old, 1, 0);
    fail_case(&new, 1, 0);
    fail_case(&new, 2, 0);
    ck_assert_int_eq(compare(&old, &new, NULL, &c, &err), ASSAY_OK);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_NONE], 1);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_STILL], 1);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_FAILS], 1);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_GONE], 1);
    conf_comparison_free(&c);
}
END_TEST

START_TEST(failures_of_an_engine_without_a_partner_are_new)
{
    run old, new;
    conf_comparison c;
    assay_error err;
    make_run(&old, "ref32", "a b", 1);
    make_run(&new, "ref32 x.so", "a b", 1);
    fail_case(&new, 1, 1);
    ck_assert_int_eq(compare(&old, &new, NULL, &c, &err), ASSAY_OK);
    ck_assert_uint_eq(c.n, 3);
    ck_assert_uint_eq(c.n_of[CONF_CHANGE_FAILS], 1);
    ck_assert_uint_eq(c.remarks.n, 1);
    ck_assert_str_eq(c.remarks.at[0], "engine x.so is only in new.json: its failures are new");
    conf_comparison_free(&c);
    ck_assert_int_eq(compare(&new, &old, NULL, &c, &err), ASSAY_OK);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_str_eq(c.remarks.at[0], "engine x.so is only in old.json, and is not compared");
    conf_comparison_free(&c);
}
END_TEST

START_TEST(runs_without_a_common_case_are_no_comparison)
{
    run old, new;
    conf_comparison c;
    assay_error err;
    make_run(&old, "ref32", "a", 1);
    make_run(&new, "ref32", "b", 1);
    ck_assert_int_eq(compare(&old, &new, NULL, &c, &err), ASSAY_EFORMAT);
    assert_holds(err.text, "old.json and new.json have no case with the same engine in common");
}
END_TEST

START_TEST(what_makes_runs_hard_to_compare_is_said)
{
    static const uint64_t seed = 7;
    run old, new;
    conf_comparison c;
    assay_error err;
    make_run(&old, "e.so", "a b", 1);
    make_run(&new, "e.so", "a b", 1);
    new.results.seed = &seed;
    new.results.manner = "late";
    new.results.compute = CONF_COMPUTE_BF16;
    new.results.kernels = "k.so";
    new.results.interrupted = true;
    conf_run_machine here[2] = {
        {.facts = {.processor = "p", .architecture = "a", .instructions = "i", .n_processors = 2, .isa = "s"},
         .n_jobs = 1},
        {.facts = {.processor = "q", .architecture = "a", .instructions = "i", .n_processors = 1},
         .blas = "B"}};
    old.results.machines = &here[0];
    new.results.machines = &here[1];
    old.results.n_machines = new.results.n_machines = 1;
    new.results.shard = (conf_shard){.index = 1, .total = 2};
    new.engines[0].float64 = true;
    (void)snprintf(new.engines[0].version, sizeof new.engines[0].version, "e 2");
    (void)snprintf(new.cases[1].digest, sizeof new.cases[1].digest, "00000000000000dd");
    (void)snprintf(old.engines[0].module, sizeof old.engines[0].module, "00000000000000aa");
    (void)snprintf(new.engines[0].module, sizeof new.engines[0].module, "00000000000000aa");
    ck_assert_int_eq(compare(&old, &new, NULL, &c, &err), ASSAY_OK);
    static const char *const expected[] = {
        "new.json was interrupted: cases are missing",
        "manner: null, then \"late\"",
        "seed: null, then 7",
        "machine: p, a, i, 2 processors, ASSAY_ISA=s, --jobs 1, then q, a, i, 1 processor, B",
        "compute: none, then bf16",
        "kernels: none, then k.so",
        "shard: 0/0, then 1/2",
        "engine e.so was judged by multiples of the noise, then by multiples of the bound",
        "engine e.so: version , then e 2",
        "engine e.so: the module is the same file in both runs",
        "the file of 1 case is not the one of the first run: b"};
    ck_assert_uint_eq(c.remarks.n, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < c.remarks.n; i++) ck_assert_str_eq(c.remarks.at[i], expected[i]);
    conf_comparison_free(&c);
}
END_TEST

/* The comparison as text or as JSON; the caller frees it. */
static char *print_comparison(const conf_comparison *c, bool json)
{
    static const conf_context context = {.columns = 100};
    char *text = NULL;
    size_t size;
    assay_error err;
    FILE *f = open_memstream(&text, &size);
    if (json) ck_assert_int_eq(conf_comparison_print_json(f, c, &err), ASSAY_OK);
    else conf_comparison_print(f, "# ", &context, c);
    (void)fclose(f);
    return text;
}

START_TEST(a_comparison_is_printed_for_people_and_for_programs)
{
    run old, new;
    conf_comparison c;
    assay_error err;
    make_run(&old, "a/e.so", "x y", 0.3);
    make_run(&new, "b/e.so", "y z", 2.9);
    ck_assert_int_eq(compare(&old, &new, NULL, &c, &err), ASSAY_OK);
    char *text = print_comparison(&c, false), *document = print_comparison(&c, true);
    ck_assert_str_eq(
        text, "# before old.json, 2 cases, finished 2026-11-28T03:04:05.678Z\n"
              "# after  new.json, 2 cases, finished 2026-11-28T03:04:05.678Z\n"
              "# engine a/e.so  ->  b/e.so\n"
              "# \n"
              "# larger error: 1\n"
              "#   y                    0.30 pass  ->     2.90 pass\n"
              "# only before: 1\n"
              "#   x                    0.30 pass  ->   absent\n"
              "# only after: 1\n"
              "#   z                  absent       ->     2.90 pass\n"
              "# seconds of e.so: 1, then 1: 1.00 times, in 1 case that both ran (not judged)\n"
              "# compared: 0 newly failing, 1 larger error, 1 only before, 1 only after, 0 unchanged\n");
    json_object *o = json_tokener_parse(document);
    ck_assert_ptr_nonnull(o);
    json_object *changes = json_object_object_get(o, "changes");
    ck_assert_uint_eq(json_object_array_length(changes), 3);
    json_object *first = json_object_array_get_idx(changes, 0);
    ck_assert_str_eq(json_object_get_string(json_object_object_get(first, "change")), "only before");
    ck_assert_ptr_null(json_object_object_get(first, "after"));
    (void)json_object_put(o);
    free(text);
    free(document);
    conf_comparison_free(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conformance/compare/compare");
    TCase *t = tcase_create("all");
    tcase_add_test(t, engines_are_paired_by_name_then_label_then_what_is_left);
    tcase_add_loop_test(t, a_pair_of_engines_that_are_not_there_is_refused, 0, 5);
    tcase_add_test(t, cases_are_joined_by_their_ids_in_any_order);
    tcase_add_test(t, cases_of_other_ids_are_joined_by_the_digests_of_their_files);
    tcase_add_test(t, cases_of_one_id_are_paired_in_their_order);
    tcase_add_test(t, failures_of_an_engine_without_a_partner_are_new);
    tcase_add_test(t, runs_without_a_common_case_are_no_comparison);
    tcase_add_test(t, what_makes_runs_hard_to_compare_is_said);
    tcase_add_test(t, a_comparison_is_printed_for_people_and_for_programs);
    suite_add_tcase(suite, t);
    return support_run(suite);
}
