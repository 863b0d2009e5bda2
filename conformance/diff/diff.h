/* Compares an observation (a file of an engine's answers) with a golden or with another observation.
 * Judges as a replay does. Memory use does not grow with the files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_DIFF_H
#define CONFORMANCE_DIFF_DIFF_H

#include "conformance/diff/state.h"

/* Limit of the small members of a file (lengths, tokens) and of a chunk of any member. */
#define CONF_DIFF_FILE_BYTES_MAX ((size_t)24 << 20)

/* "logits", "tokens", "traces", NULL: the names of the CONF_DIFF_* bits, lowest bit first. */
extern const char *const conf_diff_part_names[];

typedef struct conf_diff_task {
    const char *golden;   /* path of a case of kind logits or generate, or of another observation */
    const char *observed; /* path of the observation to judge */
    assay_dtype compute;  /* of the observed engine; selects the run to judge by (compute.h) */
    unsigned parts;       /* CONF_DIFF_* bits to judge; 0: all */
    size_t n_workers;     /* threads */
} conf_diff_task;

/* Judges an observation. The caller zeroes *v. The outcome becomes CONF_PASSED (v->reason is a
 * summary), CONF_FAILED, or CONF_SKIPPED if the case has no recorded run to judge that compute type or
 * those parts by. *unknown: ignored members, each with its file, for a warning; the caller frees it,
 * also on failure. Fails without a verdict if a file cannot be read, is neither a case nor an
 * observation, lacks a member that the other file expects, or exceeds the memory limits. */
assay_status conf_diff(const conf_diff_task *task, conf_verdict *v, conf_strings *unknown, assay_error *err);

#endif
