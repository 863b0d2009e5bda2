/* A failure that travels: a folder from which it can be repeated elsewhere, with another engine, too.
 *
 *   ISSUE.md         what was run, expected and found, for an issue tracker; commands, versions, machine
 *   NAME.h5, …       the case, under its own name
 *   model/, …        the part of its checkpoint that is needed (checkpoint.h), where the case expects it, and
 *                    its checksums
 *   plan.txt         the plan of the checkpoint, as assay info prints it
 *   observation.h5   the engine's answers, as assay run --dump writes them
 *
 * No text in it has a path of the user: modules are named by the last part of theirs, programs not at all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_BUNDLE_BUNDLE_H
#define CONFORMANCE_BUNDLE_BUNDLE_H

#include "conformance/bundle/files.h"
#include "conformance/process/jobs.h"
#include "conformance/report/results.h"

/* A failure of a run. All members are borrowed. */
typedef struct conf_bundle_failure {
    const conf_results *results;
    size_t result, engine;
    const char *name;      /* of the case, for readers: "qwen3/window/single" */
    const char *reference; /* see conf_assignment; NULL */
    const char *home;      /* the user's directory, which no text may name; NULL: none is known */
    const char *remarks;   /* lines on how the case was made, for ISSUE.md; NULL */
} conf_bundle_failure;

/* What a bundle has become. */
typedef struct conf_bundle {
    conf_bundle_files files;
    bool complete;       /* it can be run: nothing was left out for its size */
    bool was_run;        /* on what the bundle holds; not after a hang, or if the bundle is not complete */
    bool repeats;        /* the engine has then failed in the same class */
    conf_strings traces; /* files in which paths of the user stand that cannot be replaced */
} conf_bundle;

/* Writes the bundle into the directory `dir`, which is created and must be empty, and runs the engine once
 * more, with jobs, on the case in it. Fails with ASSAY_EIO, ASSAY_ENOMEM, with ASSAY_EFORMAT if the case
 * cannot be read, and with ASSAY_EINTERNAL if there is no process. The caller frees *out with
 * conf_bundle_free, also after a failure. */
assay_status conf_bundle_write(const char *dir, const conf_bundle_failure *failure, conf_jobs *jobs,
                               conf_bundle *out, assay_error *err);
void conf_bundle_free(conf_bundle *bundle);

#endif
