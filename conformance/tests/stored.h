/* A file with a dataset /x that libhdf5 writes with any storage layout.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_STORED_H
#define CONFORMANCE_TESTS_STORED_H

#include <hdf5.h>
#include <stddef.h>
#include <sys/types.h>

#include "conformance/hdf5/hdf5.h"

extern const char *stored_path;

/* Fixture of each test, instead of support_setup: creates the file without the dataset. */
void stored_setup(void);

/* Opens the file with the reader under test. */
conf_h5 *stored_open(void);

/* Writes /x, replacing an existing one: n elements of type `type`, converted from `native`; values
 * NULL: writes no data. */
void stored_write(hid_t type, hid_t native, hsize_t n, const void *values, hid_t plist);

/* A dataset creation property list. storage: 0 contiguous, 1 chunked, shuffled and deflated, 2
 * compact. */
hid_t stored_plist(int storage);

/* Finds the first occurrence of these n bytes in the file, and overwrites n_to bytes `skip` bytes
 * after its beginning. */
void stored_patch(const void *from, size_t n, off_t skip, const void *to, size_t n_to);

#endif
