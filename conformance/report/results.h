/* All verdicts of a run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_RESULTS_H
#define CONFORMANCE_REPORT_RESULTS_H

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/support/context.h"

/* An engine as the user named it. float64: its multiples are of the bound. */
typedef struct conf_engine_column {
    const char *name;
    const char *label; /* the name, or the last part of a module's path */
    char *path;
    bool float64;
} conf_engine_column;

/* Finds the module in `dirs`, as conf_engine_find does. `name` is borrowed; the caller frees out->path. */
assay_status conf_engine_column_find(const char *name, const conf_strings *dirs, conf_engine_column *out,
                                     assay_error *err);

typedef struct conf_result {
    char *id, *path;
    bool scanned;           /* found in a directory, not named by the user */
    conf_verdict *verdicts; /* [n_engines] */
} conf_result;

typedef struct conf_results {
    conf_engine_column *engines;
    size_t n_engines;
    conf_result *at;
    size_t n;
    size_t n_warnings;
    const char *program;  /* see conf_context */
    conf_limits limits;   /* of each process */
    const uint64_t *seed; /* of the arrangements; NULL: as recorded */
    const char *manner;   /* the manner that was asked for; NULL: all */
    assay_dtype compute;  /* requested of every engine; ASSAY_DTYPE_NONE: the engine's choice */
    const char *kernels;  /* kernel library, as the user named it; or NULL */
    char *kernels_path;
    const char *dump; /* directory of the observations, or NULL */
    const char *const
        *allow_unknown; /* members of checkpoints' config.json to ignore; NULL-terminated, or NULL */
} conf_results;

void conf_result_free(conf_result *result);
void conf_results_free(conf_results *results);

/* How many verdicts of column `engine` have this outcome; SIZE_MAX: of all. */
size_t conf_results_count(const conf_results *results, size_t engine, conf_outcome outcome);

/* How many failures are of this class. */
size_t conf_results_count_class(const conf_results *results, conf_class class);

/* The reason for which a requested manner was evaluated in no case: every verdict is skipped, and all that
 * are skipped for the manner, *n of them, have this reason. NULL otherwise. */
const char *conf_results_skipped_manner(const conf_results *results, size_t *n);

/* 99 if a case is broken, else 1 if one diverges, else 77 if none was run. If a class is hunted, only
 * failures of that class are divergences; if there are only other failures, 99, since they may hide one
 * of the class. */
conf_exit conf_results_exit(const conf_results *results, conf_class hunted);

#endif
