/* Traits of the expected answer of a prompt, by which scenarios choose their prompts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_CHECKS_TRAIT_H
#define CONFORMANCE_PROBE_CHECKS_TRAIT_H

#include "conformance/probe/run/run.h"

/* A request without tools whose answer has a natural end. */
bool probe_trait_natural(const probe_run *r, probe_endpoint e, const probe_prompt *p);
/* … of a model that may think, and of one that may not. */
bool probe_trait_reasoning(const probe_run *r, probe_endpoint e, const probe_prompt *p);
bool probe_trait_no_reasoning(const probe_run *r, probe_endpoint e, const probe_prompt *p);
/* … with a character of several tokens. */
bool probe_trait_characters(const probe_run *r, probe_endpoint e, const probe_prompt *p);
/* … with white space around the message. */
bool probe_trait_white_space(const probe_run *r, probe_endpoint e, const probe_prompt *p);
/* A request with tools; a second one, whose call must have an id of its own; one with the result of a call.
 */
bool probe_trait_call(const probe_run *r, probe_endpoint e, const probe_prompt *p);
bool probe_trait_other_call(const probe_run *r, probe_endpoint e, const probe_prompt *p);
bool probe_trait_result(const probe_run *r, probe_endpoint e, const probe_prompt *p);
/* An answer with a call, one with several, and one with a call without arguments. */
bool probe_trait_calls(const probe_run *r, probe_endpoint e, const probe_prompt *p);
bool probe_trait_several_calls(const probe_run *r, probe_endpoint e, const probe_prompt *p);
bool probe_trait_empty_call(const probe_run *r, probe_endpoint e, const probe_prompt *p);
/* An answer that a limit can cut in its middle. */
bool probe_trait_limit(const probe_run *r, probe_endpoint e, const probe_prompt *p);

#endif
