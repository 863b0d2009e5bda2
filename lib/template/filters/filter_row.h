/* A row of a table of filters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_FILTER_ROW_H
#define TEMPLATE_FILTERS_FILTER_ROW_H

#include "template/values/arguments.h"

typedef struct tpl_filter_row {
    const char *name;
    const char *parameters; /* of tpl_bind; NULL: `apply` binds */
    /* at: [TPL_PARAMETERS_MAX], bound; name: as in the template. */
    tpl_value (*apply)(tpl *t, tpl_value v, const tpl_value *at, const tpl_arguments *args, assay_text name);
} tpl_filter_row;

#define TPL_FILTER(name)                                                                                     \
    static tpl_value name(tpl *t, tpl_value v, const tpl_value *at, const tpl_arguments *args,               \
                          assay_text filter)
#define TPL_FILTER_UNUSED (void)t, (void)v, (void)at, (void)args, (void)filter

#endif
