/* The protocols of the endpoints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/prompts.h"
#include "conformance/probe/checks/refusals.h"
#include "conformance/probe/checks/scenario.h"
#include "conformance/probe/effects/effects.h"
#include "conformance/probe/groups/groups.h"

assay_status probe_check_protocol(probe_run *r, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    for (probe_endpoint e = 0; e < PROBE_N_ENDPOINTS && rc == ASSAY_OK; e++) {
        if (!r->server.at[e].is_there) continue;
        for (const probe_scenario *s = probe_scenarios; s->name && rc == ASSAY_OK; s++)
            rc = probe_scenario_play(r, s, e, err);
        if (rc == ASSAY_OK) rc = probe_prompts_check(r, e, err);
        if (rc == ASSAY_OK) rc = probe_effects_check(r, e, err);
        if (rc == ASSAY_OK) rc = probe_refusals_check(r, e, err);
    }
    return rc;
}
