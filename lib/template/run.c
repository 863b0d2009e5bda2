/* SPDX-License-Identifier: Apache-2.0 */
#include "template/run.h"

#include "template/eval.h"
#include "template/macro.h"
#include "template/output.h"
#include "template/values/dict.h"
#include "template/values/text.h"

typedef enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE } flow;

typedef struct run {
    tpl_eval e;
    tpl_output *out;
} run;

static flow run_nodes(run *r, const tpl_nodes *nodes);

/* Sets the names that a block hides to undefined, in the current scope, which is the block's. */
static void hide_names(run *r, const tpl_nodes *nodes)
{
    for (size_t i = 0; nodes->hidden && i < nodes->hidden->n; i++)
        tpl_scope_set(&r->e, nodes->hidden->names[i], (tpl_value){0});
}

/* The output of statements as a value, in a scope of their own. */
static tpl_value capture(run *r, const tpl_nodes *nodes)
{
    tpl_scope *const scope = r->e.scope;
    tpl_output *const outer = r->out;
    tpl_output out = {.text = {.t = r->e.t}};
    r->out = &out;
    tpl_scope_enter(&r->e);
    hide_names(r, nodes);
    (void)run_nodes(r, nodes);
    r->e.scope = scope;
    r->out = outer;
    return tpl_output_close(&out);
}

static void assign_member(run *r, const tpl_node *target, tpl_value value)
{
    const tpl_value space = tpl_scope_find(&r->e, target->name);
    r->e.t->line = target->line;
    if (space.kind != TPL_NAMESPACE) {
        (void)tpl_fail_type(r->e.t, space, "an assignment to a member that is not of a namespace");
        return;
    }
    if (target->field.at[0] == '_')
        (void)tpl_fail(r->e.t, ASSAY_EFORMAT, "namespace: found a name that begins with _");
    tpl_dict_set(r->e.t, space, tpl_text(target->field.at, target->field.n), value);
}

static void assign(run *r, const tpl_node *target, tpl_value value)
{
    tpl *t = r->e.t;
    if (target->kind == TPL_NODE_NAME) tpl_scope_set(&r->e, target->name, value);
    else if (target->kind == TPL_NODE_MEMBER) assign_member(r, target, value);
    else if (target->kind == TPL_NODE_TUPLE) {
        const tpl_list *items = tpl_elements(t, value);
        if (items->n != target->list.n)
            (void)tpl_fail(t, ASSAY_EFORMAT, "an assignment to %zu names: found %zu values", target->list.n,
                           items->n);
        for (size_t i = 0; i < target->list.n && tpl_enter(t); i++) {
            assign(r, target->list.at[i], items->items[i]);
            tpl_leave(t);
        }
    } else (void)tpl_fail(t, ASSAY_EFORMAT, "an assignment to something that is not a name");
}

/* Whether an element meets the condition of a loop. */
typedef struct condition {
    run *r;
    const tpl_node *node;
} condition;

static bool meets_condition(tpl *t, void *context, tpl_value item)
{
    const condition *c = context;
    tpl_scope *const scope = c->r->e.scope;
    (void)t;
    tpl_scope_enter(&c->r->e);
    assign(c->r, c->node->a, item);
    const bool meets = tpl_truth(tpl_evaluate(&c->r->e, c->node->c));
    c->r->e.scope = scope;
    return meets;
}

/* Runs a loop over the elements of a value; depth0: of a recursive loop. */
static void run_loop(run *r, const tpl_node *node, tpl_value iterable, size_t depth0)
{
    tpl *t = r->e.t;
    tpl_scope *const scope = r->e.scope;
    condition c = {.r = r, .node = node};
    tpl_loop *loop = tpl_alloc(t, 1, sizeof *loop);
    tpl_value item;
    bool any = false; /* an iteration reached its end: Jinja runs `else` if break or continue ended each */
    if (!loop) return;
    *loop =
        (tpl_loop){.index0 = SIZE_MAX, .depth0 = depth0, .node = node->flag ? node : NULL, .scope = scope};
    loop->source = tpl_cursor_open(t, iterable);
    loop->sized = !loop->source.iterator && !node->c;
    if (node->c) {
        loop->accepts = meets_condition;
        loop->context = &c;
    }
    for (;;) {
        r->e.scope = scope;
        if (t->status != ASSAY_OK || !tpl_loop_next(t, loop, &item)) break;
        tpl_scope_enter(&r->e);
        tpl_scope_set(&r->e, (assay_text){.at = "loop", .n = 4}, (tpl_value){.kind = TPL_LOOP, .loop = loop});
        hide_names(r, &node->body);
        assign(r, node->a, item);
        const flow f = run_nodes(r, &node->body);
        any = any || f == FLOW_NEXT;
        if (f == FLOW_BREAK) break;
    }
    r->e.scope = scope;
    loop->accepts = NULL; /* a macro may hold the scope with this loop longer than `c` lives */
    if (any || node->other.n == 0 || t->status != ASSAY_OK) return;
    tpl_scope_enter(&r->e);
    hide_names(r, &node->other);
    (void)run_nodes(r, &node->other);
    r->e.scope = scope;
}

/* The output of a recursive loop, which jinja2 makes a function. */
static tpl_value capture_loop(run *r, const tpl_node *node, tpl_value iterable, size_t depth0)
{
    tpl_output *const outer = r->out;
    tpl_output out = {.text = {.t = r->e.t}};
    r->out = &out;
    run_loop(r, node, iterable, depth0);
    r->out = outer;
    return tpl_output_close(&out);
}

static tpl_value call_loop(tpl_eval *e, const tpl_loop *loop, const tpl_arguments *args)
{
    tpl_value at[TPL_PARAMETERS_MAX];
    tpl_scope *const scope = e->scope;
    if (!loop->node) {
        (void)tpl_fail(e->t, ASSAY_EFORMAT, "loop: a call needs a recursive loop");
        return (tpl_value){0};
    }
    if (!tpl_bind(e->t, (assay_text){.at = "loop", .n = 4}, args, "!iterable", at)) return (tpl_value){0};
    e->scope = loop->scope;
    const tpl_value text = capture_loop(e->context, loop->node, at[0], loop->depth0 + 1);
    e->scope = scope;
    return text;
}

static tpl_value call_macro(tpl_eval *e, const tpl_function *function, const tpl_arguments *args)
{
    run *r = e->context;
    const tpl_node *macro = function->macro;
    tpl_scope *const scope = e->scope;
    e->scope = (tpl_scope *)function->scope;
    tpl_scope_enter(e);
    tpl_macro_bind(e, macro, args);
    tpl_value text = e->t->status == ASSAY_OK ? capture(r, &macro->body) : (tpl_value){0};
    e->scope = scope;
    return text;
}

static void assign_with(run *r, const tpl_node *node)
{
    tpl_scope *const outer = r->e.scope;
    tpl_scope_enter(&r->e);
    tpl_scope *const inner = r->e.scope;
    for (size_t i = 0; i + 1 < node->list.n && r->e.t->status == ASSAY_OK; i += 2) {
        r->e.scope = outer;
        const tpl_value value = tpl_evaluate(&r->e, node->list.at[i + 1]);
        r->e.scope = inner;
        assign(r, node->list.at[i], value);
    }
    r->e.scope = inner;
}

static flow run_with(run *r, const tpl_node *node)
{
    tpl_scope *const scope = r->e.scope;
    assign_with(r, node);
    hide_names(r, &node->body);
    const flow f = run_nodes(r, &node->body);
    r->e.scope = scope;
    return f;
}

/* `generation`, a macro without parameters that is called where it stands. */
static void run_scope(run *r, const tpl_node *node)
{
    const tpl_function macro = {.macro = node, .scope = r->e.scope};
    const tpl_arguments none = {0};
    const tpl_value text = call_macro(&r->e, &macro, &none);
    tpl_add(&r->out->text, text.text.at, text.text.n);
}

/* The output of a block as the value of a name, or through a filter as output. */
static void run_block(run *r, const tpl_node *node)
{
    tpl_value value = capture(r, &node->body);
    const tpl_node *filter = node->kind == TPL_NODE_SET_BLOCK ? node->b : node->a;
    if (filter && r->e.t->status == ASSAY_OK) value = tpl_evaluate_filter(&r->e, filter, value);
    if (r->e.t->status != ASSAY_OK) return;
    if (node->kind == TPL_NODE_SET_BLOCK) assign(r, node->a, value);
    else tpl_output_add(r->out, value, "filter");
}

static void run_for(run *r, const tpl_node *node, tpl_value iterable)
{
    if (node->flag) tpl_output_add(r->out, capture_loop(r, node, iterable, 0), "for");
    else run_loop(r, node, iterable, 0);
}

static flow run_node(run *r, const tpl_node *node)
{
    tpl_value value;
    switch (node->kind) {
    case TPL_NODE_DATA: tpl_add(&r->out->text, node->name.at, node->name.n); break;
    case TPL_NODE_OUTPUT:
        value = tpl_evaluate(&r->e, node->a);
        r->e.has_infinite = false;
        tpl_add_str(&r->out->text, value);
        break;
    case TPL_NODE_IF:
        value = tpl_evaluate(&r->e, node->a);
        return run_nodes(r, tpl_truth(value) ? &node->body : &node->other);
    case TPL_NODE_FOR:
        value = tpl_evaluate(&r->e, node->b);
        if (r->e.t->status == ASSAY_OK) run_for(r, node, value);
        break;
    case TPL_NODE_SET:
        value = tpl_evaluate(&r->e, node->b);
        if (r->e.t->status == ASSAY_OK) assign(r, node->a, value);
        break;
    case TPL_NODE_SET_BLOCK:
    case TPL_NODE_FILTER_BLOCK: run_block(r, node); break;
    case TPL_NODE_MACRO: tpl_scope_set(&r->e, node->name, tpl_macro_new(&r->e, node, true)); break;
    case TPL_NODE_CALL_BLOCK:
        value = tpl_evaluate_call(&r->e, node->a, tpl_macro_new(&r->e, node->b, false));
        if (r->e.t->status == ASSAY_OK) tpl_output_add(r->out, value, "call");
        break;
    case TPL_NODE_WITH: return run_with(r, node);
    case TPL_NODE_SCOPE: run_scope(r, node); break;
    case TPL_NODE_BREAK: return FLOW_BREAK;
    case TPL_NODE_CONTINUE: return FLOW_CONTINUE;
    default: break;
    }
    return FLOW_NEXT;
}

static flow run_nodes(run *r, const tpl_nodes *nodes)
{
    flow f = FLOW_NEXT;
    if (tpl_enter(r->e.t))
        for (size_t i = 0; i < nodes->n && f == FLOW_NEXT && tpl_step(r->e.t, 1); i++) {
            r->e.t->line = nodes->at[i]->line;
            f = run_node(r, nodes->at[i]);
            tpl_evaluate_end(&r->e);
        }
    tpl_leave(r->e.t);
    return f;
}

assay_text tpl_run(tpl *t, const tpl_node *root, tpl_value variables)
{
    tpl_scope outer = {.vars = variables}, scope = {.parent = &outer};
    tpl_output out = {.text = {.t = t}};
    run r = {.e = {.t = t, .scope = &scope, .call_macro = call_macro, .call_loop = call_loop}, .out = &out};
    r.e.context = &r;
    scope.vars = tpl_dict_new(t);
    if (root->uses_self)
        tpl_scope_set(&r.e, (assay_text){.at = "self", .n = 4}, (tpl_value){.kind = TPL_SELF});
    hide_names(&r, &root->body);
    (void)run_nodes(&r, &root->body);
    return tpl_output_close(&out).text;
}
