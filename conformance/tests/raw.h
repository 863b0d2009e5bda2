/* An HDF5 file made byte by byte, whose structures are read without a superblock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_RAW_H
#define CONFORMANCE_TESTS_RAW_H

#include <stddef.h>
#include <stdint.h>

#include "conformance/hdf5/file.h"

/* Of the test under way. A test may change bytes and n in place. */
typedef struct raw_file {
    unsigned char bytes[4 << 20];
    size_t n;
    conf_h5_state state;
    conf_h5 file; /* from raw_store to raw_discard */
} raw_file;
extern raw_file raw;

/* Fixture of each test, in the place of support_setup; support_teardown ends it. */
void raw_setup(void);

/* Adds a number in little-endian order, or text without its NUL. */
void raw_put(uint64_t value, size_t n);
void raw_put_text(const char *text);

/* Adds the checksum of all from `start` on. */
void raw_seal(size_t start);

/* Writes the bytes into a file, where address 0 is the first, and opens it; closes it. */
void raw_store(void);
void raw_discard(void);

#endif
