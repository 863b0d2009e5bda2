/* What the tests of schedules share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_TESTS_HELPERS_H
#define CONFORMANCE_SCHEDULE_TESTS_HELPERS_H

#include "conformance/schedule/schedule.h"
#include "conformance/tests/support.h"

/* The schedule as text, for comparison: padding of structs is unspecified. The caller frees it. */
char *text_of(const conf_schedule *s);
bool are_same(const conf_schedule *a, const conf_schedule *b);
bool has_op(const conf_schedule *s, conf_op op);

/* The engine "threaded", with which schedule() runs case.h5; set by schedule_setup. */
extern const char *engine;
void schedule_setup(void);

/* Writes a valid case whose checkpoint selects a fault of the test engine. */
void write_case(const char *fault);
const support_output *schedule(const char *options);

#endif
