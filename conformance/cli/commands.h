/* The table of commands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_COMMANDS_H
#define CONFORMANCE_CLI_COMMANDS_H

#include "conformance/options/options.h"
#include "conformance/support/context.h"

#define CONF_BIT(option) (UINT64_C(1) << (option)) /* for conf_command.options */
_Static_assert(CONF_N_OPTIONS <= 64, "a bit for each option");
#define CONF_N_COMMANDS 11

typedef struct conf_command {
    const char *name;
    const char *usage;   /* arguments after the name */
    const char *summary; /* one line */
    const char *details; /* paragraphs after the options */
    uint64_t options;    /* CONF_BIT of each option that it takes */
    conf_exit (*run)(const conf_options *options, const conf_context *context);
} conf_command;

/* In the order of the help text. */
extern const conf_command conf_cli_commands[CONF_N_COMMANDS];

#endif
