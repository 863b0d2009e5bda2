/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/print.h"
#include "conformance/probe/tests/probing.h"
#include "conformance/tests/support.h"

probe_truth probing_known;
static char cases[4096]; /* the path of "served" */

void probing_open(void)
{
    char dir[4096];
    assay_error err;
    (void)snprintf(dir, sizeof dir, "%s/fixtures/bundle/qwen3", getenv("top_srcdir"));
    const char *const paths[] = {dir};
    ck_assert_msg(probe_truth_read(paths, 1, PROBE_F32, &probing_known, &err) == ASSAY_OK, "%s", err.text);
}

void probing_close(void)
{
    probe_truth_free(&probing_known);
}

void probing_serve(void)
{
    const support_output *o = support_shell("mkdir served && cd \"$top_srcdir/fixtures/bundle/qwen3\" && "
                                            "cp -r model requests.json *.h5 \"$OLDPWD/served\"");
    assert_code(o, 0);
    (void)snprintf(cases, sizeof cases, "%s", support_path("served"));
}

probe_options probing_options(const char *target, const char *asked, unsigned endpoints, const char *save)
{
    static const char *const paths[] = {cases};
    static const char *only[1];
    only[0] = asked;
    return (probe_options){.target = target,
                           .truth = paths,
                           .n_truth = 1,
                           .only = only,
                           .n_only = asked[0] ? 1 : 0,
                           .endpoints = endpoints,
                           .save = save,
                           .seconds = 3};
}

void probing_probe(probing *p, const probe_options *options)
{
    assay_error err;
    ck_assert_msg(probe_run_all(options, &p->truth, &p->run, NULL, NULL, &err) == ASSAY_OK, "%s", err.text);
    for (size_t i = 0; i < p->run.findings.n; i++) {
        const probe_finding *f = &p->run.findings.at[i];
        const bool fails = f->verdict == PROBE_FAILED || f->verdict == PROBE_IGNORED;
        ck_assert_msg(!fails || (f->excerpt && f->repro && f->exchange[0]), "%s has no exchange: %s",
                      f->check, f->text);
    }
}

const char *probing_url(const oracle *o)
{
    static char url[64];
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", o->port);
    return url;
}

void probing_oracle(probing *p, oracle *o, const char *asked, unsigned endpoints, const char *save)
{
    o->truth = &probing_known;
    oracle_start(o);
    const probe_options options = probing_options(probing_url(o), asked, endpoints, save);
    probing_probe(p, &options);
    oracle_stop(o);
}

void probing_free(probing *p)
{
    probe_run_free(&p->run);
    probe_truth_free(&p->truth);
}

static void list_rows(const probe_run *run)
{
    for (size_t i = 0; i < run->findings.n; i++)
        if (run->findings.at[i].verdict != PROBE_OK)
            (void)fprintf(stderr, "# %s %s %s: %s\n", probe_verdict_name(run->findings.at[i].verdict),
                          run->findings.at[i].check, run->findings.at[i].rule, run->findings.at[i].text);
}

const probe_finding *probing_row(const probing *p, const char *check, probe_verdict verdict, const char *part)
{
    for (size_t i = 0; i < p->run.findings.n; i++) {
        const probe_finding *f = &p->run.findings.at[i];
        if (strcmp(f->check, check) == 0 && f->verdict == verdict &&
            (strstr(f->text, part) || strstr(f->rule, part)))
            return f;
    }
    list_rows(&p->run);
    ck_abort_msg("%s: no such row: %s: %s", check, probe_verdict_name(verdict), part);
}

void probing_agrees(const probing *p)
{
    for (size_t i = 0; i < p->run.findings.n; i++)
        ck_assert_msg(!probe_finding_counts(&p->run.findings.at[i]), "%s: %s: %s",
                      p->run.findings.at[i].check, p->run.findings.at[i].rule, p->run.findings.at[i].text);
    ck_assert_int_eq(probe_exit(&p->run), CONF_EXIT_AGREE);
}
