/* SPDX-License-Identifier: Apache-2.0 */
#include "template/hidden.h"

typedef struct names {
    tpl *t;
    tpl_value seen; /* a dict: names that were read or assigned */
    tpl_value vars;
} names;

static void visit(names *n, const tpl_node *node, bool assigned, bool conditional);

static void visit_name(names *n, assay_text name, bool assigned)
{
    if (tpl_dict_find_text(n->t, n->seen, name)) return;
    tpl_dict_set(n->t, n->seen, tpl_text(name.at, name.n), tpl_none());
    if (assigned) tpl_dict_set(n->t, n->vars, tpl_text(name.at, name.n), (tpl_value){0});
}

static void visit_all(names *n, const tpl_nodes *nodes, bool assigned, bool conditional)
{
    for (size_t i = 0; i < nodes->n && tpl_step(n->t, 1); i++) visit(n, nodes->at[i], assigned, conditional);
}

/* A name that is assigned within `if` is read from the caller's variables otherwise. */
static void visit_node(names *n, const tpl_node *node, bool assigned, bool conditional)
{
    switch (node->kind) {
    case TPL_NODE_NAME: visit_name(n, node->name, assigned && !conditional); break;
    case TPL_NODE_MEMBER: visit_name(n, node->name, false); break;
    case TPL_NODE_MACRO: visit_name(n, node->name, !conditional); break;
    case TPL_NODE_IF:
        visit(n, node->a, false, conditional);
        visit_all(n, &node->body, false, true);
        visit_all(n, &node->other, false, true);
        break;
    case TPL_NODE_FOR: visit(n, node->b, false, conditional); break;
    case TPL_NODE_SET:
        visit(n, node->b, false, conditional);
        visit(n, node->a, true, conditional);
        break;
    case TPL_NODE_SET_BLOCK: visit(n, node->a, true, conditional); break;
    case TPL_NODE_WITH:
        for (size_t i = 1; i < node->list.n; i += 2) visit(n, node->list.at[i], false, conditional);
        break;
    case TPL_NODE_CALL_BLOCK:
    case TPL_NODE_FILTER_BLOCK: visit(n, node->a, false, conditional); break;
    case TPL_NODE_SCOPE: break;
    default:
        visit(n, node->a, assigned, conditional);
        visit(n, node->b, assigned, conditional);
        visit(n, node->c, assigned, conditional);
        visit_all(n, &node->list, assigned, conditional);
    }
}

static void visit(names *n, const tpl_node *node, bool assigned, bool conditional)
{
    if (!node) return;
    if (tpl_enter(n->t)) visit_node(n, node, assigned, conditional);
    tpl_leave(n->t);
}

void tpl_hide_names(tpl *t, const tpl_node *root, tpl_value vars)
{
    names n = {.t = t, .seen = tpl_dict_new(t), .vars = vars};
    visit_all(&n, &root->body, false, false);
}
