/* An answer of a scenario, beside the answer that is expected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_COMPARISON_H
#define CONFORMANCE_PROBE_CHECKS_COMPARISON_H

#include "conformance/probe/checks/expect.h"
#include "conformance/probe/run/ask.h"

/* a: the answer, which came in x. check: "protocol/chat/stream/limit". */
typedef struct probe_comparison {
    probe_run *r;
    probe_endpoint endpoint;
    const probe_prompt *prompt;
    const probe_expected *expected; /* the whole answer */
    size_t limit;                   /* max_tokens of the request; 0: it has none */
    const char *stop;               /* the stop text of the request; NULL: none */
    bool stream;
    char check[PROBE_LABEL_MAX];
    const probe_exchange *x;
    const probe_answer *a;
} probe_comparison;

/* Adds a row to the report: of the comparison's check, with `what` at its end. */
probe_finding *probe_comparison_report(const probe_comparison *c, const char *what, probe_verdict verdict,
                                       probe_grade grade, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
