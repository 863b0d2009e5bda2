/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/finding.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"

const char *probe_verdict_name(probe_verdict verdict)
{
    static const char *const names[PROBE_N_VERDICTS] = {"ok", "failed", "ignored", "not exercised",
                                                        "not offered"};
    return names[verdict];
}

const char *probe_grade_name(probe_grade grade)
{
    static const char *const names[PROBE_N_GRADES] = {"breaks", "departs", "habit"};
    return names[grade];
}

probe_finding *probe_findings_add(probe_findings *f, const char *check, probe_verdict verdict,
                                  probe_grade grade, const char *format, va_list args)
{
    probe_finding *at = grow_by_one(f->at, f->n, sizeof *at);
    if (!at) {
        f->failed = true;
        return NULL;
    }
    f->at = at;
    probe_finding *row = &f->at[f->n++];
    *row = (probe_finding){.verdict = verdict, .grade = grade};
    (void)snprintf(row->check, sizeof row->check, "%s", check);
    (void)vsnprintf(row->text, sizeof row->text, format, args);
    return row;
}

void probe_findings_free(probe_findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->at[i].repro);
        free(f->at[i].excerpt);
        conf_strings_free(&f->at[i].requests);
    }
    free(f->at);
    *f = (probe_findings){0};
}

size_t probe_findings_count(const probe_findings *f, probe_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) n += f->at[i].verdict == verdict;
    return n;
}

bool probe_finding_counts(const probe_finding *f)
{
    return (f->verdict == PROBE_FAILED || f->verdict == PROBE_IGNORED) && f->grade != PROBE_HABIT;
}
