/* How two answers to one request differ.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_GRADE_H
#define CONFORMANCE_PROBE_CHECKS_GRADE_H

#include "conformance/probe/run/run.h"

typedef enum probe_likeness {
    PROBE_SAME_BITS,    /* every text and every log-probability is the same */
    PROBE_SAME_TEXT,    /* the texts are the same; there are no log-probabilities */
    PROBE_WITHIN_NOISE, /* the texts are the same, and log-probabilities differ by what rounding explains */
    PROBE_TIE_FLIP,     /* texts differ from a near tie of the truth on */
    PROBE_DIVERGENT,
    PROBE_N_LIKENESSES
} probe_likeness;

const char *probe_likeness_name(probe_likeness likeness);

/* Compares two answers to the whole prompt p. Both are held to the truth within 2ε for a log-probability, so
 * two correct ones differ by at most 4ε. *text [size] describes a difference. */
probe_likeness probe_grade_of(const probe_run *r, const probe_prompt *p, const probe_answer *a,
                              const probe_answer *b, char *text, size_t size);

#endif
