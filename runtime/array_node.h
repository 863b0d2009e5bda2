/* What deferred arrays look like to those who evaluate them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_ARRAY_NODE_H
#define RUNTIME_ARRAY_NODE_H

#include <stdatomic.h>

#include "runtime/array_types.h"

typedef enum node_state { NODE_DEFERRED, NODE_SCHEDULED, NODE_REALISED, NODE_FAILED } node_state;

struct array {
    atomic_size_t n_users;
    atomic_int
        state; /* node_state; leaves NODE_DEFERRED under array_graph_lock, with the members up to ticket */
    stream *stream;
    array_maker maker;
    array **inputs; /* [n_inputs], kept; none once scheduled */
    size_t n_inputs;
    uint64_t ticket; /* of its task in the stream's queue */
    size_t n_bytes;
    void *data;
    bool owns_data;
    assay_error error; /* where failed */

    /* One evaluation's own, under array_graph_lock; zero outside of it. */
    size_t n_uses;  /* by arrays of the evaluation that are not in order yet */
    bool is_shared; /* with another stream, which must wait for this one */
    array *next;    /* of those to be released */
};

/* Held by whoever looks at a graph that is not realised yet, or changes it. */
void array_graph_lock(void);
void array_graph_unlock(void);

#endif
