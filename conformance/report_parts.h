/* Words and colours of outcomes, for the reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_PARTS_H
#define CONFORMANCE_REPORT_PARTS_H

#include "conformance/results.h"

/* "pass", "FAIL", … */
const char *conf_outcome_word(conf_outcome outcome);

/* Escape codes; empty where the context has no colours. */
const char *conf_color_on(const conf_context *context, conf_outcome outcome);
const char *conf_color_off(const conf_context *context);

#endif
