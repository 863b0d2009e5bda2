/* SPDX-License-Identifier: Apache-2.0 */
#include "template/macro.h"

#include "template/values/dict.h"

static const assay_text caller_name = {.at = "caller", .n = 6};

/* The index of a parameter, or the number of parameters. */
static size_t find_parameter(const tpl_node *macro, assay_text name)
{
    size_t i = 0;
    while (i < macro->list.n && !tpl_same(macro->list.at[i]->name, name)) i++;
    return i;
}

/* The attributes of jinja2's macros. */
static tpl_value macro_attribute(tpl *t, const tpl_function *function, assay_text name)
{
    const tpl_node *macro = function->macro;
    if (tpl_same_text(name, "name"))
        return function->macro_name.at ? tpl_text(function->macro_name.at, function->macro_name.n)
                                       : tpl_none();
    if (tpl_same_text(name, "catch_kwargs")) return tpl_bool(macro->uses_kwargs);
    if (tpl_same_text(name, "catch_varargs")) return tpl_bool(macro->uses_varargs);
    if (tpl_same_text(name, "caller")) return tpl_bool(macro->uses_caller);
    if (tpl_same_text(name, "explicit_caller"))
        return tpl_bool(find_parameter(macro, caller_name) < macro->list.n);
    if (!tpl_same_text(name, "arguments")) return (tpl_value){0};
    tpl_value names = tpl_list_new(t, TPL_TUPLE);
    for (size_t i = 0; i < macro->list.n; i++)
        tpl_list_add(t, names, tpl_text(macro->list.at[i]->name.at, macro->list.at[i]->name.n));
    return names;
}

tpl_value tpl_macro_new(tpl_eval *e, const tpl_node *node, bool has_name)
{
    tpl_function *function = tpl_alloc(e->t, 1, sizeof *function);
    if (!function) return (tpl_value){0};
    *function =
        (tpl_function){.name = "macro", .macro = node, .scope = e->scope, .attribute = macro_attribute};
    if (has_name) function->macro_name = node->name;
    return (tpl_value){.kind = TPL_FUNCTION, .function = function};
}

/* What the parameters leave over of the named arguments. */
static tpl_value rest_of_named(tpl *t, const tpl_node *macro, const tpl_arguments *args)
{
    const size_t n = args->named.kind == TPL_DICT ? args->named.dict->n : 0;
    tpl_value rest = tpl_dict_new(t);
    for (size_t i = 0; i < n && tpl_step(t, macro->list.n); i++) {
        const tpl_entry *entry = &args->named.dict->entries[i];
        const size_t parameter = find_parameter(macro, entry->key.text);
        if (parameter < args->n || parameter == macro->list.n)
            tpl_dict_set(t, rest, entry->key, entry->value);
    }
    return rest;
}

/* Sets `caller`, if the macro uses it; what was passed leaves `rest`. */
static tpl_value bind_caller(tpl_eval *e, const tpl_node *macro, const tpl_arguments *args, tpl_value rest)
{
    const size_t parameter = find_parameter(macro, caller_name);
    const bool is_bound = parameter < macro->list.n && (args->n >= macro->list.n || parameter >= args->n);
    if (!macro->uses_caller || is_bound) return rest;
    if (parameter < macro->list.n)
        (void)tpl_fail(e->t, ASSAY_EFORMAT, "the macro %.*s: the parameter \"caller\" is passed by position",
                       (int)macro->name.n, macro->name.at);
    const tpl_value *passed = tpl_dict_find_text(e->t, rest, caller_name);
    const tpl_value none = {0};
    tpl_scope_set(e, caller_name, passed && passed->kind != TPL_NONE ? *passed : none);
    tpl_value other = tpl_dict_new(e->t);
    for (size_t i = 0; rest.kind == TPL_DICT && i < rest.dict->n; i++)
        if (!tpl_same_text(rest.dict->entries[i].key.text, "caller"))
            tpl_dict_set(e->t, other, rest.dict->entries[i].key, rest.dict->entries[i].value);
    return other;
}

/* What remains of the arguments after the parameters: caller, kwargs and varargs. */
static void bind_rest(tpl_eval *e, const tpl_node *macro, const tpl_arguments *args)
{
    tpl *t = e->t;
    tpl_value varargs = tpl_list_new(t, TPL_TUPLE);
    const tpl_value kwargs = bind_caller(e, macro, args, rest_of_named(t, macro, args));
    for (size_t i = macro->list.n; i < args->n; i++) tpl_list_add(t, varargs, args->at[i]);
    if (t->status != ASSAY_OK) return;
    if (kwargs.dict->n > 0 && !macro->uses_kwargs) {
        const assay_text name = kwargs.dict->entries[0].key.text;
        (void)tpl_fail(t, ASSAY_EFORMAT, "the macro %.*s has no parameter %.*s", (int)macro->name.n,
                       macro->name.at, name.n > 60 ? 60 : (int)name.n, name.at);
    }
    if (args->n > macro->list.n && !macro->uses_varargs)
        (void)tpl_fail(t, ASSAY_EFORMAT, "the macro %.*s: found %zu arguments, expected at most %zu",
                       (int)macro->name.n, macro->name.at, args->n, macro->list.n);
    if (macro->uses_kwargs) tpl_scope_set(e, (assay_text){.at = "kwargs", .n = 6}, kwargs);
    if (macro->uses_varargs) tpl_scope_set(e, (assay_text){.at = "varargs", .n = 7}, varargs);
}

void tpl_macro_bind(tpl_eval *e, const tpl_node *macro, const tpl_arguments *args)
{
    tpl *t = e->t;
    for (size_t i = 0; i < macro->list.n && t->status == ASSAY_OK; i++) {
        const assay_text name = macro->list.at[i]->name;
        const tpl_value *named = i < args->n ? NULL : tpl_dict_find_text(t, args->named, name);
        tpl_scope_set(e, name, i < args->n ? args->at[i] : named ? *named : (tpl_value){0});
    }
    /* A default reads parameters, those after it as well, and not what they hide around the macro. */
    for (size_t i = args->n; i < macro->list.n && t->status == ASSAY_OK; i++) {
        const tpl_node *parameter = macro->list.at[i];
        if (parameter->a && !tpl_dict_find_text(t, args->named, parameter->name))
            tpl_scope_set(e, parameter->name, tpl_evaluate(e, parameter->a));
    }
    if (t->status == ASSAY_OK) bind_rest(e, macro, args);
}
