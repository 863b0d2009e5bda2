/* An engine that has prefill_last must answer as with prefill.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REPLAY_LAST_H
#define CONFORMANCE_REPLAY_LAST_H

#include "conformance/replay/state.h"

/* Holds prefill_last, and the step behind it, against what came before, into r->contradiction; nothing where
 * the engine has none. prefill: [rows of the batch, T, V], what prefill gave last. step, tokens: as for
 * conf_replay_step. False where the verdict has been set instead. */
bool conf_replay_last(conf_replay *r, assay_session *session, const void *prefill, void *step,
                      int32_t *tokens);

#endif
