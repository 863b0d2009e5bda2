/* Checks the order of a program's steps, and resolves names of streams and arrays.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_ORDER_H
#define CONFORMANCE_TEXTUAL_THREADS_ORDER_H

#include "conformance/textual/threads.h"

/* The kind of object that a name refers to. */
typedef enum conf_threads_noun { CONF_THREADS_A_STREAM, CONF_THREADS_AN_ARRAY } conf_threads_noun;

/* Sets *out to the step before `step` that makes the stream or array named by the string at `at`. Fails
 * with ASSAY_EFORMAT if no earlier step makes it, if that step makes the other kind of object, or if
 * that step is expected to fail. */
assay_status conf_threads_resolve(const conf_json_at *at, const conf_threads_program *program, size_t step,
                                  conf_threads_noun noun, size_t *out, assay_error *err);

/* Checks that no name is given twice, that each scope is left on the thread that entered it, and that
 * no step runs on a thread that has ended. steps: the JSON array of the program. Fails with
 * ASSAY_EFORMAT. */
assay_status conf_threads_order_check(const conf_json_at *steps, const conf_threads_program *program,
                                      assay_error *err);

/* The names of the operations in the file format: "make", … */
extern const char *const conf_threads_ops[CONF_THREADS_N_OPS];

/* Prints, for example, "step 9 (thread 2, eval a3)". */
void conf_threads_step_print(char *text, size_t size, const conf_threads_program *program, size_t step);

#endif
