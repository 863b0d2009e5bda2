/* The two kinds of B-trees of HDF5, traversed from their first record to their last.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_BTREE_H
#define CONFORMANCE_HDF5_BTREE_H

#include "conformance/hdf5/bytes.h"

enum { CONF_BTREE1_GROUP = 0, CONF_BTREE1_CHUNKS = 1 };

/* Receives a leaf's entry: its key [key_bytes] and its address. */
typedef assay_status conf_btree1_fn(void *context, const unsigned char *key, uint64_t address,
                                    assay_error *err);

/* Traverses a tree of version 1. Fails with ASSAY_EFORMAT if it is damaged, and as conf_h5_block_read and fn
 * do. name: the member that the tree belongs to, for messages. */
assay_status conf_btree1_walk(const conf_h5 *file, const char *name, uint64_t address, unsigned node_type,
                              size_t key_bytes, conf_btree1_fn *fn, void *context, assay_error *err);

enum {
    CONF_BTREE2_HUGE = 1, /* large objects of a fractal heap */
    CONF_BTREE2_LINKS = 5,
    CONF_BTREE2_ATTRIBUTES = 8,
    CONF_BTREE2_CHUNKS = 10,
    CONF_BTREE2_FILTERED = 11 /* chunks with filters */
};

typedef assay_status conf_btree2_fn(void *context, conf_bytes record, assay_error *err);

/* Traverses a tree of version 2 with records of record_type. Fails as conf_btree1_walk does. */
assay_status conf_btree2_walk(const conf_h5 *file, const char *name, uint64_t address, unsigned record_type,
                              conf_btree2_fn *fn, void *context, assay_error *err);

#endif
