/* An observation, a file in which somebody wrote down what an engine answers, against a golden or against
 * another observation: by the same judge as a replay, in memory that does not grow with the files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_DIFF_H
#define CONFORMANCE_DIFF_DIFF_H

#include "conformance/diff/state.h"

/* What the small members of a file, lengths and tokens, may take; and a chunk of any. */
#define CONF_DIFF_FILE_BYTES_MAX ((size_t)24 << 20)

/* "logits", "tokens", "traces", NULL: the names of the bits, in that order. */
extern const char *const conf_diff_part_names[];

typedef struct conf_diff_task {
    const char *golden;   /* path of a case of kind logits or generate, or of another observation */
    const char *observed; /* path of the observation to judge */
    assay_dtype compute;  /* what the observed engine computed in: names the run to judge by (compute.h) */
    unsigned parts;       /* what is judged; 0: everything */
    size_t n_workers;     /* threads */
} conf_diff_task;

/* Judges an observation. *v, which is zeroed beforehand, becomes CONF_PASSED, CONF_FAILED, or CONF_SKIPPED
 * where nothing is recorded to judge that type or those parts by; where it agrees v->reason is the summary.
 * *unknown: members that are passed over, with the file, for a warning; the caller frees them, also on
 * failure. Fails, with nothing known, where a file cannot be read, is none of these, lacks a member that the
 * other expects, or does not fit into the memory that there is. */
assay_status conf_diff(const conf_diff_task *task, conf_verdict *v, conf_strings *unknown, assay_error *err);

#endif
