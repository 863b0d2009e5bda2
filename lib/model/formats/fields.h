/* Fields of common shapes, from which formats put their matrices together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_FIELDS_H
#define MODEL_FORMATS_FIELDS_H

#include "model/formats/format.h"

#define FIELD_ROW(stride_)                                                                                   \
    {                                                                                                        \
        ASSAY_INDEX_ROW, 1, 0, 1, 0, (stride_)                                                               \
    }
#define FIELD_COLUMN(stride_)                                                                                \
    {                                                                                                        \
        ASSAY_INDEX_COLUMN, 1, 0, 1, 0, (stride_)                                                            \
    }
#define FIELD_ROWS(div_, stride_)                                                                            \
    {                                                                                                        \
        ASSAY_INDEX_ROW, 1, 0, (div_), 0, (stride_)                                                          \
    }
#define FIELD_COLUMNS(div_, stride_)                                                                         \
    {                                                                                                        \
        ASSAY_INDEX_COLUMN, 1, 0, (div_), 0, (stride_)                                                       \
    }

/* Sets a field: the layout is kept among m->layouts; t: NULL for a constant. */
void field_set(format_matrix *m, assay_field *to, const assay_tensor *t, const assay_layout *layout);

/* Numbers of t, one for block_rows x block_cols elements; 0: one for all rows, or all columns. Bytes are what
 * their type says: F8_E4M3; exponents of F8_E8M0 or U8; or integers of I8. */
void field_set_grid(format_matrix *m, assay_field *to, const assay_tensor *t, size_t block_rows,
                    size_t block_cols);

/* The same where t has the rows of the matrix as its columns, [groups, rows]: one for `columns` columns of
 * the matrix. */
void field_set_turned(format_matrix *m, assay_field *to, const assay_tensor *t, size_t columns);

/* Has a field's numbers multiplied by a constant. */
void field_scale(format_matrix *m, assay_field *field, double factor);

/* For `describe`: part 0 is a byte for each element, part 1 a grid of scales as the module says. */
void field_describe_bytes(format_matrix *m);

/* The same where part 0 is codes of e2m1, two in a byte, the first in its low half, and part 1 has a scale
 * for `group` columns. */
void field_describe_e2m1(format_matrix *m, size_t group);

/* For `parts`: sets the reason unless the columns are a multiple of n. */
void field_expect_multiple(size_t cols, size_t n, char reason[FORMAT_REASON_MAX]);

/* For `check`: whether t, NULL or the groups of all columns, has indexes below n. */
bool field_check_groups(const assay_tensor *t, size_t n, const char *name, char reason[FORMAT_REASON_MAX]);

/* A stream of codes in words of 32 bits, `stride` bits from one word to the next: the planes that it takes,
 * and plane p of them with its two digits of the row or the column. A code of 3 bits may cross words, so that
 * each of its bits is a plane. */
size_t field_planes(size_t bits);
void field_set_stream(assay_plane *plane, size_t p, size_t bits, assay_index index, size_t stride);

/* The constant. */
void field_set_constant(format_matrix *m, assay_field *to, double value);

/* n / d, rounded up. */
static inline size_t field_blocks(size_t n, size_t d)
{
    return d ? (n + d - 1) / d : 1;
}

#endif
