/* The vectors of a textual case: many small inputs of one kind, each with the expected answer and an id that
 * is permanent within its group.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_VECTORS_H
#define CONFORMANCE_CASE_VECTORS_H

#include "conformance/judge/verdict.h"
#include "conformance/support/json_at.h"

#define CONF_GROUP_NAME_MAX (CONF_VECTOR_NAME_MAX - 24)

/* What an engine must do with the input. */
typedef enum conf_vector_rule {
    CONF_VECTOR_MATCH,  /* give the expected answer */
    CONF_VECTOR_REJECT, /* fail with the expected error */
    CONF_VECTOR_EITHER  /* give any answer, for a stated reason */
} conf_vector_rule;

#define CONF_VECTORS_BROKEN_MAX 1000

/* Texts are borrowed from the document, but for `broken`. */
typedef struct conf_vector {
    const char *group;
    int64_t id;          /* -1 where a broken vector has none */
    const char *comment; /* NULL where there is none */
    conf_vector_rule rule;
    size_t group_index, index; /* in the file */
    char *broken; /* why it is not valid, with file and place; it is not replayed then. NULL: valid */
} conf_vector;

typedef struct conf_vectors {
    json_object *document;
    conf_vector *at; /* [n], as in the file; n > 0 where there is a document */
    size_t n, n_groups;
    size_t n_broken; /* less than n once the case is read */
} conf_vectors;

/* The place of a vector in its file. Each place borrows the one before it: must not be copied. */
typedef struct conf_vector_place {
    conf_json_at document, groups, group, vectors, vector;
} conf_vector_place;

/* Reads the groups of a document: the frame of each vector, not its input and expect, which must be objects.
 * Takes ownership of the document, also on failure. Adds unknown members to *unknown. Marks vectors that are
 * not valid, or have the id of another, as broken. Fails with ASSAY_EFORMAT,
 * naming the member, where the groups cannot be read or more than CONF_VECTORS_BROKEN_MAX vectors are broken,
 * or with ASSAY_ENOMEM. conf_vectors_free frees what *out holds. */
assay_status conf_vectors_read(const char *path, json_object *document, conf_vectors *out,
                               conf_strings *unknown, assay_error *err);
void conf_vectors_free(conf_vectors *vectors);

/* Marks vector i as broken because a check failed with `why`. Fails if why is not ASSAY_EFORMAT, or if too
 * many vectors are broken. */
assay_status conf_vectors_break(conf_vectors *vectors, size_t i, const assay_error *why, assay_error *err);

/* Fails with ASSAY_EFORMAT if vectors are broken; the text has their number and the first. path: of the
 * case. */
assay_status conf_vectors_require(const conf_vectors *vectors, const char *path, assay_error *err);

/* Finds the place of vector i, stored in *out. path: for messages, borrowed like the vectors. */
const conf_json_at *conf_vector_find(const conf_vectors *vectors, size_t i, const char *path,
                                     conf_vector_place *out);

/* Name, borrowed, and number of vectors of a group, i < n_groups. */
const char *conf_vectors_group(const conf_vectors *vectors, size_t i, size_t *n);

/* "GROUP/ID", which no other sound vector of the file has. */
void conf_vector_print_name(char name[CONF_VECTOR_NAME_MAX], const conf_vector *vector);

#endif
