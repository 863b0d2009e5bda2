/* The vectors of a textual case: many small inputs of one kind, each with its expected answer and an id
 * that is unique within its group and never changes.
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

/* All strings except `broken` are borrowed from the document. */
typedef struct conf_vector {
    const char *group;
    int64_t id;          /* -1 if a broken vector has none */
    const char *comment; /* NULL if absent */
    conf_vector_rule rule;
    size_t group_index, index; /* in the file */
    char *broken; /* NULL: valid. Otherwise why not, with file and member: the vector is not replayed */
} conf_vector;

typedef struct conf_vectors {
    json_object *document;
    conf_vector *at; /* [n], in file order; n > 0 unless document is NULL */
    size_t n, n_groups;
    size_t n_broken; /* less than n in a case that was read without error */
} conf_vectors;

/* The location of a vector in its file. Each member points to the one before it: must not be copied. */
typedef struct conf_vector_place {
    conf_json_at document, groups, group, vectors, vector;
} conf_vector_place;

/* Reads all groups of a document. Of each vector's input and expect it checks only that they are
 * objects. Takes ownership of the document, also on failure. Adds unknown members to *unknown. Marks
 * invalid vectors, and vectors whose id is already taken, as broken. Fails with ASSAY_EFORMAT, naming
 * the member, if the groups cannot be read or more than CONF_VECTORS_BROKEN_MAX vectors are broken, and
 * with ASSAY_ENOMEM. conf_vectors_free frees *out. */
assay_status conf_vectors_read(const char *path, json_object *document, conf_vectors *out,
                               conf_strings *unknown, assay_error *err);
void conf_vectors_free(conf_vectors *vectors);

/* Marks vector i as broken because a check failed with `why`. Fails with the status of `why` if that is
 * not ASSAY_EFORMAT, with ASSAY_EFORMAT if CONF_VECTORS_BROKEN_MAX vectors are broken already, with
 * ASSAY_ENOMEM. */
assay_status conf_vectors_break(conf_vectors *vectors, size_t i, const assay_error *why, assay_error *err);

/* Fails with ASSAY_EFORMAT if any vector is broken; the text gives the number of broken vectors and why
 * the first is broken. path: of the case. */
assay_status conf_vectors_require(const conf_vectors *vectors, const char *path, assay_error *err);

/* Sets *out to the location of vector i and returns &out->vector. path: of the case, for messages; *out
 * borrows path and vectors. */
const conf_json_at *conf_vector_find(const conf_vectors *vectors, size_t i, const char *path,
                                     conf_vector_place *out);

/* The name of group i < n_groups, borrowed; *n is set to its number of vectors. */
const char *conf_vectors_group(const conf_vectors *vectors, size_t i, size_t *n);

/* Prints "GROUP/ID", which is unique among the valid vectors of a file. */
void conf_vector_print_name(char name[CONF_VECTOR_NAME_MAX], const conf_vector *vector);

#endif
