/* SPDX-License-Identifier: Apache-2.0 */
#include "template/walk.h"

#include "template/filters/filters.h"
#include "template/filters/is.h"

typedef struct walk {
    tpl *t;
    tpl_visit_fn *visit;
    void *context;
} walk;

static void walk_node(walk *w, const tpl_node *node, bool conditional);

static void walk_nodes(walk *w, const tpl_nodes *nodes, bool conditional)
{
    for (size_t i = 0; i < nodes->n && tpl_step(w->t, 1); i++) walk_node(w, nodes->at[i], conditional);
}

/* What a node holds besides its statements. */
static void walk_parts(walk *w, const tpl_node *node, bool conditional)
{
    walk_node(w, node->a, conditional);
    walk_node(w, node->b, conditional);
    walk_node(w, node->c, conditional);
    walk_nodes(w, &node->list, conditional);
}

static void walk_within(walk *w, const tpl_node *node, bool conditional)
{
    switch (node->kind) {
    case TPL_NODE_CHOICE: walk_parts(w, node, true); break;
    case TPL_NODE_IF:
        walk_node(w, node->a, true);
        walk_nodes(w, &node->body, true);
        walk_nodes(w, &node->other, true);
        break;
    case TPL_NODE_FOR:
        walk_node(w, node->a, conditional);
        walk_node(w, node->b, conditional);
        walk_node(w, node->c, false);
        walk_nodes(w, &node->body, false);
        walk_nodes(w, &node->other, false);
        break;
    case TPL_NODE_MACRO:
    case TPL_NODE_FILTER_BLOCK:
        walk_parts(w, node, false);
        walk_nodes(w, &node->body, false);
        break;
    case TPL_NODE_SET_BLOCK:
        walk_node(w, node->a, conditional);
        walk_node(w, node->b, false);
        walk_nodes(w, &node->body, false);
        break;
    default: walk_parts(w, node, conditional); walk_nodes(w, &node->body, false);
    }
}

static void walk_node(walk *w, const tpl_node *node, bool conditional)
{
    if (!node) return;
    if (tpl_enter(w->t)) {
        w->visit(w->t, w->context, node, conditional);
        walk_within(w, node, conditional);
    }
    tpl_leave(w->t);
}

void tpl_walk(tpl *t, const tpl_node *root, tpl_visit_fn *visit, void *context)
{
    walk w = {.t = t, .visit = visit, .context = context};
    walk_nodes(&w, &root->body, false);
}

static void check_name(tpl *t, void *context, const tpl_node *node, bool conditional)
{
    const bool is_filter = node->kind == TPL_NODE_FILTER;
    (void)context;
    if (conditional || (!is_filter && node->kind != TPL_NODE_TEST)) return;
    if (is_filter ? tpl_is_filter(node->name) : tpl_is_test(node->name)) return;
    t->line = node->line;
    (void)tpl_fail(t, ASSAY_EFORMAT, "found the %s \"%.*s\", which does not exist",
                   is_filter ? "filter" : "test", node->name.n > 60 ? 60 : (int)node->name.n, node->name.at);
}

void tpl_check_names(tpl *t, const tpl_node *root)
{
    tpl_walk(t, root, check_name, NULL);
}
