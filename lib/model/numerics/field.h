/* The numbers of one field of a stored matrix (assay/stored.h) at some consecutive columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NUMERICS_FIELD_H
#define MODEL_NUMERICS_FIELD_H

#include <assay/stored.h>

/* Columns that are decoded at once: a block of most formats. */
enum { STORED_BLOCK = 256, STORED_EIGHTS = STORED_BLOCK / 8 };

/* bit[p][j]: what column j adds to the offset of plane p. */
typedef struct block_field {
    const assay_field *field; /* NULL: absent */
    const void *group_of;     /* NULL: columns are looked up as they are */
    size_t n_in, first, n;
    bool by_row;       /* bit depends on the row: a digit of the element, in rows without whole periods */
    double value[256]; /* of each code, if the field has codes */
    unsigned char step[ASSAY_LAYOUT_PLANES][STORED_EIGHTS]; /* the equal distance of 8 columns, or 0 */
    size_t bit[ASSAY_LAYOUT_PLANES][STORED_BLOCK];
} block_field;

/* A digit at x, times its stride. */
size_t field_digit(const assay_digit *d, size_t x);

/* Finds columns first … first + n - 1 (n <= STORED_BLOCK) of a field of s, present or absent; field_find for
 * field_locate alone, without the values of codes. */
void field_find(block_field *b, const assay_stored *s, const assay_field *field, size_t first, size_t n);
void field_begin(block_field *b, const assay_stored *s, const assay_field *field, size_t first, size_t n);

/* Clears repeats[j] wherever column j >= 1 may have another number than column j - 1. */
void field_mark(const block_field *b, bool *repeats);

/* Keeps the columns at[0 … n - 1], ascending, alone. Not of a field that is by_row. */
void field_keep(block_field *b, const unsigned short *at, size_t n);

/* The numbers of a row of the stored array, its layout's table, minus and times applied, at the n columns. */
void field_read(block_field *b, size_t row, double *out);

/* The codes of a row at the n columns, which stand for value[code]. False: the field has floats, or is
 * absent. */
bool field_codes(block_field *b, size_t row, unsigned char *out);

/* The first bit of each plane of the number at column 0, from field->bytes on. */
void field_locate(block_field *b, size_t row, size_t bits[ASSAY_LAYOUT_PLANES]);

#endif
