/* Warnings about members that this version does not know.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_WARN_H
#define CONFORMANCE_REPORT_WARN_H

#include "conformance/judge/verdict.h"
#include "conformance/support/context.h"

/* Writes a warning for each unknown member that was ignored, and returns the number of lines. path:
 * the file; NULL if the names of the members begin with it. */
size_t conf_report_warn(const conf_context *context, const char *path, const conf_verdict *v);

#endif
