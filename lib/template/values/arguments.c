/* SPDX-License-Identifier: Apache-2.0 */
#include "template/values/arguments.h"

#include <string.h>

#include "template/values/dict.h"

/* The next name of a list of parameters; false at its end. */
static bool next_parameter(const char **at, assay_text *name, bool *required)
{
    while (**at == ' ' || **at == '/') (*at)++;
    *required = **at == '!';
    *at += *required;
    *name = (assay_text){.at = *at, .n = strcspn(*at, " ")};
    *at += name->n;
    return name->n > 0;
}

bool tpl_bind(tpl *t, assay_text what, const tpl_arguments *args, const char *parameters, tpl_value *out)
{
    const int n_what = what.n > 60 ? 60 : (int)what.n;
    assay_text name;
    bool required;
    size_t n = 0, n_named = 0;
    for (size_t i = 0; i < TPL_PARAMETERS_MAX; i++) out[i] = (tpl_value){.kind = TPL_MISSING};
    for (const char *at = parameters; next_parameter(&at, &name, &required); n++) {
        const bool by_position = strchr(at, '/') != NULL;
        const tpl_value *named = by_position ? NULL : tpl_dict_find_text(t, args->named, name);
        out[n] = n < args->n ? args->at[n] : named ? *named : (tpl_value){.kind = TPL_MISSING};
        n_named += named != NULL;
        if (n < args->n && named)
            return tpl_fail(t, ASSAY_EFORMAT, "%.*s: the argument %.*s is passed twice", n_what, what.at,
                            (int)name.n, name.at);
        if (required && out[n].kind == TPL_MISSING)
            return tpl_fail(t, ASSAY_EFORMAT, "%.*s: the argument %.*s is missing", n_what, what.at,
                            (int)name.n, name.at);
    }
    if (args->n > n)
        return tpl_fail(t, ASSAY_EFORMAT, "%.*s: found %zu arguments, expected at most %zu", n_what, what.at,
                        args->n, n);
    if (args->named.kind == TPL_DICT && n_named < args->named.dict->n)
        return tpl_fail(t, ASSAY_EFORMAT, "%.*s: an argument that it does not have is passed by name", n_what,
                        what.at);
    return t->status == ASSAY_OK;
}

int64_t tpl_argument_whole(tpl *t, tpl_value v, int64_t missing)
{
    if (v.kind == TPL_MISSING) return missing;
    if (tpl_is_whole(v)) return tpl_whole(v);
    (void)tpl_fail_type(t, v, "an argument that must be an integer");
    return missing;
}

assay_text tpl_argument_text(tpl *t, tpl_value v, const char *missing)
{
    if (v.kind == TPL_STRING) return v.text;
    if (v.kind != TPL_MISSING) (void)tpl_fail_type(t, v, "an argument that must be a string");
    return (assay_text){.at = missing, .n = strlen(missing)};
}

bool tpl_argument_flag(tpl *t, tpl_value v, const char *what)
{
    if (v.kind != TPL_MISSING && !tpl_is_whole(v) && v.kind != TPL_BIG)
        (void)tpl_fail(t, ASSAY_EUNSUPPORTED,
                       "%s of type %s, which not every version of Python takes, is not supported", what,
                       tpl_type_name(v));
    return tpl_argument_truth(v, false);
}

bool tpl_argument_truth(tpl_value v, bool missing)
{
    return v.kind == TPL_MISSING ? missing : tpl_truth(v);
}
