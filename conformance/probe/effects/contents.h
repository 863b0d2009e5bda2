/* Effects of members that end an answer, or say what is in it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_PROBE_EFFECTS_CONTENTS_H
#define CONFORMANCE_PROBE_EFFECTS_CONTENTS_H

#include "conformance/probe/effects/effect.h"

/* A stream reports no usage if it is not asked for. */
void probe_judge_no_usage(const probe_trial *t);
/* The answer ends at the limit. */
void probe_judge_limit(const probe_trial *t);
/* At least as many tokens as the truth has, and 3. */
void probe_write_least(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_least(const probe_trial *t);
/* The answer ends at a token of the truth. */
void probe_write_stop_id(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_stop_id(const probe_trial *t);
void probe_judge_token_ids(const probe_trial *t);
void probe_judge_json(const probe_trial *t);
void probe_write_no_tools(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_no_calls(const probe_trial *t);
void probe_write_one_call(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX]);
void probe_judge_one_call(const probe_trial *t);

#endif
