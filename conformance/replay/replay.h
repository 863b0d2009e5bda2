/* Replays cases of kind logits and generate through an engine.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_REPLAY_H
#define CONFORMANCE_REPLAY_REPLAY_H

#include "conformance/replay/state.h"

/* Opens the model, and replays the case: traced prompts in a session of their own; then, in one session,
 * prompts and forced tokens, and greedy generation. False if the replay ended early and the verdict was set;
 * otherwise it is set only if the engine gave some rows and then refused a
 * step or a session with ASSAY_EUNSUPPORTED: CONF_SKIPPED; the rows that r->wanted names can be judged.
 * conf_replay_free must be called in any case. */
bool conf_replay_decoder(conf_replay *r);

/* Evaluates the prompts and forced tokens in another manner, after conf_replay_decoder, into r->rows and
 * r->wanted. *skipped: NULL, or why the manner does not apply to this case and engine; then nothing was
 * evaluated. If the engine refuses a step with ASSAY_EUNSUPPORTED, the manner is tried again with the
 * placeholder tokens of each item in one step; if it is evaluated so, r->keeps_spans is set, and text has the
 * refusal. text: [CONF_TEXT_MAX], also for *skipped. False if the verdict was set; with CONF_SKIPPED the rows
 * that r->wanted names were given before the refusal. */
bool conf_replay_manner(conf_replay *r, conf_manner manner, const char **skipped, char *text);

/* Evaluates the batch in a manner once more, into r->rows and r->wanted, and with r->follow->generates greedy
 * generation after it, for the tensors of the sample that r->follow names. False if the verdict was set. */
bool conf_replay_followed(conf_replay *r, conf_manner manner);

/* *skipped of a manner in which every row of the batch would be evaluated as in the whole evaluation. */
extern const char conf_replay_no_change[];

/* *skipped of a manner that divides prompts of a checkpoint whose n_divisible is 0. */
extern const char conf_replay_unknown_ropes[];

void conf_replay_free(conf_replay *r);

#endif
