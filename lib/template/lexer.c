/* SPDX-License-Identifier: Apache-2.0 */
#include "template/lexer.h"

#include <string.h>

#include "template/values/literal.h"
#include "template/values/strings.h"

#define BRACKETS_MAX 256

typedef struct lexer {
    tpl *t;
    const char *source;
    size_t n, at;
    unsigned line;
    bool line_starts; /* the latest delimiter ended with a newline, or none has been read */
    char brackets[BRACKETS_MAX];
    size_t n_brackets;
    tpl_token *tokens;
    size_t n_tokens, capacity;
} lexer;

static bool holds(const lexer *x, size_t at, const char *text)
{
    const size_t n = strlen(text);
    return at <= x->n && n <= x->n - at && memcmp(x->source + at, text, n) == 0;
}

static void add_token(lexer *x, tpl_token_kind kind, const char *at, size_t n, tpl_value value)
{
    tpl_token *tokens = tpl_grow(x->t, x->tokens, x->n_tokens, &x->capacity, sizeof *tokens);
    if (!tokens) return;
    x->tokens = tokens;
    tokens[x->n_tokens++] =
        (tpl_token){.kind = kind, .line = x->line, .text = {.at = at, .n = n}, .value = value};
}

/* Moves to `to`, counting lines. */
static void advance(lexer *x, size_t to)
{
    for (; x->at < to; x->at++) x->line += x->source[x->at] == '\n';
    x->line_starts = to > 0 && x->source[to - 1] == '\n';
    x->t->line = x->line;
}

static size_t skip_space(const lexer *x, size_t at)
{
    return at + tpl_space_prefix((assay_text){.at = x->source + at, .n = x->n - at});
}

/* The end of the delimiter `end` at `at`, with what it removes after it; 0 if it is not there. */
static size_t delimiter_end(const lexer *x, size_t at, const char *end, bool trims)
{
    const bool minus = holds(x, at, "-"), plus = holds(x, at, "+") && trims;
    const size_t begin = at + (minus || plus);
    if (!holds(x, begin, end)) return 0;
    const size_t after = begin + 2;
    if (minus) return skip_space(x, after);
    return trims && !plus && holds(x, after, "\n") ? after + 1 : after;
}

/* The text before a tag, without what the sign of the tag or lstrip_blocks removes. */
static assay_text strip_before(const lexer *x, assay_text text, char sign, bool is_variable)
{
    if (sign == '-') return tpl_strip_right(text);
    if (sign == '+' || is_variable) return text;
    size_t line = text.n;
    while (line > 0 && text.at[line - 1] != '\n') line--;
    if (line == 0 && !x->line_starts) return text;
    const assay_text last = {.at = text.at + line, .n = text.n - line};
    if (tpl_space_prefix(last) == last.n) text.n = line;
    return text;
}

/* The end of `{% raw %}` at x->at, or 0. */
static size_t raw_begin(const lexer *x)
{
    size_t at = x->at + 2;
    if (holds(x, at, "-") || holds(x, at, "+")) at++;
    at = skip_space(x, at);
    if (!holds(x, at, "raw")) return 0;
    at = skip_space(x, at + 3);
    return delimiter_end(x, at, "%}", false);
}

/* jinja2 takes a comment or raw text that begins at the end of the template for closed. */
static bool is_at_end(const lexer *x)
{
    return x->at == x->n;
}

/* Reads the text up to `{% endraw %}`. */
static void read_raw(lexer *x)
{
    if (is_at_end(x)) return;
    for (size_t at = x->at; at + 1 < x->n; at++) {
        if (!holds(x, at, "{%")) continue;
        const char sign = at + 2 < x->n ? x->source[at + 2] : 0;
        size_t end = skip_space(x, at + 2 + (sign == '-' || sign == '+'));
        if (!holds(x, end, "endraw")) continue;
        end = delimiter_end(x, skip_space(x, end + 6), "%}", true);
        if (end == 0) continue;
        const assay_text text =
            strip_before(x, (assay_text){.at = x->source + x->at, .n = at - x->at}, sign, false);
        if (text.n > 0) add_token(x, TPL_TOKEN_DATA, text.at, text.n, (tpl_value){0});
        advance(x, end);
        return;
    }
    (void)tpl_fail(x->t, ASSAY_EFORMAT, "found the end of the template, expected {%% endraw %%}");
}

static void skip_comment(lexer *x)
{
    if (is_at_end(x)) return;
    for (size_t at = x->at; at + 1 < x->n; at++) {
        const size_t end = delimiter_end(x, at, "#}", true);
        if (end == 0) continue;
        advance(x, end);
        return;
    }
    (void)tpl_fail(x->t, ASSAY_EFORMAT, "found the end of the template, expected the end of a comment, #}");
}

static bool balance_brackets(lexer *x, char c)
{
    static const char open[] = "([{", closed[] = ")]}";
    const char *closing = strchr(closed, c);
    if (strchr(open, c)) {
        if (x->n_brackets == BRACKETS_MAX)
            return tpl_fail(x->t, ASSAY_EUNSUPPORTED, "more than %d nested brackets", BRACKETS_MAX);
        x->brackets[x->n_brackets++] = c;
    } else if (closing) {
        if (x->n_brackets == 0 || x->brackets[x->n_brackets - 1] != open[closing - closed])
            return tpl_fail(x->t, ASSAY_EFORMAT, "found \"%c\" without its opening bracket", c);
        x->n_brackets--;
    }
    return true;
}

static bool read_operator(lexer *x)
{
    static const char *const pairs[] = {"//", "**", "==", "!=", "<=", ">="};
    static const char singles[] = "+-/*%~[](){}><=.:|,;";
    size_t n = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (holds(x, x->at, pairs[i])) n = 2;
    const char c = x->source[x->at];
    if (n == 0 && c && strchr(singles, c)) n = 1;
    if (n == 0) {
        const unsigned char byte = (unsigned char)c;
        return byte >= 0x80 ? tpl_fail(x->t, ASSAY_EUNSUPPORTED, "a name with characters that are not ASCII")
                            : tpl_fail(x->t, ASSAY_EFORMAT, "found the character 0x%02x in a tag", byte);
    }
    if (n == 1 && !balance_brackets(x, c)) return false;
    add_token(x, TPL_TOKEN_OPERATOR, x->source + x->at, n, (tpl_value){0});
    advance(x, x->at + n);
    return true;
}

/* One token within a tag. */
static bool read_token(lexer *x)
{
    const char *at = x->source + x->at;
    const assay_text rest = {.at = at, .n = x->n - x->at};
    const bool after_dot = x->at > 0 && at[-1] == '.';
    tpl_value value = {0};
    size_t n = tpl_name_length(rest);
    if (n > 0) add_token(x, TPL_TOKEN_NAME, at, n, value);
    else {
        if (*at == '"' || *at == '\'') n = tpl_literal_string(x->t, rest, &value);
        else if (*at >= '0' && *at <= '9') n = tpl_literal_number(x->t, rest, after_dot, &value);
        else return read_operator(x);
        add_token(x, TPL_TOKEN_CONST, at, n, value);
    }
    advance(x, x->at + n);
    return x->t->status == ASSAY_OK;
}

/* The tokens of a tag up to its end. */
static void read_tag(lexer *x, bool is_variable)
{
    const tpl_token_kind end_kind = is_variable ? TPL_TOKEN_VARIABLE_END : TPL_TOKEN_BLOCK_END;
    add_token(x, is_variable ? TPL_TOKEN_VARIABLE_BEGIN : TPL_TOKEN_BLOCK_BEGIN, x->source + x->at, 0,
              (tpl_value){0});
    x->n_brackets = 0;
    while (x->t->status == ASSAY_OK) {
        const size_t end =
            x->n_brackets == 0 ? delimiter_end(x, x->at, is_variable ? "}}" : "%}", !is_variable) : 0;
        if (end > 0) {
            add_token(x, end_kind, x->source + x->at, 2, (tpl_value){0});
            advance(x, end);
            return;
        }
        const size_t after = skip_space(x, x->at);
        if (after > x->at) advance(x, after);
        else if (x->at == x->n)
            (void)tpl_fail(x->t, ASSAY_EFORMAT, "found the end of the template, expected \"%s\"",
                           is_variable ? "}}" : "%}");
        else if (!read_token(x)) return;
    }
}

/* Data up to the next tag, and that tag. */
static void read_part(lexer *x)
{
    size_t tag = x->at;
    while (tag < x->n && !holds(x, tag, "{{") && !holds(x, tag, "{%") && !holds(x, tag, "{#")) tag++;
    assay_text text = {.at = x->source + x->at, .n = tag - x->at};
    char sign = tag + 2 < x->n ? x->source[tag + 2] : 0;
    const char kind = tag < x->n ? x->source[tag + 1] : 0;
    if (sign != '-' && sign != '+') sign = 0;
    if (kind) text = strip_before(x, text, sign, kind == '{');
    if (text.n > 0) add_token(x, TPL_TOKEN_DATA, text.at, text.n, (tpl_value){0});
    advance(x, tag);
    if (!kind) return;
    const size_t raw = kind == '%' ? raw_begin(x) : 0;
    advance(x, raw ? raw : tag + 2 + (sign != 0));
    if (raw) read_raw(x);
    else if (kind == '#') skip_comment(x);
    else read_tag(x, kind == '{');
}

/* Newlines as \n, without the last one. */
static assay_text normalize_newlines(tpl *t, assay_text source)
{
    char *out = tpl_alloc(t, source.n + 1, 1);
    size_t n = 0;
    if (!out) return (assay_text){.at = "", .n = 0};
    for (size_t i = 0; i < source.n; i++) {
        if (source.at[i] == '\r' && i + 1 < source.n && source.at[i + 1] == '\n') continue;
        out[n++] = source.at[i] == '\r' ? '\n' : source.at[i];
    }
    if (n > 0 && out[n - 1] == '\n') n--;
    return (assay_text){.at = out, .n = n};
}

const tpl_token *tpl_tokens(tpl *t, assay_text source)
{
    source = normalize_newlines(t, source);
    lexer x = {.t = t, .source = source.at, .n = source.n, .line = 1, .line_starts = true};
    while (x.at < x.n && t->status == ASSAY_OK) read_part(&x);
    add_token(&x, TPL_TOKEN_END, x.source + x.n, 0, (tpl_value){0});
    return t->status == ASSAY_OK ? x.tokens : NULL;
}
