/* The fewest requests that show a failure: a planted fault of the oracle that one request shows, and faults
 * that need others before it or beside it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/reduce.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/print.h"
#include "conformance/probe/tests/probing.h"
#include "conformance/tests/support.h"

static void setup(void)
{
    support_setup();
    probing_serve();
}

/* Probes an oracle with this bug, and looks for the requests that show the row of a check. */
static const probe_finding *reduce(probing *p, oracle_bug bug, const char *check, double seconds)
{
    oracle o = {.bug = bug, .most = 20, .truth = &probing_known};
    assay_error err;
    oracle_start(&o);
    const probe_options options = probing_options(probing_url(&o), check, 1U << PROBE_CHAT, NULL);
    probing_probe(p, &options);
    const probe_finding *row = probing_row(p, check, PROBE_FAILED, "");
    ck_assert_msg(probe_reduce(&options, &p->run, seconds, NULL, NULL, &err) == ASSAY_OK, "%s", err.text);
    oracle_stop(&o);
    return row;
}

/* What the report says of the requests. */
static void assert_printed(const probing *p, const char *part)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    ck_assert_ptr_nonnull(out);
    probe_print(&(conf_context){.out = out}, &p->run, false, NULL);
    ck_assert_int_eq(fclose(out), 0);
    assert_holds(text, part);
    free(text);
}

static void assert_json(const probing *p, const char *part)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(probe_print_json(out, &p->run, NULL), ASSAY_OK);
    ck_assert_int_eq(fclose(out), 0);
    assert_holds(text, part);
    free(text);
}

START_TEST(one_request_that_shows_a_failure_is_found)
{
    probing p;
    const probe_finding *row = reduce(&p, ORACLE_OTHER_TOKEN, "numerics/chat/token", 100);
    ck_assert(row->is_reduced && row->is_least);
    ck_assert_uint_gt(row->n_asked, 1);
    ck_assert_uint_eq(row->n_needed, 1);
    ck_assert_uint_eq(row->requests.n, 1);
    ck_assert_str_eq(row->requests.at[0], row->repro);
    assert_printed(&p, "\n    REQUESTS: 1 of 8 show it, and fewer do not\n      curl -sN http://127.0.0.1:");
    assert_json(&p, "\"needed\":1,");
    assert_json(&p, "\"least\":true,");
    assert_json(&p, "\"curl -sN http:");
    probing_free(&p);
}
END_TEST

/* Two requests at once, and the three answers with which the check compares. */
START_TEST(requests_at_once_stay_at_once)
{
    probing p;
    const probe_finding *row = reduce(&p, ORACLE_NEIGHBOURS, "batching/identical", 100);
    ck_assert(row->is_reduced && row->is_least);
    ck_assert_uint_eq(row->n_needed, 5);
    ck_assert_uint_eq(row->requests.n, 6);
    assert_holds(row->requests.at[0], "curl -sN http://127.0.0.1:");
    assert_holds(row->requests.at[3], "{ curl -sN http://127.0.0.1:");
    assert_holds(row->requests.at[4], "'; } &");
    ck_assert_str_eq(row->requests.at[5], "wait");
    probing_free(&p);
}
END_TEST

/* The prompts are cached when they are asked again. */
START_TEST(failure_that_does_not_come_again_is_said_to_be_so)
{
    probing p;
    const probe_finding *row = reduce(&p, ORACLE_STALE, "batching/warm", 100);
    ck_assert(row->is_reduced && !row->is_least);
    ck_assert_uint_eq(row->n_asked, 0);
    assert_printed(&p, "\n    REQUESTS: asked again, the check did not fail: ");
    assert_json(&p, "\"asked\":0,");
    assert_json(&p, "\"needed\":0,");
    probing_free(&p);
}
END_TEST

START_TEST(search_ends_with_its_time)
{
    probing p;
    const probe_finding *row = reduce(&p, ORACLE_NEIGHBOURS, "batching/identical", 0.01);
    ck_assert(row->is_reduced && !row->is_least);
    ck_assert_uint_eq(row->n_needed, row->n_asked);
    assert_printed(&p, "show it; the time was over before fewer were found\n");
    probing_free(&p);
}
END_TEST

START_TEST(server_that_is_gone_leaves_the_report_as_it_is)
{
    static const char check[] = "numerics/chat/token";
    oracle o = {.bug = ORACLE_OTHER_TOKEN, .most = 20, .truth = &probing_known};
    probing p;
    assay_error err;
    oracle_start(&o);
    const probe_options options = probing_options(probing_url(&o), check, 1U << PROBE_CHAT, NULL);
    probing_probe(&p, &options);
    oracle_stop(&o);
    const probe_finding *row = probing_row(&p, check, PROBE_FAILED, "");
    ck_assert_int_eq(probe_reduce(&options, &p.run, 100, NULL, NULL, &err), ASSAY_EIO);
    ck_assert(!row->is_reduced && row->requests.n == 0 && row->repro);
    probing_free(&p);
}
END_TEST

START_TEST(saved_run_has_no_server_to_ask)
{
    assert_code(support_shell("mkdir run && echo '{}' >run/run.json; : >run.jsonl"), 0);
    const support_output *o = support_assay("probe --reduce 5 run.jsonl");
    assert_code(o, 2);
    assert_holds(o->err, "option --reduce: found the saved run run.jsonl, expected a server");
}
END_TEST

int main(void)
{
    TCase *c = tcase_create("reduce");
    tcase_set_timeout(c, 300);
    tcase_add_unchecked_fixture(c, probing_open, probing_close);
    tcase_add_checked_fixture(c, setup, support_teardown);
    tcase_add_test(c, one_request_that_shows_a_failure_is_found);
    tcase_add_test(c, requests_at_once_stay_at_once);
    tcase_add_test(c, failure_that_does_not_come_again_is_said_to_be_so);
    tcase_add_test(c, search_ends_with_its_time);
    tcase_add_test(c, server_that_is_gone_leaves_the_report_as_it_is);
    tcase_add_test(c, saved_run_has_no_server_to_ask);
    Suite *suite = suite_create("probe/reduce");
    suite_add_tcase(suite, c);
    return support_run(suite);
}
