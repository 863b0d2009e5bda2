/* SPDX-License-Identifier: Apache-2.0 */
#include "template/parse.h"

#include <stddef.h>

#include "base/utf8.h"
#include "template/hidden.h"
#include "template/implicit.h"
#include "template/parse_arguments.h"
#include "template/parse_expression.h"

#define SOURCE_BYTES_MAX ((size_t)4 << 20)

static void parse_body(tpl_parser *p, tpl_nodes *out, const char *const *ends);

/* Whether the current token is one of these names; ends: a list with NULL at its end, or NULL. */
static bool at_one_of(const tpl_parser *p, const char *const *ends)
{
    for (size_t i = 0; ends && ends[i]; i++)
        if (tpl_parser_at_name(p, ends[i])) return true;
    return false;
}

/* The end of a tag before a body, where jinja2 allows a colon. */
static void end_head(tpl_parser *p)
{
    (void)tpl_parser_accept(p, ":");
    tpl_parser_expect_kind(p, TPL_TOKEN_BLOCK_END, "the end of the tag");
}

/* A body up to `end`, which is skipped. */
static void parse_block(tpl_parser *p, tpl_nodes *out, const char *end)
{
    const char *const ends[] = {end, NULL};
    end_head(p);
    parse_body(p, out, ends);
    tpl_parser_next(p);
}

static const tpl_node *parse_if(tpl_parser *p)
{
    static const char *const ends[] = {"elif", "else", "endif", NULL};
    tpl_node *node = tpl_parser_node(p, TPL_NODE_IF);
    tpl_parser_next(p);
    node->a = tpl_parse_tuple(p, false);
    end_head(p);
    parse_body(p, &node->body, ends);
    if (p->t->status != ASSAY_OK) return node;
    if (tpl_parser_at_name(p, "elif")) {
        if (tpl_parser_enter(p)) tpl_parser_add(p, &node->other, parse_if(p));
        tpl_parser_leave(p);
    } else if (tpl_parser_accept_name(p, "else")) parse_block(p, &node->other, "endif");
    else tpl_parser_next(p);
    return node;
}

/* Whether a target has the name that a loop gives to itself. */
static bool assigns_loop(const tpl_node *target)
{
    if (target->kind == TPL_NODE_NAME) return tpl_same_text(target->name, "loop");
    for (size_t i = 0; i < target->list.n; i++)
        if (assigns_loop(target->list.at[i])) return true;
    return false;
}

/* The target of a loop, or of an assignment, which must not be `loop` within a loop. */
static const tpl_node *parse_target(tpl_parser *p, bool with_member)
{
    const tpl_node *target = tpl_parse_target(p, with_member);
    if (p->n_for > 0 && assigns_loop(target))
        (void)tpl_fail(p->t, ASSAY_EFORMAT, "found \"loop\" as the target of an assignment in a loop");
    return target;
}

static const tpl_node *parse_for(tpl_parser *p)
{
    static const char *const ends[] = {"endfor", "else", NULL};
    tpl_node *node = tpl_parser_node(p, TPL_NODE_FOR);
    tpl_parser_next(p);
    p->n_for++;
    node->a = parse_target(p, false);
    if (!tpl_parser_accept_name(p, "in")) tpl_parser_fail(p, "\"in\"");
    node->b = tpl_parse_tuple(p, false);
    if (tpl_parser_accept_name(p, "if")) node->c = tpl_parse_expression(p, true);
    node->flag = tpl_parser_accept_name(p, "recursive");
    end_head(p);
    p->n_loops++;
    parse_body(p, &node->body, ends);
    p->n_loops--;
    if (tpl_parser_accept_name(p, "else")) parse_block(p, &node->other, "endfor");
    else tpl_parser_next(p);
    p->n_for--;
    return node;
}

static const tpl_node *parse_set(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_SET);
    tpl_parser_next(p);
    node->a = parse_target(p, true);
    if (tpl_parser_accept(p, "=")) {
        node->b = tpl_parse_tuple(p, true);
        return node;
    }
    node->kind = TPL_NODE_SET_BLOCK;
    node->b = tpl_parse_filters(p, NULL, false);
    parse_block(p, &node->body, "endset");
    return node;
}

static const tpl_node *parse_with(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_WITH);
    tpl_parser_next(p);
    while (p->token->kind != TPL_TOKEN_BLOCK_END && p->t->status == ASSAY_OK) {
        if (node->list.n > 0) tpl_parser_expect(p, ",");
        tpl_parser_add(p, &node->list, tpl_parse_target(p, false));
        tpl_parser_expect(p, "=");
        tpl_parser_add(p, &node->list, tpl_parse_expression(p, true));
    }
    parse_block(p, &node->body, "endwith");
    return node;
}

/* The parameters of a macro, in parentheses. */
static void parse_parameters(tpl_parser *p, tpl_node *macro)
{
    bool has_default = false;
    tpl_parser_expect(p, "(");
    while (!tpl_parser_at(p, ")") && p->t->status == ASSAY_OK) {
        if (macro->list.n > 0) tpl_parser_expect(p, ",");
        tpl_node *parameter = tpl_parser_node(p, TPL_NODE_NAME);
        parameter->name = tpl_parse_new_name(p, "the name of a parameter");
        for (size_t i = 0; i < macro->list.n && tpl_step(p->t, 1); i++)
            if (tpl_same(macro->list.at[i]->name, parameter->name))
                (void)tpl_fail(p->t, ASSAY_EFORMAT, "the parameter %.*s of a macro stands twice",
                               parameter->name.n > 60 ? 60 : (int)parameter->name.n, parameter->name.at);
        if (tpl_parser_accept(p, "=")) {
            parameter->a = tpl_parse_expression(p, true);
            has_default = true;
        } else if (has_default) tpl_parser_fail(p, "a default, since the parameter before has one");
        tpl_parser_add(p, &macro->list, parameter);
    }
    tpl_parser_expect(p, ")");
}

/* The body of a macro up to `end`: a function of its own, in which no loop is under way. */
static void parse_macro_body(tpl_parser *p, tpl_node *macro, const char *end)
{
    const unsigned n_loops = p->n_loops;
    p->n_loops = 0;
    parse_block(p, &macro->body, end);
    p->n_loops = n_loops;
    if (p->t->status == ASSAY_OK) tpl_find_implicit(p->t, macro);
}

static const tpl_node *parse_macro(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_MACRO);
    tpl_parser_next(p);
    node->name = tpl_parse_new_name(p, "the name of a macro");
    parse_parameters(p, node);
    parse_macro_body(p, node, "endmacro");
    return node;
}

static const tpl_node *parse_call_block(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_CALL_BLOCK), *caller = tpl_parser_node(p, TPL_NODE_MACRO);
    tpl_parser_next(p);
    caller->name = (assay_text){.at = "caller", .n = 6};
    if (tpl_parser_at(p, "(")) parse_parameters(p, caller);
    node->a = tpl_parse_expression(p, true);
    if (node->a->kind != TPL_NODE_CALL) tpl_parser_fail(p, "a call before it");
    if (tpl_is_passed(&node->a->list, caller->name))
        (void)tpl_fail(p->t, ASSAY_EFORMAT, "the argument caller is passed twice");
    parse_macro_body(p, caller, "endcall");
    node->b = caller;
    return node;
}

static const tpl_node *parse_filter_block(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_FILTER_BLOCK);
    tpl_parser_next(p);
    node->a = tpl_parse_filters(p, NULL, true);
    parse_block(p, &node->body, "endfilter");
    return node;
}

/* `generation` marks what the assistant generates; its body is a macro that is called at once. */
static const tpl_node *parse_generation(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_SCOPE);
    tpl_parser_next(p);
    parse_macro_body(p, node, "endgeneration");
    return node;
}

static const tpl_node *parse_break(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, tpl_parser_at_name(p, "break") ? TPL_NODE_BREAK : TPL_NODE_CONTINUE);
    if (p->n_loops == 0) (void)tpl_fail(p->t, ASSAY_EFORMAT, "found a break or continue outside of a loop");
    tpl_parser_next(p);
    return node;
}

static const tpl_node *parse_print(tpl_parser *p)
{
    tpl_node *node = tpl_parser_node(p, TPL_NODE_OUTPUT), *all = tpl_parser_node(p, TPL_NODE_CONCAT);
    tpl_parser_next(p);
    while (p->token->kind != TPL_TOKEN_BLOCK_END && p->t->status == ASSAY_OK) {
        if (all->list.n > 0) tpl_parser_expect(p, ",");
        tpl_parser_add(p, &all->list, tpl_parse_expression(p, true));
    }
    node->a = all->list.n == 1 ? all->list.at[0] : all;
    return node;
}

static const tpl_node *parse_statement(tpl_parser *p)
{
    static const struct {
        const char *name;
        const tpl_node *(*parse)(tpl_parser *p);
    } statements[] = {
        {"if", parse_if},
        {"for", parse_for},
        {"set", parse_set},
        {"macro", parse_macro},
        {"generation", parse_generation},
        {"call", parse_call_block},
        {"filter", parse_filter_block},
        {"with", parse_with},
        {"break", parse_break},
        {"continue", parse_break},
        {"print", parse_print},
    };
    static const char *const unsupported[] = {"include", "import",     "from", "extends",
                                              "block",   "autoescape", NULL};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (tpl_parser_at_name(p, statements[i].name)) return statements[i].parse(p);
    if (at_one_of(p, unsupported))
        (void)tpl_fail(p->t, ASSAY_EUNSUPPORTED, "the statement \"%.*s\" is not supported",
                       (int)p->token->text.n, p->token->text.at);
    else tpl_parser_fail(p, "a statement");
    return tpl_parser_node(p, TPL_NODE_BREAK);
}

/* Data, output and statements up to a block that begins with one of `ends`, which is the current token then;
 * NULL: up to the end of the template. */
static void parse_parts(tpl_parser *p, tpl_nodes *out, const char *const *ends)
{
    while (p->t->status == ASSAY_OK) {
        const tpl_token *token = p->token;
        if (token->kind == TPL_TOKEN_END) {
            if (ends) tpl_parser_fail(p, ends[0]);
            return;
        }
        tpl_node *node = tpl_parser_node(p, TPL_NODE_DATA);
        node->name = token->text;
        tpl_parser_next(p);
        if (token->kind == TPL_TOKEN_VARIABLE_BEGIN) {
            node->kind = TPL_NODE_OUTPUT;
            node->a = tpl_parse_tuple(p, true);
            tpl_parser_expect_kind(p, TPL_TOKEN_VARIABLE_END, "the end of the tag");
        } else if (token->kind == TPL_TOKEN_BLOCK_BEGIN) {
            if (at_one_of(p, ends)) return;
            const tpl_node *statement = parse_statement(p);
            tpl_parser_expect_kind(p, TPL_TOKEN_BLOCK_END, "the end of the tag");
            tpl_parser_add(p, out, statement);
            continue;
        }
        tpl_parser_add(p, out, node);
    }
}

static void parse_body(tpl_parser *p, tpl_nodes *out, const char *const *ends)
{
    out->hidden = tpl_alloc(p->t, 1, sizeof *out->hidden);
    if (tpl_parser_enter(p)) parse_parts(p, out, ends);
    tpl_parser_leave(p);
}

static bool check_source(tpl *t, assay_text source)
{
    if (source.n > SOURCE_BYTES_MAX)
        return tpl_fail(t, ASSAY_EUNSUPPORTED, "found a template of %zu bytes, at most %zu are supported",
                        source.n, SOURCE_BYTES_MAX);
    const size_t valid = utf8_valid_prefix(source.at, source.n);
    return valid == source.n || tpl_fail(t, ASSAY_EFORMAT, "byte %zu is not UTF-8", valid);
}

const tpl_node *tpl_parse(tpl *t, assay_text source)
{
    if (!check_source(t, source)) return NULL;
    tpl_parser p = {.t = t, .token = tpl_tokens(t, source)};
    if (!p.token) return NULL;
    t->line = 1;
    tpl_node *root = tpl_parser_node(&p, TPL_NODE_SCOPE);
    parse_body(&p, &root->body, NULL);
    tpl_find_self(t, root);
    tpl_find_hidden(t, root);
    return t->status == ASSAY_OK ? root : NULL;
}
