/* All tensors of a checkpoint directory: model.safetensors, or the shards that
 * model.safetensors.index.json lists. Where both exist model.safetensors is read and the index is not, as
 * transformers does (modeling_utils.py looks for them in this order).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_CHECKPOINT_WEIGHTS_H
#define MODEL_CHECKPOINT_WEIGHTS_H

#include "gguf/container.h"

#include <assay/engine.h>

typedef struct weights weights;

/* Fails as safetensors_open and json_read do; with ASSAY_EIO where dir has neither file, and with
 * ASSAY_EUNSUPPORTED where it has only weights of another format (pytorch_model.bin); with ASSAY_EFORMAT
 * where index and shards disagree: a shard that is missing, is not named by a plain file name of dir, or
 * holds a tensor that the index places elsewhere or does not list; a listed tensor that its shard does not
 * hold. Of the index, only weight_map is read. */
assay_status weights_open(const char *dir, weights **out, assay_error *err);
void weights_free(weights *w);

/* Sorted by name (bytewise). */
size_t weights_count(const weights *w);
const assay_tensor *weights_at(const weights *w, size_t index);

/* The tensor of that name, or NULL; the second form returns its index, or SIZE_MAX. */
const assay_tensor *weights_find(const weights *w, const char *name);
size_t weights_index(const weights *w, const char *name);

enum { WEIGHTS_NAME_MAX = 256 };

/* What a tensor of a GGUF file is found as: n_rows rows from first_row on (of a vector: its elements).
 * head_rows: 0, or the rows of a head in which rows i and i + head_rows / 2 of the published tensor follow
 * each other. */
typedef struct weights_place {
    char name[WEIGHTS_NAME_MAX];
    size_t first_row, n_rows, head_rows;
} weights_place;

enum { WEIGHTS_PLACES_MAX = 3 };

/* Writes the places of a tensor, of which out[0] has all rows and the others are 0 before; returns their
 * number.
 */
typedef size_t weights_rename_fn(const void *context, const gguf_tensor *t,
                                 weights_place out[WEIGHTS_PLACES_MAX]);

/* The tensors of a GGUF file, renamed. A tensor of blocks has the type ASSAY_DTYPE_NONE and its shape in
 * elements. After success *out owns the file. ASSAY_EFORMAT if two tensors have one name. */
assay_status weights_open_gguf(gguf *file, weights_rename_fn *rename_tensor, const void *context,
                               weights **out, assay_error *err);

/* The type of a tensor of blocks, NULL for plain numbers; and the head_rows of its name, or 0. */
const gguf_type *weights_type(const weights *w, size_t index);
size_t weights_head_rows(const weights *w, size_t index);

/* The file that holds tensor `index`, for messages. */
const char *weights_file(const weights *w, size_t index);

#endif
