/* Replaying programs of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_REPLAY_H
#define CONFORMANCE_TEXTUAL_THREADS_REPLAY_H

#include "conformance/textual/threads.h"

/* conf_textual.open and conf_textual.replay for kind threads. */
const void *conf_threads_open(const char *module, conf_verdict *v);
void conf_threads_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                         const conf_json_at *at, conf_verdict *v);

#endif
