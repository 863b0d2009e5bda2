/* Records a diverging part of an engine's outputs: the first one sets the verdict, later ones add
 * notes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_FAIL_H
#define CONFORMANCE_EVALUATE_FAIL_H

#include "conformance/judge/verdict.h"

/* Sets CONF_FAILED with class and reason. If another part has failed before, its class stays and the reason
 * becomes a note. Returns whether CONF_FAILED was set. */
bool conf_evaluate_fail(conf_verdict *v, conf_class class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
