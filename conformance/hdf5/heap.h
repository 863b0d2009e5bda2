/* The heaps of an HDF5 file: fractal heaps, which hold many links and attributes, and the global heap, which
 * holds strings of variable length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_HEAP_H
#define CONFORMANCE_HDF5_HEAP_H

#include "conformance/hdf5/bytes.h"

/* A fractal heap; blocks that were read stay in memory until it is closed. */
typedef struct conf_fractal {
    const conf_h5 *file;
    const char *name;
    uint64_t address;
    size_t width, rows; /* of the root's doubling table; rows 0: the root is a direct block */
    uint64_t start_bytes, direct_bytes_max;
    uint64_t root, huge; /* addresses: of the root block, of the B-tree of large objects */
    size_t offset_bytes, length_bytes;
    bool checked; /* direct blocks have checksums */
    size_t n_blocks;
    struct conf_fractal_block {
        uint64_t address;
        conf_h5_block bytes;
    } * blocks;
} conf_fractal;

/* Reads the heap's header. name: the group or object that it belongs to, borrowed. Fails with ASSAY_EFORMAT
 * if it is damaged or has filters. */
assay_status conf_fractal_open(const conf_h5 *file, const char *name, uint64_t address, conf_fractal *out,
                               assay_error *err);
void conf_fractal_close(conf_fractal *heap);

/* Copies the object with this heap id; the caller frees out->data. */
assay_status conf_fractal_read(conf_fractal *heap, conf_bytes id, conf_h5_block *out, assay_error *err);

/* Copies a string of `length` bytes, up to its first NUL. address, index: of its collection in the global
 * heap, and of its object there. The caller frees *out. Fails with ASSAY_EFORMAT if the collection is
 * damaged or larger than CONF_H5_COLLECTION_BYTES_MAX, if it has no object of that index, and if the object
 * is shorter. */
assay_status conf_global_text_read(const conf_h5 *file, const char *name, uint64_t address, unsigned index,
                                   size_t length, char **out, assay_error *err);
#define CONF_H5_COLLECTION_BYTES_MAX ((size_t)2 << 20)

#endif
