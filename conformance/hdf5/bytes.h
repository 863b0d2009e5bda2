/* Bytes of an untrusted HDF5 file: blocks that are checked to lie inside the file, and numbers read from them
 * without reading beyond their end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_BYTES_H
#define CONFORMANCE_HDF5_BYTES_H

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conformance/hdf5/types.h"

/* The address that HDF5 stores for an object that was never allocated. */
#define CONF_H5_UNDEFINED UINT64_MAX

/* A read cursor over bytes. Reading past the end yields zeros and sets `bad`, so that a decoder needs to
 * check only once, at its end. */
typedef struct conf_bytes {
    const unsigned char *at;
    size_t n;
    bool bad;
} conf_bytes;

conf_bytes conf_bytes_of(const void *data, size_t n);

/* The next n bytes (n <= 8) as an unsigned little-endian number. */
uint64_t conf_bytes_number(conf_bytes *b, size_t n);

/* The next n bytes; NULL if there are fewer. They live as long as the data passed to conf_bytes_of. */
const unsigned char *conf_bytes_next(conf_bytes *b, size_t n);

/* Reads a signature of four characters and a version, and sets `bad` unless they are these. */
void conf_bytes_expect(conf_bytes *b, const char *signature, unsigned version);

/* The index of the highest bit that is set; 0 for 0. */
size_t conf_log2(uint64_t value);
bool conf_is_power_of_two(uint64_t value);

/* How many bytes HDF5 uses to store a number up to `limit`. */
size_t conf_bytes_of_limit(uint64_t limit);

/* Part of a file in memory. */
typedef struct conf_h5_block {
    unsigned char *data; /* [n] */
    size_t n;
} conf_h5_block;

/* Reads n bytes at an address of the file. name: the member that they describe, for messages. Fails with
 * ASSAY_EFORMAT unless they lie inside the file, and once more than CONF_H5_STRUCTURE_BYTES_MAX plus 8 times
 * the file's size has been read as structure (an index may refer to itself); with ASSAY_ENOMEM. The caller
 * frees out->data. */
assay_status conf_h5_block_read(const conf_h5 *file, const char *name, uint64_t address, uint64_t n,
                                conf_h5_block *out, assay_error *err);
#define CONF_H5_STRUCTURE_BYTES_MAX ((size_t)256 << 20)

/* The same, for a block whose last four bytes are HDF5's checksum of all others. */
assay_status conf_h5_block_read_checked(const conf_h5 *file, const char *name, uint64_t address, uint64_t n,
                                        conf_h5_block *out, assay_error *err);

/* Reads exactly n bytes at `offset`, counted from the file's first byte; the caller has checked that they
 * lie inside the file. Thread-safe. False: the file has become shorter, or cannot be read. */
bool conf_h5_bytes_read(const conf_h5 *file, void *into, size_t n, uint64_t offset);

/* Whether n bytes at an address lie inside the file. */
bool conf_h5_is_inside_file(const conf_h5 *file, uint64_t address, uint64_t n);

/* Fails with ASSAY_EFORMAT: `what` of member `name` ("its chunk index") is damaged. */
assay_status conf_h5_fail_damaged(const conf_h5 *file, const char *name, const char *what, assay_error *err);

/* Jenkins' lookup3 (2006), the checksum of HDF5's metadata. */
uint32_t conf_lookup3(const void *data, size_t n);
bool conf_checksum_holds(uint32_t stored, const void *data, size_t n);

#endif
