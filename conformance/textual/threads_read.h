/* Reading programs of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_READ_H
#define CONFORMANCE_TEXTUAL_THREADS_READ_H

#include "conformance/textual/threads.h"

/* Reads the program of a vector at `at`, and checks that every name is made before it is used, by a step that
 * is expected to succeed, and that no thread does anything once it has ended. Borrows the document until
 * conf_threads_program_free. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM. */
assay_status conf_threads_program_read(const conf_json_at *at, conf_threads_program *out,
                                       conf_strings *unknown, assay_error *err);
void conf_threads_program_free(conf_threads_program *program);

/* For conf_textual. */
assay_status conf_threads_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                assay_error *err);

#endif
