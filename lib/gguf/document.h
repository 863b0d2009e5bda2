/* The documents of a checkpoint, such as tokenizer.json: files of its directory, or what the metadata of a
 * GGUF file stand for.
 *
 * A GGUF file has tokenizer.json, tokenizer_config.json and generation_config.json, if it has a tokenizer.
 * Its config.json depends on the families of models, and is made where they are known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_DOCUMENT_H
#define GGUF_DOCUMENT_H

#include "base/json.h"

#include <assay/status.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct gguf_document {
    char *label; /* for messages: "DIR/tokenizer.json", "FILE.gguf: tokenizer.json" */
    char *text;  /* [n], not terminated; NULL: the checkpoint has no such document */
    size_t n;
} gguf_document;

/* Reads the document `name` of a checkpoint: a directory, or a GGUF file. A document that does not exist is
 * ASSAY_OK. *out needs gguf_document_free in any case. Fails as file_read does, with at most `most` bytes; as
 * gguf_open does, and as those that write the documents do (gguf/tokenizer.h, gguf/configs.h). */
assay_status gguf_document_read(const char *checkpoint, const char *name, size_t most, gguf_document *out,
                                assay_error *err);
void gguf_document_free(gguf_document *d);

/* The same; a document that does not exist is ASSAY_EIO. */
assay_status gguf_document_require(const char *checkpoint, const char *name, size_t most, gguf_document *out,
                                   assay_error *err);

/* Reads and parses it, as json_read_within does with a file; *out is NULL, with ASSAY_OK, if it does not
 * exist. limits NULL: those of json_read. */
assay_status gguf_document_parse(const char *checkpoint, const char *name, const json_limits *limits,
                                 json_object **out, assay_error *err);

/* Whether the checkpoint has the document. A GGUF file that cannot be opened has those of a tokenizer, so
 * that reading them gives the reason. */
bool gguf_document_exists(const char *checkpoint, const char *name);

#endif
