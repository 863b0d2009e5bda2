/* Whether a program can be run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_CHECK_H
#define CONFORMANCE_SCHEDULE_CHECK_H

#include "conformance/schedule/schedule.h"

/* Checks that the program can be run: each model and session is opened once before its first use, and
 * freed or closed once after its last; steps use samples that their session has; limits are kept. Fails
 * with ASSAY_EINVAL, naming the step, counted from 1. */
assay_status conf_schedule_check(const conf_schedule *s, assay_error *err);

#endif
