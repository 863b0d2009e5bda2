/* SPDX-License-Identifier: Apache-2.0 */
#include "template/inspect.h"

#include "template/filters/filters.h"
#include "template/filters/is.h"
#include "template/parse.h"
#include "template/values/dict.h"
#include "template/values/globals.h"
#include "template/values/methods.h"
#include "template/walk.h"

typedef struct inspection {
    template_unsupported_fn *unsupported;
    void *context;
    tpl_value assigned; /* a dict: names that the template assigns */
    template_facts facts;
} inspection;

static void report(const inspection *in, const char *kind, assay_text name)
{
    if (in->unsupported) in->unsupported(in->context, kind, name);
}

static void note_name(tpl *t, inspection *in, assay_text name)
{
    if (tpl_same_text(name, "tools")) in->facts.reads_tools = true;
    if (tpl_same_text(name, "enable_thinking")) in->facts.reads_thinking = true;
    if (!tpl_is_unsupported_global(name) || tpl_dict_find_text(t, in->assigned, name)) return;
    report(in, "global", name);
}

static void note_use(tpl *t, void *context, const tpl_node *node, bool conditional)
{
    inspection *in = context;
    (void)conditional;
    switch (node->kind) {
    case TPL_NODE_NAME: note_name(t, in, node->name); break;
    case TPL_NODE_FILTER:
        if (!tpl_has_filter(node->name)) report(in, "filter", node->name);
        break;
    case TPL_NODE_TEST:
        if (!tpl_is_test(node->name)) report(in, "test", node->name);
        break;
    case TPL_NODE_CALL:
        if (node->a->kind == TPL_NODE_ATTR && tpl_is_unsupported_method(node->a->name))
            report(in, "method", node->a->name);
        break;
    default: break;
    }
}

/* Names that are assigned are not globals, wherever they are assigned. */
static void note_target(tpl *t, inspection *in, const tpl_node *target)
{
    if (!target) return;
    if (target->kind == TPL_NODE_NAME)
        tpl_dict_set(t, in->assigned, tpl_text(target->name.at, target->name.n), tpl_none());
    for (size_t i = 0; target->kind == TPL_NODE_TUPLE && i < target->list.n && tpl_enter(t); i++) {
        note_target(t, in, target->list.at[i]);
        tpl_leave(t);
    }
}

static void note_assignment(tpl *t, void *context, const tpl_node *node, bool conditional)
{
    inspection *in = context;
    (void)conditional;
    if (node->kind == TPL_NODE_SET || node->kind == TPL_NODE_SET_BLOCK || node->kind == TPL_NODE_FOR)
        note_target(t, in, node->a);
    if (node->kind == TPL_NODE_WITH)
        for (size_t i = 0; i < node->list.n; i += 2) note_target(t, in, node->list.at[i]);
    if (node->kind != TPL_NODE_MACRO) return;
    tpl_dict_set(t, in->assigned, tpl_text(node->name.at, node->name.n), tpl_none());
    for (size_t i = 0; i < node->list.n; i++) note_target(t, in, node->list.at[i]);
}

assay_status template_inspect(assay_text source, template_unsupported_fn *unsupported, void *context,
                              template_facts *out, assay_error *err)
{
    tpl t = {.err = err, .line = 1};
    inspection in = {.unsupported = unsupported, .context = context, .assigned = tpl_dict_new(&t)};
    const tpl_node *root = tpl_parse(&t, source);
    if (root) {
        tpl_walk(&t, root, note_assignment, &in);
        tpl_walk(&t, root, note_use, &in);
    }
    const assay_status rc = t.status;
    if (rc == ASSAY_OK) *out = in.facts;
    tpl_free(&t);
    return rc;
}
