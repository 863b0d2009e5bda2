/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/is.h"

#include <string.h>

#include "template/values/casing.h"
#include "template/values/dict.h"
#include "template/values/operate.h"
#include "template/values/strings.h"
#include "template/values/text.h"

typedef struct test {
    const char *name;
    const char *parameters; /* of tpl_bind */
    bool (*holds)(tpl *t, tpl_value v, const tpl_value *at, const char *name);
} test;

#define TEST(name) static bool name(tpl *t, tpl_value v, const tpl_value *at, const char *test_name)
#define UNUSED     (void)t, (void)v, (void)at, (void)test_name

TEST(is_defined)
{
    UNUSED;
    return (v.kind != TPL_UNDEFINED) == (test_name[0] == 'd');
}

TEST(is_kind)
{
    static const struct {
        const char *name;
        tpl_kind kind;
    } kinds[] = {{"none", TPL_NONE},   {"boolean", TPL_BOOL},  {"integer", TPL_INT}, {"integer", TPL_BIG},
                 {"float", TPL_FLOAT}, {"string", TPL_STRING}, {"mapping", TPL_DICT}};
    UNUSED;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(test_name, kinds[i].name) == 0 && v.kind == kinds[i].kind) return true;
    return false;
}

TEST(is_number)
{
    UNUSED;
    return tpl_is_number(v);
}

TEST(is_bool)
{
    UNUSED;
    return v.kind == TPL_BOOL && v.truth == (test_name[0] == 't');
}

TEST(is_sequence)
{
    const bool list = v.kind == TPL_LIST && (v.list->kind <= TPL_TUPLE || v.list->kind == TPL_RANGE);
    UNUSED;
    return list || v.kind == TPL_STRING || v.kind == TPL_DICT || v.kind == TPL_UNDEFINED;
}

TEST(is_iterable)
{
    UNUSED;
    return v.kind == TPL_STRING || v.kind == TPL_DICT || v.kind == TPL_UNDEFINED || v.kind == TPL_LIST ||
           v.kind == TPL_LOOP || v.kind == TPL_SELF;
}

TEST(is_callable)
{
    UNUSED;
    return v.kind == TPL_FUNCTION || v.kind == TPL_UNDEFINED || v.kind == TPL_LOOP;
}

TEST(is_case)
{
    const assay_text text = tpl_str(t, v);
    UNUSED;
    return tpl_has_class(t, text, test_name);
}

TEST(is_safe)
{
    UNUSED;
    return v.kind == TPL_STRING && v.safe;
}

TEST(is_same)
{
    UNUSED;
    if (v.kind != at[0].kind) return false;
    if (v.kind == TPL_NONE || v.kind == TPL_BOOL || v.kind == TPL_SELF) return tpl_equals(t, v, at[0]);
    if (v.kind == TPL_LIST) return v.list == at[0].list;
    if (v.kind == TPL_DICT || v.kind == TPL_NAMESPACE) return v.dict == at[0].dict;
    (void)tpl_fail(t, ASSAY_EUNSUPPORTED, "the test sameas of values of type %s is not supported",
                   tpl_type_name(v));
    return false;
}

/* odd, even and divisibleby. */
TEST(is_divisible)
{
    const assay_text modulo = {.at = "%", .n = 1};
    const tpl_value by = test_name[0] == 'd' ? at[0] : tpl_int(2);
    if (v.kind == TPL_STRING) (void)tpl_fail_type(t, v, test_name);
    const tpl_value rest = tpl_binary(t, modulo, v, by);
    return tpl_equals(t, rest, tpl_int(test_name[0] == 'o'));
}

TEST(is_compared)
{
    static const char *const operators[][4] = {{"==", "eq", "equalto"},
                                               {"!=", "ne"},
                                               {"<", "lt", "lessthan"},
                                               {"<=", "le"},
                                               {">", "gt", "greaterthan"},
                                               {">=", "ge"},
                                               {"in", "in"}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        for (size_t k = 0; k < 4 && operators[i][k]; k++)
            if (strcmp(operators[i][k], test_name) == 0)
                return tpl_holds(t, (assay_text){.at = operators[i][0], .n = strlen(operators[i][0])}, v,
                                 at[0]);
    return false;
}

static const test tests[] = {
    {"defined", "", is_defined},
    {"undefined", "", is_defined},
    {"none", "", is_kind},
    {"boolean", "", is_kind},
    {"integer", "", is_kind},
    {"float", "", is_kind},
    {"string", "", is_kind},
    {"mapping", "", is_kind},
    {"number", "", is_number},
    {"true", "", is_bool},
    {"false", "", is_bool},
    {"sequence", "", is_sequence},
    {"iterable", "", is_iterable},
    {"callable", "", is_callable},
    {"lower", "", is_case},
    {"upper", "", is_case},
    {"escaped", "", is_safe},
    {"sameas", "!other", is_same},
    {"odd", "", is_divisible},
    {"even", "", is_divisible},
    {"divisibleby", "!num", is_divisible},
    {"==", "!other", is_compared},
    {"eq", "!other", is_compared},
    {"equalto", "!other", is_compared},
    {"!=", "!other", is_compared},
    {"ne", "!other", is_compared},
    {"<", "!other", is_compared},
    {"lt", "!other", is_compared},
    {"<=", "!other", is_compared},
    {"le", "!other", is_compared},
    {">", "!other", is_compared},
    {"gt", "!other", is_compared},
    {">=", "!other", is_compared},
    {"ge", "!other", is_compared},
    {"in", "!seq", is_compared},
    {"lessthan", "!other", is_compared},
    {"greaterthan", "!other", is_compared},
};

static const test *find_test(assay_text name)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (tpl_same_text(name, tests[i].name)) return &tests[i];
    return NULL;
}

bool tpl_is_test(assay_text name)
{
    return find_test(name) || tpl_same_text(name, "filter") || tpl_same_text(name, "test");
}

bool tpl_is(tpl *t, assay_text name, tpl_value value, const tpl_arguments *args)
{
    tpl_value at[TPL_PARAMETERS_MAX];
    const test *found = find_test(name);
    if (!found)
        return tpl_fail(t, tpl_is_test(name) ? ASSAY_EUNSUPPORTED : ASSAY_EFORMAT, "the test \"%.*s\" %s",
                        name.n > 60 ? 60 : (int)name.n, name.at,
                        tpl_is_test(name) ? "is not supported" : "does not exist");
    return tpl_bind(t, name, args, found->parameters, at) && found->holds(t, value, at, found->name);
}
