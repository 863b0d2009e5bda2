/* SPDX-License-Identifier: Apache-2.0 */
#include "template/implicit.h"

enum { CALLER, VARARGS, KWARGS, SELF, N_NAMES };

typedef struct search {
    tpl *t;
    bool assigned[N_NAMES], used[N_NAMES];
} search;

static void visit(search *s, const tpl_node *node, bool assigns);

static void visit_name(search *s, assay_text name, bool assigns)
{
    static const char *const names[N_NAMES] = {"caller", "varargs", "kwargs", "self"};
    for (size_t i = 0; i < N_NAMES; i++) {
        if (!tpl_same_text(name, names[i])) continue;
        if (assigns) s->assigned[i] = true;
        else if (!s->assigned[i]) s->used[i] = true;
    }
}

static void visit_all(search *s, const tpl_nodes *nodes)
{
    for (size_t i = 0; i < nodes->n && tpl_step(s->t, 1); i++) visit(s, nodes->at[i], false);
}

/* The parameters, their defaults, and the body. */
static void visit_macro(search *s, const tpl_node *macro)
{
    for (size_t i = 0; i < macro->list.n; i++) visit_name(s, macro->list.at[i]->name, true);
    for (size_t i = 0; i < macro->list.n; i++) visit(s, macro->list.at[i]->a, false);
    visit_all(s, &macro->body);
}

/* The order is that of jinja2's nodes, since an assignment counts only for what follows. */
static void visit_node(search *s, const tpl_node *node, bool assigns)
{
    switch (node->kind) {
    case TPL_NODE_NAME: visit_name(s, node->name, assigns); break;
    case TPL_NODE_MEMBER: break;
    case TPL_NODE_MACRO: visit_macro(s, node); break;
    case TPL_NODE_CALL_BLOCK:
        visit(s, node->a, false);
        visit_macro(s, node->b);
        break;
    case TPL_NODE_FOR:
        visit(s, node->a, true);
        visit(s, node->b, false);
        visit_all(s, &node->body);
        visit_all(s, &node->other);
        visit(s, node->c, false);
        break;
    case TPL_NODE_SET:
    case TPL_NODE_SET_BLOCK:
        visit(s, node->a, true);
        visit(s, node->b, false);
        visit_all(s, &node->body);
        break;
    case TPL_NODE_WITH:
        for (size_t i = 0; i < node->list.n; i += 2) visit(s, node->list.at[i], true);
        for (size_t i = 1; i < node->list.n; i += 2) visit(s, node->list.at[i], false);
        visit_all(s, &node->body);
        break;
    case TPL_NODE_FILTER_BLOCK:
        visit_all(s, &node->body);
        visit(s, node->a, false);
        break;
    default:
        visit(s, node->a, assigns);
        visit(s, node->b, assigns);
        visit(s, node->c, assigns);
        for (size_t i = 0; i < node->list.n && tpl_step(s->t, 1); i++) visit(s, node->list.at[i], assigns);
        visit_all(s, &node->body);
        visit_all(s, &node->other);
    }
}

static void visit(search *s, const tpl_node *node, bool assigns)
{
    if (!node) return;
    if (tpl_enter(s->t)) visit_node(s, node, assigns);
    tpl_leave(s->t);
}

void tpl_find_implicit(tpl *t, tpl_node *macro)
{
    search s = {.t = t};
    visit_all(&s, &macro->body);
    macro->uses_caller = s.used[CALLER];
    macro->uses_varargs = s.used[VARARGS];
    macro->uses_kwargs = s.used[KWARGS];
    for (size_t i = 0; i < macro->list.n; i++) {
        const tpl_node *parameter = macro->list.at[i];
        if (tpl_same_text(parameter->name, "varargs")) macro->uses_varargs = false;
        if (tpl_same_text(parameter->name, "kwargs")) macro->uses_kwargs = false;
        if (macro->uses_caller && !parameter->a && tpl_same_text(parameter->name, "caller"))
            (void)tpl_fail(t, ASSAY_EFORMAT, "found a parameter \"caller\" without a default");
    }
}

void tpl_find_self(tpl *t, tpl_node *root)
{
    search s = {.t = t};
    visit_all(&s, &root->body);
    root->uses_self = s.used[SELF];
}
