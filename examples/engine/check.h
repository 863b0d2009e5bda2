/* Checks of what the harness asks for, and the reason of a failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLE_CHECK_H
#define EXAMPLE_CHECK_H

#include <assay/engine.h>

#include <stddef.h>

/* Writes the reason to err, if it is not NULL, and returns status. */
__attribute__((format(printf, 3, 4))) assay_status engine_fail(assay_error *err, assay_status status,
                                                               const char *format, ...);

/* Refuses a reserved member of an options struct that is not 0. name: the struct's. */
assay_status engine_check_reserved(uint32_t reserved, const char *name, assay_error *err);

/* Fails if the session does not have the sample. */
assay_status engine_check_sample(const assay_session *s, size_t sample, assay_error *err);

/* Refuses all that a step may not ask of this engine, before anything is evaluated. steps: [n]. */
assay_status engine_check_steps(const assay_session *s, const assay_step *steps, size_t n, assay_error *err);

#endif
