/* Functions shared by several commands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/cmd.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/shard.h"
#include "conformance/cli/shards.h"
#include "conformance/evaluate/cost.h"
#include "conformance/support/text.h"

void conf_cmd_print_error(const conf_context *context, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    (void)fputs("assay: ", context->err);
    conf_text_print_clean(context->err, text ? text : "out of memory");
    (void)fputc('\n', context->err);
    free(text);
}

const char *const *conf_cmd_arguments(const conf_options *options, const conf_context *context, size_t *n)
{
    *n = options->n_arguments ? options->n_arguments : 1;
    return options->n_arguments ? options->arguments : (const char *const *)&context->fixtures;
}

/* Keeps the cases of the shard that the options ask for, or else the environment. */
static assay_status divide(const conf_options *options, const conf_context *context, conf_found_list *list,
                           assay_error *err)
{
    size_t index = options->shard, total = options->n_shards;
    assay_status rc = total ? ASSAY_OK : conf_shards_read(context, &index, &total, err);
    if (rc != ASSAY_OK || total == 0) return rc;
    uint64_t *cost = calloc(list->n + 1, sizeof *cost);
    if (!cost) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    if (total > 1) rc = conf_costs_read(list, &options->limits, cost, err);
    if (rc == ASSAY_OK) rc = conf_find_shard(list, cost, index, total, err);
    free(cost);
    return rc;
}

bool conf_cmd_find(const conf_options *options, const conf_context *context, conf_found_list *list,
                   conf_exit *code)
{
    size_t n;
    const char *const *arguments = conf_cmd_arguments(options, context, &n);
    assay_error err;
    *list = (conf_found_list){0};
    assay_status rc = conf_find_all(arguments, n, list, &err);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s%s", err.text,
                             options->n_arguments ? "" : "; name a case or a directory");
        conf_found_free(list);
        *code = rc == ASSAY_EINVAL || !options->n_arguments ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
        return false;
    }
    size_t n_found = list->n;
    if (options->filter) conf_find_filter(list, options->filter);
    conf_find_number(list);
    size_t n_matching = list->n;
    rc = divide(options, context, list, &err);
    if (rc != ASSAY_OK) {
        conf_cmd_print_error(context, "%s", err.text);
        conf_found_free(list);
        *code = rc == ASSAY_EINVAL ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
        return false;
    }
    if (list->n > 0) return true;
    if (n_matching)
        conf_cmd_print_error(context, "none of %zu cases is in shard %zu/%zu", n_matching, list->shard.index,
                             list->shard.total);
    else if (n_found)
        conf_cmd_print_error(context, "no case id among %zu files matches %s", n_found, options->filter);
    else conf_cmd_print_error(context, "no case below %s", arguments[0]);
    conf_found_free(list);
    *code = CONF_EXIT_NOTHING;
    return false;
}
