/* Context shift: what engines do that do not slide over a full cache, as assay/engine.h defines a limit, but
 * drop the oldest tokens after the attention sink tokens and renumber the others. The truth of a row is then
 * the last row of a prefill of the tokens that are left, or, if an engine keeps what its cache holds of them,
 * that of shift_kept.h, which is named only. It is recomputed by the reference, which must agree with the
 * recorded truth of the case first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_SHIFT_H
#define CONFORMANCE_EVALUATE_SHIFT_H

#include "conformance/judge/noise.h"
#include "conformance/replay/state.h"

/* Replaces the truth of a case whose caches are limited, and moves its recorded runs by as much, so that the
 * noise stays the recorded one. Does nothing to other cases. reference: the path of an engine in float64 with
 * a tap. False, with the verdict CONF_SKIPPED, if the truth cannot be recomputed. */
bool conf_shift_truth(conf_case *c, const char *reference, size_t n_dropped, conf_verdict *v);

/* How an engine shifts: n_dropped 0: it does not. keeps: the tokens that are left keep what was computed with
 * the dropped ones (shift_kept.h). */
typedef struct conf_shift {
    size_t n_dropped;
    bool keeps;
} conf_shift;

/* After a whole evaluation whose logits are out of bounds, of a case whose caches are limited: the context
 * shift whose logits they are; none, if there is none or it would take too long to tell. */
conf_shift conf_shift_find(const conf_replay *r, const conf_bounds *bounds, const char *reference);

#endif
