/* What the truth says about an answer beside its texts: tokens of reasoning, the stop text, a call that is
 * cut.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_OUTCOME_H
#define CONFORMANCE_PROBE_CHECKS_OUTCOME_H

#include "conformance/probe/checks/comparison.h"

/* name: the finish in words. */
void probe_outcome_finish(const probe_comparison *c, probe_finish expected, const char *name);

/* least, most: the numbers of generated tokens that are right; servers may or may not count a stop id. */
void probe_outcome_usage(const probe_comparison *c, size_t least, size_t most);

/* Judges the end of an answer without a limit: completions end after 16 tokens by their specification;
 * elsewhere an answer has its natural end. */
void probe_outcome_unlimited(const probe_comparison *c);

/* Judges the reported tokens of reasoning of a whole answer, if there are any: those whose text it is, with
 * or without the markers and white space around it. */
void probe_outcome_thoughts(const probe_comparison *c);

/* Judges the stop text that Messages name. */
void probe_outcome_stop_text(const probe_comparison *c);

/* Judges an answer that was cut within a call: it is left out, or its arguments are those so far, or its text
 * is in content. */
void probe_outcome_cut_call(const probe_comparison *c);

/* A limit within the arguments of a call; 0: none. */
size_t probe_outcome_limit_in_call(const probe_run *r, const probe_prompt *p);

/* Whether no other prompt with a natural end and without tools has a longer answer. */
bool probe_outcome_is_longest(const probe_run *r, probe_endpoint e, const probe_prompt *p);

#endif
