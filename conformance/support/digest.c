/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"

void conf_digest_print(uint64_t hash, char out[CONF_DIGEST_MAX])
{
    (void)snprintf(out, CONF_DIGEST_MAX, "%016" PRIx64, hash);
}

bool conf_digest_parse(const char *text, uint64_t *hash)
{
    if (strlen(text) != CONF_DIGEST_MAX - 1 || strspn(text, "0123456789abcdef") != CONF_DIGEST_MAX - 1)
        return false;
    *hash = strtoull(text, NULL, 16);
    return true;
}

assay_status conf_digest_file(const char *path, char out[CONF_DIGEST_MAX], assay_error *err)
{
    unsigned char bytes[65536];
    uint64_t hash = HASH_START;
    FILE *file = fopen(path, "rb");
    if (!file) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        for (size_t i = 0; i < n; i++) hash = hash_add(hash, bytes[i]);
    const bool failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed) return assay_fail(err, ASSAY_EIO, "%s: cannot be read", path);
    conf_digest_print(hash, out);
    return ASSAY_OK;
}
