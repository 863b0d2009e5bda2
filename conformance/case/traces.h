/* Reading the tensors of a case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_TRACES_H
#define CONFORMANCE_CASE_TRACES_H

#include "conformance/case/case.h"

/* Fills d->traces from /trace; outline: without values. */
assay_status conf_traces_read(const conf_h5 *file, conf_decoder *d, bool outline, assay_error *err);

/* Reads the tensor at `path`, "/trace/embed", which must be float64: shape and noise, not its values. */
assay_status conf_trace_outline_read(const conf_h5 *file, const char *path, conf_trace *trace,
                                     assay_error *err);

/* The values of a trace of an outline, F64, from the same file. The caller frees *out. */
assay_status conf_trace_read(const conf_h5 *file, const conf_trace *trace, conf_array *out, assay_error *err);

#endif
