/* SPDX-License-Identifier: Apache-2.0 */
#include "template/hidden.h"

#include "template/values/dict.h"

/* A block while it is visited. */
typedef struct block {
    tpl *t;
    const struct block *parent;
    tpl_value names; /* a dict: names that the block reads, or assigns: true if it assigns before it reads */
} block;

static void visit(block *b, const tpl_node *node, bool assigned, bool conditional);

static void visit_name(block *b, assay_text name, bool assigned)
{
    if (!tpl_dict_find_text(b->t, b->names, name))
        tpl_dict_set(b->t, b->names, tpl_text(name.at, name.n), tpl_bool(assigned));
}

static void visit_all(block *b, const tpl_nodes *nodes, bool assigned, bool conditional)
{
    for (size_t i = 0; i < nodes->n && tpl_step(b->t, 1); i++) visit(b, nodes->at[i], assigned, conditional);
}

/* A name that is assigned within `if` begins with the value that it has around the block. */
static void visit_node(block *b, const tpl_node *node, bool assigned, bool conditional)
{
    switch (node->kind) {
    case TPL_NODE_NAME: visit_name(b, node->name, assigned && !conditional); break;
    case TPL_NODE_MEMBER: visit_name(b, node->name, false); break;
    case TPL_NODE_MACRO: visit_name(b, node->name, !conditional); break;
    case TPL_NODE_IF:
        visit(b, node->a, false, conditional);
        visit_all(b, &node->body, false, true);
        visit_all(b, &node->other, false, true);
        break;
    case TPL_NODE_FOR: visit(b, node->b, false, conditional); break;
    case TPL_NODE_SET:
        visit(b, node->b, false, conditional);
        visit(b, node->a, true, conditional);
        break;
    case TPL_NODE_SET_BLOCK: visit(b, node->a, true, conditional); break;
    case TPL_NODE_WITH:
        for (size_t i = 1; i < node->list.n; i += 2) visit(b, node->list.at[i], false, conditional);
        break;
    case TPL_NODE_CALL_BLOCK:
    case TPL_NODE_FILTER_BLOCK: visit(b, node->a, false, conditional); break;
    case TPL_NODE_SCOPE: break;
    default:
        visit(b, node->a, assigned, conditional);
        visit(b, node->b, assigned, conditional);
        visit(b, node->c, assigned, conditional);
        visit_all(b, &node->list, assigned, conditional);
    }
}

static void visit(block *b, const tpl_node *node, bool assigned, bool conditional)
{
    if (!node) return;
    if (tpl_enter(b->t)) visit_node(b, node, assigned, conditional);
    tpl_leave(b->t);
}

/* The names that a block gets a value for when it begins. */
static void add_parameters(block *b, const tpl_node *node)
{
    const bool is_macro = node->kind == TPL_NODE_MACRO;
    if (node->kind == TPL_NODE_FOR) {
        visit(b, node->a, false, false);
        visit_name(b, (assay_text){.at = "loop", .n = 4}, false);
    }
    for (size_t i = 0; node->kind == TPL_NODE_WITH && i < node->list.n; i += 2)
        visit(b, node->list.at[i], false, false);
    for (size_t i = 0; is_macro && i < node->list.n; i++) visit_name(b, node->list.at[i]->name, false);
    for (size_t i = 0; is_macro && i < node->list.n; i++) visit(b, node->list.at[i]->a, false, false);
    if (node->uses_caller) visit_name(b, (assay_text){.at = "caller", .n = 6}, false);
    if (node->uses_varargs) visit_name(b, (assay_text){.at = "varargs", .n = 7}, false);
    if (node->uses_kwargs) visit_name(b, (assay_text){.at = "kwargs", .n = 6}, false);
    if (node->uses_self) visit_name(b, (assay_text){.at = "self", .n = 4}, false);
}

static bool is_used_around(const block *b, assay_text name)
{
    for (const block *at = b->parent; at && tpl_step(b->t, 1); at = at->parent)
        if (tpl_dict_find_text(b->t, at->names, name)) return true;
    return false;
}

static void set_hidden(const block *b, tpl_hidden *hidden)
{
    size_t capacity = 0;
    for (size_t i = 0; b->names.kind == TPL_DICT && i < b->names.dict->n && tpl_step(b->t, 1); i++) {
        const tpl_entry *name = &b->names.dict->entries[i];
        if (!name->value.truth || is_used_around(b, name->key.text)) continue;
        assay_text *names = tpl_grow(b->t, hidden->names, hidden->n, &capacity, sizeof *names);
        if (!names) return;
        names[hidden->n++] = name->key.text;
        hidden->names = names;
    }
}

static void visit_blocks(const block *b, const tpl_nodes *nodes);

/* A block: the statements `nodes` of `node`. with_parameters: not for the `else` of a loop. */
static void visit_block(const block *parent, tpl *t, const tpl_node *node, const tpl_nodes *nodes,
                        bool with_parameters)
{
    block b = {.t = t, .parent = parent, .names = tpl_dict_new(t)};
    if (tpl_enter(t) && nodes->hidden) {
        if (with_parameters) add_parameters(&b, node);
        visit_all(&b, nodes, false, false);
        if (node->kind == TPL_NODE_FILTER_BLOCK) visit(&b, node->a, false, false);
        set_hidden(&b, nodes->hidden);
        visit_blocks(&b, nodes);
    }
    tpl_leave(t);
}

/* The blocks among statements; those of `if` belong to the block around it. */
static void visit_blocks(const block *b, const tpl_nodes *nodes)
{
    for (size_t i = 0; i < nodes->n && tpl_step(b->t, 1); i++) {
        const tpl_node *node = nodes->at[i];
        switch (node->kind) {
        case TPL_NODE_IF:
            if (tpl_enter(b->t)) {
                visit_blocks(b, &node->body);
                visit_blocks(b, &node->other);
            }
            tpl_leave(b->t);
            break;
        case TPL_NODE_FOR: visit_block(b, b->t, node, &node->other, false); /* fall through */
        case TPL_NODE_SET_BLOCK:
        case TPL_NODE_WITH:
        case TPL_NODE_MACRO:
        case TPL_NODE_FILTER_BLOCK:
        case TPL_NODE_SCOPE: visit_block(b, b->t, node, &node->body, true); break;
        case TPL_NODE_CALL_BLOCK: visit_block(b, b->t, node->b, &node->b->body, true); break;
        default: break;
        }
    }
}

void tpl_find_hidden(tpl *t, const tpl_node *root)
{
    visit_block(NULL, t, root, &root->body, true);
}
