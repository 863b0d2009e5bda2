/* Digests that tell whether two runs read the same file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SUPPORT_DIGEST_H
#define CONFORMANCE_SUPPORT_DIGEST_H

#include <assay/status.h>

#include <stdbool.h>
#include <stdint.h>

/* 16 hexadecimal digits. */
#define CONF_DIGEST_MAX 17

/* FNV-1a (64 bits) over the bytes of a file. Fails with ASSAY_EIO. */
assay_status conf_digest_file(const char *path, char out[CONF_DIGEST_MAX], assay_error *err);

void conf_digest_print(uint64_t hash, char out[CONF_DIGEST_MAX]);

/* Whether the text is a digest, which is stored in *hash. */
bool conf_digest_parse(const char *text, uint64_t *hash);

#endif
