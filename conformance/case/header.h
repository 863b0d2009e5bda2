/* The header of a case: schema, checkpoint, and the attributes of a numeric case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_HEADER_H
#define CONFORMANCE_CASE_HEADER_H

#include "conformance/case/case.h"

/* Whether `schema` is one that this version reads; path: for the message. */
assay_status conf_schema_check(const char *path, const char *schema, assay_error *err);

/* Sets c->model to the checkpoint at `model`, which must lie below the case's directory. */
assay_status conf_case_find_model(conf_case *c, const char *model, assay_error *err);

/* Reads source, recorder, catches, flags and the float64 bound of a numeric case. */
assay_status conf_attributes_read(const conf_h5 *file, conf_case *c, assay_error *err);

/* Notes attributes of the root that this version does not know, for a warning. */
assay_status conf_attributes_note(const conf_h5 *file, conf_case *c, assay_error *err);

/* Reads cache_limit and cache_kept: both or neither. */
assay_status conf_cache_limit_read(const conf_h5 *file, conf_cache_limit *out, assay_error *err);

#endif
