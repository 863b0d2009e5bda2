/* The rules of all endpoints, and how much a breach of each matters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_GRADES_H
#define DIALOGUE_GRAMMAR_GRADES_H

#include "dialogue/grammar/options.h"

/* From the least to the worst. */
typedef enum serve_grade {
    SERVE_HABIT,   /* many servers do it, and the clients' message is the right one */
    SERVE_DEPARTS, /* departs from the published specification; the official clients read the right message */
    SERVE_BREAKS,  /* an official client fails, or returns a wrong or incomplete message */
    SERVE_N_GRADES
} serve_grade;

typedef struct serve_rule {
    const char *name;
    unsigned endpoints; /* bits 1 << serve_endpoint: where the rule has this grade */
    serve_grade grade;
    const char *reason; /* what an official client does with a stream that breaks the rule */
} serve_rule;

/* name: a rule of this endpoint. */
const serve_rule *serve_rule_find(serve_endpoint endpoint, const char *name);

const char *serve_grade_name(serve_grade grade); /* "habit", "departs", "breaks" */

#endif
