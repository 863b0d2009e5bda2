/* SPDX-License-Identifier: Apache-2.0 */
#include "template/parser.h"

tpl_node *tpl_parser_node(tpl_parser *p, tpl_node_kind kind)
{
    static _Thread_local tpl_node unused;
    tpl_node *node = tpl_alloc(p->t, 1, sizeof *node);
    if (!node) {
        node = &unused;
        *node = (tpl_node){0};
    }
    node->kind = kind;
    node->line = p->token->line;
    return node;
}

void tpl_parser_add(tpl_parser *p, tpl_nodes *nodes, const tpl_node *node)
{
    const tpl_node **at = tpl_grow(p->t, nodes->at, nodes->n, &nodes->capacity, sizeof *at);
    if (!at) return;
    nodes->at = at;
    at[nodes->n++] = node;
}

bool tpl_parser_at(const tpl_parser *p, const char *operation)
{
    return p->token->kind == TPL_TOKEN_OPERATOR && tpl_same_text(p->token->text, operation);
}

bool tpl_parser_at_name(const tpl_parser *p, const char *name)
{
    return p->token->kind == TPL_TOKEN_NAME && tpl_same_text(p->token->text, name);
}

void tpl_parser_next(tpl_parser *p)
{
    if (p->token->kind != TPL_TOKEN_END) p->token++;
    p->t->line = p->token->line;
}

bool tpl_parser_accept(tpl_parser *p, const char *operation)
{
    const bool at = tpl_parser_at(p, operation);
    if (at) tpl_parser_next(p);
    return at;
}

bool tpl_parser_accept_name(tpl_parser *p, const char *name)
{
    const bool at = tpl_parser_at_name(p, name);
    if (at) tpl_parser_next(p);
    return at;
}

void tpl_parser_expect(tpl_parser *p, const char *operation)
{
    char expected[8] = {'"', operation[0], operation[1] ? operation[1] : '"', operation[1] ? '"' : 0, 0};
    if (!tpl_parser_accept(p, operation)) tpl_parser_fail(p, expected);
}

assay_text tpl_parser_expect_kind(tpl_parser *p, tpl_token_kind kind, const char *what)
{
    const assay_text text = p->token->text;
    if (p->token->kind == kind) tpl_parser_next(p);
    else tpl_parser_fail(p, what);
    return text;
}

void tpl_parser_fail(tpl_parser *p, const char *expected)
{
    const tpl_token *token = p->token;
    const int n = token->text.n > 60 ? 60 : (int)token->text.n;
    if (token->kind == TPL_TOKEN_END)
        (void)tpl_fail(p->t, ASSAY_EFORMAT, "found the end of the template, expected %s", expected);
    else if (token->kind == TPL_TOKEN_BLOCK_END || token->kind == TPL_TOKEN_VARIABLE_END)
        (void)tpl_fail(p->t, ASSAY_EFORMAT, "found the end of the tag, expected %s", expected);
    else (void)tpl_fail(p->t, ASSAY_EFORMAT, "found \"%.*s\", expected %s", n, token->text.at, expected);
}

bool tpl_parser_enter(tpl_parser *p)
{
    p->depth++;
    return p->t->status == ASSAY_OK &&
           (p->depth <= TPL_SYNTAX_MAX ||
            tpl_fail(p->t, ASSAY_EUNSUPPORTED, "expressions or statements are nested more than %u deep",
                     TPL_SYNTAX_MAX));
}

void tpl_parser_leave(tpl_parser *p)
{
    p->depth--;
}
