/* assay run --explain: what each engine offers, and what that unlocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_EXPLAIN_H
#define CONFORMANCE_CLI_EXPLAIN_H

#include "conformance/case/find.h"
#include "conformance/judge/verdict.h"
#include "conformance/options/options.h"
#include "conformance/support/context.h"

/* Prints a table for each engine. found: the cases that are counted. Returns CONF_EXIT_ERROR if an engine
 * cannot be loaded, or a case cannot be read. */
conf_exit conf_explain(const conf_options *options, const conf_context *context,
                       const conf_found_list *found);

#endif
