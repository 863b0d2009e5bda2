/* The report of a case, and the command that reproduces it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_REPORT_H
#define CONFORMANCE_REPORT_REPORT_H

#include "conformance/report/results.h"

/* "pass", "FAIL", … */
const char *conf_outcome_word(conf_outcome outcome);

/* "passed", "failed", …: for programs. */
const char *conf_outcome_name(conf_outcome outcome);

/* Escape codes; empty where the context has no colours. */
const char *conf_color_on(const conf_context *context, conf_outcome outcome);
const char *conf_color_off(const conf_context *context);

/* What a verdict's multiple counts: "noise" or "bound". */
const char *conf_unit_name(const conf_verdict *v);

/* On a terminal a failure whose tensors were compared has a bar for each layer.
 *
 * Prints the result of one case, without the command that reproduces it: "FAIL (logits) PATH NAME" and its
 * texts. path: of the case, printed as a word of a shell, so that it can be pasted into another command.
 * name: of the engine. notes: with measurements. */
void conf_report_verdict(FILE *out, const char *prefix, const conf_context *context, const conf_verdict *v,
                         const char *path, const char *name, bool notes);

/* The command that reproduces only this result; the caller frees it. NULL if out of memory. */
char *conf_report_repro(const conf_results *results, size_t result, size_t engine);

/* Prints the result of one case with one engine, with a REPRO line if it diverges. Each line starts
 * with `prefix`. */
void conf_report_case(FILE *out, const char *prefix, const conf_context *context, const conf_results *results,
                      size_t result, size_t engine);

/* One TAP test point per case and engine; number counts from 1. A divergence is followed by its report in
 * comments. */
void conf_tap_print_point(FILE *out, const conf_context *context, const conf_results *results, size_t result,
                          size_t engine, size_t number);

/* A part of a test point's description. */
void conf_tap_print_text(FILE *out, const char *text);
void conf_tap_print_plan(FILE *out, size_t n_points);

#endif
