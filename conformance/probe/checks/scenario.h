/* Scenarios: requests whose answers must have a natural end, or end at the limit or at a stop text.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_SCENARIO_H
#define CONFORMANCE_PROBE_CHECKS_SCENARIO_H

#include "conformance/probe/checks/comparison.h"

/* name: "natural". fits: whether a prompt can show it; limit: the max_tokens to ask for; stops: the request
 * has a stop text. judge: adds rows on the answer. */
typedef struct probe_scenario {
    const char *name;
    bool (*fits)(const probe_run *r, probe_endpoint e, const probe_prompt *p);
    size_t (*limit)(const probe_run *r, const probe_prompt *p);
    bool stops, chats;
    void (*judge)(const probe_comparison *c);
} probe_scenario;

/* Terminated by a row without a name. */
extern const probe_scenario probe_scenarios[];

/* Plays a scenario on an endpoint, whole and as a stream, and compares both. Fails as probe_ask_send does. */
assay_status probe_scenario_play(probe_run *r, const probe_scenario *scenario, probe_endpoint e,
                                 assay_error *err);

#endif
