/* Templates that fail: errors of the template, what is not supported, and the limits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template/template.h"
#include "template/tests/rendering.h"

START_TEST(an_error_names_the_line_what_was_found_and_what_was_expected)
{
    static const struct {
        const char *source, *text;
    } rows[] = {
        {"a\n{{ 1 + }}", "line 2: found the end of the tag, expected an expression"},
        {"{% if yes %}\n\na", "line 3: found the end of the template, expected elif"},
        {"{% for x xs %}", "line 1: found \"xs\", expected \"in\""},
        {"{{ (1 }}", "found \"}\" without its opening bracket"},
        {"{{ 'a }}", "found a string without its closing quote"},
        {"{# a", "expected the end of a comment"},
        {"{% wat %}", "found \"wat\", expected a statement"},
        {"\n{{ missing.x }}", "line 2: the attribute \"x\" of \"missing\", which is undefined"},
        {"{{ missing() }}", "the function \"missing\" is undefined"},
        {"{{ 1 + 'a' }}", "+: found operands of types int and str"},
        {"{{ 1 / 0 }}", "division by zero"},
        {"{% for x in 5 %}{% endfor %}", "iteration: found a value of type int"},
        {"{% set a, b = [1] %}", "an assignment to 2 names: found 1 values"},
        {"{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "the macro f: found 2 arguments, expected at most 1"},
        {"{{ 'a'|replace('b') }}", "replace: the argument new is missing"},
        {"{% break %}", "a break or continue outside of a loop"},
        {"{{ [1, 'a']|sort }}", "sort: values of types str and int have no order"},
        {"{{ missing|tojson }}", "tojson: found a value of type undefined"},
        {"{{ {[]: 1} }}", "a key of a dict: found a value of type list"},
        {"a\n{{ n|nice }}", "line 2: found the filter \"nice\", which does not exist"},
        {"{% if no %}{% for x in xs %}{{ x is nice }}{% endfor %}{% endif %}",
         "found the test \"nice\", which does not exist"},
        {"{{ 'a'|wordwrap(0) }}", "wordwrap: found width 0"},
        {"{{ xs|sort.first }}", "found the filter \"sort.first\", which does not exist"},
        {"{{ '{:+c}'.format(65) }}", "format: the specification \"+c\" is not one of the value's type"},
        {"{{ '{:_n}'.format(65) }}", "format: the specification \"_n\" is not one of the value's type"},
        {"{{ xs|slice(0)|list }}", "slice: found 0 slices"},
        {"{{ {'a b': 1}|xmlattr }}", "xmlattr: found a name with white space"},
        {"{{ missing|attr('a') }}", "the attribute \"a\" of an undefined value"},
        {"{% if n is nice %}{% endif %}", "the test \"nice\" does not exist"},
        {"{% if n is sameas %}{% endif %}", "sameas: the argument other is missing"},
        {"{{ xs.append(1) }}", "a call: found a value of type undefined"},
        {"{{ 'a'.strip(chars='a') }}", "strip: an argument that it does not have is passed by name"},
        {"{{ 'abc'.find('c', 1.0) }}",
         "a position, which is an integer or none: found a value of type float"},
        {"{{ 'abc'.find('c', 1, 2, 3) }}", "find: found 4 arguments, expected at most 3"},
        {"{{ [1].index(1, none) }}", "a position, which is an integer: found a value of type None"},
        {"{{ (1,).copy() }}", "a call: found a value of type undefined"},
        {"{% filter length %}a{% endfilter %}",
         "the result of a filter block: found a value of type int, expected a text"},
        {"{% call dict() %}a{% endcall %}",
         "the result of a call block: found a value of type dict, expected a text"},
        {"{% macro f(caller) %}{{ caller() }}{% endmacro %}",
         "found a parameter \"caller\" without a default"},
        {"{% macro f() %}{{ caller() }}{% endmacro %}{% call f(caller=1) %}{% endcall %}",
         "the argument caller is passed twice"},
        {"{{ [none, 1]|sort }}", "sort: values of types int and None have no order"},
        {"{{ 2 ** 1024 / 1.5 }}", "found an integer that is too large for a float"},
        {"{{ 10 ** 4300 }}", "an integer of 4301 digits as a text"},
        {"{{ '{:.2d}'.format(n) }}", "format: the specification \".2d\" is not one of the value's type"},
        {"{{ '{:+}'.format('a') }}", "format: the specification \"+\" is not one of the value's type"},
        {"{{ '{:#}'.format('a') }}", "format: the specification \"#\" is not one of the value's type"},
        {"{{ '{:=5}'.format('a') }}", "format: the specification \"=5\" is not one of the value's type"},
        {"{{ '{:,}'.format('a') }}", "format: the specification \",\" is not one of the value's type"},
        {"{{ '{:,x}'.format(n) }}", "format: the specification \",x\" is not one of the value's type"},
        {"{{ '{:1.}'.format(n) }}", "format: the specification \"1.\" is not one of the value's type"},
        {"{{ '{:dd}'.format(n) }}", "format: the specification \"dd\" is not one of the value's type"},
        {"{{ '{0}{}'.format(1) }}", "format: found fields with and without numbers"},
        {"{{ '{:5}'.format(xs) }}", "a field with a specification: found a value of type list"},
        {"{{ '{}{0}'.format(1) }}", "format: found fields with and without numbers"},
        {"{{ dict(a=1, **{'a': 2}) }}", "the argument a is passed twice"},
        {"{{ '{0[a]b}'.format(d) }}", "the field {0[a]b} is not a name with .name or [key]"},
        {"{% for loop in xs %}{% endfor %}", "found \"loop\" as the target of an assignment"},
        {"{% macro f(a, a) %}{% endmacro %}", "the parameter a of a macro stands twice"},
        {"{{ dict(missing) }}", "dict: found a value of type undefined"},
        {"\n{% call dict() %}{% endcall %}\n\n", "line 2: the result of a call block"},
        {"{{ dict(**xs) }}", "** of an argument: found a value of type list"},
        {"{{ dict(**{1: 2}) }}", "** of an argument, whose keys are strings: found a value of type int"},
        {"{{ dict(a=1, 2) }}", "expected a named argument"},
        {"{{ range(*n) }}", "iteration: found a value of type int"},
        {"{{ dict(**{}, a=1) }}", "expected the end of the arguments"},
        {"{{ range(*xs, 1) }}", "expected a named argument"},
        {"{{ range(*xs, *xs) }}", "expected one argument with *"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fails(rows[i].source, ASSAY_EFORMAT, rows[i].text);
}
END_TEST

START_TEST(the_text_of_raise_exception_is_the_error)
{
    assert_fails("\n{{ raise_exception('Roles must alternate: ' ~ n) }}", ASSAY_EFORMAT,
                 "Roles must alternate: 7");
    assert_fails("\n{{ raise_exception('') }}", ASSAY_EFORMAT,
                 "line 2: raise_exception was called with an empty text");
    assert_fails("{{ raise_exception('a' * 1016 ~ 'end') }}", ASSAY_EFORMAT,
                 "aend"); /* as long as an error is */
}
END_TEST

START_TEST(what_is_not_supported_is_refused_by_name)
{
    static const struct {
        const char *source, *text;
    } rows[] = {
        {"{% include 'a' %}", "the statement \"include\" is not supported"},
        {"{% block a %}{% endblock %}", "the statement \"block\" is not supported"},
        {"{{ n|urlize }}", "the filter \"urlize\" is not supported"},
        {"{{ xs|map('pprint')|first }}", "the filter \"pprint\" is not supported"},
        {"{{ '<b>&amp;'|striptags }}", "striptags of a text with & is not supported"},
        {"{{ '{[a]}'.format(d) }}", "the field {[a]}, which versions of Python read differently"},
        {"{{ 'a'.splitlines(none) }}", "splitlines: keepends of type None,"},
        {"{{ '{:#}'.format(1.5) }}", "format: # of a float without a type is not supported"},
        {"{{ '{:08,}'.format(1) }}",
         "format: a separator together with zeros that fill the width is not supported"},
        {"{{ xs|batch(missing)|list }}", "batch: parts of a number of elements of type undefined"},
        {"{{ []|sort(reverse=missing) }}", "sort: reverse of type undefined"},
        {"{{ 2.5|round(1.5, 'ceil') }}", "round: a precision of type float is not supported"},
        {"{{ 'a'|wordwrap(missing) }}", "wordwrap: a width of type undefined is not supported"},
        {"{{ d.keys() - ['a'] }}", "-: a set is not supported"},
        {"{{ '{:1000}'.format(1) }}", "format: a width of more than 999 or a precision of more than 300"},
        {"{{ cycler(1) }}", "the global \"cycler\" is not supported"},
        {"{{ 'a'.encode() }}", "the method \"encode\" of a value of type str is not supported"},
        {"{{ missing.__class__ }}", "the attribute \"__class__\" of \"missing\", which is undefined"},
        {"{{ {'__len__': 1}.__len__ }}", "the member \"__len__\" as an attribute is not supported"},
        {"{{ 2 ** 70000 }}", "an integer of more than 65536 bits is not supported"},
        {"{{ range(2 ** 64, 2 ** 64 + 1) }}", "a range of integers of more than 64 bits is not supported"},
        {"{{ 1.5[0:1] }}", "a slice of a constant that has none is not supported"},
        {"{% if 1e400 > n %}{% endif %}", "a constant that is not finite is not supported in an expression"},
        {"{{ '{:{}}'.format(1e400, 9) }}", "a constant that is not finite is not supported in an expression"},
        {"{{ ['nan'|float, n]|sort }}", "a constant that is not finite"},
        {"{{ [(xs|string)|float(1e400) * 0, n]|sort }}", "a constant that is not finite"},
        {"{{ '\xf0\x9e\x93\xb0'.isalpha() }}",
         "the character U+1E4F0, which only one of Unicode 14.0.0 and Unicode"},
        {"{{ strftime_now('%Q') }}", "the directive %Q is not supported"},
        {"{{ xs|map('string') }}", "the text of a value of type iterator is not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_fails(rows[i].source, ASSAY_EUNSUPPORTED, rows[i].text);
}
END_TEST

/* n copies of a text, for the caller to free. */
static char *repeated(const char *text, size_t n)
{
    char *all = malloc(n * strlen(text) + 1);
    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < n; i++) memcpy(all + i * strlen(text), text, strlen(text) + 1);
    return all;
}

START_TEST(nested_syntax_is_limited)
{
    static const char *const texts[] = {"{{ (((((((((", "{% if yes %}", "{{ not not not not ",
                                        "{{ - - - - - - "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *source = repeated(texts[i], 10000);
        const bool single = texts[i][1] == '{'; /* one tag */
        if (single) {
            for (char *brace = source + 2; (brace = strstr(brace, "{{")) != NULL;) memcpy(brace, "  ", 2);
            memcpy(source + strlen(source) - 4, "1 }}", 4);
        }
        const bool brackets = strchr(texts[i], '(') != NULL;
        assert_fails(source, ASSAY_EUNSUPPORTED, brackets ? "nested" : "are nested more than 200 deep");
        free(source);
    }
}
END_TEST

START_TEST(steps_memory_and_recursion_are_limited)
{
    assert_fails("{% set r = range(9999) %}{% for a in r %}{{ 'a' if -1 in r }}{% endfor %}",
                 ASSAY_EUNSUPPORTED, "the template takes more than 4000000 steps");
    assert_fails("{{ 'aaaaaaaa' * 99999999 }}", ASSAY_EUNSUPPORTED, "the values of the template exceed");
    assert_fails("{% set ns = namespace(a='aaaaaaaa') %}{% for a in range(99) %}{% set ns.a = ns.a ~ ns.a "
                 "%}{% endfor %}",
                 ASSAY_EUNSUPPORTED, "the values of the template exceed");
    assert_fails("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", ASSAY_EUNSUPPORTED,
                 "the evaluation is nested more than");
    assert_fails("{% set ns = namespace(a=[]) %}{% for a in range(5000) %}{% set ns.a = [ns.a] %}{% endfor "
                 "%}{{ ns.a }}",
                 ASSAY_EUNSUPPORTED, "the evaluation is nested more than");
}
END_TEST

static void take_nothing(void *context, const char *bytes, size_t n)
{
    (void)context, (void)bytes, (void)n;
    ck_abort_msg("text was passed");
}

START_TEST(invalid_options_are_refused)
{
    const assay_byte_sink sink = {take_nothing, NULL};
    assay_error err = {0};
    assay_template_options options = {.size = sizeof options};
    ck_assert_int_eq(template_render(NULL, &sink, &err), ASSAY_EINVAL);
    ck_assert_int_eq(template_render(&options, &sink, NULL), ASSAY_EINVAL);
    options.source = (assay_text){.at = "a\xff", .n = 2};
    options.variables = (assay_text){.at = "{}", .n = 2};
    ck_assert_int_eq(template_render(&options, &sink, &err), ASSAY_EFORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "byte 1 is not UTF-8"));
    options.source.n = 1;
    options.variables.at = "[]";
    ck_assert_int_eq(template_render(&options, &sink, &err), ASSAY_EFORMAT);
    ck_assert_ptr_nonnull(strstr(err.text, "expected an object"));
    options.variables.at = "{}";
    options.reserved = 1;
    ck_assert_int_eq(template_render(&options, &sink, &err), ASSAY_EUNSUPPORTED);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("template/refused");
    TCase *c = tcase_create("refused");
    tcase_add_test(c, an_error_names_the_line_what_was_found_and_what_was_expected);
    tcase_add_test(c, the_text_of_raise_exception_is_the_error);
    tcase_add_test(c, what_is_not_supported_is_refused_by_name);
    tcase_add_test(c, nested_syntax_is_limited);
    tcase_add_test(c, steps_memory_and_recursion_are_limited);
    tcase_add_test(c, invalid_options_are_refused);
    suite_add_tcase(s, c);
    return support_run(s);
}
