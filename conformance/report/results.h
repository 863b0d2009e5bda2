/* All verdicts of a run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_RESULTS_H
#define CONFORMANCE_REPORT_RESULTS_H

#include <json-c/json.h>

#include "conformance/case/find.h"
#include "conformance/evaluate/assignment.h"
#include "conformance/evaluate/profile.h"
#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/support/context.h"
#include "conformance/support/digest.h"
#include "conformance/support/machine.h"

#define CONF_STAMP 32

/* An engine as the user named it. float64: its multiples are of the bound.
 * version: name and version that it states. module: digest of its file; empty if it is a program.
 * blas: see conf_machine_blas. */
typedef struct conf_engine_column {
    const char *name;
    const char *label; /* the name, or the last part of a module's path */
    char *path;
    bool float64;
    char version[CONF_TRACE_NAME_MAX], blas[CONF_TRACE_NAME_MAX], module[CONF_DIGEST_MAX];
} conf_engine_column;

/* A machine that a part of the results comes from, and how it was used. */
typedef struct conf_run_machine {
    conf_machine_facts facts;
    size_t n_jobs;  /* cases that ran at once, at most (--jobs); 0: not known */
    char blas[256]; /* of its engines (conf_machine_blas), each once, separated by "; "; or empty */
} conf_run_machine;

/* Finds the module in `dirs`, as conf_engine_find does. `name` is borrowed; the caller frees out->path. */
assay_status conf_engine_column_find(const char *name, const conf_strings *dirs, conf_engine_column *out,
                                     assay_error *err);

/* Fills in what is known after loading: float64, version, blas, module. loaded: the verdict on an assignment
 * without a case. Fails with ASSAY_EUNSUPPORTED or ASSAY_EIO, naming the engine and the reason, if it was not
 * loaded; with ASSAY_EIO if its file cannot be read. */
assay_status conf_engine_column_load(const conf_verdict *loaded, conf_engine_column *column,
                                     assay_error *err);

typedef struct conf_result {
    char *id, *path;
    bool scanned;                  /* found in a directory, not named by the user */
    size_t position;               /* of the case among those of all shards */
    char digest[CONF_DIGEST_MAX];  /* of its file; empty if it could not be read */
    conf_verdict *verdicts;        /* [n_engines] */
    char **repros;                 /* [n_engines]: commands that were read from a file; NULL: not read */
    const conf_profile **profiles; /* [n_engines], each NULL or of results->profiles; NULL: none */
} conf_result;

/* A file that is no case. */
typedef struct conf_passed_over {
    size_t position; /* among those of all shards */
    char *id;        /* owned */
} conf_passed_over;

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
    size_t context_shift; /* see conf_assignment */
    size_t n_jobs;        /* see conf_run_machine: of this process; 0: it runs no cases */
    conf_compute compute; /* requested of every engine; CONF_COMPUTE_NONE: the engine's choice */
    const char *kernels;  /* kernel library, as the user named it; or NULL */
    char *kernels_path, kernels_module[CONF_DIGEST_MAX]; /* digest of its file */
    const char *dump;                                    /* directory of the observations, or NULL */
    const char *const
        *allow_unknown; /* members of checkpoints' config.json to ignore; NULL-terminated, or NULL */
    const char *vector; /* the vector that was asked for; NULL: all */
    char expected[CONF_DIGEST_MAX]; /* digest of the file of --expect; empty: not given */
    const char *root; /* printed in commands instead of the checkpoint root; NULL: the root; empty: none */
    conf_shard shard;
    conf_passed_over *passed_over; /* [n_passed_over], by position */
    size_t n_passed_over;
    conf_profile *profiles; /* [n_profiles], shared; of the failures that a page shows in pictures */
    size_t n_profiles;
    conf_run_machine *machines; /* [n_machines]; none: read from a file of an earlier version */
    size_t n_machines;
    bool interrupted;          /* cases are missing */
    char finished[CONF_STAMP]; /* UTC, "2026-11-28T03:04:05.678Z": the end of the run */
    json_object *document;     /* owned: of results that were read from a file, without them: it has their
                                * settings, and the texts that are borrowed; NULL: they were not read */
} conf_results;

/* The time, UTC, as in conf_results.finished. */
void conf_stamp(char out[CONF_STAMP]);

/* Notes the time at which the run ended. */
void conf_results_stamp(conf_results *results);

/* How a case at `path` is replayed through an engine, a row of all->engines, as the run did: all cases, and
 * the failures that are replayed again. reference: see conf_assignment; NULL. The caller adds what is its
 * own. */
conf_assignment conf_results_assignment(const conf_results *all, size_t engine, const char *path,
                                        const char *reference);

void conf_result_free(conf_result *result, size_t n_engines);
void conf_results_free(conf_results *results);

/* How many verdicts of column `engine` have this outcome; SIZE_MAX: of all. */
size_t conf_results_count(const conf_results *results, size_t engine, conf_outcome outcome);

/* How many failures, without expected ones, are of this class. */
size_t conf_results_count_class(const conf_results *results, conf_class class);

/* The reason for which a requested manner was evaluated in no case: every verdict is skipped, and all that
 * are skipped for the manner, *n of them, have this reason. NULL otherwise. */
const char *conf_results_skipped_manner(const conf_results *results, size_t *n);

/* 99 if a case is broken, else 1 if one diverges, else 77 if none was run. If a class is hunted, only
 * failures of that class are divergences; if there are only other failures, 99, since they may hide one
 * of the class. */
conf_exit conf_results_exit(const conf_results *results, conf_class hunted);

#endif
