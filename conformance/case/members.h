/* Shared readers of numeric cases: typed arrays, recorded noise, and members that this version does not
 * know.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_MEMBERS_H
#define CONFORMANCE_CASE_MEMBERS_H

#include "conformance/case/case.h"

/* Notes every member of `group` that `known` (NULL-terminated) does not name, for a warning. */
assay_status conf_members_note(const conf_h5 *file, const char *group, const char *const *known,
                               conf_strings *unknown, assay_error *err);

/* Reads `name` and checks type and shape; shape[i] SIZE_MAX: any length. */
assay_status conf_array_read(const conf_h5 *file, const char *name, assay_dtype dtype, size_t rank,
                             const size_t *shape, conf_array *out, assay_error *err);

/* The same of what may be of any floating type, read as F64. Not for a truth: one that went through float32
 * would make every float64 engine diverge. */
assay_status conf_array_read_wide(const conf_h5 *file, const char *name, size_t rank, const size_t *shape,
                                  conf_array *out, assay_error *err);

/* Fails where `noise`, a recorded distance from a truth with the largest magnitude max_abs, is above `most`:
 * conf_noise_most or conf_noise_most_tensor. what: whose noise it is, for the message. */
assay_status conf_noise_check(const char *path, const char *what, double noise, double max_abs, double most,
                              assay_error *err);

#endif
