/* The arguments of a call, and how they are bound to parameters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_VALUES_ARGUMENTS_H
#define TEMPLATE_VALUES_ARGUMENTS_H

#include "template/values/value.h"

#define TPL_PARAMETERS_MAX 8

typedef struct tpl_arguments {
    const tpl_value *at; /* [n], by position */
    size_t n;
    tpl_value named; /* a dict, or undefined if there are none */
} tpl_arguments;

/* Binds arguments to parameters.
 * what:       the name of the function, for messages.
 * parameters: their names, with a space between; "!" before a required one; those before "/" have no name
 * that an argument could be passed by. out:        [TPL_PARAMETERS_MAX], TPL_MISSING for what was not passed.
 * false: an argument is missing, unknown or passed twice, which is recorded. */
bool tpl_bind(tpl *t, assay_text what, const tpl_arguments *args, const char *parameters, tpl_value *out);

/* A bound value, or the default if it is missing. A value of another type is an error. */
int64_t tpl_argument_whole(tpl *t, tpl_value v, int64_t missing);
assay_text tpl_argument_text(tpl *t, tpl_value v, const char *missing);
bool tpl_argument_truth(tpl_value v, bool missing);

/* As tpl_argument_truth, for functions that in older versions of Python take no other truth than that of an
 * integer: other types are not supported. what: the argument. */
bool tpl_argument_flag(tpl *t, tpl_value v, const char *what);

#endif
