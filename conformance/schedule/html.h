/* The page of schedules.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_HTML_H
#define CONFORMANCE_SCHEDULE_HTML_H

#include "conformance/schedule/report.h"

/* Prints the page: a row for each case and engine, of a failure with its program, the command, and of the
 * first ones a timeline. Fails with
 * ASSAY_ENOMEM. */
assay_status conf_trials_print_html(FILE *out, const conf_trial_rows *rows, assay_error *err);

#endif
