/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/report/warn.h"

#include <string.h>

#include "conformance/support/text.h"

size_t conf_report_warn(const conf_context *context, const char *path, const conf_verdict *v)
{
    size_t n_lines = 0;
    for (const char *name = v->unknown; *name; n_lines++) {
        int n = (int)strcspn(name, "\n");
        char line[CONF_UNKNOWN_MAX];
        (void)snprintf(line, sizeof line, "%.*s", n, name);
        (void)fputs("assay: warning: ", context->err);
        if (path) {
            conf_text_print_clean(context->err, path);
            (void)fputs(": ", context->err);
        }
        conf_text_print_clean(context->err, line);
        (void)fputs(" is unknown to this version, and ignored\n", context->err);
        name += n + (name[n] != '\0');
    }
    return n_lines;
}
