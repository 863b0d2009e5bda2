/* The header of a checkpoint's model.safetensors, to be changed. A failure fails the test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_TESTS_HEADER_H
#define MODEL_TESTS_HEADER_H

#include <json-c/json.h>
#include <stddef.h>

typedef struct header {
    char *path;
    json_object *object; /* {name: {dtype, shape, data_offsets}}, owned */
    char *data;          /* [n_data], what follows the header */
    size_t n_data;
} header;

/* dir: made by checkpoint_changed or checkpoint_extended. */
header header_read(const char *dir);
/* Replaces the file, which may be a link to a fixture's. */
void header_write(const header *h);
void header_free(header *h);

/* Renames every tensor whose name begins with `from`: it begins with `to`. */
void header_rename(header *h, const char *from, const char *to);
/* Renames every tensor by the first of the pairs [beginning, other beginning] that fits its name, and removes
 * it where the other one is null. */
void header_rename_all(header *h, json_object *pairs);
/* Sets the shape of a tensor, JSON text. */
void header_reshape(header *h, const char *name, const char *shape);

#endif
