/* The order of the steps of a program, and what their names stand for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_ORDER_H
#define CONFORMANCE_TEXTUAL_THREADS_ORDER_H

#include "conformance/textual/threads.h"

/* What a name stands for. */
typedef enum conf_threads_noun { CONF_THREADS_A_STREAM, CONF_THREADS_AN_ARRAY } conf_threads_noun;

/* Finds the step before `step` that makes what the string at `at` names. Fails where there is none, where it
 * makes something else, and where it is expected to fail. */
assay_status conf_threads_resolve(const conf_json_at *at, const conf_threads_program *program, size_t step,
                                  conf_threads_noun noun, size_t *out, assay_error *err);

/* Checks what steps must leave in order: names are given once, scopes are left on the thread that entered
 * them, and nothing happens on a thread that has ended. steps: the array. */
assay_status conf_threads_order_check(const conf_json_at *steps, const conf_threads_program *program,
                                      assay_error *err);

/* "make", …, as the format spells them. */
extern const char *const conf_threads_ops[CONF_THREADS_N_OPS];

/* "step 9 (thread 2, eval a3)" */
void conf_threads_step_print(char *text, size_t size, const conf_threads_program *program, size_t step);

#endif
