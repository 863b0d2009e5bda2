/* Noise of the recorded runs of a case: measured from their logits, or stored in their place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_RUN_NOISE_H
#define CONFORMANCE_CASE_RUN_NOISE_H

#include "conformance/case/case.h"
#include "conformance/judge/noise.h"

/* Whether the group /expect/<run> has the noise of its run in place of logits. A run in float32
 * always has logits. */
bool conf_run_noise_has(const conf_h5 *file, conf_compute compute);

/* Reads /expect/<run>/noise, F64 [3]: largest error, RMSE, KL (conf_distance). Fails with ASSAY_EFORMAT if a
 * number is not finite and positive, or the group has no noise. */
assay_status conf_run_noise_read(const conf_h5 *file, conf_compute compute, conf_distance *out,
                                 assay_error *err);

/* The run in this type, in float32 for CONF_COMPUTE_NONE; NULL if it was not recorded. */
const conf_run *conf_run_find(const conf_rows *rows, conf_compute compute);

/* The noise of a recorded run. */
conf_distance conf_run_noise(const conf_rows *rows, const conf_run *run);

/* The bounds of a candidate that computes in this type, which must have been recorded. */
conf_bounds conf_run_bounds(const conf_rows *rows, conf_compute compute);

#endif
