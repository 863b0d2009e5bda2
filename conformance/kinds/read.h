/* Reading cases of every kind.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_KINDS_READ_H
#define CONFORMANCE_KINDS_READ_H

#include "conformance/case/case.h"

/* Reads a case and checks everything in it that can be checked without an engine. Of a kind that is not
 * replayed only the header is read. Fails with ASSAY_EIO, ASSAY_EFORMAT, ASSAY_EUNSUPPORTED (JSON that
 * exceeds the limits on size or values) or ASSAY_ENOMEM, naming file and member. conf_case_free frees
 * *out. */
assay_status conf_case_read(const char *path, conf_case **out, assay_error *err);
void conf_case_free(conf_case *c);

/* Like conf_case_read, but without the values of traces, which may exceed memory. */
assay_status conf_case_read_outline(const char *path, conf_case **out, assay_error *err);

/* Reads the frame of a numeric case from its open file: everything except data whose size grows with
 * the model. For kinds logits and generate, decoder.rows has only n_rows and n_cols, and inputs other
 * than tokens and traces are not read; for other kinds only the header is read. conf_case_free frees
 * *out. */
assay_status conf_case_read_frame(const conf_h5 *file, conf_case **out, assay_error *err);

#endif
