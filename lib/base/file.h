/* Opening the files of a checkpoint: regular files only, so that a directory or a FIFO fails on opening,
 * where a read would fail late or hang.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <assay/status.h>

#include <stddef.h>

/* Opens `path` for reading; the caller closes *fd. *size: its length in bytes.
 * Fails with ASSAY_EIO; the text starts with the path and holds the system's reason. */
assay_status file_open(const char *path, int *fd, size_t *size, assay_error *err);

/* Reads the whole file into *out, [*n], which the caller frees and which has capacity for one more byte.
 * Fails as file_open does, with ASSAY_EUNSUPPORTED if the file has more than `most` bytes, or with
 * ASSAY_ENOMEM. */
assay_status file_read(const char *path, size_t most, char **out, size_t *n, assay_error *err);

/* Maps the whole file read-only into *out, [*n], NULL for an empty file; the caller calls file_unmap.
 * Truncating the file later raises SIGBUS in its readers. Fails as file_open does, or with ASSAY_ENOMEM. */
assay_status file_map(const char *path, const unsigned char **out, size_t *n, assay_error *err);
void file_unmap(const unsigned char *bytes, size_t n);

#endif
