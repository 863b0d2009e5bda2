/* A row of a table of methods and attributes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_METHOD_ROW_H
#define TEMPLATE_VALUES_METHOD_ROW_H

#include "template/values/arguments.h"

/* Attributes and elements of values (item.h). Methods receive these functions in a call, since attributes may
 * be methods. */
typedef struct tpl_access {
    tpl_value (*attribute)(tpl *t, tpl_value object, assay_text name);
    tpl_value (*item)(tpl *t, tpl_value object, tpl_value key);
} tpl_access;

/* A call of a method, whose arguments are bound. */
typedef struct tpl_method_call_args {
    const char *name;
    tpl_value self;
    const tpl_value *at;       /* [TPL_PARAMETERS_MAX] */
    const tpl_arguments *args; /* as passed */
    const tpl_access *access;
} tpl_method_call_args;

typedef tpl_value tpl_method_fn(tpl *t, const tpl_method_call_args *m);

typedef struct tpl_method_row {
    const char *name;       /* NULL: the end of the table */
    const char *parameters; /* of tpl_bind; NULL: `call` reads m->args */
    tpl_method_fn *call;    /* NULL: the method exists in Python, and is not supported */
} tpl_method_row;

#endif
