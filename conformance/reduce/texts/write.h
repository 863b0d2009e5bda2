/* Writes a reduced textual case, in a process of its own: the reference engine answers in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_TEXTS_WRITE_H
#define CONFORMANCE_REDUCE_TEXTS_WRITE_H

#include "conformance/kinds/kinds.h"
#include "conformance/reduce/texts/texts.h"

/* All members are borrowed. */
typedef struct conf_texts_writing {
    const conf_texts *texts;
    const conf_texts_cut *cut;
    const char *path;      /* of the case; its checkpoint, if its kind has one, is beside it */
    const char *reference; /* the engine that computes expected values; NULL: none are computed */
} conf_texts_writing;

/* A conf_task_fn, of a conf_texts_writing. CONF_PASSED: the case is written; CONF_BROKEN: why it is not. */
void conf_texts_write(const void *writing, conf_verdict *v);

/* The attribute `reduced` of a case with recorded or computed values. Those of a case that was reduced before
 * are recorded only if they were so there. */
const char *conf_texts_origin(const conf_texts *texts, const conf_texts_cut *cut);

#endif
