/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/globals.h"

#include <string.h>

#include "template/values/dict.h"
#include "template/values/strftime.h"
#include "template/values/text.h"

#define RANGE_MAX 100000 /* as in Jinja's sandbox */

static tpl_value call_range(tpl *t, const tpl_arguments *args)
{
    int64_t ends[3] = {0, 0, 1};
    tpl_value list = tpl_list_new(t, TPL_RANGE);
    if (args->n < 1 || args->n > 3 || args->named.kind == TPL_DICT) {
        (void)tpl_fail(t, ASSAY_EFORMAT, "range: found %zu arguments, expected 1 to 3", args->n);
        return list;
    }
    for (size_t i = 0; i < args->n; i++)
        if (args->at[i].kind == TPL_BIG)
            (void)tpl_fail(t, ASSAY_EUNSUPPORTED,
                           "a range of integers of more than 64 bits is not supported");
    for (size_t i = 0; i < args->n; i++) ends[args->n == 1 ? 1 : i] = tpl_argument_whole(t, args->at[i], 0);
    const int64_t step = ends[2];
    if (step == 0) (void)tpl_fail(t, ASSAY_EFORMAT, "range: found step 0");
    tpl_value *range = tpl_alloc(t, 3, sizeof *range);
    for (size_t i = 0; range && i < 3; i++) range[i] = tpl_int(ends[i]);
    if (list.kind == TPL_LIST) list.list->range = range;
    int64_t n = 0;
    for (int64_t i = ends[0]; t->status == ASSAY_OK && (step > 0 ? i < ends[1] : i > ends[1]);) {
        if (++n > RANGE_MAX) (void)tpl_fail(t, ASSAY_EFORMAT, "range: more than %d elements", RANGE_MAX);
        tpl_list_add(t, list, tpl_int(i));
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return list;
}

/* dict(pairs or dict, name=value, …). */
static tpl_value call_dict(tpl *t, const tpl_arguments *args)
{
    tpl_value dict = tpl_dict_new(t);
    if (args->n > 1) return tpl_fail_type(t, args->at[1], "dict: more than one argument by position");
    if (args->n == 1 && args->at[0].kind == TPL_UNDEFINED) return tpl_fail_type(t, args->at[0], "dict");
    if (args->n == 1 && args->at[0].kind == TPL_DICT) {
        const tpl_dict *from = args->at[0].dict;
        for (size_t i = 0; i < from->n && t->status == ASSAY_OK; i++)
            tpl_dict_set(t, dict, from->entries[i].key, from->entries[i].value);
    } else if (args->n == 1) {
        const tpl_list *pairs = tpl_elements(t, args->at[0]);
        for (size_t i = 0; i < pairs->n && t->status == ASSAY_OK; i++) {
            const tpl_list *pair = tpl_elements(t, pairs->items[i]);
            if (pair->n != 2) (void)tpl_fail(t, ASSAY_EFORMAT, "dict: found an element that is not a pair");
            else tpl_dict_set(t, dict, pair->items[0], pair->items[1]);
        }
    }
    const size_t n_named = args->named.kind == TPL_DICT ? args->named.dict->n : 0;
    for (size_t i = 0; i < n_named && t->status == ASSAY_OK; i++)
        tpl_dict_set(t, dict, args->named.dict->entries[i].key, args->named.dict->entries[i].value);
    return dict;
}

static tpl_value call_namespace(tpl *t, const tpl_arguments *args)
{
    tpl_value space = call_dict(t, args);
    if (space.kind != TPL_DICT) return space;
    for (size_t i = 0; i < space.dict->n; i++) {
        const tpl_value key = space.dict->entries[i].key;
        if (key.kind == TPL_STRING && key.text.n > 0 && key.text.at[0] == '_')
            (void)tpl_fail(t, ASSAY_EFORMAT, "namespace: found a name that begins with _");
    }
    space.kind = TPL_NAMESPACE;
    return space;
}

static tpl_value call_raise(tpl *t, const tpl_arguments *args)
{
    tpl_value at[TPL_PARAMETERS_MAX];
    if (!tpl_bind(t, (assay_text){.at = "raise_exception", .n = 15}, args, "!message", at))
        return (tpl_value){0};
    const assay_text text = tpl_str(t, at[0]);
    tpl_fail_text(t, text.at, text.n);
    return (tpl_value){0};
}

static tpl_value call_time(tpl *t, const tpl_arguments *args)
{
    tpl_value at[TPL_PARAMETERS_MAX];
    if (!tpl_bind(t, (assay_text){.at = "strftime_now", .n = 12}, args, "!format", at)) return (tpl_value){0};
    return tpl_format_time(t, tpl_argument_text(t, at[0], ""));
}

static const struct {
    tpl_function function;
    tpl_value (*call)(tpl *t, const tpl_arguments *args);
} globals[] = {
    {{.name = "range"}, call_range},         {{.name = "dict"}, call_dict},
    {{.name = "namespace"}, call_namespace}, {{.name = "raise_exception"}, call_raise},
    {{.name = "strftime_now"}, call_time},
};

bool tpl_is_unsupported_global(assay_text name)
{
    static const char *const unsupported[] = {"cycler", "joiner", "lipsum"};
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (tpl_same_text(name, unsupported[i])) return true;
    return false;
}

tpl_value tpl_global(tpl *t, assay_text name)
{
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (tpl_same_text(name, globals[i].function.name))
            return (tpl_value){.kind = TPL_FUNCTION, .function = &globals[i].function};
    if (tpl_is_unsupported_global(name))
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the global \"%.*s\" is not supported", (int)name.n, name.at);
    return (tpl_value){0};
}

tpl_value tpl_global_call(tpl *t, const tpl_function *function, const tpl_arguments *args)
{
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (strcmp(function->name, globals[i].function.name) == 0) return globals[i].call(t, args);
    return (tpl_value){0};
}
