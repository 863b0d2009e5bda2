/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/ruby.h"

#include "base/tests/support.h"
#include "tokenizer/text/pattern.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *ruby, *pcre;
} ROWS[] = {
    {"a|b", "a|b"},
    {"(a)", "(?:a)"},
    {"\\p{L}+", "\\p{L}+"},
    {"\\p{^Lu}", "[\\P{Lu}]"},
    {"\\p{Uppercase_Letter}", "\\p{Lu}"},
    {"\\p{Han}", "\\p{sc:han}"},
    {"[^\\S\\n]", "[^\\P{White_Space}\\n]"},
    {"\\h", "[0-9a-fA-F]"},
    {"\\v", "\\x0b"},
    {"^a$", "(?m:^)a(?m:$)"},
    {"a{,3}", "a{0,3}"},
    {"a{2,3}?", "(*NO_START_OPT)(*NO_AUTO_POSSESS)a{2,3}?"},
    {"(?i)\\p{ASCII}\\p{Lu}\\P{Alnum}",
     "(?i)(?-i:[\\x00-\\x7f])(?-i:\\p{Lu})(?-i:[^\\p{Alphabetic}\\p{Nd}])"},
    {"(?>.+?)a", "(*NO_START_OPT)(*NO_AUTO_POSSESS)(?>.+?)a"},
    {"(?>a*|b)c", "(*NO_START_OPT)(*NO_AUTO_POSSESS)(?>a*|b)c"},
    {"(?:a)?+b", "(*NO_START_OPT)(*NO_AUTO_POSSESS)(?:a)?+b"},
    {"a{2}?", "(?:a{2})?"},
    {"a{2,3}+", "(?:a{2,3})+"},
    {"(?:ab){2}+c", "(?:(?:ab){2})+c"},
    {"a++b*+", "a++b*+"},
    {"{x}", "\\{x\\}"},
    {"(?i:'s)", "(?i:\\'s)"},
    {"(?m:.)", "(?s:.)"},
    {"(?i)a", "(?i)a"},
    {"[]a]", NULL},
    {"\\d", "\\p{Nd}"},
    {"[[:digit:]x]", "[\\p{Nd}x]"},
    {"[一-龥]", "[一-龥]"},
    {"\\u4e00\\x{1F600}\\x41", "\\x{4e00}\\x{1f600}\\x{41}"},
    {"[a-z-]", "[a-z\\-]"},
    {"[a[bc]d]", "[abcd]"},
    {"[a[^bc]d]", "(?:(?:[ad]|[^bc]))"},
    {"[\\p{L}&&[^\\p{Han}]]", "(?:(?=[\\p{L}])(?:[^\\p{sc:han}]))"},
    {"[^a-z&&b-d]", "(?:(?!(?=[a-z])[b-d])(?s:.))"},
    {"[\\W_]", "(?:(?:[\\_]|[^" RUBY_WORD "]))"},
    {"[[:punct:]]", "[\\p{P}\\p{S}]"},
    {"[^[:^alpha:]]", "(?:(?!(?:[^\\p{Alphabetic}]))(?s:.))"},
    {"\\p{Punct}\\P{Alnum}", "\\p{P}[^\\p{Alphabetic}\\p{Nd}]"},
    {"(?i:[^\\p{L}\\D])[\\p{Lu}]", "(?i:[^\\p{L}\\x{345}\\P{Nd}])[\\p{Lu}]"},
    {"(?i)[\\p{N}à-ÿ[:digit:]]", "(?i)[\\p{N}à-ÿ\\p{Nd}]"},
    {"[^a&&[^b]]", "(?:(?!(?=[a])(?:[^b]))(?s:.))"},
    {"(?i:(?-i:[\\p{Lu}]))", "(?i:(?-i:[\\p{Lu}]))"},
};

START_TEST(oniguruma_syntax_is_rewritten_for_pcre2)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        buffer out = {0};
        tokenizer_ruby_problem problem = {0};
        const bool done = tokenizer_ruby_rewrite(ROWS[i].ruby, strlen(ROWS[i].ruby), &out, &problem);
        ck_assert_msg(done == (ROWS[i].pcre != NULL), "%s", ROWS[i].ruby);
        if (done) {
            ck_assert(buffer_append(&out, "", 1));
            ck_assert_str_eq(out.data, ROWS[i].pcre);
        }
        buffer_free(&out);
    }
}
END_TEST

static const struct {
    const char *ruby;
    size_t at;
    const char *reason;
} REFUSED[] = {{"(?i)[a&&b]", 6, "an intersection where case is ignored"},
               {"(?i)[a[^b]]", 7, "a complement in a set where case is ignored"},
               {"(?i)[\\p{Lu}]", 7, "a property in a set, some of whose members have another case"},
               {"(?i:a[^\\P{L}])", 9, "a property in a set, some of whose members have another case"},
               {"[a-[b]]", 3, "a range without an end"},
               {"[a&&]", 4, "a set without members"},
               {"a(", 2, "a ( without its )"},
               {"a)", 1, "a ) without its ("},
               {"[a", 1, "brackets without an end"},

               {"\\1", 1, "a reference to a group"},
               {"\\k<a>", 1, "a reference to a group"},
               {"(?<n>a)", 2, "a named group"},
               {"(?~a)", 2, "an absent operator"},
               {"(?#a)", 2, "a comment"},
               {"(?(a)b)", 2, "a condition"},
               {"(?{a})", 2, "a callout"},
               {"(?", 2, "an unknown group"},
               {"\\y", 1, "\\y or \\Y, a boundary of grapheme clusters"},
               {"\\O", 1, "\\N or \\O, any character"},
               {"\\K", 1, "\\K, which keeps what is left of it"},
               {"\\o{101}", 1, "an octal number"},
               {"\\cA", 1, "a control or meta character"},
               {"\\Q", 1, "an unknown escape"},
               {"a**", 2, "a quantifier of a quantifier"},
               {"*a", 0, "a quantifier without an operand"},
               {"a(?i)b", 3, "options in the middle of a pattern"},
               {"\\xE2", 2, "a byte beyond ASCII"},
               {"\\p{In_Greek}}", 2, ""},

               {"\\pL", 2, "a property without braces"},
               {"\\", 1, "a backslash at the end"},
               {"(?i)[a\\H]", 7, "\\w, \\D, \\S or \\H in a set where case is ignored"},
               {"(?i)[a\\w]", 7, "\\w, \\D, \\S or \\H in a set where case is ignored"},
               {"(?i)[\\p{L}]", 7, "a property in a set, some of whose members fold to several characters"},
               {"(?i)[\\P{N}]", 7, "a property in a set, some of whose members fold to several characters"},
               {"(?i)[[:alpha:]]", 7, "a named set where case is ignored"},
               {"(?i)[[:^digit:]]", 7, "a named set where case is ignored"},
               {"(?i)[a-\\x{df}]", 9, "a character whose case folding has several"},
               {"(?i)[a-ÿ]", 6, "a range with a character whose case folding has several"},
               {"[^a[^b]]", 1, "a complement within a complement"},
               {"a[^[b[^c]]]", 2, "a complement within a complement"},
               {"(?:a?b*){2}", 8, "a counted repeat of what may be empty"},
               {"(?:c(?:a|b{2}?)|(?i:^|x)){1,3}c", 25, "a counted repeat of what may be empty"},
               {"[^[^a]&&[^b]]", 1, "a complement within a complement"},
               {"[^[a[^b]]&&c[^d]&&[e[^f]]]", 1, "a complement within a complement"},
               {"\\G", 1, "\\G, the start of the search"},
               {"(?ix: a)", 2, "an option other than i and m"},

               {"\\p{", 2, "a property without an end"},
               {"\\x{}", 2, "an invalid number"},
               {"\\X", 1, "\\X, a grapheme cluster"},
               {"(?i:ß)", 4, "a character whose case folding has several"},
               {"(?i:asT)", 5, "a character whose case folding has several"},
               {"(?i:[ß])", 5, "a character whose case folding has several"}};

START_TEST(unsupported_syntax_is_refused_with_its_offset)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
        buffer out = {0};
        tokenizer_ruby_problem problem = {0};
        const bool done = tokenizer_ruby_rewrite(REFUSED[i].ruby, strlen(REFUSED[i].ruby), &out, &problem);
        buffer_free(&out);
        if (strcmp(REFUSED[i].ruby, "\\p{In_Greek}}") == 0)
            continue; /* refused by PCRE2 instead: there is no such script */
        ck_assert_msg(!done, "%s", REFUSED[i].ruby);
        ck_assert_msg(problem.reason && problem.at == REFUSED[i].at, "%s at %zu", REFUSED[i].ruby,
                      problem.at);
        ck_assert_str_eq(problem.reason, REFUSED[i].reason);
    }
}
END_TEST

/* Writes all matches of an expression in a text to out[0..capacity), as "from-to from-to". */
static void find_all(const char *expression, const char *text, char *out, size_t capacity)
{
    tokenizer_pattern *p = NULL;
    tokenizer_matcher *m = NULL;
    assay_error err;
    ck_assert_int_eq(tokenizer_pattern_open_regex("f", expression, &p, &err), ASSAY_OK);
    ck_assert_int_eq(tokenizer_matcher_open(&m, &err), ASSAY_OK);
    tokenizer_matcher_begin(m, strlen(text));
    tokenizer_matches matches = {.pattern = p, .matcher = m, .text = text, .n = strlen(text)};
    size_t from, to, used = 0;
    bool found = true;
    while (found) {
        ck_assert_int_eq(tokenizer_matches_next(&matches, &from, &to, &found, &err), ASSAY_OK);
        if (found)
            used += (size_t)snprintf(out + used, capacity - used, "%s%zu-%zu", used ? " " : "", from, to);
    }
    out[used] = '\0';
    tokenizer_matcher_free(m);
    tokenizer_pattern_free(p);
}

START_TEST(matches_equal_those_of_oniguruma)
{
    /* Recorded from tokenizers 0.23.3 (pre_tokenizers.Split, behavior "isolated"). */
    static const struct {
        const char *expression, *text, *found;
    } CASES[] = {
        {"\\s+(?!\\S)|\\s+", "a   b  ", "1-3 3-4 5-7"},
        {"a*", "baac", "0-0 1-3 4-4"},
        {"a{1,2}+", "aaaaa", "0-5"},
        {"a{1,2}", "aaaaa", "0-2 2-4 4-5"},
        {"(?<!a)b", "ab bb", "3-4 4-5"},
        {"\\b", "ab c", "0-0 2-2 3-3 4-4"},
        {"^.", "a\nb\n", "0-1 2-3"},
        {"\\s", "\xe1\xa0\x8e\xc2\x85", "3-5"}, /* U+0085 is white space, U+180E is not */
        {"\\w", "\xc2\xb2\xc2\xa9", "0-2"},     /* a superscript two, but not a copyright sign */
        {"[\\w]", "\xc2\xb2", ""},
        {"(?i:'s)", "'S'\xc5\xbf", "0-2 2-5"},           /* a long s */
        {"\\p{Han}", "\xe3\x80\x81\xe4\xb8\x80", "3-6"}, /* script extensions are ignored */
        {"\\h+", "0xfg", "0-1 2-3"},
        {"(?>.+?)\\d", "2.50", "1-3"},  /* PCRE2's start optimizations find 2-4 */
        {"(?>a*|c)b", "acb", "2-3"},    /* PCRE2's start optimizations find 1-3 */
        {"e?(?:x)?+[a-f]", "e", "0-1"}, /* PCRE2's auto-possessification finds nothing */
        {"e?(?>(?:x)?)[a-f]", "e", "0-1"},
        {"(?:.*?)++(?!1)", "a1 b", "0-0 2-2 3-3 4-4"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char found[256];
        find_all(CASES[i].expression, CASES[i].text, found, sizeof found);
        ck_assert_msg(strcmp(found, CASES[i].found) == 0, "%s: %s", CASES[i].expression, found);
    }
}
END_TEST

START_TEST(exceeding_the_step_limit_is_an_error)
{
    enum { N = 200000 };
    tokenizer_pattern *p = NULL;
    tokenizer_matcher *m = NULL;
    assay_error err;
    static char text[N];
    memset(text, 'a', N);
    ck_assert_int_eq(tokenizer_pattern_open_regex("f", "(?:(?:a|aa)+)+[bc]", &p, &err), ASSAY_OK);
    ck_assert_int_eq(tokenizer_matcher_open(&m, &err), ASSAY_OK);
    tokenizer_matcher_begin(m, N);
    tokenizer_matches matches = {.pattern = p, .matcher = m, .text = text, .n = N};
    size_t from, to;
    bool found;
    ck_assert_int_eq(tokenizer_matches_next(&matches, &from, &to, &found, &err), ASSAY_EUNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "exceeds a limit at byte 0 of 200000"));
    tokenizer_matcher_free(m);
    tokenizer_pattern_free(p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tokenizer/tokenizer_ruby");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, oniguruma_syntax_is_rewritten_for_pcre2);
    tcase_add_test(all, unsupported_syntax_is_refused_with_its_offset);
    tcase_add_test(all, matches_equal_those_of_oniguruma);
    tcase_add_test(all, exceeding_the_step_limit_is_an_error);
    suite_add_tcase(suite, all);
    return support_run(suite);
}
