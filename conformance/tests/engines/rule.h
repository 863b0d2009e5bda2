/* For test modules that break a rule: MODULE_FAULT names the rule that the process breaks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_RULE_H
#define CONFORMANCE_TESTS_ENGINES_RULE_H

#include <assay/status.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/tests/engines/fail.h"

static inline bool errs(const char *fault)
{
    const char *asked = getenv("MODULE_FAULT");
    return asked && strcmp(asked, fault) == 0;
}

#endif
