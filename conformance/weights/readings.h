/* Other readings of a stored matrix: what its bytes would mean if the writer had made a certain mistake. If
 * one of them gives the original, that mistake is the fault.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_WEIGHTS_READINGS_H
#define CONFORMANCE_WEIGHTS_READINGS_H

#include <assay/stored.h>

typedef struct conf_reading {
    const char *fault; /* what the writer did */
    assay_stored is;   /* its fields' layouts are those below where they are changed */
    assay_layout codes, scale, scale2, zero, min, min2;
    size_t first_row, end_row, first_column, end_column; /* where the reading is within the matrix */
} conf_reading;

/* Reading i of a matrix, from 0 on; false: there are no more. One that the format does not have leaves
 * out->fault NULL. *out must stay where it is as long as out->is is used. */
bool conf_reading_at(const assay_stored *s, size_t i, conf_reading *out);

#endif
