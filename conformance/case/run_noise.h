/* Noise of runs that a case has measured, but does not store.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_RUN_NOISE_H
#define CONFORMANCE_CASE_RUN_NOISE_H

#include "conformance/case/case.h"

/* Reads /expect/<run>/noise, F64 [3] (largest error, RMSE, KL), of every run (float16, affine8, affine4) that
 * the file has into d->run_noise. Fails with ASSAY_EFORMAT if a number is not finite and positive, or the
 * group has no noise. */
assay_status conf_run_noise_read(const conf_h5 *file, conf_case *c, assay_error *err);

#endif
