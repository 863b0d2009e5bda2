/* An HDF5 file written byte by byte; its structures are read directly, without a superblock.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_RAW_H
#define CONFORMANCE_TESTS_RAW_H

#include <stddef.h>
#include <stdint.h>

#include "conformance/hdf5/file.h"

/* The file of the current test. A test may change bytes and n directly. */
typedef struct raw_file {
    unsigned char bytes[4 << 20];
    size_t n;
    conf_h5_state state;
    conf_h5 file; /* valid from raw_store to raw_discard */
} raw_file;
extern raw_file raw;

/* Fixture of each test, instead of support_setup; support_teardown ends it. */
void raw_setup(void);

/* Appends an n-byte little-endian number, or a text without its NUL. */
void raw_put(uint64_t value, size_t n);
void raw_put_text(const char *text);

/* Appends the checksum of all bytes from `start` on. */
void raw_seal(size_t start);

/* raw_store: writes the bytes to a file, the first at address 0, and opens it. raw_discard: closes
 * it. */
void raw_store(void);
void raw_discard(void);

#endif
