/* Chat templates, feature by feature. The expected texts are those of jinja2 3.1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "template/template.h"

#include <string.h>

#include "template/tests/rendering.h"

/* Rows of a table: a template, and what it renders. */
typedef struct row {
    const char *source, *text;
} row;

static void check_rows(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_renders(rows[i].source, rows[i].text);
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof rows / sizeof *rows)

START_TEST(blocks_remove_white_space_as_trim_blocks_and_lstrip_blocks_say)
{
    static const row rows[] = {
        {"a\n  {% if yes %}\n b\n  {% endif %}\nc\n", "a\n b\nc"},
        {"a\n  {%+ if yes %}b{% endif +%}\nc", "a\n  b\nc"},
        {"a \n {%- if yes -%} \n b {%- endif %} c", "ab c"},
        {"a\n {{- n -}}\n b", "a7b"},
        {"a {# note #}\nb", "a b"},
        {"  {# note #}\nb", "b"},
        {"{% raw %}\n{{ x }}{%- endraw %}\nb", "\n{{ x }}b"},
        {"a\r\nb\rc\n\n", "a\nb\nc\n"},
        {"  {{ n }}\n", "  7"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(values_have_the_text_that_python_gives_them)
{
    static const row rows[] = {
        {"{{ none }} {{ true }} {{ missing }}|{{ [1, 'a', \"it's\", (1,), {'k': none}] }}",
         "None True |[1, 'a', \"it's\", (1,), {'k': None}]"},
        {"{{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 0.00001 }} {{ 0.1 + 0.2 }} {{ 2.0 }} {{ -0.0 }}",
         "1e+16 1000000000000000.0 0.0001 1e-05 0.30000000000000004 2.0 -0.0"},
        {"{{ ['\\n\\x00\\u00e9'] }} {{ d.items() }} {{ d.keys() }} {{ range(3) }}",
         "['\\n\\x00\xc3\xa9'] dict_items([('a', 1), ('b', 'two')]) dict_keys(['a', 'b']) range(0, 3)"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(arithmetic_and_comparisons_are_those_of_python)
{
    static const row rows[] = {
        {"{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7 / 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }}",
         "3 -4 2 -2 3.5 1024 0.5"},
        {"{{ true % 18446744073709551625 }} {{ false % 5 }} {{ true % -3 }}", "1 0 -2"},
        {"{{ 1 == 1.0 == true }} {{ 1 < 2 <= 2 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }}",
         "True True True True"},
        {"{{ 'x' ~ 1 ~ none }} {{ 'ab' * 2 }} {{ [1] + [2] }} {{ -2|abs }} {{ 'a' 'b' }}",
         "x1None abab [1, 2] 2 ab"},
        {"{{ 'a' in 'cat' }} {{ 'a' in d }} {{ 3 not in xs }} {{ 9 in missing }}", "True True False False"},
        {"{{ n if no }}|{{ n if no else 'else' }}|{{ no or 'or' }}|{{ n and 'and' }}|{{ not no }}",
         "|else|or|and|True"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(elements_slices_and_methods_are_those_of_python)
{
    static const row rows[] = {
        {"{{ 'abcdef'[::-1] }} {{ xs[-2:] }} {{ xs[9] }}|{{ 'h\xc3\xa9llo'[1] }} {{ xs[5:0:-2] }} {{ xs.0 }}",
         "fedcba [1, 2] |\xc3\xa9 [2] 3"},
        {"{{ ' a b '.strip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'a,b,c'.split(',', 1) }}|{{ ' a  b '.split() }}",
         "a b|a|['a', 'b,c']|['a', 'b']"},
        {"{{ 'a b c'.rsplit(' ', 1) }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'stra\xc3\x9f"
         "e'.upper() }} {{ 'it is'.title() }}",
         "['a b', 'c'] True STRASSE It Is"},
        {"{{ d.get('a') }} {{ d.get('z') }} {{ d.get('z', 5) }} {{ d['items'] is defined }} {{ d.b }}",
         "1 None 5 True two"},
        {"{{ '%s-%05.2f-%d' % ('a', 3.14159, 7) }} {{ '{}-{0}'.format(1) if no else '{1}{0}'.format(1, 2) }}",
         "a-03.14-7 21"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(fields_of_format_have_the_form_that_their_specification_asks_for)
{
    static const row rows[] = {
        {"{{ '<|image_{i:d}|>'.format(i=3) }} {{ '{:>5}|{:<3}|{:^5}|{:*^6}'.format(1, 'a', 'b', '\xc3\xa9') "
         "}}",
         "<|image_3|>     1|a  |  b  |**\xc3\xa9***"},
        {"{{ '{:05d}|{:+x}|{:#b}|{:,}|{:_X}'.format(-42, 255, 5, 1234567, 1048576) }}",
         "-0042|+ff|0b101|1,234,567|10_0000"},
        {"{{ '{:.2f}|{:.1%}|{:e}|{:G}|{:,}'.format(2.675, 0.5, 12345.0, 1e20, 12345.5) }}",
         "2.67|50.0%|1.234500e+04|1E+20|12,345.5"},
        {"{{ '{:.2}|{:5}|{}|{:d}|{:05}'.format('abc', true, true, true, 'ab') }}", "ab|    1|True|1|ab000"},
        {"{{ '{:*<05}|{:=+5}|{:-}|{:_e}'.format(1, 2, 3, 4.0) }}", "1****|+   2|3|4.000000e+00"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(arguments_with_stars_are_elements_and_members)
{
    static const row rows[] = {
        {"{% macro f(a, b=2, c=3) %}{{ a }}{{ b }}{{ c }}{{ varargs }}{{ kwargs }}{% endmacro %}"
         "{{ f(*[7, 8, 9, 0], **{'k': 1}) }} {{ f(1, c=5, *[4]) }} {{ f(*'xy', **{'c': 6}) }} {{ f(1, "
         "*missing) }}",
         "789(0,){'k': 1} 145(){} xy6(){} 123(){}"},
        {"{{ range(*[1, 7, 3])|list }} {{ 'aa'|replace(*['a', 'b'], **{'count': 1}) }} {{ dict(b=1, **{'a': "
         "2}) }}",
         "[1, 4] ba {'b': 1, 'a': 2}"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(filters_do_what_jinja_says)
{
    static const row rows[] = {
        {"{{ [3, 1, 2]|sort }} {{ ['b', 'A']|sort }} {{ {'b': 1, 'A': 2}|dictsort }} {{ [1, 1, "
         "2]|unique|list }}",
         "[1, 2, 3] ['A', 'b'] [('A', 2), ('b', 1)] [1, 2]"},
        {"{{ ms|map(attribute='role')|join(',') }} {{ ms|selectattr('role', 'equalto', 'user')|list|length "
         "}} "
         "{{ none|map('upper')|list }}",
         "user,assistant 1 []"},
        {"{{ 2.5|round }} {{ 1.255|round(2) }} {{ '42.7'|int }} {{ 'x'|int(-1) }} {{ '1_0'|int }} {{ "
         "'0x1f'|int(0, 16) }}",
         "2.0 1.25 42 -1 10 31"},
        {"{{ 'a\nb'|indent(2) }} {{ missing|default('d') }} {{ ''|default('e', true) }} {{ 'a b'|title }}",
         "a\n  b d e A B"},
        {"{{ ('<'|safe) + '<' }} {{ '<'|e }} {{ 'abc'|first }}{{ xs|last }} {{ xs|sum }} {{ xs|max }}",
         "<&lt; &lt; a2 6 3"},
        {"{{ [1, 2, 3]|batch(2)|list }} {{ 'a b c d'|truncate(5, false, '', 0) }} {{ d|items|list }}",
         "[[1, 2], [3]] a b [('a', 1), ('b', 'two')]"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(tojson_escapes_neither_html_nor_unicode)
{
    static const row rows[] = {
        {"{{ {'a': '<\xc3\xa9\\n\"', 'b': [1.0, none, true], 'c': {}} | tojson }}",
         "{\"a\": \"<\xc3\xa9\\n\\\"\", \"b\": [1.0, null, true], \"c\": {}}"},
        {"{{ [1, {'a': []}] | tojson(indent=2) }}", "[\n  1,\n  {\n    \"a\": []\n  }\n]"},
        {"{{ {'b': '\xc3\xa9', 'a': 1} | tojson(ensure_ascii=true, separators=(',', ':'), sort_keys=true) }}",
         "{\"a\":1,\"b\":\"\\u00e9\"}"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(loops_have_their_variable_conditions_and_else)
{
    static const row rows[] = {
        {"{% for x in xs if x != 1 %}{{ loop.index }}/{{ loop.length }}{{ x }}{{ ',' if not loop.last }}{% "
         "endfor %}",
         "1/23,2/22"},
        {"{% for x in [] %}a{% else %}none{% endfor %}", "none"},
        {"{% for x in xs %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% if x == 2 %}{% break %}{% endif "
         "%}{% endfor %}",
         "32"},
        {"{% for x in xs %}{% break %}{% else %}else{% endfor %}", "else"},
        {"{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}@{{ "
         "loop.depth }}"
         "{% endif %}{% endfor %}",
         "1@1(2@2(3@3))"},
        {"{% for x in xs %}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a', 'b') }}{{ loop.revindex "
         "}} {% endfor %}",
         "1a3 32b2 1a1 "},
        {"{% for a, b in d.items() %}{{ a }}={{ b }};{% endfor %}{{ a is defined }}", "a=1;b=two;False"},
        {"{% set ns = namespace(c=0) %}{% for x in xs if ns.c < 3 %}{% set ns.c = ns.c + x %}{% endfor %}{{ "
         "ns.c }}",
         "3"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(a_scope_ends_with_its_block)
{
    static const row rows[] = {
        {"{% set p = 1 %}{% for x in xs %}{% set p = 2 %}{% endfor %}{{ p }}", "1"},
        {"{% if yes %}{% set p = 2 %}{% endif %}{{ p }}", "2"},
        {"{% with p = 1, q = 2 %}{{ p + q }}{% endwith %}{{ p is defined }}", "3False"},
        {"{% set p %}a{{ n }}{% endset %}{{ p|length }}{% set p | upper %}b{% endset %}{{ p }}", "2B"},
        {"{% for x in [1] %}<{{ n }}>{% endfor %}{% set n = 1 %}{{ n }}", "<>1"},
        {"{% generation %}{% set p = 1 %}g{% endgeneration %}{{ p is defined }}", "gFalse"},
        {"{% filter upper %}a{{ n }}{% endfilter %}{% set p, q = 1, 2 %}{{ p ~ q }}", "A712"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(macros_have_defaults_and_callers)
{
    static const row rows[] = {
        {"{% macro f(a, b='x', c=a) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ f(1) }}{{ f(1, c=3) }}{{ f() "
         "}}",
         "[1x1][1x3][x]"},
        {"{% macro w() %}<{{ caller('A') }}>{% endmacro %}{% call(x) w() %}c{{ x }}{% endcall %}", "<cA>"},
        {"{% macro v() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ v(1, k=2) }}{{ v }}",
         "(1,){'k': 2}<Macro 'v'>"},
        {"{% macro r(i) %}{{ i }}{% if i %}{{ r(i - 1) }}{% endif %}{% endmacro %}{{ r(3) }}", "3210"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(the_time_is_the_one_that_the_caller_passes)
{
    assert_renders("{{ strftime_now('%d %b %Y %H:%M:%S') }} {{ strftime_now('%A, %B %-d') }}",
                   "27 Jul 2025 07:06:40 Sunday, July 27");
}
END_TEST

START_TEST(tests_know_the_types_of_python)
{
    static const row rows[] = {
        {"{{ missing is defined }}{{ none is none }}{{ 'a' is string }}{{ d is mapping }}{{ xs is sequence "
         "}}",
         "FalseTrueTrueTrueTrue"},
        {"{{ true is number }}{{ true is integer }}{{ 1.0 is float }}{{ missing is iterable }}{{ range is "
         "callable }}",
         "TrueFalseTrueTrueTrue"},
        {"{{ 3 is odd }}{{ 4 is divisibleby 2 }}{{ 1 is in [1] }}{{ 'A' is upper }}{{ n is not none }}{{ 1 "
         "is eq 1 }}",
         "TrueTrueTrueTrueTrueTrue"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(a_block_hides_the_names_that_it_assigns_before_it_reads_them)
{
    static const row rows[] = {
        {"{% for i in [1] %}{% for j in [1] %}[{{ n }}]{% endfor %}{% set n = 1 %}{% endfor %}", "[]"},
        {"{{ n }}{% for i in [1] %}{% for j in [1] %}[{{ n }}]{% endfor %}{% set n = 1 %}{% endfor %}",
         "7[7]"},
        {"{% for i in [1] %}{% for j in [1] %}[{{ n }}]{% endfor %}{% if yes %}{% set n = 1 %}{% endif %}{% "
         "endfor %}",
         "[7]"},
        {"{% macro m() %}{% with a = 1 %}[{{ n }}]{% endwith %}{% set n = 1 %}{% endmacro %}{{ m() }}", "[]"},
        {"{% macro m(n=n) %}[{{ n }}]{% endmacro %}{{ m() }}{{ m(1) }}", "[][1]"},
        {"{% macro m(a=b, b=2) %}[{{ a }}]{% endmacro %}{{ m() }}{{ m(b=5) }}", "[][5]"},
        {"{% for i in [] %}{% else %}{% filter upper %}[{{ n }}]{% endfilter %}{% set n = 1 %}{% endfor %}",
         "[]"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(self_is_the_template_until_it_is_assigned)
{
    static const row rows[] = {
        {"[{{ self.DEFAULT_SYSTEM_MESSAGE }}]{{ self }}", "[]<TemplateReference None>"},
        {"{% for i in [1] %}{{ self }}{% endfor %}{% set self = 1 %}{{ self }}", "<TemplateReference None>1"},
        {"{% if not yes %}{% set self = 1 %}{% endif %}[{{ self }}]", "[]"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(filters_are_evaluated_when_their_elements_are_read)
{
    static const row rows[] = {
        {"{{ [1, 'a']|map('abs')|first }}", "1"},
        {"{% for x in [1, 'a']|map('abs') %}{{ x }}{% break %}{% endfor %}", "1"},
        {"{% set g = xs|map('string') %}{% for x in g %}{% break %}{% endfor %}{{ g|list }}", "['1', '2']"},
        {"{% set g = xs|select('odd') %}{{ 1 in g }}{{ g|list }}", "True[]"},
        {"{{ []|map()|list }}{{ none|selectattr()|list }}{{ (5|items) is defined }}", "[][]True"},
        {"{% for x in xs|reject('odd') %}{{ loop.length }}{{ loop.last }}{{ x }}{% endfor %}", "1True2"},
    };
    CHECK_ROWS(rows);
}
END_TEST

START_TEST(filters_that_few_templates_use)
{
    static const row rows[] = {
        {"{% for g in ms|groupby('role') %}{{ g.grouper }}{{ g.list|length }}{{ g[0] == g['grouper'] }};{% "
         "endfor %}",
         "assistant1True;user1True;"},
        {"{{ 'a well-known x--y, longlonglong'|wordwrap(6) }}", "a\nwell-\nknown\nx--y, \nlonglo\nnglong"},
        {"{{ 'ab cd\nef'|wordwrap(2, wrapstring='|') }}", "ab|cd|ef"},
        {"{{ xs|slice(2)|list }}{{ xs|batch(2, 0)|list }}{{ xs|batch(0)|list }}",
         "[[3, 1], [2]][[3, 1], [2, 0]][[], [3, 1, 2]]"},
        {"{{ d|attr('a') }}{{ 'a'|attr('upper')() }}", "A"},
        {"{{ '<b>'|e|forceescape }}{{ ' <b>a</b> <!-- < --> c '|striptags }}", "&amp;lt;b&amp;gt;a c"},
        {"{{ 'a b/\u00e9'|urlencode }} {{ {'a b': '/'}|urlencode }}", "a%20b/%C3%A9 a+b=%2F"},
        {"{{ {'id': 'x\"', 'no': none}|xmlattr }}{{ {}|xmlattr }}", " id=\"x&#34;\""},
        {"{{ 'a b-c, d_e \u00e9'|wordcount }} {{ 1|filesizeformat }} {{ 2048|filesizeformat(true) }}",
         "5 1 Byte 2.0 KiB"},
        {"{% if no %}{{ n|nice }}{% endif %}{{ 1 if yes else n|nice }}", "1"},
    };
    CHECK_ROWS(rows);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("template/template");
    TCase *c = tcase_create("template");
    tcase_add_test(c, blocks_remove_white_space_as_trim_blocks_and_lstrip_blocks_say);
    tcase_add_test(c, values_have_the_text_that_python_gives_them);
    tcase_add_test(c, arithmetic_and_comparisons_are_those_of_python);
    tcase_add_test(c, elements_slices_and_methods_are_those_of_python);
    tcase_add_test(c, fields_of_format_have_the_form_that_their_specification_asks_for);
    tcase_add_test(c, arguments_with_stars_are_elements_and_members);
    tcase_add_test(c, filters_do_what_jinja_says);
    tcase_add_test(c, tojson_escapes_neither_html_nor_unicode);
    tcase_add_test(c, loops_have_their_variable_conditions_and_else);
    tcase_add_test(c, a_scope_ends_with_its_block);
    tcase_add_test(c, macros_have_defaults_and_callers);
    tcase_add_test(c, the_time_is_the_one_that_the_caller_passes);
    tcase_add_test(c, tests_know_the_types_of_python);
    tcase_add_test(c, a_block_hides_the_names_that_it_assigns_before_it_reads_them);
    tcase_add_test(c, self_is_the_template_until_it_is_assigned);
    tcase_add_test(c, filters_are_evaluated_when_their_elements_are_read);
    tcase_add_test(c, filters_that_few_templates_use);
    suite_add_tcase(s, c);
    return support_run(s);
}
