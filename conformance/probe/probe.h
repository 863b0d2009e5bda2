/* A probe of a live server, or of a saved run, from the first request to the last row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_PROBE_H
#define CONFORMANCE_PROBE_PROBE_H

#include "conformance/probe/run/run.h"

#define PROBE_QUICK_SECONDS 60

/* target: a URL or a directory of --save. truth: [n_truth], files and directories of cases. only: [n_only],
 * names of groups and beginnings of names of checks (probe_wants); none: all. model, key, key_env, save:
 * NULL: not given. seconds: the limit of an exchange. type: the claim. quick: few prompts are asked, and the
 * time of all exchanges is PROBE_QUICK_SECONDS. keep: which exchanges are made (wire.h); NULL: all. */
typedef struct probe_options {
    const char *target, *model, *key, *key_env, *save;
    const char *const *truth;
    size_t n_truth;
    const char *const *only;
    size_t n_only;
    unsigned endpoints; /* bits 1 << probe_endpoint of those that are asked; 0: all */
    double seconds;
    probe_type type;
    bool quick;
    probe_wire_keep *keep;
    void *keep_context;
} probe_options;

/* Whether the first part of a check's name is that of a group of checks. */
bool probe_group_is(const char *check);

/* Writes the names of all groups, separated by ", ". */
void probe_group_names(char *text, size_t size);

/* progress: told the name of each group before it runs; may be NULL. */
typedef void probe_progress_fn(void *context, size_t done, size_t total, const char *group);

/* Runs the groups and fills *run, of which truth is filled first. Fails with ASSAY_EINVAL for options, with
 * ASSAY_EIO if the server cannot be reached, as probe_truth_read and probe_wire_open do. The caller frees
 * both with probe_run_free and probe_truth_free, also after a failure. */
assay_status probe_run_all(const probe_options *options, probe_truth *truth, probe_run *run,
                           probe_progress_fn *progress, void *context, assay_error *err);

/* The same with a truth that has been read. */
assay_status probe_run_again(const probe_options *options, const probe_truth *truth, probe_run *run,
                             probe_progress_fn *progress, void *context, assay_error *err);
void probe_run_free(probe_run *run);

#endif
