/* The readers of all families, and which of them reads a model_type.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_FAMILIES_H
#define MODEL_FAMILIES_FAMILIES_H

#include "model/families/parts/family.h"

/* In the order of local.mk, which the build makes them of; ends with NULL. */
extern const family_reader *const family_readers[];

/* The type with this name, and in *reader its reader; NULL if there is none, and *reader is untouched. */
const family_type *family_type_find(const char *model_type, const family_reader **reader);

/* The type whose GGUF files have this architecture; NULL: none. */
const family_type *family_type_of_gguf(const char *architecture, size_t n);

/* Room for the names of all architectures, which a message can hold as well. */
enum { FAMILY_GGUF_NAMES_MAX = 640 };

/* Writes the architectures of GGUF files that have a family: "gemma, llama, qwen3". Returns their length,
 * which is less than `size` if they fit. */
size_t family_gguf_names(char *out, size_t size);

/* The model_type that begins most like this one, for a message. */
const char *family_type_similar(const char *model_type);

/* The model_type whose text part alone has this one; NULL: none. */
const char *family_type_around(const char *text_type);

#endif
