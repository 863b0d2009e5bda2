/* assay list: lists cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/shown.h"
#include "conformance/case/case.h"
#include "conformance/cli/cmd.h"
#include "conformance/kinds/kinds.h"
#include "conformance/kinds/read.h"
#include "conformance/process/contain.h"
#include "conformance/process/interrupt.h"
#include "conformance/support/text.h"

/* A line of the list. */
typedef struct line {
    const conf_found *found;
    size_t width; /* of the widest id */
} line;

/* Prints id, kind and description of a case; nothing for observations and schedules found in
 * directories. */
static assay_status list_case(const void *context, FILE *out, assay_error *err)
{
    const line *l = context;
    conf_case *c;
    assay_status rc = conf_case_read(l->found->path, &c, err);
    if (rc != ASSAY_OK) return rc;
    char id[512], catches[512];
    (void)snprintf(id, sizeof id, "%s", l->found->id);
    (void)snprintf(catches, sizeof catches, "%s", c->catches ? c->catches : "");
    shown_clean(id, sizeof id);
    shown_clean(catches, sizeof catches);
    if (!conf_kind_of(c->kind)->auxiliary || !l->found->scanned) {
        conf_text_print_fitted(out, id, conf_text_width(id) > l->width ? conf_text_width(id) : l->width);
        (void)fputs("  ", out);
        conf_text_print_fitted(out, conf_kind_of(c->kind)->name, 10);
        (void)fprintf(out, "  %s\n", catches);
    }
    rc = conf_vectors_require(&c->vectors, l->found->path, err);
    conf_case_free(c);
    return rc;
}

conf_exit conf_cmd_list(const conf_options *options, const conf_context *context)
{
    conf_found_list found;
    conf_exit code;
    if (!conf_cmd_find(options, context, &found, &code)) return code;
    line l = {0};
    for (size_t i = 0; i < found.n; i++)
        if (conf_text_width(found.at[i].id) > l.width) l.width = conf_text_width(found.at[i].id);
    code = CONF_EXIT_AGREE;
    for (size_t i = 0; i < found.n && !conf_interrupted(); i++) {
        assay_error err;
        l.found = &found.at[i];
        if (conf_contain(list_case, &l, &options->limits, l.found->path, context->out, &err) == ASSAY_OK)
            continue;
        conf_cmd_print_error(context, "%s", err.text);
        code = CONF_EXIT_ERROR;
    }
    conf_found_free(&found);
    return code;
}
