/* Reads the results of a JSON document: what read.c does not read of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_READ_RESULT_H
#define CONFORMANCE_REPORT_READ_RESULT_H

#include "conformance/report/results.h"
#include "conformance/support/json_at.h"

/* A member that is a digest, or if may_be_empty "". */
assay_status conf_read_digest(const conf_json_at *object, const char *name, bool may_be_empty,
                              char out[CONF_DIGEST_MAX], assay_error *err);

/* The member `unit`: whether it is "bound", not "noise". */
assay_status conf_read_unit(const conf_json_at *object, bool *is_bound, assay_error *err);

/* Reads the array `results`, whose engines and shard are in *out already, into out->at: case by case in
 * rising position, each with every engine. Fails if a verdict is not that of its numbers. */
assay_status conf_read_results(const conf_json_at *document, conf_results *out, assay_error *err);

#endif
