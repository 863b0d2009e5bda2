/* Reports of schedules: table, TAP and JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_REPORT_H
#define CONFORMANCE_SCHEDULE_REPORT_H

#include "conformance/options/options.h"
#include "conformance/schedule/trial.h"
#include "conformance/support/context.h"

/* One case with one engine, and the result of all its trials so far. */
typedef struct conf_trial_row {
    const char *id, *path;     /* of the case */
    const char *engine, *name; /* path of the module; as on the command line */
    const char *label;
    bool scanned; /* found in a directory, not named by the user */
    bool passed_over;
    conf_verdict verdict;      /* of the trial that failed, or of the latest trial */
    conf_trial_result *result; /* of the trial that failed, or of the latest trial */
    size_t n_programs, n_runs;
    conf_trial_omitted omitted; /* of all trials */
    double seconds;
} conf_trial_row;

/* Rows in order of cases, then of engines. */
typedef struct conf_trial_rows {
    conf_trial_row *at;
    size_t n, n_engines;
    const conf_options *options;
} conf_trial_rows;

/* Number of rows with this outcome that are not passed over, of engine column `engine`; SIZE_MAX: of
 * all engines. */
size_t conf_trials_count(const conf_trial_rows *rows, size_t engine, conf_outcome outcome);

/* Prints the result of one row: for a failure also the step, the program and the command that
 * reproduces it. Each line starts with `prefix`. */
void conf_trial_report(FILE *out, const char *prefix, const conf_context *context,
                       const conf_trial_rows *rows, const conf_trial_row *row);

/* Prints the table and the sums. */
void conf_trials_report(FILE *out, const char *prefix, const conf_context *context,
                        const conf_trial_rows *rows);

/* Prints TAP: a test point for each row, and the plan. */
void conf_trials_print_tap(FILE *out, const conf_context *context, const conf_trial_rows *rows);

/* Prints one JSON object:
 *   schema   "assay-schedules/1"
 *   seed, draws, threads, kernels, compute   the options; the last two null if not given
 *   totals   passed, failed, skipped, broken, programs, runs: counts
 *   results  an array: case, path, engine, outcome, class, reason, where as in assay run;
 *            programs, runs; skipped_programs, skip_reason: how many programs were skipped, and why
 *            the first was; partial_programs, partial_reason: how many the engine refused to run to
 *            their end, and where and why the first; lacks: an array of operations that programs
 *            were drawn without, null if none was drawn; saved, repro, steps, steps_drawn of a failure: the
 * file, the command, the number of steps after and before the reduction; otherwise null Fails with
 * ASSAY_ENOMEM. */
assay_status conf_trials_print_json(FILE *out, const conf_trial_rows *rows, assay_error *err);

#endif
