/* Programs without some of their sessions and samples, or without their end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SCHEDULE_REWRITE_H
#define CONFORMANCE_SCHEDULE_REWRITE_H

#include "conformance/schedule/schedule.h"

/* What is left out of a program.
 * sessions: by number; with all their steps.
 * step, sample: the step that adds a sample (session, join or fork; SIZE_MAX: none), and the number of the
 *           sample; with its part in all steps.
 * Copies of a sample that is left out are left out as well, and a step without samples too. */
typedef struct conf_omission {
    bool sessions[CONF_SCHEDULE_SESSIONS_MAX];
    size_t step, sample;
} conf_omission;

/* Removes what is left out from a valid program, and renumbers the samples of each session: each gets the
 * lowest number that is not in use. The program stays valid. */
void conf_schedule_omit(conf_schedule *s, const conf_omission *what);

/* Drops step `end` and those after it, except the steps that free the remaining sessions and close the
 * remaining models. */
void conf_schedule_cut(conf_schedule *s, size_t end);

#endif
