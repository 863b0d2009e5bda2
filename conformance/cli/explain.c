/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/explain.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/cli/cmd.h"
#include "conformance/cli/explain_module.h"
#include "conformance/kinds/read.h"
#include "conformance/process/contain.h"
#include "conformance/process/interrupt.h"
#include "conformance/report/results.h"

/* Prints the number of a case's kind, and of each use whether the case has it, for add_case. */
static assay_status describe_case(const void *context, FILE *out, assay_error *err)
{
    conf_case *c;
    const assay_status rc = conf_case_read_outline(context, &c, err);
    if (rc != ASSAY_OK) return rc;
    (void)fprintf(out, "%d ", (int)c->kind);
    for (conf_use u = 0; u < CONF_N_USES; u++) (void)fputc(conf_explain_uses(c, u) ? '1' : '0', out);
    conf_case_free(c);
    return ASSAY_OK;
}

/* Adds a case that describe_case has described. */
static void add_case(conf_explain_cases *cases, const char *text)
{
    int kind = CONF_N_KINDS;
    char uses[CONF_N_USES + 1] = "";
    _Static_assert(CONF_N_USES == 4, "the width in the format");
    if (sscanf(text, "%d %4s", &kind, uses) != 2 || kind < 0 || kind >= CONF_N_KINDS) return;
    cases->of_kind[kind]++;
    for (conf_use u = 0; u < CONF_N_USES; u++) cases->using[u] += uses[u] == '1';
}

/* Counts the cases; a file that cannot be read is reported. False if there was one. */
static bool count_cases(const conf_options *options, const conf_context *context,
                        const conf_found_list *found, conf_explain_cases *cases)
{
    bool ok = true;
    for (size_t i = 0; i < found->n && !conf_interrupted(); i++) {
        char *text = NULL;
        size_t size;
        assay_error err = {0};
        FILE *out = open_memstream(&text, &size);
        assay_status rc = out ? conf_contain(describe_case, found->at[i].path, &options->limits,
                                             found->at[i].path, out, &err)
                              : assay_fail(&err, ASSAY_ENOMEM, "out of memory");
        if (out) (void)fclose(out);
        if (rc == ASSAY_OK && text) add_case(cases, text);
        else if (!conf_interrupted()) conf_cmd_print_error(context, "%s", err.text);
        ok = ok && rc == ASSAY_OK;
        free(text);
    }
    return ok;
}

/* Prints the table of one engine; false if it cannot be loaded. */
static bool explain_engine(const conf_options *options, const conf_context *context, const char *name,
                           conf_explain_module *module)
{
    conf_engine_column column = {0};
    assay_error err = {0};
    assay_status rc = conf_engine_column_find(name, &context->engine_dirs, &column, &err);
    module->name = name;
    module->path = column.path;
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        return false;
    }
    rc = conf_contain(conf_explain_module_print, module, &options->limits, module->path, context->out, &err);
    if (rc != ASSAY_OK && !conf_interrupted()) conf_cmd_print_error(context, "engine %s: %s", name, err.text);
    free(column.path);
    return rc == ASSAY_OK;
}

conf_exit conf_explain(const conf_options *options, const conf_context *context, const conf_found_list *found)
{
    const char *const *usual = conf_engine_default(false, false);
    const char *const *names = options->n_engines ? options->engines : usual;
    conf_explain_module module = {.columns = context->terminal ? context->columns : 0};
    bool ok = count_cases(options, context, found, &module.cases);
    for (size_t i = 0; options->n_engines ? i < options->n_engines : names[i] != NULL; i++) {
        if (conf_interrupted()) break;
        if (i > 0) (void)fputc('\n', context->out);
        ok = explain_engine(options, context, names[i], &module) && ok;
    }
    if (conf_interrupted()) conf_cmd_print_error(context, "interrupted");
    return ok ? CONF_EXIT_AGREE : CONF_EXIT_ERROR;
}
