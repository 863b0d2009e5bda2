/* The syntax tree of a template.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_NODE_H
#define TEMPLATE_NODE_H

#include "template/values/value.h"

typedef enum tpl_node_kind {
    /* Expressions. */
    TPL_NODE_CONST,   /* value */
    TPL_NODE_NAME,    /* name */
    TPL_NODE_TUPLE,   /* list */
    TPL_NODE_LIST,    /* list */
    TPL_NODE_DICT,    /* list: key, value, key, value, … */
    TPL_NODE_SLICE,   /* a:b:c, each may be NULL */
    TPL_NODE_ATTR,    /* a.name */
    TPL_NODE_ITEM,    /* a[b] */
    TPL_NODE_CALL,    /* a(list) */
    TPL_NODE_KEYWORD, /* name=a, an argument */
    TPL_NODE_SPREAD,  /* *a or, flag, **a, an argument */
    TPL_NODE_FILTER, /* a|name(list); flag: of a block, whose output is the operand of the first filter, which
                        has no a */
    TPL_NODE_TEST,   /* a is name(list) */
    TPL_NODE_NOT,    /* not a */
    TPL_NODE_NEGATE, /* -a */
    TPL_NODE_PLUS,   /* +a */
    TPL_NODE_AND,    /* a and b */
    TPL_NODE_OR,     /* a or b */
    TPL_NODE_BINARY, /* a name b */
    TPL_NODE_CONCAT, /* list, with ~ between */
    TPL_NODE_COMPARE, /* a, compared with the operands of list */
    TPL_NODE_OPERAND, /* name a: an operator and what is right of it */
    TPL_NODE_CHOICE,  /* a if b else c; c may be NULL */
    TPL_NODE_MEMBER,  /* name.field, assigned to */

    /* Statements. */
    TPL_NODE_DATA,       /* name: the text */
    TPL_NODE_OUTPUT,     /* {{ a }} */
    TPL_NODE_IF,         /* if a: body, else: other */
    TPL_NODE_FOR,        /* for a in b if c: body, else: other; flag: recursive */
    TPL_NODE_SET,        /* a = b */
    TPL_NODE_SET_BLOCK,  /* a = body, through the filter b, which may be NULL */
    TPL_NODE_WITH,       /* list: target, value, …; body */
    TPL_NODE_MACRO,      /* name(list): body; the parameters are names with a default a, which may be NULL */
    TPL_NODE_CALL_BLOCK, /* a: the call; b: the macro `caller` */
    TPL_NODE_FILTER_BLOCK, /* a: the filter; body */
    TPL_NODE_SCOPE,        /* body, in a scope of its own: generation */
    TPL_NODE_BREAK,
    TPL_NODE_CONTINUE
} tpl_node_kind;

typedef struct tpl_node tpl_node;

/* Names that are undefined when a block begins (hidden.h). */
typedef struct tpl_hidden {
    assay_text *names; /* [n] */
    size_t n;
} tpl_hidden;

typedef struct tpl_nodes {
    const tpl_node **at; /* [n] */
    size_t n, capacity;
    tpl_hidden *hidden; /* of the statements of a block; NULL: none */
} tpl_nodes;

struct tpl_node {
    tpl_node_kind kind;
    unsigned line;
    assay_text name, field;
    tpl_value value;
    const tpl_node *a, *b, *c;
    tpl_nodes list, body, other;
    bool flag;
    bool uses_caller, uses_varargs, uses_kwargs; /* of a macro (implicit.h) */
    bool uses_self;                              /* of a template (implicit.h) */
};

#endif
