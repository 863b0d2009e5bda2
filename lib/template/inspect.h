/* What a chat template uses, without rendering it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_INSPECT_H
#define TEMPLATE_INSPECT_H

#include <assay/serving.h>

#include <stdbool.h>

/* Receives a feature that rendering would refuse: kind "filter", "test", "global" or "method", and its name.
 * A feature that is used several times is received as often. */
typedef void template_unsupported_fn(void *context, const char *kind, assay_text name);

typedef struct template_facts {
    bool reads_tools;    /* it reads a variable `tools` */
    bool reads_thinking; /* it reads a variable `enable_thinking` */
} template_facts;

/* Parses a template. unsupported: may be NULL. Fails as template_render does for a template that cannot be
 * parsed. */
assay_status template_inspect(assay_text source, template_unsupported_fn *unsupported, void *context,
                              template_facts *out, assay_error *err);

#endif
