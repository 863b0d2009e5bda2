/* The command line: commands, options, help, and what was probably meant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_CLI_H
#define CONFORMANCE_CLI_CLI_H

#include <assay/engine.h>
#include <assay/status.h>

#include <stdbool.h>
#include <stdio.h>

#include "conformance/cli/commands.h"

/* NULL where there is no command of that name. */
const conf_command *conf_cli_command(const char *name);

/* Parses what follows the command's name. Fails with ASSAY_EINVAL, whose text says what was probably meant.
 */
assay_status conf_cli_parse(const conf_command *command, int argc, char **argv, conf_options *out,
                            assay_error *err);
void conf_cli_free(conf_options *options);

/* "assay: unknown command …" with a suggestion. */
assay_status conf_cli_unknown_command(const char *word, assay_error *err);

/* The exit status of `assay <argv>` where its command gave `code`. With --bisect that is 0, 1 or
 * CONF_EXIT_UNTESTED, also for a wrong command line: git bisect run would take 2 for a bad commit, and in the
 * end name an innocent one. */
conf_exit conf_cli_exit(int argc, char **argv, conf_exit code);

void conf_cli_print_help(FILE *out);
void conf_cli_print_command_help(const conf_command *command, FILE *out);

#endif
