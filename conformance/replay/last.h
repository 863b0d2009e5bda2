/* An engine that has prefill_last must answer as with prefill.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_LAST_H
#define CONFORMANCE_REPLAY_LAST_H

#include "conformance/replay/state.h"

/* Compares prefill_last and the step after it with prefill and its step; a difference is described in
 * r->contradiction. Does nothing if the engine lacks prefill_last. prefill: [rows of the batch, T, V], the
 * latest logits of prefill. step, tokens: as for conf_replay_step. False if the verdict was set because a
 * call failed. */
bool conf_replay_last(conf_replay *r, assay_session *session, const void *prefill, void *step,
                      int32_t *tokens);

#endif
