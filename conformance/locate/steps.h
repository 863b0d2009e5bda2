/* Progress of a search on a terminal: which step runs, and how many remain at most.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_LOCATE_STEPS_H
#define CONFORMANCE_LOCATE_STEPS_H

#include "conformance/support/context.h"

/* n_done: steps that have ended; n: at most so many in all; what: the step that runs. */
typedef struct conf_steps {
    const conf_context *context; /* borrowed */
    size_t n_done, n;
    char what[96];
} conf_steps;

/* From here on at most n_more steps follow. */
void conf_steps_expect(conf_steps *steps, size_t n_more);

/* Begins a step, and shows it. what: printf-formatted. */
void conf_steps_begin(conf_steps *steps, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Ends it, and erases the progress, so that output can follow. */
void conf_steps_end(conf_steps *steps);

/* Shows which part of the step runs; also from the process that runs it. */
void conf_steps_show(const conf_steps *steps, const char *part);

#endif
