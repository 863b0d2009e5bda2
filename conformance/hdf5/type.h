/* Types and shapes of HDF5 objects, as messages describe them, and numbers converted from their stored form.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_TYPE_H
#define CONFORMANCE_HDF5_TYPE_H

#include "conformance/hdf5/bytes.h"

#define CONF_H5_RANK_MAX 32

typedef enum conf_h5_class {
    CONF_H5_NUMBER,        /* of a type that assay_dtype has */
    CONF_H5_INTEGER,       /* any other integer */
    CONF_H5_FLOAT,         /* any other floating-point number */
    CONF_H5_TEXT,          /* strings of a fixed length */
    CONF_H5_TEXT_VARIABLE, /* strings in the global heap */
    CONF_H5_OTHER
} conf_h5_class;

/* How an element is stored. */
typedef struct conf_h5_type {
    conf_h5_class class;
    assay_dtype dtype; /* ASSAY_DTYPE_NONE unless it is a number */
    size_t size;       /* bytes of an element; never 0 */
    bool big;          /* of a number: big-endian */
    bool space_padded; /* of text of a fixed length */
} conf_h5_type;

typedef struct conf_h5_space {
    bool is_null; /* neither scalar nor array: no element at all */
    size_t rank;
    uint64_t shape[CONF_H5_RANK_MAX];
    uint64_t most[CONF_H5_RANK_MAX]; /* maximum lengths; UINT64_MAX: unlimited */
} conf_h5_space;

/* Decode the contents of a datatype and of a dataspace message. False if they are damaged. A valid type of
 * an unsupported class is CONF_H5_OTHER. */
bool conf_h5_type_decode(conf_bytes b, conf_h5_type *out);
bool conf_h5_space_decode(conf_bytes b, conf_h5_space *out);

/* "F32", "float of 24 bits", "text", "compound or other". */
void conf_h5_type_print(char *text, size_t size, const conf_h5_type *type);

/* The type in memory of numbers of a stored type: float32 for float16 and bfloat16. */
assay_dtype conf_h5_type_widened(const conf_h5_type *type);

/* Whether elements have the same bytes in memory as in the file. */
bool conf_h5_type_is_native(const conf_h5_type *type);

/* Converts n stored elements to conf_h5_type_widened in this machine's byte order. into and from are the
 * same if the two types have the same size, or do not overlap; either may be unaligned. */
void conf_h5_type_convert(const conf_h5_type *type, void *into, const void *from, size_t n);

/* Element i of integers in memory. False if dtype is not an integer type, or if the element does not fit an
 * int64. */
bool conf_h5_integer_at(assay_dtype dtype, const void *data, size_t i, int64_t *out);

#endif
