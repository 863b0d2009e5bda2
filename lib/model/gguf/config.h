/* The config.json that the metadata of a GGUF file stand for. Numbers are the float32 of the file.
 *
 * Every key of the architecture must be read: one that nothing reads may change the mathematics, and is
 * refused by name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_GGUF_CONFIG_H
#define MODEL_GGUF_CONFIG_H

#include "base/json.h"
#include "gguf/container.h"
#include "model/gguf/architecture.h"

/* The document while it is made. Errors stick. */
typedef struct gguf_config {
    const gguf *file;
    const gguf_architecture *architecture;
    json_object *root;
    json_object *used; /* keys that have been read */
    assay_status status;
    assay_error *err;
} gguf_config;

/* The document for a checkpoint of that model_type; the caller puts *out. ASSAY_EFORMAT, ASSAY_EUNSUPPORTED,
 * ASSAY_ENOMEM. */
assay_status gguf_config_make(const gguf *file, const gguf_architecture *architecture, const char *model_type,
                              json_object **out, assay_error *err);

/* For `more`. Keys are those below "ARCHITECTURE.", without it. */

/* Whether the file has the key; marks it as read. */
bool gguf_config_has(gguf_config *c, const char *key);

/* Numbers of a key that the file must have: value 0 after a failure. An array of equal numbers is that
 * number. */
size_t gguf_config_count(gguf_config *c, const char *key);
double gguf_config_real(gguf_config *c, const char *key);

/* Element `index` of an array, or the number itself if it is none. */
size_t gguf_config_count_at(gguf_config *c, const char *key, size_t index);

/* Element `index` of an array of truth values. */
bool gguf_config_flag_at(gguf_config *c, const char *key, size_t index);

/* Sets a member, from a key if the file has it. */
void gguf_config_take_count(gguf_config *c, const char *key, const char *member);
void gguf_config_take_real(gguf_config *c, const char *key, const char *member);

/* Sets a member of the document, or of an object in it. The value is consumed. */
void gguf_config_set(gguf_config *c, json_object *to, const char *member, json_object *value);

/* The numbers of a tensor of F32 with one dimension, as an array; NULL if the file has no such tensor. */
json_object *gguf_config_tensor(gguf_config *c, const char *name);

void gguf_config_fail(gguf_config *c, assay_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
