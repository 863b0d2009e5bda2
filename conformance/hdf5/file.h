/* An open HDF5 file, shared by the parts of the reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_FILE_H
#define CONFORMANCE_HDF5_FILE_H

#include "conformance/hdf5/types.h"

#define CONF_H5_GROUPS_CACHED 8

/* A link of a group. */
typedef struct conf_h5_link {
    char *name;
    enum { CONF_LINK_HARD, CONF_LINK_SOFT, CONF_LINK_EXTERNAL } kind;
    uint64_t address; /* of the object header that a hard link leads to */
} conf_h5_link;

/* A group's links, sorted bytewise by name. */
typedef struct conf_h5_group {
    uint64_t address; /* of its object header */
    size_t n;
    conf_h5_link *links;
} conf_h5_group;

/* How much may still be read from a file. */
typedef struct conf_h5_budget {
    size_t unpacked;  /* bytes that datasets may still unpack to */
    size_t structure; /* bytes of structure that may still be read */
} conf_h5_budget;

/* The mutable state of a file, behind a pointer, since readers borrow the file as const. Reading the data of
 * an open dataset does not change it and is therefore thread-safe. */
typedef struct conf_h5_state {
    conf_h5_budget left;
    conf_h5_group groups[CONF_H5_GROUPS_CACHED];
    size_t n_groups; /* listed so far; the latest are kept */
} conf_h5_state;

struct conf_h5 {
    int fd;
    char *path;
    size_t size;          /* bytes of the file */
    size_t base;          /* offset of address 0: after the user block, if any */
    uint64_t root;        /* the object header of the root group */
    size_t most;          /* bytes that its datasets may unpack to together */
    size_t most_of_chunk; /* bytes that a chunk may unpack to */
    conf_h5_state *state;
};

/* Subtracts the unpacked size of `name` from the file's budget, so that all datasets together cannot
 * allocate more than the file's limit. Call it before allocating. */
assay_status conf_h5_memory_take(const conf_h5 *file, const char *name, size_t bytes, assay_error *err);

#endif
