/* What people and programs are told of schedules.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_REPORT_H
#define CONFORMANCE_SCHEDULE_REPORT_H

#include "conformance/options/options.h"
#include "conformance/schedule/trial.h"
#include "conformance/support/context.h"

/* A case with an engine, and what came of all its trials so far. */
typedef struct conf_trial_row {
    const char *id, *path;     /* of the case */
    const char *engine, *name; /* path of the module; as the user calls it */
    const char *label;
    bool scanned; /* found in a directory, not named by the user */
    bool passed_over;
    conf_verdict verdict;      /* how it first failed, or of the latest */
    conf_trial_result *result; /* of the latest trial, or of the one that failed */
    size_t n_programs, n_runs;
    double seconds;
} conf_trial_row;

/* Rows case by case, and of each case engine by engine. */
typedef struct conf_trial_rows {
    conf_trial_row *at;
    size_t n, n_engines;
    const conf_options *options;
} conf_trial_rows;

/* How many that are not passed over have this outcome, of engine column `engine`; SIZE_MAX: of all. */
size_t conf_trials_count(const conf_trial_rows *rows, size_t engine, conf_outcome outcome);

/* What came of one row: of what fails the step, the program, and the command that shows it again. Each line
 * starts with `prefix`. */
void conf_trial_report(FILE *out, const char *prefix, const conf_context *context,
                       const conf_trial_rows *rows, const conf_trial_row *row);

/* The table and the sums. */
void conf_trials_report(FILE *out, const char *prefix, const conf_context *context,
                        const conf_trial_rows *rows);

/* A test point for each row, and the plan. */
void conf_trials_print_tap(FILE *out, const conf_context *context, const conf_trial_rows *rows);

/* One JSON object:
 *   schema   "assay-schedules/1"
 *   seed, draws, threads, kernels, compute   what was asked for; the last two null where they were not
 *   totals   passed, failed, skipped, broken, programs, runs: counts
 *   results  an array: case, path, engine, outcome, class, reason, where as in assay run; programs, runs;
 *            saved, repro, steps, steps_drawn of what failed: the file, the command, and how long the
 *            program is and was; else null
 * Fails with ASSAY_ENOMEM. */
assay_status conf_trials_print_json(FILE *out, const conf_trial_rows *rows, assay_error *err);

#endif
