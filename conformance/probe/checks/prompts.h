/* Prompts that a server must make of requests: the tokens that it counts are those of the chat template.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_PROMPTS_H
#define CONFORMANCE_PROBE_CHECKS_PROMPTS_H

#include "conformance/probe/run/ask.h"

/* Sends requests of several shapes, whole and streamed, and compares the reported tokens of input with those
 * of the rendered chat template; then a prompt that no server has seen, of which no tokens can be cached.
 * Fails as probe_ask_send does. */
assay_status probe_prompts_check(probe_run *r, probe_endpoint e, assay_error *err);

#endif
