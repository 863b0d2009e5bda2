/* Reading the intermediate tensors of a case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_TRACES_H
#define CONFORMANCE_CASE_TRACES_H

#include "conformance/case/case.h"

/* Whether the rows of a tensor are those of a tower's images or audio, not the tokens. */
bool conf_trace_is_of_tower(const char *name);

/* Fills d->traces from /trace. outline: without the values. */
assay_status conf_traces_read(const conf_h5 *file, conf_decoder *d, bool outline, assay_error *err);

/* Reads the shape and the noise of the tensor `path` (for example "/trace/embed") of the case d, but not
 * its values. Its type must be F64, and its shape [length of the first prompt, width]; of a tensor of the
 * tower (vision.*) the rows are those of the first sample's images. */
assay_status conf_trace_outline_read(const conf_h5 *file, const conf_decoder *d, const char *path,
                                     conf_trace *trace, assay_error *err);

/* Reads the values (F64) of a trace whose outline was read from the same file. conf_array_free frees
 * *out. */
assay_status conf_trace_read(const conf_h5 *file, const conf_trace *trace, conf_array *out, assay_error *err);

#endif
