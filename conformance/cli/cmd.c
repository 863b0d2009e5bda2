/* Functions shared by several commands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/cli/cmd.h"

#include <string.h>

#include "conformance/support/text.h"

const char *const *conf_cmd_arguments(const conf_options *options, const conf_context *context, size_t *n)
{
    *n = options->n_arguments ? options->n_arguments : 1;
    return options->n_arguments ? options->arguments : (const char *const *)&context->fixtures;
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
        (void)fprintf(context->err, "assay: %s%s\n", err.text,
                      options->n_arguments ? "" : "; name a case or a directory");
        conf_found_free(list);
        *code = rc == ASSAY_EINVAL || !options->n_arguments ? CONF_EXIT_USAGE : CONF_EXIT_ERROR;
        return false;
    }
    size_t n_found = list->n;
    if (options->filter) conf_find_filter(list, options->filter);
    size_t n_matching = list->n;
    if (options->n_shards) conf_find_shard(list, options->shard, options->n_shards);
    if (list->n > 0) return true;
    if (n_matching)
        (void)fprintf(context->err, "assay: none of %zu cases is in shard %zu/%zu\n", n_matching,
                      options->shard, options->n_shards);
    else if (n_found)
        (void)fprintf(context->err, "assay: no case id among %zu files matches %s\n", n_found,
                      options->filter);
    else (void)fprintf(context->err, "assay: no case below %s\n", arguments[0]);
    conf_found_free(list);
    *code = CONF_EXIT_NOTHING;
    return false;
}
