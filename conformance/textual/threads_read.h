/* Reading programs of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_READ_H
#define CONFORMANCE_TEXTUAL_THREADS_READ_H

#include "conformance/textual/threads.h"

/* Reads the program of the vector at `at`. Checks that every name is made before its use by a step that
 * is expected to succeed, and the order of steps (conf_threads_order_check). Borrows the document until
 * conf_threads_program_free. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM. */
assay_status conf_threads_program_read(const conf_json_at *at, conf_threads_program *out,
                                       conf_strings *unknown, assay_error *err);
void conf_threads_program_free(conf_threads_program *program);

/* conf_textual.check for kind threads. */
assay_status conf_threads_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                assay_error *err);

#endif
