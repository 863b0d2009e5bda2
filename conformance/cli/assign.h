/* The members that options set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_ASSIGN_H
#define CONFORMANCE_CLI_ASSIGN_H

#include "conformance/options/options.h"

/* Sets the member of an option, or of one value more if it may be repeated: its array has room for all words
 * of the command. value: as given, borrowed; NULL for an option without one. Fails with ASSAY_EINVAL, naming
 * the option, what was found and what was expected. */
assay_status conf_cli_assign(const conf_option_info *o, const char *value, conf_options *out,
                             assay_error *err);

#endif
