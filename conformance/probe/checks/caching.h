/* Prompt caches: an answer must not depend on whether its prompt was found in one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_CACHING_H
#define CONFORMANCE_PROBE_CHECKS_CACHING_H

#include "conformance/probe/checks/phase.h"

/* Asks the prompts again with the prompt cache turned off, by each member by which servers let a request do
 * that, and reports batching/cache-off. warm: the prompts asked again with the cache on. A cache counts as
 * turned off if the usage of `warm` reports cached tokens, and that of these requests reports none. Fails as
 * probe_phase_run does. */
assay_status probe_check_cache_off(const probe_phases *all, const probe_phase *warm, assay_error *err);

#endif
