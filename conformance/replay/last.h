/* Checks prefill_last against prefill.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_LAST_H
#define CONFORMANCE_REPLAY_LAST_H

#include "conformance/replay/state.h"

/* Compares prefill_last and the decode step after it with prefill and the step after that, bit for bit;
 * describes a difference in r->contradiction. Does nothing if the engine lacks prefill_last. prefill:
 * [rows of the batch, T, V], logits of the latest prefill. step, tokens: as for conf_replay_step. False
 * if the verdict was set because a call failed. */
bool conf_replay_last(conf_replay *r, assay_session *session, const void *prefill, void *step,
                      int32_t *tokens);

#endif
