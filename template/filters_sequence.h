/* Filters of sequences, and what the tables of filters share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_FILTERS_SEQUENCE_H
#define TEMPLATE_FILTERS_SEQUENCE_H

#include "template/arguments.h"

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

/* Filters of sequences that apply no other filter, ended by a row without a name. */
extern const tpl_filter_row tpl_sequence_filters[];

#endif
