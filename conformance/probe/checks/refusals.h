/* Requests that a server must refuse.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_REFUSALS_H
#define CONFORMANCE_PROBE_CHECKS_REFUSALS_H

#include "conformance/probe/run/run.h"

/* Sends an endpoint invalid requests; each must get a status 400 to 499 and an error. Accepted and ignored is
 * a verdict of its own. Fail as probe_ask_send does. */
assay_status probe_refusals_check(probe_run *r, probe_endpoint e, assay_error *err);

#endif
