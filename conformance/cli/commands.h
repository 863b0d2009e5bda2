/* The table of commands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_COMMANDS_H
#define CONFORMANCE_CLI_COMMANDS_H

#include "conformance/options/options.h"
#include "conformance/support/context.h"

#define CONF_N_COMMANDS 17

typedef struct conf_command {
    const char *name;
    const char *usage;          /* arguments after the name */
    const char *summary;        /* one line */
    const char *details;        /* paragraphs after the options */
    const conf_option *options; /* those that it takes, up to and including CONF_OPTION_HELP */
    conf_exit (*run)(const conf_options *options, const conf_context *context);
} conf_command;

/* In the order of the help text. */
extern const conf_command conf_cli_commands[CONF_N_COMMANDS];

#endif
