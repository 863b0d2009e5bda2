/* A part of an answer that diverges: it sets the verdict unless an earlier part has, and then adds a note.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_FAIL_H
#define CONFORMANCE_EVALUATE_FAIL_H

#include "conformance/judge/verdict.h"

/* Sets CONF_FAILED with its class and reason; where another part has failed before, whose class stays, notes
 * the reason instead. Returns whether it was set. */
bool conf_evaluate_fail(conf_verdict *v, conf_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
