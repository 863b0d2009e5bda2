/* Evaluates expressions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_EVAL_H
#define TEMPLATE_EVAL_H

#include "template/node.h"
#include "template/values/arguments.h"
#include "template/values/loop.h"

/* The variables of a block; those of the blocks around it are visible. Macros hold the scope in which they
 * are defined. */
typedef struct tpl_scope tpl_scope;
struct tpl_scope {
    const tpl_scope *parent;
    tpl_value vars; /* a dict; undefined: none yet */
};

typedef struct tpl_eval tpl_eval;
struct tpl_eval {
    tpl *t;
    tpl_scope *scope; /* the current one */

    /* A constant expression had a value that is not finite, or a list with one. jinja2 computes constants
     * when it compiles, and writes such a number as the name `inf` or `nan`, which does not exist. So it is
     * refused, except in an output that is constant as a whole. */
    bool has_infinite;

    /* What runs statements: the call of a macro, and of the loop variable of a recursive loop. */
    tpl_value (*call_macro)(tpl_eval *e, const tpl_function *macro, const tpl_arguments *args);
    tpl_value (*call_loop)(tpl_eval *e, const tpl_loop *loop, const tpl_arguments *args);
    void *context; /* of these */
};

/* The value of an expression; undefined after an error. */
tpl_value tpl_evaluate(tpl_eval *e, const tpl_node *node);

/* Must be called after the expressions of a statement, except an output: fails with ASSAY_EUNSUPPORTED if
 * has_infinite. */
void tpl_evaluate_end(tpl_eval *e);

/* The value of a call. caller: a macro, the argument `caller`; undefined: none. The value of a filter. input:
 * what the innermost filter of a filter block is applied to. */
tpl_value tpl_evaluate_call(tpl_eval *e, const tpl_node *call, tpl_value caller);
tpl_value tpl_evaluate_filter(tpl_eval *e, const tpl_node *filter, tpl_value input);

/* Makes a scope within the current one the current one; the caller sets e->scope back. */
void tpl_scope_enter(tpl_eval *e);
void tpl_scope_set(tpl_eval *e, assay_text name, tpl_value value);

/* The value of a name. */
tpl_value tpl_scope_find(tpl_eval *e, assay_text name);

#endif
