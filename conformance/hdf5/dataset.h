/* A dataset's object header: its type, its shape, and how its data are stored.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_DATASET_H
#define CONFORMANCE_HDF5_DATASET_H

#include "conformance/hdf5/attribute.h"
#include "conformance/hdf5/chunk.h"

/* How data are stored, as the format numbers it. */
typedef enum conf_h5_storage {
    CONF_STORAGE_COMPACT = 0,
    CONF_STORAGE_CONTIGUOUS = 1,
    CONF_STORAGE_CHUNKED = 2,
    CONF_STORAGE_VIRTUAL = 3
} conf_h5_storage;

/* The kind of chunk index, as the format numbers it. */
typedef enum conf_h5_index {
    CONF_INDEX_BTREE1 = 0,
    CONF_INDEX_SINGLE = 1,
    CONF_INDEX_IMPLICIT = 2,
    CONF_INDEX_FIXED = 3,
    CONF_INDEX_EXTENSIBLE = 4,
    CONF_INDEX_BTREE2 = 5
} conf_h5_index;

typedef struct conf_h5_layout {
    conf_h5_storage storage;
    uint64_t address; /* of contiguous data or of the chunk index; undefined: nothing was written */
    uint64_t bytes;   /* stored size of contiguous or compact data, or of a single packed chunk */
    const unsigned char *compact; /* [bytes], inside the header */
    size_t rank;                  /* of chunks */
    uint64_t chunk[CONF_H5_RANK_MAX];
    conf_h5_index index;
    uint32_t skipped;  /* filters that were not applied to a single chunk */
    bool plain_at_end; /* chunks that reach beyond the dataset have no filters */
} conf_h5_layout;

typedef struct conf_h5_dataset {
    const conf_h5 *file;
    char *name;
    conf_h5_header header;
    conf_h5_type type;
    conf_h5_space space;
    conf_h5_layout layout;
    conf_pipeline pipeline;
    unsigned char *fill; /* [type.size]: value of elements that were never written, in stored form */
} conf_h5_dataset;

/* Opens a dataset by absolute name. Fails with ASSAY_EFORMAT if it is missing, not reached by hard links
 * alone, damaged, virtual, stored outside the file, or filtered by anything but shuffle, deflate and
 * fletcher32, each at most once; if its chunks are larger than the file may unpack to; if its fill value has
 * another size than its elements; and if its type is stored elsewhere in the file. */
assay_status conf_h5_dataset_open(const conf_h5 *file, const char *name, conf_h5_dataset *out,
                                  assay_error *err);

void conf_h5_dataset_close(conf_h5_dataset *d);

#endif
