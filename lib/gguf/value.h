/* A value of a GGUF file's metadata: a number, a truth value or a text, or an array of such, as it lies in
 * the mapped file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GGUF_VALUE_H
#define GGUF_VALUE_H

#include <assay/serving.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are the format's. */
typedef enum gguf_kind {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_TEXT,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_N_KINDS
} gguf_kind;

/* data: the first element, little-endian, unaligned. An element of kind GGUF_TEXT is a length of 8 bytes and
 * as many bytes. The file was checked when it was opened: all elements lie in it, truth values are 0 or 1. */
typedef struct gguf_value {
    gguf_kind kind; /* of each element; never GGUF_ARRAY */
    bool is_array;
    size_t count; /* elements of an array; 1 for any other value */
    const unsigned char *data;
} gguf_value;

/* "u32", "string", …; the kind must be valid. */
const char *gguf_kind_name(gguf_kind kind);

/* Bytes of an element; 0 for GGUF_TEXT and GGUF_ARRAY, which have no fixed size. */
size_t gguf_kind_size(gguf_kind kind);

/* The element `index`, which must be below count. Each returns false, and leaves *out, if the element has
 * another kind: unsigned: an integer that is not negative; number: an integer (rounded if it is beyond 2^53)
 * or a floating-point number. */
bool gguf_value_unsigned(const gguf_value *v, size_t index, uint64_t *out);
bool gguf_value_number(const gguf_value *v, size_t index, double *out);
bool gguf_value_bool(const gguf_value *v, size_t index, bool *out);

/* Goes through the texts of a value of kind GGUF_TEXT. */
typedef struct gguf_texts {
    const unsigned char *next;
    size_t left;
} gguf_texts;

gguf_texts gguf_value_texts(const gguf_value *v);

/* False at the end. *out: any bytes, also zeros, borrowed from the file. */
bool gguf_texts_next(gguf_texts *t, assay_text *out);

#endif
