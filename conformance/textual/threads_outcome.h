/* Reads the expected outcome of a step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_OUTCOME_H
#define CONFORMANCE_TEXTUAL_THREADS_OUTCOME_H

#include "conformance/textual/threads.h"

/* Reads the outcome at `at` of a step with operation op. The caller frees out->value, also after a
 * failure. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM. */
assay_status conf_threads_outcome_read(const conf_json_at *at, conf_threads_op op, conf_threads_outcome *out,
                                       conf_strings *unknown, assay_error *err);

#endif
