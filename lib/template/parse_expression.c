/* SPDX-License-Identifier: Apache-2.0 */
#include "template/parse_expression.h"

#include <string.h>

#include "template/parse_arguments.h"
#include "template/values/integer.h"
#include "template/values/strings.h"

static const tpl_node *parse_unary(tpl_parser *p, bool with_filter);

static const tpl_node *new_binary(tpl_parser *p, tpl_node_kind kind, const tpl_node *a, const tpl_node *b)
{
    tpl_node *node = tpl_parser_node(p, kind);
    node->a = a;
    node->b = b;
    return node;
}

static const tpl_node *new_const(tpl_parser *p, tpl_value value)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_CONST);
    node->value = value;
    return node;
}

/* Whether a tuple ends at the current token: after a comma, jinja2 takes "in" and "recursive" for names. */
static bool at_tuple_end(const tpl_parser *p)
{
    const tpl_token_kind kind = p->token->kind;
    return kind == TPL_TOKEN_VARIABLE_END || kind == TPL_TOKEN_BLOCK_END || tpl_parser_at(p, ")");
}

const tpl_node *tpl_parse_tuple(tpl_parser *p, bool with_choice)
{
    if (at_tuple_end(p)) tpl_parser_fail(p, "an expression");
    const tpl_node *first = tpl_parse_expression(p, with_choice);
    if (!tpl_parser_at(p, ",")) return first;
    tpl_node *tuple = tpl_parser_node(p, TPL_NODE_TUPLE);
    tpl_parser_add(p, &tuple->list, first);
    while (tpl_parser_accept(p, ",") && !at_tuple_end(p) && p->t->status == ASSAY_OK)
        tpl_parser_add(p, &tuple->list, tpl_parse_expression(p, with_choice));
    return tuple;
}

static const tpl_node *parse_parentheses(tpl_parser *p)
{
    tpl_parser_expect(p, "(");
    const tpl_node *node =
        tpl_parser_at(p, ")") ? tpl_parser_node(p, TPL_NODE_TUPLE) : tpl_parse_tuple(p, true);
    tpl_parser_expect(p, ")");
    return node;
}

static const tpl_node *parse_list(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_LIST);
    tpl_parser_expect(p, "[");
    while (!tpl_parser_at(p, "]") && p->t->status == ASSAY_OK) {
        if (node->list.n > 0) tpl_parser_expect(p, ",");
        if (!tpl_parser_at(p, "]")) tpl_parser_add(p, &node->list, tpl_parse_expression(p, true));
    }
    tpl_parser_expect(p, "]");
    return node;
}

static const tpl_node *parse_dict(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_DICT);
    tpl_parser_expect(p, "{");
    while (!tpl_parser_at(p, "}") && p->t->status == ASSAY_OK) {
        if (node->list.n > 0) tpl_parser_expect(p, ",");
        if (tpl_parser_at(p, "}")) break;
        tpl_parser_add(p, &node->list, tpl_parse_expression(p, true));
        tpl_parser_expect(p, ":");
        tpl_parser_add(p, &node->list, tpl_parse_expression(p, true));
    }
    tpl_parser_expect(p, "}");
    return node;
}

/* Whether a word is no name but a constant. */
static bool find_constant(assay_text word, tpl_value *value)
{
    static const char *const words[] = {"true", "True", "false", "False", "none", "None"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (tpl_same_text(word, words[i])) {
            *value = i < 4 ? tpl_bool(i < 2) : tpl_none();
            return true;
        }
    return false;
}

assay_text tpl_parse_new_name(tpl_parser *p, const char *what)
{
    tpl_value value;
    if (p->token->kind == TPL_TOKEN_NAME && find_constant(p->token->text, &value)) tpl_parser_fail(p, what);
    return tpl_parser_expect_kind(p, TPL_TOKEN_NAME, what);
}

static const tpl_node *parse_name(tpl_parser *p, bool with_member)
{
    const assay_text name = p->token->text;
    tpl_value value;
    tpl_node *node = tpl_parser_node(p, TPL_NODE_NAME);
    node->name = name;
    tpl_parser_next(p);
    if (find_constant(name, &value)) return new_const(p, value);
    if (with_member && tpl_parser_accept(p, ".")) {
        node->kind = TPL_NODE_MEMBER;
        node->field = tpl_parser_expect_kind(p, TPL_TOKEN_NAME, "the name of a member");
    }
    return node;
}

/* A string, or several in a row, which are one; or a number. */
static const tpl_node *parse_const(tpl_parser *p)
{
    tpl_value value = p->token->value;
    tpl_parser_next(p);
    if (value.kind != TPL_STRING || p->token->kind != TPL_TOKEN_CONST || p->token->value.kind != TPL_STRING)
        return new_const(p, value);
    tpl_builder b = {.t = p->t};
    tpl_add(&b, value.text.at, value.text.n);
    for (; p->token->kind == TPL_TOKEN_CONST && p->token->value.kind == TPL_STRING; tpl_parser_next(p))
        tpl_add(&b, p->token->value.text.at, p->token->value.text.n);
    return new_const(p, tpl_built(&b));
}

static const tpl_node *parse_primary(tpl_parser *p, bool with_member)
{
    if (p->token->kind == TPL_TOKEN_NAME) return parse_name(p, with_member);
    if (p->token->kind == TPL_TOKEN_CONST) return parse_const(p);
    if (tpl_parser_at(p, "(")) return parse_parentheses(p);
    if (tpl_parser_at(p, "[")) return parse_list(p);
    if (tpl_parser_at(p, "{")) return parse_dict(p);
    tpl_parser_fail(p, "an expression");
    return tpl_parser_node(p, TPL_NODE_CONST);
}

const tpl_node *tpl_parse_target(tpl_parser *p, bool with_member)
{
    const tpl_node *node = parse_primary(p, with_member);
    if (tpl_parser_at(p, ",")) {
        tpl_node *tuple = tpl_parser_node(p, TPL_NODE_TUPLE);
        tpl_parser_add(p, &tuple->list, node);
        while (tpl_parser_accept(p, ",") && !at_tuple_end(p) && p->t->status == ASSAY_OK)
            tpl_parser_add(p, &tuple->list, parse_primary(p, with_member));
        node = tuple;
    }
    const bool names = node->kind == TPL_NODE_TUPLE;
    bool assigns = names || node->kind == TPL_NODE_NAME || node->kind == TPL_NODE_MEMBER;
    for (size_t i = 0; names && i < node->list.n; i++) {
        const tpl_node_kind kind = node->list.at[i]->kind;
        assigns = assigns && (kind == TPL_NODE_NAME || kind == TPL_NODE_MEMBER || kind == TPL_NODE_TUPLE);
    }
    if (!assigns) tpl_parser_fail(p, "the target of an assignment before it");
    return node;
}

/* One element of a subscript: an expression or a slice. */
static const tpl_node *parse_subscript(tpl_parser *p)
{
    const tpl_node *first = tpl_parser_at(p, ":") ? NULL : tpl_parse_expression(p, true);
    if (!tpl_parser_accept(p, ":")) return first;
    tpl_node *node = tpl_parser_node(p, TPL_NODE_SLICE);
    node->a = first;
    if (!tpl_parser_at(p, ":") && !tpl_parser_at(p, "]") && !tpl_parser_at(p, ","))
        node->b = tpl_parse_expression(p, true);
    if (tpl_parser_accept(p, ":") && !tpl_parser_at(p, "]") && !tpl_parser_at(p, ","))
        node->c = tpl_parse_expression(p, true);
    return node;
}

static const tpl_node *parse_item(tpl_parser *p, const tpl_node *object)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_ITEM), *all = tpl_parser_node(p, TPL_NODE_TUPLE);
    node->a = object;
    tpl_parser_expect(p, "[");
    while (!tpl_parser_at(p, "]") && p->t->status == ASSAY_OK) {
        if (all->list.n > 0) tpl_parser_expect(p, ",");
        tpl_parser_add(p, &all->list, parse_subscript(p));
    }
    tpl_parser_expect(p, "]");
    node->b = all->list.n == 1 ? all->list.at[0] : all;
    return node;
}

static const tpl_node *parse_attribute(tpl_parser *p, const tpl_node *object)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_ATTR);
    node->a = object;
    tpl_parser_expect(p, ".");
    if (p->token->kind == TPL_TOKEN_CONST && tpl_is_integer(p->token->value)) {
        node->kind = TPL_NODE_ITEM;
        node->b = new_const(p, p->token->value);
        tpl_parser_next(p);
    } else node->name = tpl_parser_expect_kind(p, TPL_TOKEN_NAME, "a name or a number");
    return node;
}

static const tpl_node *parse_call(tpl_parser *p, const tpl_node *callee)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_CALL);
    node->a = callee;
    tpl_parse_arguments(p, tpl_parse_expression, &node->list);
    return node;
}

static const tpl_node *parse_postfix(tpl_parser *p, const tpl_node *node)
{
    while (p->t->status == ASSAY_OK) {
        if (tpl_parser_at(p, ".")) node = parse_attribute(p, node);
        else if (tpl_parser_at(p, "[")) node = parse_item(p, node);
        else if (tpl_parser_at(p, "(")) node = parse_call(p, node);
        else break;
    }
    return node;
}

/* The name of a filter or a test, which may have dots. */
static assay_text parse_dotted_name(tpl_parser *p, const char *what)
{
    tpl_builder b = {.t = p->t};
    assay_text name = tpl_parser_expect_kind(p, TPL_TOKEN_NAME, what);
    if (!tpl_parser_at(p, ".")) return name;
    tpl_add(&b, name.at, name.n);
    while (tpl_parser_accept(p, ".")) {
        name = tpl_parser_expect_kind(p, TPL_TOKEN_NAME, what);
        tpl_add_string(&b, ".");
        tpl_add(&b, name.at, name.n);
    }
    return tpl_built(&b).text;
}

const tpl_node *tpl_parse_filters(tpl_parser *p, const tpl_node *input, bool inline_start)
{
    const bool of_block = !input;
    while ((inline_start || tpl_parser_accept(p, "|")) && p->t->status == ASSAY_OK) {
        tpl_node *node = tpl_parser_node(p, TPL_NODE_FILTER);
        node->a = input;
        node->flag = of_block;
        node->name = parse_dotted_name(p, "the name of a filter");
        if (tpl_parser_at(p, "(")) tpl_parse_arguments(p, tpl_parse_expression, &node->list);
        input = node;
        inline_start = false;
    }
    return input;
}

static const tpl_node *parse_test(tpl_parser *p, const tpl_node *value)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_TEST);
    tpl_parser_next(p);
    const bool negated = tpl_parser_accept_name(p, "not");
    const tpl_token_kind kind = p->token->kind;
    node->a = value;
    node->name = parse_dotted_name(p, "the name of a test");
    if (kind == TPL_TOKEN_NAME && tpl_parser_at_name(p, "is")) tpl_parser_fail(p, "the end of the test");
    const bool word =
        tpl_parser_at_name(p, "else") || tpl_parser_at_name(p, "or") || tpl_parser_at_name(p, "and");
    if (tpl_parser_at(p, "(")) tpl_parse_arguments(p, tpl_parse_expression, &node->list);
    else if ((p->token->kind == TPL_TOKEN_NAME && !word) || p->token->kind == TPL_TOKEN_CONST ||
             tpl_parser_at(p, "[") || tpl_parser_at(p, "{"))
        tpl_parser_add(p, &node->list, parse_postfix(p, parse_primary(p, false)));
    return negated ? new_binary(p, TPL_NODE_NOT, node, NULL) : node;
}

static const tpl_node *parse_unary_within(tpl_parser *p, bool with_filter)
{
    const tpl_node *node;
    if (tpl_parser_accept(p, "-")) node = new_binary(p, TPL_NODE_NEGATE, parse_unary(p, false), NULL);
    else if (tpl_parser_accept(p, "+")) node = new_binary(p, TPL_NODE_PLUS, parse_unary(p, false), NULL);
    else node = parse_primary(p, false);
    node = parse_postfix(p, node);
    while (with_filter && p->t->status == ASSAY_OK) {
        if (tpl_parser_at(p, "|")) node = tpl_parse_filters(p, node, false);
        else if (tpl_parser_at_name(p, "is")) node = parse_test(p, node);
        else if (tpl_parser_at(p, "(")) node = parse_call(p, node);
        else break;
    }
    return node;
}

static const tpl_node *parse_unary(tpl_parser *p, bool with_filter)
{
    const tpl_node *node =
        tpl_parser_enter(p) ? parse_unary_within(p, with_filter) : tpl_parser_node(p, TPL_NODE_CONST);
    tpl_parser_leave(p);
    return node;
}

/* Operators of one precedence, from the tightest: **, then * / // %, then ~, then + -. */
static const tpl_node *parse_arithmetic(tpl_parser *p, unsigned level)
{
    static const char *const operators[][5] = {{"**"}, {"*", "/", "//", "%"}, {"~"}, {"+", "-"}};
    const tpl_node *node = level == 0 ? parse_unary(p, true) : parse_arithmetic(p, level - 1);
    tpl_node *concat = NULL;
    while (p->t->status == ASSAY_OK) {
        const char *found = NULL;
        for (size_t i = 0; i < 4 && operators[level][i]; i++)
            if (tpl_parser_at(p, operators[level][i])) found = operators[level][i];
        if (!found) break;
        if (level == 2 && !concat) {
            concat = tpl_parser_node(p, TPL_NODE_CONCAT);
            tpl_parser_add(p, &concat->list, node);
            node = concat;
        }
        tpl_parser_next(p);
        const tpl_node *right = level == 0 ? parse_unary(p, true) : parse_arithmetic(p, level - 1);
        if (concat) tpl_parser_add(p, &concat->list, right);
        else {
            tpl_node *binary = tpl_parser_node(p, TPL_NODE_BINARY);
            *binary = (tpl_node){.kind = TPL_NODE_BINARY,
                                 .line = binary->line,
                                 .name = {.at = found, .n = strlen(found)},
                                 .a = node,
                                 .b = right};
            node = binary;
        }
    }
    return node;
}

/* The operator of a comparison at the current token, which is skipped; NULL: none. */
static const char *accept_comparison(tpl_parser *p)
{
    static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (tpl_parser_accept(p, operators[i])) return operators[i];
    if (tpl_parser_accept_name(p, "in")) return "in";
    if (!tpl_parser_at_name(p, "not") || p->token[1].kind != TPL_TOKEN_NAME ||
        !tpl_same_text(p->token[1].text, "in"))
        return NULL;
    tpl_parser_next(p);
    tpl_parser_next(p);
    return "not in";
}

static const tpl_node *parse_comparison(tpl_parser *p)
{
    const tpl_node *first = parse_arithmetic(p, 3);
    tpl_node *node = NULL;
    for (const char *found; p->t->status == ASSAY_OK && (found = accept_comparison(p)) != NULL;) {
        if (!node) node = tpl_parser_node(p, TPL_NODE_COMPARE);
        node->a = first;
        tpl_node *operand = tpl_parser_node(p, TPL_NODE_OPERAND);
        operand->name = (assay_text){.at = found, .n = strlen(found)};
        operand->a = parse_arithmetic(p, 3);
        tpl_parser_add(p, &node->list, operand);
    }
    return node ? node : first;
}

static const tpl_node *parse_not(tpl_parser *p)
{
    if (!tpl_parser_at_name(p, "not")) return parse_comparison(p);
    const tpl_node *node = tpl_parser_node(p, TPL_NODE_CONST);
    if (tpl_parser_enter(p)) {
        tpl_parser_next(p);
        node = new_binary(p, TPL_NODE_NOT, parse_not(p), NULL);
    }
    tpl_parser_leave(p);
    return node;
}

static const tpl_node *parse_or(tpl_parser *p, bool only_and)
{
    const tpl_node *node = only_and ? parse_not(p) : parse_or(p, true);
    while (tpl_parser_accept_name(p, only_and ? "and" : "or"))
        node = new_binary(p, only_and ? TPL_NODE_AND : TPL_NODE_OR, node,
                          only_and ? parse_not(p) : parse_or(p, true));
    return node;
}

static const tpl_node *parse_choice(tpl_parser *p)
{
    const tpl_node *value = parse_or(p, false);
    while (p->t->status == ASSAY_OK && tpl_parser_at_name(p, "if")) {
        tpl_node *node = tpl_parser_node(p, TPL_NODE_CHOICE);
        tpl_parser_next(p);
        node->a = value;
        node->b = parse_or(p, false);
        if (tpl_parser_accept_name(p, "else")) node->c = tpl_parse_expression(p, true);
        value = node;
    }
    return value;
}

const tpl_node *tpl_parse_expression(tpl_parser *p, bool with_choice)
{
    const tpl_node *node = tpl_parser_node(p, TPL_NODE_CONST);
    if (tpl_parser_enter(p)) node = with_choice ? parse_choice(p) : parse_or(p, false);
    tpl_parser_leave(p);
    return node;
}
