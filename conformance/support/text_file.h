/* Reads whole untrusted text files, which may be compressed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_TEXT_FILE_H
#define CONFORMANCE_SUPPORT_TEXT_FILE_H

#include <assay/status.h>

#include <stddef.h>

/* Reads a file, and decompresses it if its name ends in ".gz": one gzip member (RFC 1952) and nothing after
 * it. most: the limit in bytes, for the compressed and the decompressed size. The caller frees *text, [*n]
 * without a terminator. Fails with ASSAY_EIO, ASSAY_EFORMAT if the compressed data are damaged,
 * ASSAY_EUNSUPPORTED if a size exceeds `most`, ASSAY_ENOMEM. The buffer grows with the data; the size that
 * the file states is not used. */
assay_status conf_text_file_read(const char *path, size_t most, char **text, size_t *n, assay_error *err);

#endif
