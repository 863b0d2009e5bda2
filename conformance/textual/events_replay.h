/* Textual cases of kind events: chunks of text from an engine, and the message that an endpoint must
 * send to its client, streamed or not.
 *
 * Each vector is replayed four times: as an event stream of the recorded chunks, of one character at a
 * time, of the whole text at once, and without a stream. Event streams must obey the endpoint's
 * grammar. All four bodies must fold to the same message, with the expected members. If the vector has
 * the engine fail, event streams must report the failure and messages are not compared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_EVENTS_REPLAY_H
#define CONFORMANCE_TEXTUAL_EVENTS_REPLAY_H

#include "conformance/textual/textual.h"

/* conf_textual.open and conf_textual.replay for kind events. */
const void *conf_events_open(const char *module, conf_verdict *v);
void conf_events_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                        const conf_json_at *at, conf_verdict *v);

/* As conf_textual.answer. */
assay_status conf_events_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                assay_error *err);

#endif
