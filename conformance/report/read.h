/* Reads the JSON document that assay run writes (json.h) back into results. It is untrusted: a file is
 * accepted only if it could have been written by this version, apart from the values of its measurements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPORT_READ_H
#define CONFORMANCE_REPORT_READ_H

#include "conformance/report/results.h"

/* Fails with ASSAY_EIO, ASSAY_EFORMAT (also for an unknown member, which would be lost), ASSAY_EUNSUPPORTED
 * (another version of the format, or more than json.h's limits) or ASSAY_ENOMEM, naming file, member, what
 * was found and what was expected. conf_results_free frees *out, whose kernels_path and engines' paths are
 * NULL. */
assay_status conf_results_read(const char *path, conf_results *out, assay_error *err);

/* The same for a document that json_parse has made; takes ownership of it. path: for messages. */
assay_status conf_results_take(const char *path, json_object *document, conf_results *out, assay_error *err);

#endif
