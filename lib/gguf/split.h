/* Checkpoints of several GGUF files: NAME-00001-of-00003.gguf and the files beside it. For container.c only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_SPLIT_H
#define GGUF_SPLIT_H

#include "gguf/part.h"

#include <stdint.h>

/* What the metadata of a file say of it. */
typedef struct gguf_split {
    uint64_t no, count; /* 0 and 1 without the keys split.no and split.count */
    uint64_t n_tensors; /* split.tensors.count, of all files together */
    bool has_n_tensors;
} gguf_split;

/* ASSAY_EFORMAT if a key has another type than an integer that is not negative, or count is not 1 to 65535.
 */
assay_status gguf_split_read(const gguf_part *p, gguf_split *out, assay_error *err);

/* Whether p is the first file, and has its name; the message names the first file otherwise. */
assay_status gguf_split_check_first(const gguf_part *p, const gguf_split *split, assay_error *err);

/* Whether p is the file `index` of the checkpoint whose first file says `first`. */
assay_status gguf_split_check_other(const gguf_part *p, size_t index, const gguf_split *first,
                                    assay_error *err);

/* Whether the n files hold as many tensors as the first file says. */
assay_status gguf_split_check_total(const gguf_part *parts, size_t n, const gguf_split *first,
                                    assay_error *err);

/* The path of file `index` of `count` beside one of them, which the caller frees. NULL: out of memory, or the
 * name of `path` does not end as that of a part. */
char *gguf_split_path(const char *path, size_t index, uint64_t count);

#endif
