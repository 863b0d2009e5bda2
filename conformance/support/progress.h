/* A progress bar on a terminal; elsewhere these functions do nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_PROGRESS_H
#define CONFORMANCE_SUPPORT_PROGRESS_H

#include "conformance/support/context.h"

/* Shows that step `done` of `total` runs. what: the name of the step. */
void conf_progress_show(const conf_context *context, size_t done, size_t total, const char *what);

/* Erases the bar. Call it before any other output and at the end. */
void conf_progress_clear(const conf_context *context);

#endif
