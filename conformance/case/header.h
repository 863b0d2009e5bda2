/* The header of a case: schema, checkpoint, and the attributes of a numeric case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_HEADER_H
#define CONFORMANCE_CASE_HEADER_H

#include "conformance/case/case.h"

/* Fails with ASSAY_EFORMAT if this version does not read `schema` ("assay/1"). path: for the
 * message. */
assay_status conf_schema_check(const char *path, const char *schema, assay_error *err);

/* Sets c->model to the checkpoint directory `model`, a path relative to the case's directory. Fails
 * with ASSAY_EFORMAT if it lies outside that directory, ASSAY_EIO if it does not exist. */
assay_status conf_case_find_model(conf_case *c, const char *model, assay_error *err);

/* Reads source, recorder, catches, reduced, flags and the float64 bound of a numeric case. */
assay_status conf_attributes_read(const conf_h5 *file, conf_case *c, assay_error *err);

/* Adds the root attributes that this version does not know to c->unknown, for a warning. */
assay_status conf_attributes_note(const conf_h5 *file, conf_case *c, assay_error *err);

/* Reads more_ids, 1 to INT32_MAX. *out is unchanged if the file has none; fails with ASSAY_EFORMAT. */
assay_status conf_more_ids_read(const conf_h5 *file, size_t *out, assay_error *err);

/* Reads cache_limit and cache_kept. *out is unchanged if the file has neither; fails with ASSAY_EFORMAT
 * if it has one of them, or unless 0 <= cache_kept < cache_limit <= INT32_MAX. */
assay_status conf_cache_limit_read(const conf_h5 *file, conf_cache_limit *out, assay_error *err);

#endif
