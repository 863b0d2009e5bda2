/* Reading cases of every kind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KINDS_READ_H
#define CONFORMANCE_KINDS_READ_H

#include "conformance/case/case.h"

/* Reads a case and checks everything in it that does not need an engine; a kind that is not replayed is read
 * no further than its kind. Fails with ASSAY_EIO, ASSAY_EFORMAT or ASSAY_ENOMEM, naming file and member. The
 * caller frees *out. */
assay_status conf_case_read(const char *path, conf_case **out, assay_error *err);
void conf_case_free(conf_case *c);

/* The same without the values of traces, of which there may be more than memory holds. */
assay_status conf_case_read_outline(const char *path, conf_case **out, assay_error *err);

/* Reads the frame of a numeric case from its open file: everything but what grows with the model. Of kinds
 * logits and generate decoder.rows has its sizes alone, and there are neither inputs beside the tokens nor
 * traces; of other kinds there is nothing but the header. */
assay_status conf_case_read_frame(const conf_h5 *file, conf_case **out, assay_error *err);

#endif
