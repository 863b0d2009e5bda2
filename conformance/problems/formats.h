/* Problems in the formats of code review.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBLEMS_FORMATS_H
#define CONFORMANCE_PROBLEMS_FORMATS_H

#include <stdio.h>

#include "conformance/problems/problems.h"

/* GitHub's workflow commands (docs.github.com, "Workflow commands for GitHub Actions"): an error for each
 * problem, at its file if that is a relative path. GitHub shows 10 of a step: with more problems, the last
 * line counts those that are left out. Returns ASSAY_OK. */
assay_status conf_problems_annotate(FILE *out, const conf_problems *list, assay_error *err);

/* A summary in Markdown, as GitHub's GITHUB_STEP_SUMMARY takes it: the counts, a table, and the text of the
 * first problems. Texts are shown as they are, whatever Markdown they contain. Returns ASSAY_OK. */
assay_status conf_problems_summarize(FILE *out, const conf_problems *list, assay_error *err);

/* SARIF 2.1.0 (OASIS): a run with a rule for each rule of the problems, and a result for each problem. A
 * location has the first line of its file, because GitHub requires one. Fails with ASSAY_ENOMEM. */
assay_status conf_problems_sarif(FILE *out, const conf_problems *list, assay_error *err);

#endif
