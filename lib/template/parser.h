/* The tokens of a template while it is parsed, and what both parsers need.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEMPLATE_PARSER_H
#define TEMPLATE_PARSER_H

#include "template/lexer.h"
#include "template/node.h"

typedef struct tpl_parser {
    tpl *t;
    const tpl_token *token; /* the current one */
    unsigned depth;
    unsigned n_loops; /* around the current statement, within its macro */
    unsigned n_for;   /* around the current statement */
} tpl_parser;

/* A new node on the line of the current token. Never NULL: after an error, a node that is not to be used. */
tpl_node *tpl_parser_node(tpl_parser *p, tpl_node_kind kind);
void tpl_parser_add(tpl_parser *p, tpl_nodes *nodes, const tpl_node *node);

/* Whether the current token is this operator or this name; tpl_parser_accept also moves past it. */
bool tpl_parser_at(const tpl_parser *p, const char *operation);
bool tpl_parser_at_name(const tpl_parser *p, const char *name);
bool tpl_parser_accept(tpl_parser *p, const char *operation);
bool tpl_parser_accept_name(tpl_parser *p, const char *name);

void tpl_parser_next(tpl_parser *p);

/* Moves past the token, which must be this operator, or of this kind; otherwise that is the error. */
void tpl_parser_expect(tpl_parser *p, const char *operation);
assay_text tpl_parser_expect_kind(tpl_parser *p, tpl_token_kind kind, const char *what);

/* Records "found …, expected …". */
void tpl_parser_fail(tpl_parser *p, const char *expected);

/* Enters nested syntax; false if it is too deep. tpl_parser_leave in any case. */
bool tpl_parser_enter(tpl_parser *p);
void tpl_parser_leave(tpl_parser *p);

#endif
