/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/part.h"

#include "base/error.h"
#include "base/file.h"
#include "gguf/cursor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_MIN 2
#define VERSION_MAX 3

static assay_status read_version(gguf_cursor *c)
{
    static const char MAGIC[4] = {'G', 'G', 'U', 'F'};
    uint32_t magic, version;
    assay_status rc = gguf_cursor_u32(c, "magic", &magic);
    if (rc != ASSAY_OK) return rc;
    if (memcmp(&magic, MAGIC, sizeof magic) != 0)
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "found bytes %02x %02x %02x %02x, expected 'GGUF'",
                                c->bytes[0], c->bytes[1], c->bytes[2], c->bytes[3]);
    rc = gguf_cursor_u32(c, "version", &version);
    if (rc != ASSAY_OK || (version >= VERSION_MIN && version <= VERSION_MAX)) return rc;
    const uint32_t swapped = __builtin_bswap32(version);
    if (swapped >= 1 && swapped <= VERSION_MAX)
        return gguf_cursor_fail(
            c, ASSAY_EUNSUPPORTED,
            "found a big-endian file of version %" PRIu32 ", expected a little-endian one", swapped);
    return gguf_cursor_fail(c, ASSAY_EUNSUPPORTED, "found version %" PRIu32 ", expected %d or %d", version,
                            VERSION_MIN, VERSION_MAX);
}

static assay_status read_header(gguf_part *p, size_t index, assay_error *err)
{
    gguf_cursor c = {.path = p->path, .bytes = p->bytes, .n = p->n_bytes, .err = err};
    uint64_t n_tensors, n_entries;
    assay_status rc = read_version(&c);
    if (rc == ASSAY_OK) rc = gguf_cursor_u64(&c, "number of tensors", &n_tensors);
    if (rc == ASSAY_OK) rc = gguf_cursor_u64(&c, "number of keys", &n_entries);
    if (rc == ASSAY_OK) rc = gguf_entries_read(&c, n_entries, &p->metadata);
    if (rc == ASSAY_OK) rc = gguf_infos_read(&c, &p->metadata, n_tensors, index, &p->tensors);
    return rc;
}

assay_status gguf_part_open(const char *path, size_t index, gguf_part *out, assay_error *err)
{
    *out = (gguf_part){.path = strdup(path)};
    if (!out->path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    const assay_status rc = file_map(path, &out->bytes, &out->n_bytes, err);
    return rc == ASSAY_OK ? read_header(out, index, err) : rc;
}

void gguf_part_close(gguf_part *p)
{
    gguf_infos_free(&p->tensors);
    gguf_entries_free(&p->metadata);
    free(p->path);
    file_unmap(p->bytes, p->n_bytes);
}
