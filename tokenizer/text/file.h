/* A tokenizer.json, taken apart: small members as values, large ones as text to scan.
 *
 * A vocabulary of 256,000 tokens and its merges would take gigabytes as values; scanned, they take what they
 * hold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOKENIZER_TEXT_FILE_H
#define TOKENIZER_TEXT_FILE_H

#include <assay/status.h>

#include "base/json_scan.h"
#include "tokenizer/text/place.h"

#include <json-c/json.h>
#include <stddef.h>

/* text[0..n): JSON of one value; text is NULL where there is none. */
typedef struct tokenizer_span {
    const char *text;
    size_t n;
} tokenizer_span;

typedef struct tokenizer_file {
    char *path;            /* of the file, for messages */
    char *text;            /* all of it */
    json_object *document; /* every member but `model` */
    json_object *model;    /* the members of `model`, but for the next two */
    tokenizer_span vocab, merges;
} tokenizer_file;

/* Reads path, which is copied. The caller calls tokenizer_file_close, after a failure too. ASSAY_EIO, and
 * ASSAY_EFORMAT where it is no strict JSON, or no object with a member `model`; ASSAY_EUNSUPPORTED where its
 * version is another than "1.0" or its small members are not small. */
assay_status tokenizer_file_read(const char *path, tokenizer_file *out, assay_error *err);
void tokenizer_file_close(tokenizer_file *f);

/* The member of the document, or of its model. Its value is NULL where the member is absent or null. */
tokenizer_place tokenizer_file_member(const tokenizer_file *f, const char *name);
tokenizer_place tokenizer_file_model(const tokenizer_file *f);

/* Text of a scanned string, unescaped: a buffer that is used again and again. */
typedef struct tokenizer_scan tokenizer_scan;

/* Walks over a span: `path` names the file. */
assay_status tokenizer_scan_open(const tokenizer_file *f, tokenizer_span span, tokenizer_scan **out,
                                 assay_error *err);
void tokenizer_scan_free(tokenizer_scan *s);

/* The next token of JSON; of a name or a string also its text, borrowed until the
 * next call. */
typedef struct tokenizer_token {
    json_scan_kind kind;
    const char *text;
    size_t n;
} tokenizer_token;
assay_status tokenizer_scan_next(tokenizer_scan *s, tokenizer_token *out, assay_error *err);

/* An integer of 0 to INT32_MAX, of a token of kind NUMBER. */
assay_status tokenizer_scan_id(const tokenizer_scan *s, const tokenizer_token *token, int32_t *out,
                               assay_error *err);
/* A finite number. */
assay_status tokenizer_scan_number(const tokenizer_scan *s, const tokenizer_token *token, double *out,
                                   assay_error *err);

#endif
