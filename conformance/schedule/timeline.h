/* The picture of a program: its steps from left to right, each in the line of its thread.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_TIMELINE_H
#define CONFORMANCE_SCHEDULE_TIMELINE_H

#include "conformance/schedule/schedule.h"

/* Writes a figure with the steps in the order of the program, in which the serial run takes them, and below
 * it a table of them. wrong: the number of the step that differs, from 1 on, which is marked; 0: none.
 * Nothing for a program without steps; what is not a step of a valid program is left out. */
void conf_timeline_print(FILE *out, const char *title, const conf_schedule *s, size_t wrong);

#endif
