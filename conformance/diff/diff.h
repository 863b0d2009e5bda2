/* Compares an observation, a file with an engine's outputs, with a golden or with another observation.
 * The judge is that of a replay; memory does not grow with the files, unless their chunks are large (slab.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_DIFF_DIFF_H
#define CONFORMANCE_DIFF_DIFF_H

#include "conformance/diff/state.h"

/* Maximum size of the small members of a file, lengths and tokens, together. */
#define CONF_DIFF_FILE_BYTES_MAX ((size_t)24 << 20)

/* "logits", "tokens", "traces", NULL: the names of the bits, in that order. */
extern const char *const conf_diff_part_names[];

typedef struct conf_diff_task {
    const char *golden;   /* path of a case of kind logits or generate, or of another observation */
    const char *observed; /* path of the observation to judge */
    conf_compute
        compute;      /* compute type of the observed engine, which selects the run to judge by (compute.h) */
    unsigned parts;   /* parts to judge; 0: all */
    size_t n_workers; /* number of threads */
    const conf_diff_watch *watch; /* NULL: none */
} conf_diff_task;

/* Judges an observation. *v is zeroed beforehand and becomes CONF_PASSED (v->reason is a summary),
 * CONF_FAILED, or CONF_SKIPPED if the case has no recorded run for the type or the parts. *unknown:
 * ignored members, with the file, for a warning; the caller frees them, also on failure. Fails if a
 * file cannot be read, has another kind, lacks a member that the other expects, or does not fit into
 * memory; the observation is then unjudged. */
assay_status conf_diff(const conf_diff_task *task, conf_verdict *v, conf_strings *unknown, assay_error *err);

#endif
