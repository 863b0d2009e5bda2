/* A tokenizer.json: small members parsed into json-c values, large ones left as text to scan.
 *
 * A vocabulary of 256,000 tokens and its merges would take gigabytes as json-c values; scanning needs
 * no memory beyond the text and one string.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_FILE_H
#define TOKENIZER_TEXT_FILE_H

#include <assay/status.h>

#include "base/json_scan.h"
#include "tokenizer/text/place.h"

#include <json-c/json.h>
#include <stddef.h>

/* text[0..n): the JSON of one value; text is NULL if the member is absent. */
typedef struct tokenizer_span {
    const char *text;
    size_t n;
} tokenizer_span;

typedef struct tokenizer_file {
    char *path;            /* where the document is, for messages */
    char *text;            /* the whole document */
    json_object *document; /* every member except `model` */
    json_object *model;    /* the members of `model` except vocab and merges */
    tokenizer_span vocab, merges;
} tokenizer_file;

/* Reads the tokenizer.json of a checkpoint, a directory or a GGUF file (gguf/document.h). The caller calls
 * tokenizer_file_close, even after a failure. ASSAY_EIO; ASSAY_ENOMEM; ASSAY_EFORMAT if the file is not
 * strict JSON or not an object with an object `model`; ASSAY_EUNSUPPORTED if the version is not "1.0" or a
 * small member exceeds its limits. */
assay_status tokenizer_file_read(const char *checkpoint, tokenizer_file *out, assay_error *err);
void tokenizer_file_close(tokenizer_file *f);

/* The member `name` of the document, whose value is NULL if the member is absent or null; and the
 * object `model` without vocab and merges. */
tokenizer_place tokenizer_file_member(const tokenizer_file *f, const char *name);
tokenizer_place tokenizer_file_model(const tokenizer_file *f);

/* A scanner of one span, with a buffer that it reuses for each unescaped string. */
typedef struct tokenizer_scan tokenizer_scan;

/* Starts scanning a span of f, which is borrowed until tokenizer_scan_free. The caller owns *out. */
assay_status tokenizer_scan_open(const tokenizer_file *f, tokenizer_span span, tokenizer_scan **out,
                                 assay_error *err);
void tokenizer_scan_free(tokenizer_scan *s);

/* The next JSON token. text[0..n): names and strings unescaped, others as written; borrowed until the
 * next call. */
typedef struct tokenizer_token {
    json_scan_kind kind;
    const char *text;
    size_t n;
} tokenizer_token;
assay_status tokenizer_scan_next(tokenizer_scan *s, tokenizer_token *out, assay_error *err);

/* The value of the token, which must be an integer from 0 to INT32_MAX; else ASSAY_EFORMAT. */
assay_status tokenizer_scan_id(const tokenizer_scan *s, const tokenizer_token *token, int32_t *out,
                               assay_error *err);
/* The value of the token, which must be a finite number; else ASSAY_EFORMAT. */
assay_status tokenizer_scan_number(const tokenizer_scan *s, const tokenizer_token *token, double *out,
                                   assay_error *err);

#endif
