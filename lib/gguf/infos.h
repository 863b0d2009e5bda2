/* The tensors of a GGUF file: names, shapes, types, and places in the data. For part.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_INFOS_H
#define GGUF_INFOS_H

#include "gguf/cursor.h"
#include "gguf/entries.h"
#include "gguf/tensor.h"

#include <stdint.h>

typedef struct gguf_infos {
    gguf_tensor *list; /* [n], in the order of the file; their names are owned */
    size_t n;
} gguf_infos;

/* Reads n tensors at the cursor, after the metadata, which gives the alignment, and checks their places;
 * `part` is stored in them. *out, which is empty, needs gguf_infos_free in any case. Fails as gguf_open does.
 */
assay_status gguf_infos_read(gguf_cursor *c, const gguf_entries *metadata, uint64_t n, size_t part,
                             gguf_infos *out);
void gguf_infos_free(gguf_infos *infos);

#endif
