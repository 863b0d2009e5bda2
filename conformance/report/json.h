/* The JSON report.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_JSON_H
#define CONFORMANCE_REPORT_JSON_H

#include "conformance/report/results.h"

/* One JSON object:
 *   schema   "assay-results/1"
 *   totals   passed, failed, skipped, broken, warnings: counts
 *   kernels  the kernel library, as the user named it; else null
 *   compute  "f32", "bf16" or "int8" if engines were asked to compute in it; else null
 *   results  an array, ordered by case, then by engine:
 *     case, path, engine   as the user names them
 *     outcome              "passed", "failed", "skipped" or "broken"
 *     class                class of the failure: "logits", "crash", … as verdict.h lists them; else
 *     empty
 *     measured             whether there is a multiple
 *     multiple             the worst error in units; null where not measured, or where it is
 *     infinite
 *     unit                 "noise" or "bound"
 *     bound                the largest multiple that agrees
 *     stage                the last that was entered
 *     reason, where, trace, last_trace, notes   texts, empty where there is nothing to say
 *     manner               the manner of evaluation that failed, whole included, or that was asked for
 *     and does not apply; else empty
 *     manners_left_out     an array: {manners: an array of names, reason: a text} for the manners that the
 *     engine lacks or refuses, or that do not fit the case
 *     vector               "GROUP/ID", the first diverging one of a textual case; else empty
 *     seconds              that its process ran
 *     repro                the command that shows this result again Fails with ASSAY_ENOMEM. */
assay_status conf_json_print(FILE *out, const conf_results *results, assay_error *err);

#endif
