/* Which log-probabilities an endpoint offers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_OFFER_H
#define CONFORMANCE_PROBE_CHECKS_OFFER_H

#include "conformance/probe/run/run.h"

/* Finds the most alternatives of each token that an endpoint returns, fills in its probe_offer, and adds the
 * row discovery/<endpoint>-logprobs. Fails as probe_ask_send does. */
assay_status probe_offer_logprobs(probe_run *r, probe_endpoint e, assay_error *err);

#endif
