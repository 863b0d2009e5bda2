/* What is wrong with a stream: the rule that it breaks, and where.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_GRAMMAR_BREACH_H
#define SERVING_GRAMMAR_BREACH_H

#include <assay/status.h>

#include <stddef.h>

typedef struct serve_breach {
    const char *rule; /* its name, which lives as long as the program; NULL: nothing is wrong */
    size_t event;     /* from 1 on; the number that the next event would have where none is at fault */
    size_t offset;    /* bytes of the stream before the place */
    char text[480];   /* what was found, and what was expected; one line, what it quotes escaped */
    char excerpt[96]; /* how the data of that event begins, as it came; "" where none is at fault */
} serve_breach;

/* Fills in *breach. Returns ASSAY_EFORMAT. */
assay_status serve_breach_set(serve_breach *breach, const char *rule, size_t event, size_t offset,
                              const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
