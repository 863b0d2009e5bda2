/* A progress bar on a terminal; nothing anywhere else.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_PROGRESS_H
#define CONFORMANCE_SUPPORT_PROGRESS_H

#include "conformance/support/context.h"

/* Shows that step `done` of `total` runs, and what it is. */
void conf_progress_show(const conf_context *context, size_t done, size_t total, const char *what);

/* Takes the bar away, before anything else is written and at the end. */
void conf_progress_clear(const conf_context *context);

#endif
