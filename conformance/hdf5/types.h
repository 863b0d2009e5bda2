/* Limits, sets of element types, and signatures, shared by the parts of the HDF5 reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_HDF5_TYPES_H
#define CONFORMANCE_HDF5_TYPES_H

#include <assay/engine.h>

#include <stddef.h>
#include <stdint.h>

#include "conformance/support/array.h"

#define CONF_H5_DATASET_BYTES_MAX  ((size_t)1 << 31)
#define CONF_H5_STRING_BYTES_MAX   ((size_t)1 << 20)
#define CONF_H5_FILE_BYTES_MAX     ((size_t)1 << 33) /* all datasets of a file together */
#define CONF_H5_MEMBERS_MAX        4096
#define CONF_H5_TEXTS_MAX          256 /* strings of one dataset or attribute: all may be one long text */
#define CONF_H5_BFLOAT16_ATTRIBUTE "dtype"
#define CONF_H5_BFLOAT16           "bfloat16"

/* Limit of the memory that the datasets of a file may take together: CONF_H5_UNPACKED_BYTES plus
 * CONF_H5_UNPACKED_RATIO times the file's size. Recorded logits hardly compress, padding does; the bundled
 * cases take less than twice their file's size. */
#define CONF_H5_UNPACKED_BYTES ((size_t)64 << 20)
#define CONF_H5_UNPACKED_RATIO 32

/* How many bytes a byte of the file may unpack to if the data are streamed: deflate's own limit. The further
 * bytes are for small files, in which fill values take most. */
#define CONF_H5_STREAMED_RATIO 1032
#define CONF_H5_STREAMED_BYTES (1 << 20)

typedef struct conf_h5 conf_h5;

/* The path that the file was opened with; borrowed. */
const char *conf_h5_path(const conf_h5 *file);

/* A set of element types: bits CONF_H5_TYPE(dtype). */
typedef uint32_t conf_h5_types;
#define CONF_H5_TYPE(dtype) ((conf_h5_types)1 << (dtype))

#define CONF_H5_INTEGERS                                                                                     \
    (CONF_H5_TYPE(ASSAY_I64) | CONF_H5_TYPE(ASSAY_I32) | CONF_H5_TYPE(ASSAY_I16) | CONF_H5_TYPE(ASSAY_I8) |  \
     CONF_H5_TYPE(ASSAY_U64) | CONF_H5_TYPE(ASSAY_U32) | CONF_H5_TYPE(ASSAY_U16) | CONF_H5_TYPE(ASSAY_U8))
#define CONF_H5_FLOATS                                                                                       \
    (CONF_H5_TYPE(ASSAY_F64) | CONF_H5_TYPE(ASSAY_F32) | CONF_H5_TYPE(ASSAY_F16) | CONF_H5_TYPE(ASSAY_BF16))

/* The types of the case format, which conf_h5_read and conf_h5_shape accept. */
#define CONF_H5_CASE_TYPES                                                                                   \
    (CONF_H5_TYPE(ASSAY_F64) | CONF_H5_TYPE(ASSAY_F32) | CONF_H5_TYPE(ASSAY_I64) | CONF_H5_TYPE(ASSAY_I32) | \
     CONF_H5_TYPE(ASSAY_U8))

/* A dataset's type and shape as text, whatever they are: "F32", "BF16", "float of 24 bits", "text";
 * "[2,5,19]". The type is that of the file: dtype can be F16 or BF16, too, and is ASSAY_DTYPE_NONE for
 * unsupported types. */
typedef struct conf_signature {
    char type[32], shape[96];
    assay_dtype dtype;
} conf_signature;

#endif
