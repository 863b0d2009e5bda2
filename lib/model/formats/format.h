/* Formats of stored matrices: the tensors that a matrix consists of in a checkpoint, and the fields that they
 * are. A format is a row: a name, its tensors, and its fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_FORMAT_H
#define MODEL_FORMATS_FORMAT_H

#include <assay/stored.h>

#include "model/numerics/layouts.h"

enum { FORMAT_PARTS_MAX = 7, FORMAT_REASON_MAX = 200 };

/* Of a part's shape: any extent. */
#define FORMAT_ANY SIZE_MAX

#define FORMAT_TYPE(dtype) (1U << (dtype))
#define FORMAT_SCALES      (FORMAT_TYPE(ASSAY_F32) | FORMAT_TYPE(ASSAY_F16) | FORMAT_TYPE(ASSAY_BF16))

struct weight_format;

/* How the matrix of one module is stored, as the config says. Members without a meaning in a format are 0. */
typedef struct format_module {
    const struct weight_format *format; /* NULL: plain numbers */
    size_t bits;
    size_t group;                  /* inputs that share a scale; 0: all of a row */
    size_t block_rows, block_cols; /* of a grid of scales; 0: all of a column, all of a row */
    bool is_asymmetric;            /* zero points are stored */
    bool is_ordered;               /* groups are listed in g_idx */
    bool is_stored_less_one;       /* zero points are stored less 1 */
    bool is_nested;                /* scales are codes with scales of their own */
    bool is_named; /* the config names this very module, so that plain numbers contradict it */
} format_module;

/* A tensor of a matrix: its name is the module's path and the suffix. */
typedef struct format_part {
    const char *suffix;
    uint32_t types; /* FORMAT_TYPE of the element types that it may have */
    size_t rank, shape[4];
    bool is_optional;
} format_part;

/* A matrix whose tensors have been found, checked, and moved to the expert in question. */
typedef struct format_matrix {
    const format_module *module;
    size_t rows, cols;
    const assay_tensor
        *part[FORMAT_PARTS_MAX]; /* in the order of `parts`; NULL: an optional one is missing */
    layout_list *layouts;
    bool is_short;    /* set where memory is missing */
    const char *note; /* set to what a reader of the plan should know; NULL: nothing */
    assay_stored stored;
} format_matrix;

typedef struct weight_format {
    const char *name; /* of the published format */
    /* The tensors of a matrix; the first is the codes. Returns their number, and sets the reason, which is ""
     * before, if no matrix of that size can be stored so. */
    size_t (*parts)(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                    char reason[FORMAT_REASON_MAX]);
    /* Fills in the fields of m->stored. */
    void (*describe)(format_matrix *m);
    /* NULL, or checks numbers that the fields depend on, such as those of g_idx: false, and the reason. */
    bool (*check)(const format_matrix *m, char reason[FORMAT_REASON_MAX]);
} weight_format;

#endif
