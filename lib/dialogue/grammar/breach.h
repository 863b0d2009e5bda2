/* The rules that an event stream breaks, and where.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_BREACH_H
#define DIALOGUE_GRAMMAR_BREACH_H

#include <assay/status.h>

#include "dialogue/grammar/grades.h"

#include <stdbool.h>
#include <stddef.h>

#define SERVE_BREACHES_OF_A_RULE 16 /* that are kept; more are only counted */

typedef struct serve_breach {
    const char *rule; /* the rule's name, which lives as long as the program */
    serve_grade grade;
    size_t event;     /* number of the event, from 1; of the next event if the fault is in none */
    size_t offset;    /* offset of the fault in the stream, in bytes */
    char text[480];   /* what was found and what was expected; one line, quoted text is escaped */
    char excerpt[96]; /* the beginning of that event's data, verbatim; "" if the fault is in no event */
} serve_breach;

/* In the order in which they were found. Zeroed at the beginning. */
typedef struct serve_breaches {
    serve_breach *at; /* [n]; owned */
    size_t n;
    size_t n_all; /* with those that are not kept */
} serve_breaches;

/* Adds a breach. rule: one of grades.h, for this endpoint. Returns ASSAY_EFORMAT, or ASSAY_ENOMEM. *out: the
 * new breach; NULL if it is not kept. out may be NULL. */
assay_status serve_breaches_add(serve_breaches *breaches, serve_endpoint endpoint, const char *rule,
                                size_t event, size_t offset, const char *text, serve_breach **out);

/* Whether a breach has this grade or a worse one. */
bool serve_breaches_reach(const serve_breaches *breaches, serve_grade grade);

void serve_breaches_free(serve_breaches *breaches);

#endif
