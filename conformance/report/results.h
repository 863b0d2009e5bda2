/* All verdicts of a run, and the reports that are made of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_RESULTS_H
#define CONFORMANCE_REPORT_RESULTS_H

#include "conformance/judge/verdict.h"
#include "conformance/process/isolate.h"
#include "conformance/support/context.h"

/* An engine as the user calls it. float64: its unit is the bound. */
typedef struct conf_engine_column {
    const char *name;
    const char *label; /* the name, or of a module's path the last part */
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
    conf_limits limits;   /* of each process */
    const uint64_t *seed; /* of the arrangements; NULL: as recorded */
    assay_dtype compute;  /* asked of every engine; ASSAY_DTYPE_NONE: nothing */
    const char *kernels;  /* library that engines are given, as the user calls it; or NULL */
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

/* 99 where anything is broken, else 1 where anything diverges, else 77 where nothing was run. With a class
 * hunted only its failures are divergences, and where there is none of them but another failure: 99, since
 * that may hide the one that is hunted. */
conf_exit conf_results_exit(const conf_results *results, conf_class hunted);

/* What came of one case with one engine, ending with its REPRO line where it diverges. Each line starts with
 * `prefix`. */
void conf_report_case(FILE *out, const char *prefix, const conf_context *context, const conf_results *results,
                      size_t result, size_t engine);

/* The table of all cases, what was skipped and why, and the sums. Each line starts with `prefix`. */
void conf_report_table(FILE *out, const char *prefix, const conf_context *context,
                       const conf_results *results);

/* One TAP test point per case and engine; number counts from 1. A divergence is followed by its report in
 * comments. */
void conf_tap_print_point(FILE *out, const conf_context *context, const conf_results *results, size_t result,
                          size_t engine, size_t number);
/* A part of a test point's description. */
void conf_tap_print_text(FILE *out, const char *text);
void conf_tap_print_plan(FILE *out, size_t n_points);

/* JUnit's XML: testsuites, a testsuite for each engine, a testcase for each case. What diverges is a failure,
 * what is broken an error. Each suite has properties of what was measured (multiple CASE, bound, unit) and in
 * which type it was asked to compute (compute), and
 * in system-out the command that shows each failure again. */
void conf_junit_print(FILE *out, const conf_results *results);

/* One JSON object:
 *   schema   "assay-results/1"
 *   totals   passed, failed, skipped, broken, warnings: counts
 *   kernels  the library that engines were given, as the user calls it; else null
 *   compute  "f32", "bf16" or "int8" where engines were asked to compute in it; else null
 *   results  an array, case by case, and of each engine by engine:
 *     case, path, engine   as the user would name them
 *     outcome              "passed", "failed", "skipped" or "broken"
 *     class                of what failed: "logits", "crash", … as verdict.h lists them; else empty
 *     measured             whether there is a multiple
 *     multiple             the worst error in units; null where not measured, or where it is infinite
 *     unit                 "noise" or "bound"
 *     bound                the largest multiple that agrees
 *     stage                the last that was entered
 *     reason, where, trace, last_trace, notes   texts, empty where there is nothing to say
 *     vector               "GROUP/ID", the first diverging one of a textual case; else empty
 *     seconds              that its process ran
 *     repro                the command that shows this result again
 * Fails with ASSAY_ENOMEM. */
assay_status conf_json_print(FILE *out, const conf_results *results, assay_error *err);

#endif
