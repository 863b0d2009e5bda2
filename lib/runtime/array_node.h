/* The representation of a deferred array, for the sources that evaluate arrays.
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
    array **inputs; /* [n_inputs], a reference held to each; none after scheduling */
    size_t n_inputs;
    uint64_t ticket; /* of its task in the stream's queue */
    size_t n_bytes;
    void *data;
    bool owns_data;
    assay_error error; /* where failed */

    /* State of the current evaluation, under array_graph_lock; zero outside of one. */
    size_t
        n_uses; /* number of arrays of the evaluation that use this one and have no place in the order yet */
    bool is_shared; /* used by an array of another stream, which must wait for this one */
    array *next;    /* in the list of arrays to be released */
};

/* Must be held to read or change a graph that is not realised yet. */
void array_graph_lock(void);
void array_graph_unlock(void);

#endif
