/* The table of effects, and the requests that show them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_EFFECTS_EFFECTS_H
#define CONFORMANCE_PROBE_EFFECTS_EFFECTS_H

#include "conformance/probe/effects/effect.h"

/* Sends the requests of all effects that an endpoint has. Fails as probe_ask_send does. */
assay_status probe_effects_check(probe_run *r, probe_endpoint e, assay_error *err);

#endif
