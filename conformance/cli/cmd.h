/* The commands of the program, one file each.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CLI_CMD_H
#define CONFORMANCE_CLI_CMD_H

#include "conformance/case/find.h"
#include "conformance/judge/verdict.h"
#include "conformance/options/options.h"
#include "conformance/support/context.h"

conf_exit conf_cmd_arrays(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_bench(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_run(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_compare(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_diff(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_events(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_generate(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_info(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_kernels(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_list(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_locate(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_merge(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_probe(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_reduce(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_schedule(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_serve(const conf_options *options, const conf_context *context);
conf_exit conf_cmd_weights(const conf_options *options, const conf_context *context);

extern const char conf_cmd_schedule_details[]; /* details in its help */

/* Writes "assay: ", the printf-formatted message and a newline to context->err. The message may have names of
 * files and texts of engines in any bytes: it is written as by conf_text_print_clean. */
void conf_cmd_print_error(const conf_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For the help of commands that take directories. */
#define CONF_DEFAULT_HELP "without arguments: every bundled one"

/* The arguments of the command line, [*n]; if there are none, the directory of the bundled cases.
 * Borrowed. */
const char *const *conf_cmd_arguments(const conf_options *options, const conf_context *context, size_t *n);

/* Finds the cases that the arguments name, filtered. On failure, and if there is no case, writes the
 * error to context->err, sets *code to the exit status, and returns false. */
bool conf_cmd_find(const conf_options *options, const conf_context *context, conf_found_list *list,
                   conf_exit *code);

#endif
