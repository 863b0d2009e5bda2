/* One file of a GGUF checkpoint: its metadata and the places of its tensors. For container.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_PART_H
#define GGUF_PART_H

#include "gguf/entries.h"
#include "gguf/infos.h"

typedef struct gguf_part {
    char *path;
    const unsigned char *bytes; /* the mapping */
    size_t n_bytes;
    gguf_entries metadata;
    gguf_infos tensors;
} gguf_part;

/* Maps the file `path` and reads its header; `index` is stored as the tensors' part. The tensors lie in the
 * file and do not overlap; keys and names are unique. Fails as gguf_open does; *out needs gguf_part_close in
 * any case. */
assay_status gguf_part_open(const char *path, size_t index, gguf_part *out, assay_error *err);
void gguf_part_close(gguf_part *p);

#endif
