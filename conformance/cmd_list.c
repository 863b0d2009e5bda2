/* assay list: what there is to run.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/case.h"
#include "conformance/cmd.h"
#include "conformance/text.h"

/* One line: id, kind, and what the case would catch. */
static void print_case(const conf_context *context, const conf_found *found, const conf_case *c, size_t width)
{
    char id[512], catches[512];
    (void)snprintf(id, sizeof id, "%s", found->id);
    (void)snprintf(catches, sizeof catches, "%s", c->catches ? c->catches : "");
    conf_text_clean(id);
    conf_text_clean(catches);
    conf_text_print_fitted(context->out, id, conf_text_width(id) > width ? conf_text_width(id) : width);
    (void)fputs("  ", context->out);
    conf_text_print_fitted(context->out, conf_kind_of(c->kind)->name, 10);
    (void)fprintf(context->out, "  %s\n", catches);
}

conf_exit conf_cmd_list(const conf_options *options, const conf_context *context)
{
    conf_found_list found;
    conf_exit code;
    if (!conf_cmd_find(options, context, &found, &code)) return code;
    size_t width = 0;
    for (size_t i = 0; i < found.n; i++)
        if (conf_text_width(found.at[i].id) > width) width = conf_text_width(found.at[i].id);
    code = CONF_EXIT_AGREE;
    for (size_t i = 0; i < found.n; i++) {
        conf_case *c;
        assay_error err;
        if (conf_case_read(found.at[i].path, &c, &err) != ASSAY_OK) {
            (void)fprintf(context->err, "assay: %s\n", err.text);
            code = CONF_EXIT_ERROR;
            continue;
        }
        if (c->kind != CONF_OBSERVATION || !found.at[i].scanned) print_case(context, &found.at[i], c, width);
        conf_case_free(c);
    }
    conf_found_free(&found);
    return code;
}
