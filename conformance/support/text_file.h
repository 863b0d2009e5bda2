/* Untrusted texts: whole files, gzip-compressed or not.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_TEXT_FILE_H
#define CONFORMANCE_SUPPORT_TEXT_FILE_H

#include <assay/status.h>

#include <stddef.h>

/* Reads a file, which is unpacked where its name ends in ".gz": one gzip member (RFC 1952) and nothing behind
 * it. most: bytes, packed and unpacked. The caller frees *text, [*n] without a terminator. Fails with
 * ASSAY_EIO, ASSAY_EFORMAT where the packed bytes are damaged, ASSAY_EUNSUPPORTED where there are more than
 * `most`, ASSAY_ENOMEM; memory is asked for as it is needed, not as the file says. */
assay_status conf_text_file_read(const char *path, size_t most, char **text, size_t *n, assay_error *err);

#endif
