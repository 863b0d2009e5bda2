/* The logits of sample 0's prompt, of which a case may record only some rows. T: tokens of the sample, V:
 * vocabulary.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_RECORDED_H
#define CONFORMANCE_LOCATE_RECORDED_H

#include "conformance/judge/logits.h"
#include "conformance/locate/walker.h"

/* The rows of sample 0's prompt as [T, V], NaN where no row is recorded; NULL if out of memory. rows: like
 * those of the case. The caller frees the result. */
double *conf_recorded_spread(const conf_walker *w, const double *rows);

/* Judges the rows that the case records; of a single sequence, whose golden rows are those of the reference,
 * all. truth, found: [T, V]. */
conf_logits_judgement conf_recorded_judge(const conf_walker *w, const double *truth, const double *found);

#endif
