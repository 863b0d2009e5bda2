/* assay reduce: a smaller case with which an engine fails in the same way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/reduce.h"

#include "conformance/cli/cmd.h"

#define DIRECTORY "reduced"

static conf_exit usage_error(const conf_context *context, const char *what)
{
    conf_cmd_print_error(context, "reduce %s: see assay reduce --help", what);
    return CONF_EXIT_USAGE;
}

conf_exit conf_cmd_reduce(const conf_options *options, const conf_context *context)
{
    if (options->n_arguments != 1) return usage_error(context, "takes one case");
    if (options->n_engines != 1) return usage_error(context, "needs --engine, once: the engine that fails");
    const conf_reduction_task task = {.path = options->arguments[0],
                                      .directory = options->save ? options->save : DIRECTORY,
                                      .engine = options->engines[0],
                                      .kernels = options->kernels,
                                      .compute = options->compute,
                                      .seed = options->has_seed ? &options->seed : NULL,
                                      .manner = options->manner,
                                      .allow_unknown = options->allow_unknown,
                                      .limits = options->limits,
                                      .recorded = options->recorded,
                                      .seconds = options->stress > 0 ? options->stress : CONF_REDUCE_SECONDS};
    return conf_reduce(&task, context);
}
