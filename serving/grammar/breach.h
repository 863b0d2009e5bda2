/* The rule that an event stream breaks, and where.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_BREACH_H
#define SERVING_GRAMMAR_BREACH_H

#include <assay/status.h>

#include <stddef.h>

typedef struct serve_breach {
    const char *rule; /* the rule's name, which lives as long as the program; NULL: no rule is broken */
    size_t event;     /* number of the event, from 1; of the next event if the fault is in none */
    size_t offset;    /* offset of the fault in the stream, in bytes */
    char text[480];   /* what was found and what was expected; one line, quoted text is escaped */
    char excerpt[96]; /* the beginning of that event's data, verbatim; "" if the fault is in no event */
} serve_breach;

/* Fills in *breach. Returns ASSAY_EFORMAT. */
assay_status serve_breach_set(serve_breach *breach, const char *rule, size_t event, size_t offset,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
