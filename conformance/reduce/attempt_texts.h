/* Attempts with a textual case: whether the same failure stays with fewer or shorter vectors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_ATTEMPT_TEXTS_H
#define CONFORMANCE_REDUCE_ATTEMPT_TEXTS_H

#include "conformance/reduce/attempt.h"

/* Writes r->texts->trial and evaluates it with the engine under test. *v is CONF_BROKEN if it cannot be
 * written. False, with r->rc set, if there is no process. */
bool conf_attempt_texts_run(conf_reducing *r, conf_verdict *v);

/* As conf_attempt, with r->texts->trial. */
bool conf_attempt_texts(conf_reducing *r, const char *what);

#endif
