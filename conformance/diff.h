/* An observation, a file in which somebody wrote down what an engine answers, against a golden or against
 * another observation: by the same judge as a replay, in memory that does not grow with the files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_H
#define CONFORMANCE_DIFF_H

#include "conformance/case.h"
#include "conformance/verdict.h"

/* What the small members of a file, lengths and tokens, may take; and a chunk of any. */
#define CONF_DIFF_FILE_BYTES_MAX ((size_t)24 << 20)

/* Judges the observation at `observed` by the file at `golden`, a case of kind logits or generate or another
 * observation, on n_workers threads. compute: what the observed engine computed in, and so the run of the
 * case that it is judged by (compute.h). *v, which is zeroed beforehand, becomes CONF_PASSED, CONF_FAILED, or
 * CONF_SKIPPED where nothing is recorded to judge that type by; where it agrees v->reason is the summary.
 * *unknown: members that are passed over, with the file, for a warning; the caller frees them, also on
 * failure. Fails, with nothing known, where a file cannot be read, is none of these, or does not fit into the
 * memory that there is. */
assay_status conf_diff(const char *golden, const char *observed, assay_dtype compute, size_t n_workers,
                       conf_verdict *v, conf_strings *unknown, assay_error *err);

#endif
