/* The rows of a probe's report: one for each check, and one for each breach that a check finds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_RUN_FINDING_H
#define CONFORMANCE_PROBE_RUN_FINDING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "conformance/support/strings.h"

#define PROBE_CHECK_MAX 128
#define PROBE_TEXT_MAX  640

typedef enum probe_verdict {
    PROBE_OK,
    PROBE_FAILED,
    PROBE_IGNORED,       /* the server accepts a member of the request, and it has no effect */
    PROBE_NOT_EXERCISED, /* the server never did what the check is about */
    PROBE_NOT_OFFERED,   /* the server says that it does not have this */
    PROBE_N_VERDICTS
} probe_verdict;

/* How much a failure matters. */
typedef enum probe_grade {
    PROBE_BREAKS,  /* clients fail, or show what is wrong */
    PROBE_DEPARTS, /* from the published specification */
    PROBE_HABIT,   /* common and harmless */
    PROBE_N_GRADES
} probe_grade;

/* "ok", …, and "breaks", …. */
const char *probe_verdict_name(probe_verdict verdict);
const char *probe_grade_name(probe_grade grade);

/* check: "protocol/chat/stream/limit". rule, event, byte: of a breach in a stream; rule "" if it is none.
 * exchange: the label of the exchange that shows it; "" if none does. repro: the command that shows it,
 * owned; NULL if there is none. excerpt: that exchange as text (excerpt.h), owned; NULL if there is none.
 * text: what was found and what was expected. grade: of PROBE_FAILED and PROBE_IGNORED. requests: the lines
 * of a shell that send the fewest requests which show it (reduce.h), of the n_asked that its check makes;
 * n_asked 0: they were not looked for, or the check did not fail again. is_least: none of them can be left
 * out; otherwise the time was over. */
typedef struct probe_finding {
    char check[PROBE_CHECK_MAX];
    probe_verdict verdict;
    probe_grade grade;
    char text[PROBE_TEXT_MAX];
    char rule[48];
    size_t event, byte;
    char exchange[PROBE_CHECK_MAX];
    char *repro, *excerpt;
    conf_strings requests;
    size_t n_asked, n_needed;
    bool is_reduced, is_least;
} probe_finding;

typedef struct probe_findings {
    probe_finding *at; /* [n] */
    size_t n;
    bool failed; /* an allocation failed: rows are missing */
} probe_findings;

/* Adds a row; check and text are cut to fit. Returns it, valid until the next call, or NULL if out of memory,
 * which is noted. */
probe_finding *probe_findings_add(probe_findings *f, const char *check, probe_verdict verdict,
                                  probe_grade grade, const char *format, va_list args);
void probe_findings_free(probe_findings *f);

size_t probe_findings_count(const probe_findings *f, probe_verdict verdict);

/* Whether a row counts against the server: failed or ignored, unless it is a habit. */
bool probe_finding_counts(const probe_finding *f);

#endif
