/* Python literals as JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/values/python_literal.h"

#include <stdlib.h>
#include <string.h>

#include "base/tests/deny.h"
#include "base/tests/support.h"

static void expect(const char *literal, const char *json)
{
    const size_t n = strlen(literal);
    char *copy = malloc(n > 0 ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, literal, n);
    buffer out = {0};
    buffer_append_string(&out, "=");
    const bool is_one = serve_python_literal(&out, (assay_text){.at = copy, .n = n});
    buffer_append(&out, "", 1);
    ck_assert_msg(is_one == (json != NULL), "%s", literal);
    ck_assert_str_eq(out.data + 1, json ? json : "");
    buffer_free(&out);
    free(copy);
}

START_TEST(words_and_numbers_are_read)
{
    expect("True", "true");
    expect("False", "false");
    expect(" None\n", "null");
    expect("0", "0");
    expect("000", "0");
    expect("-1_000", "-1000");
    expect("+ 5", "5");
    expect("0x1f", "31");
    expect("0o17", "15");
    expect("0B11", "3");
    expect("1.50", "1.5");
    expect(".5", "0.5");
    expect("5.", "5.0");
    expect("1e3", "1000.0");
    expect("123456789012345678901234567890", "123456789012345678901234567890");
}
END_TEST

START_TEST(strings_are_read)
{
    expect("'a'", "\"a\"");
    expect("\"it's\"", "\"it's\"");
    expect("''", "\"\"");
    expect("'''a\n'b'''", "\"a\\n'b\"");
    expect("'\\n\\x41\\u00e9\\U0001F326\\101\\q\\\\'", "\"\\nA\xC3\xA9\xF0\x9F\x8C\xA6"
                                                       "A\\\\q\\\\\"");
    expect("r'\\n'", "\"\\\\n\"");
    expect("u'a' \"b\"", "\"ab\"");
    expect("'a\\\nb'", "\"ab\"");
}
END_TEST

START_TEST(containers_are_read)
{
    expect("[1, 'a', []]", "[1, \"a\", []]");
    expect("(1)", "1");
    expect("(1,)", "[1]");
    expect("()", "[]");
    expect("1, 2", "[1, 2]");
    expect("1,", "[1]");
    expect("{'a': 1, 2: (), None: [True,],}", "{\"a\": 1, \"2\": [], \"null\": [true]}");
    expect("{'a': 1, 'b': 2, 'a': 3}", "{\"b\": 2, \"a\": 3}");
    expect("[1, # one\n 2]", "[1, 2]");
}
END_TEST

START_TEST(a_backslash_joins_lines)
{
    expect("\\\n0", "0");
    expect(" \\\r\n0", "0");
    expect("\\\r\\\n[1,\\\n 2]", "[1, 2]");
    expect("'a' \\\n 'b'", "\"ab\"");
    expect("-\\\n1", "-1");
    expect("1\\\n ", "1");
    expect("1\\\r\n\n", "1");
    expect("\\\n 0", NULL);
    expect("1\\\n", NULL);
    expect("[1\\ \n]", NULL);
    expect("1_\\\n0", NULL);
}
END_TEST

START_TEST(keys_are_written_as_by_json_dumps)
{
    expect("{(1): 2}", "{\"1\": 2}");
    expect("{( 'a' 'b' ): 1}", "{\"ab\": 1}");
    expect("{((None)): 1}", "{\"null\": 1}");
    expect("{1.5: 2, 2.0: 3, 1e16: 4, .00001: 5}", "{\"1.5\": 2, \"2.0\": 3, \"1e+16\": 4, \"1e-05\": 5}");
    expect("{-0: 1}", "{\"0\": 1}");
    expect("{-0.0: 2}", "{\"-0.0\": 2}");
}
END_TEST

START_TEST(a_malformed_literal_appends_nothing)
{
    static const char *const texts[] = {
        "",        "x",        "true",        "007",       "1__0",   "1_",        "1j",
        "b'a'",    "f'a'",     "'a",          "'\n'",      "{1, 2}", "[1",        "1 2",
        "--1",     "1 + 2",    "'\\N{DASH}'", "'\\ud800'", "'\\x4'", "1e400",     "{'a'}",
        "0x",      "\n 1",     "1\n ",        "[,]",       "-'a'",   "{(1,): 2}", "0xfffffffffffffffff",
        "{(): 1}", "{(1]: 2}", "{[1]: 2}",    "0x0x1",     "0b2",    "0o8",       "0xg"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) expect(texts[i], NULL);
}
END_TEST

START_TEST(levels_are_bounded)
{
    char text[80];
    memset(text, '[', 40);
    memset(text + 40, ']', 40);
    assay_text deep = {.at = text + 40 - SERVE_PYTHON_DEPTH_MAX, .n = (size_t)2 * SERVE_PYTHON_DEPTH_MAX};
    buffer out = {0};
    ck_assert(serve_python_literal(&out, deep));
    deep = (assay_text){.at = deep.at - 1, .n = deep.n + 2};
    ck_assert(!serve_python_literal(&out, deep));
    buffer_free(&out);
}
END_TEST

/* Each allocation fails in turn: the buffer reports it, and the literal is not read as text. */
START_TEST(an_out_of_memory_literal_is_not_read_as_text)
{
    static const char *const literals[] = {
        "12345", "1.5e3", "(1, [2.25, -7])", "{1: 'a', 'b': {'c': (3,)}}", "'a' 'b'", "1, 2"};
    const assay_text text = {.at = literals[_i], .n = strlen(literals[_i])};
    bool denied = true;
    for (long n = 0; denied; n++) {
        buffer out = {0};
        deny(n);
        const bool read = serve_python_literal(&out, text);
        denied = deny_end();
        ck_assert_msg(read == !denied && out.failed == denied, "%s: allocation %ld", literals[_i], n);
        buffer_free(&out);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("dialogue/values/python_literal");
    TCase *c = tcase_create("literals");
    tcase_add_test(c, words_and_numbers_are_read);
    tcase_add_test(c, strings_are_read);
    tcase_add_test(c, containers_are_read);
    tcase_add_test(c, a_backslash_joins_lines);
    tcase_add_test(c, keys_are_written_as_by_json_dumps);
    tcase_add_test(c, a_malformed_literal_appends_nothing);
    tcase_add_test(c, levels_are_bounded);
    tcase_add_loop_test(c, an_out_of_memory_literal_is_not_read_as_text, 0, 6);
    suite_add_tcase(s, c);
    return support_run(s);
}
