/* Shared readers of numeric cases: typed arrays, recorded noise, members that this version does not
 * know.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_MEMBERS_H
#define CONFORMANCE_CASE_MEMBERS_H

#include "conformance/case/case.h"

/* Adds every member of `group` that is not in `known` (NULL-terminated) to *unknown, for a warning. */
assay_status conf_members_note(const conf_h5 *file, const char *group, const char *const *known,
                               conf_strings *unknown, assay_error *err);

/* Reads the dataset `name` and checks its type and shape; shape[i] SIZE_MAX: any length.
 * conf_array_free frees *out. */
assay_status conf_array_read(const conf_h5 *file, const char *name, assay_dtype dtype, size_t rank,
                             const size_t *shape, conf_array *out, assay_error *err);

/* Like conf_array_read, for F64 or F32, which is converted to F64. Not for a truth: a truth rounded to
 * float32 would make every float64 engine diverge. */
assay_status conf_array_read_wide(const conf_h5 *file, const char *name, size_t rank, const size_t *shape,
                                  conf_array *out, assay_error *err);

/* Fails with ASSAY_EFORMAT if `noise`, a recorded distance from a truth with the largest magnitude
 * max_abs, is above `most` (conf_noise_max or conf_noise_max_tensor). what: the name of the run or
 * tensor, for the message. */
assay_status conf_noise_check(const char *path, const char *what, double noise, double max_abs, double most,
                              assay_error *err);

/* Fails with ASSAY_EFORMAT if all logits of the truth are 0, max_abs being the largest magnitude: an engine
 * that computes nothing would pass. */
assay_status conf_truth_check(const char *path, double max_abs, assay_error *err);

#endif
