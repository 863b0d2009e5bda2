/* A file whose dataset /x libhdf5 writes, in any of its storages.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_STORED_H
#define CONFORMANCE_TESTS_STORED_H

#include <hdf5.h>
#include <stddef.h>
#include <sys/types.h>

#include "conformance/hdf5/hdf5.h"

extern const char *stored_path;

/* Fixture of each test, in the place of support_setup: the file, without the dataset. */
void stored_setup(void);

/* The file as our own reader opens it. */
conf_h5 *stored_open(void);

/* Writes /x, replacing it: n elements of the file's type out of native ones; NULL: nothing. */
void stored_write(hid_t type, hid_t native, hsize_t n, const void *values, hid_t plist);

/* storage 0: contiguous, 1: in chunks, 2: compact. */
hid_t stored_plist(int storage);

/* Overwrites, `skip` bytes behind their beginning, the first place of the file that holds these n bytes. */
void stored_patch(const void *from, size_t n, off_t skip, const void *to, size_t n_to);

#endif
