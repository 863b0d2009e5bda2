/* The formats of stored matrices that the sweep draws, by the rows of lib/model/formats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_SWEEP_STORED_FORMATS_H
#define CONFORMANCE_SWEEP_STORED_FORMATS_H

#include "conformance/sweep/sweep.h"
#include "model/formats/format.h"

enum { SWEEP_FORMATS_MAX = 80 };

/* The number of formats, at most SWEEP_FORMATS_MAX, and their names, such as "Q4_K" or "fp8 block". */
size_t sweep_n_formats(void);
const char *sweep_format_name(size_t format);

/* A matrix of a format and its tensors. */
typedef struct sweep_stored {
    format_module module;
    format_part parts[FORMAT_PARTS_MAX];
    assay_tensor tensor[FORMAT_PARTS_MAX]; /* rank 0: absent */
    size_t n_parts;
    layout_list *layouts;
    assay_stored stored;
} sweep_stored;

/* Rounds the sizes up to those that the format has. */
void sweep_format_fit(size_t format, size_t *n_out, size_t *n_in);

/* Draws tensors of a matrix of such sizes, in memory of s, or, where s is NULL, from the seed in memory of
 * its own, and describes it. Codes and scales are 0 so far; tables and lists of groups are drawn. False: the
 * format has no matrix of such sizes. The caller calls sweep_format_close, after a failure as well; owns: s
 * was NULL. */
bool sweep_format_open(size_t format, size_t n_out, size_t n_in, sweep *s, uint64_t seed, sweep_stored *out);
void sweep_format_close(sweep_stored *of, bool owns);

#endif
