/* The metadata of a GGUF file. For part.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_ENTRIES_H
#define GGUF_ENTRIES_H

#include "gguf/cursor.h"
#include "gguf/value.h"

#include <stdint.h>

typedef struct gguf_entry {
    assay_text key; /* borrowed from the file */
    gguf_value value;
} gguf_entry;

typedef struct gguf_entries {
    gguf_entry *list; /* [n], in the order of their keys' bytes */
    size_t n;
} gguf_entries;

/* Reads n keys with their values at the cursor; keys are unique. *out, which is empty, needs
 * gguf_entries_free in any case. Fails as gguf_open does. */
assay_status gguf_entries_read(gguf_cursor *c, uint64_t n, gguf_entries *out);
void gguf_entries_free(gguf_entries *e);

/* NULL if there is no such key. */
const gguf_value *gguf_entries_get(const gguf_entries *e, const char *key);

#endif
