/* Log-probabilities of answers that are sampled at a temperature.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_SAMPLED_H
#define CONFORMANCE_PROBE_CHECKS_SAMPLED_H

#include "conformance/probe/run/run.h"

/* Adds a row for each endpoint with log-probabilities: whether they are those of the model, or were changed
 * by the temperature of the request. Fails as probe_ask_send does. */
assay_status probe_check_sampled(probe_run *r, assay_error *err);

#endif
