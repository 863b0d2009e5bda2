/* Textual cases of kind events: what an engine says, and the message that a client of an endpoint must be
 * sent, streamed or not.
 *
 * Each vector is answered four times: as an event stream of the recorded chunks, which must obey its grammar;
 * of one character at a time; of the whole text at once; and without a stream. All must say the same message,
 * and that must have the members that are expected. Where the engine is to fail, the client must be told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_EVENTS_REPLAY_H
#define CONFORMANCE_TEXTUAL_EVENTS_REPLAY_H

#include "conformance/textual/textual.h"

const void *conf_events_open(const char *module, conf_verdict *v);
void conf_events_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                        const conf_json_at *at, conf_verdict *v);

#endif
