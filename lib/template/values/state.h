/* The state of a rendering: its memory, its limits, and the first error.
 *
 * A template is untrusted input. All memory comes from one pool that is freed at the end, and every
 * evaluation counts. An error sticks: the functions of this room return undefined values afterwards, and
 * loops end, so that a caller checks once, at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_STATE_H
#define TEMPLATE_VALUES_STATE_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TPL_BYTES_MAX ((size_t)128 << 20) /* of all values, and of the output */
#define TPL_STEPS_MAX                                                                                        \
    ((size_t)4000000)        /* evaluated nodes, elements that were visited, and 64 bytes each               \
                              */
#define TPL_DEPTH_MAX  2000U /* nested evaluations */
#define TPL_SYNTAX_MAX 200U  /* nested expressions or statements of the source */
#define TPL_NESTED_MAX 100U  /* nested lists and dicts of a value */

typedef struct tpl_chunk tpl_chunk;

typedef struct tpl {
    assay_error *err;    /* borrowed; may be NULL */
    assay_status status; /* of the first error; ASSAY_OK: none */
    unsigned line;       /* of the template, being parsed or evaluated; from 1 */
    size_t steps, bytes; /* used */
    unsigned depth;
    int64_t now;       /* of strftime_now: seconds since 1970, UTC */
    tpl_chunk *chunks; /* owned */
} tpl;

void tpl_free(tpl *t);

/* Records the first error as "line N: …"; later ones are ignored. Returns false. */
bool tpl_fail(tpl *t, assay_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Records text[0..n) alone: the text of raise_exception; an empty one is described. */
void tpl_fail_text(tpl *t, const char *text, size_t n);

/* Zeroed memory that lives as long as t; NULL after an error, or if it would exceed TPL_BYTES_MAX. */
void *tpl_alloc(tpl *t, size_t n, size_t element_bytes);

/* Returns array with capacity for n + 1 elements, doubled if it was full: *capacity is updated. NULL after an
 * error; the old array stays valid. */
void *tpl_grow(tpl *t, void *array, size_t n, size_t *capacity, size_t element_bytes);

/* Counts n steps; false after an error, or if TPL_STEPS_MAX is exceeded. */
bool tpl_step(tpl *t, size_t n);

/* Enters a nested evaluation; false if TPL_DEPTH_MAX is exceeded. tpl_leave in any case. */
bool tpl_enter(tpl *t);
void tpl_leave(tpl *t);

#endif
