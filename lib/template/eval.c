/* SPDX-License-Identifier: Apache-2.0 */
#include "template/eval.h"

#include <math.h>

#include "template/filters/filters.h"
#include "template/filters/is.h"
#include "template/values/dict.h"
#include "template/values/globals.h"
#include "template/values/item.h"
#include "template/values/methods.h"
#include "template/values/operate.h"
#include "template/values/text.h"

void tpl_scope_enter(tpl_eval *e)
{
    tpl_scope *scope = tpl_alloc(e->t, 1, sizeof *scope);
    if (!scope) return;
    scope->parent = e->scope;
    e->scope = scope;
}

void tpl_scope_set(tpl_eval *e, assay_text name, tpl_value value)
{
    if (e->scope->vars.kind != TPL_DICT) e->scope->vars = tpl_dict_new(e->t);
    tpl_dict_set(e->t, e->scope->vars, tpl_text(name.at, name.n), value);
}

tpl_value tpl_scope_find(tpl_eval *e, assay_text name)
{
    for (const tpl_scope *scope = e->scope; scope && tpl_step(e->t, 1); scope = scope->parent) {
        const tpl_value *found = tpl_dict_find_text(e->t, scope->vars, name);
        if (found) return *found;
    }
    return tpl_global(e->t, name);
}

/* Adds a named argument, which must be the only one of its name. */
static void add_named(tpl *t, tpl_arguments *args, tpl_value name, tpl_value value)
{
    if (args->named.kind != TPL_DICT) args->named = tpl_dict_new(t);
    if (tpl_dict_find(t, args->named, name, false))
        (void)tpl_fail(t, ASSAY_EFORMAT, "the argument %.*s is passed twice",
                       name.text.n > 60 ? 60 : (int)name.text.n, name.text.at);
    tpl_dict_set(t, args->named, name, value);
}

/* Adds the elements of a value to those by position, or its members to the named arguments. */
static void add_spread(tpl *t, tpl_arguments *args, tpl_value positional, tpl_value value, bool members)
{
    if (!members) {
        const tpl_list *elements = tpl_elements(t, value);
        for (size_t i = 0; elements && i < elements->n && tpl_step(t, 1); i++)
            tpl_list_add(t, positional, elements->items[i]);
        return;
    }
    if (value.kind != TPL_DICT) {
        (void)tpl_fail_type(t, value, "** of an argument");
        return;
    }
    for (size_t i = 0; i < value.dict->n && tpl_step(t, 1); i++) {
        const tpl_entry *entry = &value.dict->entries[i];
        if (entry->key.kind != TPL_STRING)
            (void)tpl_fail_type(t, entry->key, "** of an argument, whose keys are strings");
        else add_named(t, args, entry->key, entry->value);
    }
}

static void add_caller(tpl *t, tpl_arguments *args, tpl_value *caller)
{
    if (caller->kind == TPL_FUNCTION) add_named(t, args, tpl_string("caller"), *caller);
    *caller = (tpl_value){0};
}

/* Evaluates the arguments of a call. caller: the argument of that name, after those by name and before **, or
 * undefined. */
static tpl_arguments evaluate_arguments(tpl_eval *e, const tpl_nodes *nodes, tpl_value caller)
{
    tpl_arguments args = {0};
    const tpl_value positional = nodes->n > 0 ? tpl_list_new(e->t, TPL_PLAIN) : (tpl_value){0};
    for (size_t i = 0; i < nodes->n && e->t->status == ASSAY_OK; i++) {
        const tpl_node *node = nodes->at[i];
        if (node->kind == TPL_NODE_SPREAD && node->flag) add_caller(e->t, &args, &caller);
        const bool within = node->kind == TPL_NODE_KEYWORD || node->kind == TPL_NODE_SPREAD;
        const tpl_value value = tpl_evaluate(e, within ? node->a : node);
        if (e->t->status != ASSAY_OK) break;
        if (!within) tpl_list_add(e->t, positional, value);
        else if (node->kind == TPL_NODE_SPREAD) add_spread(e->t, &args, positional, value, node->flag);
        else add_named(e->t, &args, tpl_text(node->name.at, node->name.n), value);
    }
    add_caller(e->t, &args, &caller);
    if (positional.kind == TPL_LIST) {
        args.at = positional.list->items;
        args.n = positional.list->n;
    }
    return args;
}

static tpl_value call(tpl_eval *e, tpl_value callee, const tpl_arguments *args)
{
    if (e->t->status != ASSAY_OK) return (tpl_value){0};
    if (callee.kind == TPL_LOOP) return e->call_loop(e, callee.loop, args);
    if (callee.kind != TPL_FUNCTION) return tpl_fail_type(e->t, callee, "a call");
    if (callee.function->macro) return e->call_macro(e, callee.function, args);
    if (callee.function->self.kind == TPL_LOOP) return tpl_loop_call(e->t, callee.function, args);
    if (callee.function->self.kind == TPL_UNDEFINED) return tpl_global_call(e->t, callee.function, args);
    return tpl_method_call(e->t, callee.function, args, &tpl_item_access);
}

tpl_value tpl_evaluate_call(tpl_eval *e, const tpl_node *node, tpl_value caller)
{
    const tpl_value callee = tpl_evaluate(e, node->a);
    if (callee.kind == TPL_UNDEFINED && e->t->status == ASSAY_OK && node->a->kind == TPL_NODE_NAME)
        (void)tpl_fail(e->t, ASSAY_EFORMAT, "the function \"%.*s\" is undefined",
                       node->a->name.n > 60 ? 60 : (int)node->a->name.n, node->a->name.at);
    const tpl_arguments args = evaluate_arguments(e, &node->list, caller);
    e->t->line = node->line;
    return call(e, callee, &args);
}

tpl_value tpl_evaluate_filter(tpl_eval *e, const tpl_node *node, tpl_value input)
{
    if (node->a && !node->flag) input = tpl_evaluate(e, node->a);
    else if (node->a) {
        if (tpl_enter(e->t)) input = tpl_evaluate_filter(e, node->a, input);
        tpl_leave(e->t);
    }
    const tpl_arguments args = evaluate_arguments(e, &node->list, (tpl_value){0});
    e->t->line = node->line;
    if (e->t->status != ASSAY_OK) return (tpl_value){0};
    return tpl_filter(e->t, node->name, input, &args);
}

static tpl_value evaluate_test(tpl_eval *e, const tpl_node *node)
{
    const tpl_value value = tpl_evaluate(e, node->a);
    const tpl_arguments args = evaluate_arguments(e, &node->list, (tpl_value){0});
    e->t->line = node->line;
    if (e->t->status != ASSAY_OK) return (tpl_value){0};
    /* The tests `filter` and `test` are here, since filters use tests. */
    const bool is_filter = tpl_same_text(node->name, "filter");
    if ((is_filter || tpl_same_text(node->name, "test")) && args.n == 0 && value.kind == TPL_STRING)
        return tpl_bool(is_filter ? tpl_is_filter(value.text) : tpl_is_test(value.text));
    return tpl_bool(tpl_is(e->t, node->name, value, &args));
}

static tpl_value evaluate_list(tpl_eval *e, const tpl_node *node)
{
    tpl_value list = tpl_list_new(e->t, node->kind == TPL_NODE_TUPLE ? TPL_TUPLE : TPL_PLAIN);
    for (size_t i = 0; i < node->list.n && e->t->status == ASSAY_OK; i++)
        tpl_list_add(e->t, list, tpl_evaluate(e, node->list.at[i]));
    return list;
}

static tpl_value evaluate_dict(tpl_eval *e, const tpl_node *node)
{
    tpl_value dict = tpl_dict_new(e->t);
    for (size_t i = 0; i + 1 < node->list.n && e->t->status == ASSAY_OK; i += 2) {
        const tpl_value key = tpl_evaluate(e, node->list.at[i]);
        tpl_dict_set(e->t, dict, key, tpl_evaluate(e, node->list.at[i + 1]));
    }
    return dict;
}

static tpl_value evaluate_concat(tpl_eval *e, const tpl_node *node)
{
    tpl_builder b = {.t = e->t};
    for (size_t i = 0; i < node->list.n && e->t->status == ASSAY_OK; i++)
        tpl_add_str(&b, tpl_evaluate(e, node->list.at[i]));
    return tpl_built(&b);
}

static tpl_value evaluate_comparison(tpl_eval *e, const tpl_node *node)
{
    tpl_value left = tpl_evaluate(e, node->a);
    bool holds = true;
    for (size_t i = 0; holds && i < node->list.n && e->t->status == ASSAY_OK; i++) {
        const tpl_value right = tpl_evaluate(e, node->list.at[i]->a);
        e->t->line = node->line;
        holds = tpl_holds(e->t, node->list.at[i]->name, left, right);
        left = right;
    }
    return tpl_bool(holds);
}

/* Whether jinja2 computes an expression when it compiles. */
static bool is_constant(tpl *t, const tpl_node *node)
{
    const bool computed = node->kind != TPL_NODE_NAME && node->kind != TPL_NODE_CALL &&
                          (node->kind != TPL_NODE_FILTER || (node->a && !tpl_filter_has_context(node->name)));
    const tpl_node *const parts[] = {node->a, node->b, node->c};
    for (size_t i = 0; computed && i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && !(tpl_step(t, 1) && is_constant(t, parts[i]))) return false;
    for (size_t i = 0; computed && i < node->list.n; i++)
        if (!(tpl_step(t, 1) && is_constant(t, node->list.at[i]))) return false;
    return computed;
}

static tpl_value evaluate_item(tpl_eval *e, const tpl_node *node)
{
    const tpl_value object = tpl_evaluate(e, node->a), none = tpl_none();
    const tpl_node *slice = node->b;
    if (slice->kind != TPL_NODE_SLICE) {
        const tpl_value key = tpl_evaluate(e, slice);
        e->t->line = node->line;
        return e->t->status == ASSAY_OK ? tpl_item(e->t, object, key) : key;
    }
    const tpl_value from = slice->a ? tpl_evaluate(e, slice->a) : none;
    const tpl_value to = slice->b ? tpl_evaluate(e, slice->b) : none;
    const tpl_value step = slice->c ? tpl_evaluate(e, slice->c) : none;
    e->t->line = node->line;
    if (e->t->status != ASSAY_OK) return none;
    /* jinja2 has an undefined value for it when it compiles, and an error when it renders. */
    if (!tpl_has_slice(object, from, to, step) && is_constant(e->t, node))
        (void)tpl_fail(e->t, ASSAY_EUNSUPPORTED, "a slice of a constant that has none is not supported");
    return tpl_slice(e->t, object, from, to, step);
}

static tpl_value evaluate_attribute(tpl_eval *e, const tpl_node *node)
{
    const tpl_value object = tpl_evaluate(e, node->a);
    e->t->line = node->line;
    if (e->t->status != ASSAY_OK) return (tpl_value){0};
    if (object.kind == TPL_UNDEFINED && node->a->kind == TPL_NODE_NAME) {
        (void)tpl_fail(e->t, tpl_is_internal(node->name) ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT,
                       "the attribute \"%.*s\" of \"%.*s\", which is undefined",
                       node->name.n > 60 ? 60 : (int)node->name.n, node->name.at,
                       node->a->name.n > 60 ? 60 : (int)node->a->name.n, node->a->name.at);
        return object;
    }
    return tpl_attribute(e->t, object, node->name);
}

static tpl_value evaluate_choice(tpl_eval *e, const tpl_node *node)
{
    if (tpl_truth(tpl_evaluate(e, node->b))) return tpl_evaluate(e, node->a);
    return node->c && e->t->status == ASSAY_OK ? tpl_evaluate(e, node->c) : (tpl_value){0};
}

static tpl_value evaluate_binary(tpl_eval *e, const tpl_node *node)
{
    const tpl_value left = tpl_evaluate(e, node->a);
    if (node->kind == TPL_NODE_AND) return tpl_truth(left) ? tpl_evaluate(e, node->b) : left;
    if (node->kind == TPL_NODE_OR) return tpl_truth(left) ? left : tpl_evaluate(e, node->b);
    const tpl_value right = tpl_evaluate(e, node->b);
    e->t->line = node->line;
    return tpl_binary(e->t, node->name, left, right);
}

static tpl_value evaluate_node(tpl_eval *e, const tpl_node *node)
{
    switch (node->kind) {
    case TPL_NODE_CONST: return node->value;
    case TPL_NODE_NAME: return tpl_scope_find(e, node->name);
    case TPL_NODE_TUPLE:
    case TPL_NODE_LIST: return evaluate_list(e, node);
    case TPL_NODE_DICT: return evaluate_dict(e, node);
    case TPL_NODE_ATTR: return evaluate_attribute(e, node);
    case TPL_NODE_ITEM: return evaluate_item(e, node);
    case TPL_NODE_CALL: return tpl_evaluate_call(e, node, (tpl_value){0});
    case TPL_NODE_FILTER: return tpl_evaluate_filter(e, node, (tpl_value){0});
    case TPL_NODE_TEST: return evaluate_test(e, node);
    case TPL_NODE_NOT: return tpl_bool(!tpl_truth(tpl_evaluate(e, node->a)));
    case TPL_NODE_NEGATE:
    case TPL_NODE_PLUS: return tpl_negate(e->t, tpl_evaluate(e, node->a), node->kind == TPL_NODE_NEGATE);
    case TPL_NODE_AND:
    case TPL_NODE_OR:
    case TPL_NODE_BINARY: return evaluate_binary(e, node);
    case TPL_NODE_CONCAT: return evaluate_concat(e, node);
    case TPL_NODE_COMPARE: return evaluate_comparison(e, node);
    case TPL_NODE_CHOICE: return evaluate_choice(e, node);
    default: (void)tpl_fail(e->t, ASSAY_EUNSUPPORTED, "found a slice, expected an expression");
    }
    return (tpl_value){0};
}

static bool is_finite(tpl_value v)
{
    bool finite = v.kind != TPL_FLOAT || isfinite(v.real);
    if (v.kind == TPL_LIST && v.list->kind <= TPL_TUPLE)
        for (size_t i = 0; i < v.list->n; i++)
            finite = finite && (v.list->items[i].kind != TPL_FLOAT || isfinite(v.list->items[i].real));
    return finite;
}

void tpl_evaluate_end(tpl_eval *e)
{
    if (e->has_infinite)
        (void)tpl_fail(e->t, ASSAY_EUNSUPPORTED,
                       "a constant that is not finite is not supported in an expression");
}

tpl_value tpl_evaluate(tpl_eval *e, const tpl_node *node)
{
    tpl_value v = {0};
    const bool before = e->has_infinite; /* of an operand beside this one */
    e->has_infinite = false;
    if (tpl_enter(e->t)) {
        e->t->line = node->line;
        v = evaluate_node(e, node);
        const bool finite = is_finite(v);
        if ((e->has_infinite || !finite) && is_constant(e->t, node)) e->has_infinite = !finite;
        else tpl_evaluate_end(e);
    }
    e->has_infinite = e->has_infinite || before;
    tpl_leave(e->t);
    return e->t->status == ASSAY_OK ? v : (tpl_value){0};
}
