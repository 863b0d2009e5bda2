/* assay locate: finds where a case first goes wrong.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "conformance/abi/engine.h"
#include "conformance/cli/cmd.h"
#include "conformance/locate/locate.h"
#include "conformance/locate/location.h"
#include "conformance/report/paged.h"

#define USUAL "ref32"

static conf_exit usage_error(const conf_context *context, const char *what)
{
    (void)fprintf(context->err, "assay: locate %s: see assay locate --help\n", what);
    return CONF_EXIT_USAGE;
}

/* Locates, and writes the page if one is requested. */
static conf_exit locate_paged(const conf_location *location, const conf_options *options,
                              const conf_context *context)
{
    conf_paged paged;
    conf_location on_page = *location;
    char title[512];
    assay_error err = {0};
    conf_exit code = CONF_EXIT_ERROR;
    assay_status rc = conf_paged_begin(options, context, &paged, &err);
    on_page.sections = paged.sections;
    if (rc == ASSAY_OK) code = conf_locate(&on_page, &paged.context);
    (void)snprintf(title, sizeof title, "Assay: the first divergence of %.400s", location->path);
    const assay_status ended = conf_paged_end(&paged, title, rc == ASSAY_OK ? &err : NULL);
    if (rc == ASSAY_OK && ended == ASSAY_OK) return code;
    conf_cmd_print_error(context, "%s", err.text);
    return CONF_EXIT_ERROR;
}

conf_exit conf_cmd_locate(const conf_options *options, const conf_context *context)
{
    if (options->n_arguments == 0) return usage_error(context, "needs a case");
    if (options->n_arguments > 2) return usage_error(context, "takes a case, and at most one observation");
    if (options->n_engines > 1) return usage_error(context, "asks one engine");
    if (options->n_arguments == 2 && options->n_engines)
        return usage_error(context, "takes an observation or an engine, not both");
    bool observes = options->n_arguments == 2;
    if (observes && options->kernels)
        return usage_error(context, "takes an observation or kernels, not both");
    bool special = options->compute || options->kernels;
    const char *usual = special ? conf_engine_default(options->kernels, options->compute)[0] : USUAL;
    const char *name = options->n_engines ? options->engines[0] : usual;
    char *engine = NULL, *reference = NULL, *kernels = NULL;
    assay_error err = {0};
    const char *library = options->kernels;
    if ((library && conf_engine_find(library, &context->engine_dirs, &kernels, &err) != ASSAY_OK) ||
        (!observes && conf_engine_find(name, &context->engine_dirs, &engine, &err) != ASSAY_OK)) {
        (void)fprintf(context->err, "assay: %s\n", err.text);
        free(kernels);
        return CONF_EXIT_ERROR;
    }
    /* Without a reference the table has one column. */
    (void)conf_engine_find(CONF_ENGINE_REFERENCE, &context->engine_dirs, &reference, &err);
    const conf_location location = {.path = options->arguments[0],
                                    .engine = engine,
                                    .kernels = kernels,
                                    .compute = options->compute,
                                    .observed = observes ? options->arguments[1] : NULL,
                                    .reference = reference,
                                    .allow_unknown = options->allow_unknown,
                                    .limits = &options->limits};
    conf_exit code = locate_paged(&location, options, context);
    free(engine);
    free(kernels);
    free(reference);
    return code;
}
