/* What a reduced textual case keeps of the whole one: some of its vectors, of which some have a shorter
 * input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_TEXTS_TEXTS_H
#define CONFORMANCE_REDUCE_TEXTS_TEXTS_H

#include "conformance/case/case.h"

/* kept, changed, computed: [n] of the vectors of the whole case. */
typedef struct conf_texts_cut {
    bool *kept;
    json_object **changed; /* vectors with another input; references, owned. NULL: as recorded */
    bool *computed;        /* the expected values of `changed` are not recorded */
} conf_texts_cut;

/* A textual case that is reduced. */
typedef struct conf_texts {
    const conf_case *c; /* borrowed */
    size_t n;           /* of its vectors */
    conf_texts_cut best, trial;
} conf_texts;

/* Keeps every valid vector. conf_texts_free frees *out. Fails with ASSAY_ENOMEM. */
assay_status conf_texts_open(const conf_case *c, conf_texts **out, assay_error *err);
void conf_texts_free(conf_texts *texts);

/* to, from: of the same texts. */
void conf_texts_copy(const conf_texts *texts, conf_texts_cut *to, const conf_texts_cut *from);

/* Gives vector i another body, of which it takes a reference. */
void conf_texts_change(conf_texts_cut *cut, size_t i, json_object *vector, bool computed);

/* Vector i as the cut has it; borrowed. */
json_object *conf_texts_vector(const conf_texts *texts, const conf_texts_cut *cut, size_t i);

/* Number of vectors that are kept; bytes of their inputs, as JSON; of those kept, the changed ones; and
 * whether one has computed values. */
size_t conf_texts_count(const conf_texts *texts, const conf_texts_cut *cut);
size_t conf_texts_bytes(const conf_texts *texts, const conf_texts_cut *cut);
size_t conf_texts_changed(const conf_texts *texts, const conf_texts_cut *cut);
bool conf_texts_computed(const conf_texts *texts, const conf_texts_cut *cut);

uint64_t conf_texts_hash(const conf_texts *texts, const conf_texts_cut *cut);

/* "1 vector, 20 bytes of input" */
void conf_texts_print(const conf_texts *texts, const conf_texts_cut *cut, char *text, size_t size);

#endif
