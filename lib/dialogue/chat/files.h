/* The documents of a checkpoint that describe its prompts, each of which may be missing. `dir` is its
 * directory, or a GGUF file (gguf/document.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_CHAT_FILES_H
#define DIALOGUE_CHAT_FILES_H

#include <assay/status.h>

#include "base/json.h"

#define SERVE_CHAT_TEMPLATE_MAX ((size_t)4 << 20) /* bytes of a template */

/* Whether the document exists. */
bool serve_chat_has_file(const char *dir, const char *name);

/* Reads a document, a JSON object; *out is NULL, with ASSAY_OK, if it does not exist. The caller owns
 * *out (json_object_put). Fails as gguf_document_parse does, and with ASSAY_EFORMAT if it holds no object. */
assay_status serve_chat_read_object(const char *dir, const char *name, json_object **out, assay_error *err);

/* Reads a document, a text [*n]; *out is NULL, with ASSAY_OK, if it does not exist. The caller frees
 * *out. Fails as gguf_document_read does, with SERVE_CHAT_TEMPLATE_MAX bytes at most. */
assay_status serve_chat_read_text(const char *dir, const char *name, char **out, size_t *n, assay_error *err);

/* A member that is not null; NULL if there is none, or `object` is NULL or no object. */
json_object *serve_chat_member(json_object *object, const char *name);

#endif
