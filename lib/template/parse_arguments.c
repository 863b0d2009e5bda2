/* SPDX-License-Identifier: Apache-2.0 */
#include "template/parse_arguments.h"

/* The kinds of arguments that were read. */
typedef struct arguments_read {
    bool named, elements, members;
} arguments_read;

static const tpl_node *parse_spread(tpl_parser *p, tpl_parse_expression_fn *parse, bool members)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_SPREAD);
    tpl_parser_next(p);
    node->flag = members;
    node->a = parse(p, true);
    return node;
}

bool tpl_is_passed(const tpl_nodes *arguments, assay_text name)
{
    for (size_t i = 0; i < arguments->n; i++) {
        const tpl_node *node = arguments->at[i];
        if (node->kind == TPL_NODE_KEYWORD && tpl_same(node->name, name)) return true;
    }
    return false;
}

static const tpl_node *parse_argument(tpl_parser *p, tpl_parse_expression_fn *parse, arguments_read *read)
{
    const bool elements = tpl_parser_at(p, "*"), members = tpl_parser_at(p, "**");
    const bool named = p->token->kind == TPL_TOKEN_NAME && p->token[1].kind == TPL_TOKEN_OPERATOR &&
                       tpl_same_text(p->token[1].text, "=");
    if (read->members || (elements && read->elements))
        tpl_parser_fail(p, read->members ? "the end of the arguments" : "one argument with *");
    read->elements = read->elements || elements;
    read->members = members;
    if (elements || members) return parse_spread(p, parse, members);
    if (!named) {
        if (read->named || read->elements) tpl_parser_fail(p, "a named argument");
        return parse(p, true);
    }
    read->named = true;
    tpl_node *node = tpl_parser_node(p, TPL_NODE_KEYWORD);
    node->name = p->token->text;
    tpl_parser_next(p);
    tpl_parser_next(p);
    node->a = parse(p, true);
    return node;
}

void tpl_parse_arguments(tpl_parser *p, tpl_parse_expression_fn *parse, tpl_nodes *out)
{
    arguments_read read = {0};
    tpl_parser_expect(p, "(");
    while (!tpl_parser_at(p, ")") && p->t->status == ASSAY_OK) {
        if (out->n > 0) tpl_parser_expect(p, ",");
        if (tpl_parser_at(p, ")")) break;
        const tpl_node *argument = parse_argument(p, parse, &read);
        if (argument->kind == TPL_NODE_KEYWORD && tpl_is_passed(out, argument->name))
            (void)tpl_fail(p->t, ASSAY_EFORMAT, "the argument %.*s is passed twice",
                           argument->name.n > 60 ? 60 : (int)argument->name.n, argument->name.at);
        tpl_parser_add(p, out, argument);
    }
    tpl_parser_expect(p, ")");
}
