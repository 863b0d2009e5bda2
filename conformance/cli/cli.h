/* The command line: commands, options, help, and suggestions for misspelt words.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_CLI_H
#define CONFORMANCE_CLI_CLI_H

#include <assay/engine.h>
#include <assay/status.h>

#include <stdbool.h>
#include <stdio.h>

#include "conformance/cli/commands.h"

/* The command of that name, or NULL. */
const conf_command *conf_cli_command(const char *name);

/* Parses the arguments after the command's name. Fails with ASSAY_EINVAL, whose text may suggest a
 * word. The caller frees *out with conf_cli_free. */
assay_status conf_cli_parse(const conf_command *command, int argc, char **argv, conf_options *out,
                            assay_error *err);
void conf_cli_free(conf_options *options);

/* Fails with ASSAY_EINVAL and "unknown command …" or "unknown option …", with a suggestion. */
assay_status conf_cli_unknown_command(const char *word, assay_error *err);

/* The exit status of `assay <argv>` if its command returned `code`. With --bisect it is 0, 1 or
 * CONF_EXIT_UNTESTED, for a wrong command line, too: git bisect run would take 2 for a bad commit. */
conf_exit conf_cli_exit(int argc, char **argv, conf_exit code);

void conf_cli_print_help(FILE *out);
void conf_cli_print_command_help(const conf_command *command, FILE *out);

#endif
