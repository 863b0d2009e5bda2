/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/items.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 4096
#define PARTS_MAX 4096 /* of an item */

static const serve_part_kind kinds[] = {
    {"output_text", "message", "response.output_text.delta", "response.output_text.done", "text",
     "content_index", false},
    {"refusal", "message", "response.refusal.delta", "response.refusal.done", "refusal", "content_index",
     false},
    {"reasoning_text", "reasoning", "response.reasoning_text.delta", "response.reasoning_text.done", "text",
     "content_index", false},
    {"summary_text", "reasoning", "response.reasoning_summary_text.delta",
     "response.reasoning_summary_text.done", "text", "summary_index", true},
};

static void free_parts(serve_part_list *parts)
{
    for (size_t i = 0; i < parts->n; i++) buffer_free(&parts->at[i].text);
    free(parts->at);
}

void serve_items_free(serve_items *items)
{
    for (size_t i = 0; i < items->n; i++) {
        serve_item *item = &items->at[i];
        buffer_free(&item->id);
        buffer_free(&item->type);
        buffer_free(&item->call_id);
        buffer_free(&item->name);
        buffer_free(&item->arguments);
        free_parts(&item->content);
        free_parts(&item->summary);
    }
    free(items->at);
}

static bool is_of_type(const serve_item *item, const char *type)
{
    return serve_text_is(buffer_text(&item->type), type);
}

/* A list must be empty if it is there. */
static assay_status expect_empty(serve_grammar *g, json_object *item, const char *name)
{
    json_object *list;
    assay_status rc = serve_grammar_optional(g, "responses-new", "item", item, name, json_type_array, &list);
    if (rc != ASSAY_OK || !list || json_object_array_length(list) == 0) return rc;
    return serve_grammar_fail(g, "responses-new", "item: found %s in an item that is new, expected []", name);
}

static assay_status check_status(serve_grammar *g, const char *rule, json_object *item, const char *expected,
                                 const char *or_else)
{
    json_object *status;
    assay_status rc = serve_grammar_optional(g, rule, "item", item, "status", json_type_string, &status);
    if (rc != ASSAY_OK || !status || serve_text_is(serve_string(status), expected) ||
        (or_else && serve_text_is(serve_string(status), or_else)))
        return rc;
    return serve_grammar_fail(g, rule, "item: found status %s, expected \"%s\"",
                              serve_quote(serve_string(status)).at, expected);
}

/* Checks the call_id and the name, and stores them the first time. */
static assay_status check_call(serve_grammar *g, serve_item *own, json_object *item)
{
    assay_status rc = serve_grammar_same(g, "responses-call", "item", item, "call_id", &own->call_id);
    return rc == ASSAY_OK ? serve_grammar_same(g, "responses-call", "item", item, "name", &own->name) : rc;
}

static assay_status begin_call(serve_grammar *g, serve_item *own, json_object *item)
{
    json_object *arguments = NULL;
    assay_status rc = check_call(g, own, item);
    g->summary.n_calls++;
    if (rc == ASSAY_OK)
        rc = serve_grammar_optional(g, "responses-call", "item", item, "arguments", json_type_string,
                                    &arguments);
    if (rc != ASSAY_OK || serve_string(arguments).n == 0) return rc;
    return serve_grammar_fail(g, "responses-new",
                              "item: found arguments in a call that is new, expected an empty text");
}

assay_status serve_items_read_added(serve_grammar *g, serve_items *items, json_object *event)
{
    static const char rule[] = "responses-item";
    int64_t index = 0;
    json_object *item;
    assay_status rc = serve_grammar_count(g, rule, "the event", event, "output_index", 0, &index);
    if (rc == ASSAY_OK && (size_t)index != items->n)
        rc = serve_grammar_fail(g, rule, "found output_index %lld, expected %zu", (long long)index, items->n);
    rc = serve_grammar_go_on(rc);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "the event", event, "item", json_type_object, &item);
    if (rc == ASSAY_OK)
        rc = serve_grammar_grow(g, "items", (void **)&items->at, items->n, ITEMS_MAX, sizeof *items->at);
    if (rc != ASSAY_OK) return rc;
    serve_item *own = &items->at[items->n++];
    rc = serve_grammar_go_on(serve_grammar_same(g, rule, "item", item, "id", &own->id));
    if (rc == ASSAY_OK) rc = serve_grammar_same(g, rule, "item", item, "type", &own->type);
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(check_status(g, "responses-new", item, "in_progress", NULL));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(expect_empty(g, item, "content"));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(expect_empty(g, item, "summary"));
    if (rc == ASSAY_OK && is_of_type(own, "message"))
        rc = serve_grammar_exactly(g, "responses-new", "item", item, "role", "assistant");
    if (rc == ASSAY_OK && is_of_type(own, "function_call")) rc = begin_call(g, own, item);
    return rc;
}

/* The open item that an event refers to. */
static assay_status find_item(serve_grammar *g, const char *rule, serve_items *items, json_object *event,
                              bool by_id, serve_item **out)
{
    int64_t index = 0;
    assay_status rc = serve_grammar_count(g, rule, "the event", event, "output_index", 0, &index);
    if (rc != ASSAY_OK) return rc;
    if ((size_t)index >= items->n)
        return serve_grammar_fail(g, rule, "found output_index %lld, expected at most %zu", (long long)index,
                                  items->n);
    serve_item *item = &items->at[index];
    if (item->is_done)
        return serve_grammar_fail(g, rule, "found more of item %lld, which is done", (long long)index);
    if (by_id)
        rc = serve_grammar_go_on(
            serve_grammar_same(g, "responses-item-id", "the event", event, "item_id", &item->id));
    if (rc == ASSAY_OK) *out = item;
    return rc;
}

static serve_part_list *parts_of(serve_item *item, bool summary)
{
    return summary ? &item->summary : &item->content;
}

/* The part of an open item that an event refers to: not done, and of this kind. */
static assay_status find_part(serve_grammar *g, const char *rule, serve_items *items, json_object *event,
                              const char *name, bool summary, serve_part **out)
{
    serve_item *item = NULL;
    int64_t index = 0;
    assay_status rc = find_item(g, "responses-item", items, event, true, &item);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "the event", event, name, 0, &index);
    if (rc != ASSAY_OK) return rc;
    serve_part_list *parts = parts_of(item, summary);
    if ((size_t)index >= parts->n)
        return serve_grammar_fail(g, rule, "found %s %lld, and %zu parts in the item", name, (long long)index,
                                  parts->n);
    if (parts->at[index].is_done)
        return serve_grammar_fail(g, "responses-done", "found more of part %lld, which is done",
                                  (long long)index);
    *out = &parts->at[index];
    return ASSAY_OK;
}

static assay_status find_kind(serve_grammar *g, const serve_item *item, assay_text type, bool summary,
                              const serve_part_kind **out)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!serve_text_is(type, kinds[i].part) || kinds[i].summary != summary) continue;
        if (!is_of_type(item, kinds[i].item)) break;
        *out = &kinds[i];
        return ASSAY_OK;
    }
    return serve_grammar_fail(g, "responses-part", "found a part of type %s in an item of type %s",
                              serve_quote(type).at, serve_quote(buffer_text(&item->type)).at);
}

assay_status serve_items_read_part_added(serve_grammar *g, serve_items *items, json_object *event,
                                         bool summary)
{
    static const char rule[] = "responses-part";
    const char *name = summary ? "summary_index" : "content_index";
    serve_item *item = NULL;
    const serve_part_kind *kind = NULL;
    int64_t index = 0;
    json_object *part, *text;
    assay_text type;
    assay_status rc = find_item(g, "responses-item", items, event, true, &item);
    if (rc == ASSAY_OK) rc = serve_grammar_count(g, rule, "the event", event, name, 0, &index);
    if (rc == ASSAY_OK && (size_t)index != parts_of(item, summary)->n)
        rc = serve_grammar_fail(g, rule, "found %s %lld, expected %zu", name, (long long)index,
                                parts_of(item, summary)->n);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "the event", event, "part", json_type_object, &part);
    if (rc == ASSAY_OK) rc = serve_grammar_name(g, rule, "part", part, "type", &type);
    if (rc == ASSAY_OK) rc = find_kind(g, item, type, summary, &kind);
    if (rc == ASSAY_OK) rc = serve_grammar_member(g, rule, "part", part, kind->text, json_type_string, &text);
    if (rc == ASSAY_OK && serve_string(text).n > 0)
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, "responses-new", "part: found a text in a part that is new, expected an empty one"));
    serve_part_list *parts = rc == ASSAY_OK ? parts_of(item, summary) : NULL;
    if (parts)
        rc = serve_grammar_grow(g, "parts", (void **)&parts->at, parts->n, PARTS_MAX, sizeof *parts->at);
    if (rc == ASSAY_OK) parts->at[parts->n++].kind = kind;
    return rc;
}

assay_status serve_items_read_part_done(serve_grammar *g, serve_items *items, json_object *event,
                                        bool summary)
{
    static const char rule[] = "responses-done";
    serve_part *own = NULL;
    json_object *part, *text;
    assay_status rc =
        find_part(g, rule, items, event, summary ? "summary_index" : "content_index", summary, &own);
    if (rc != ASSAY_OK) return rc;
    own->is_done = true;
    if (!own->text_done)
        rc = serve_grammar_go_on(
            serve_grammar_fail(g, rule, "found the end of a part, expected %s before it", own->kind->done));
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "the event", event, "part", json_type_object, &part);
    if (rc == ASSAY_OK) rc = serve_grammar_exactly(g, rule, "part", part, "type", own->kind->part);
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "part", part, own->kind->text, json_type_string, &text);
    if (rc != ASSAY_OK || items->lost) return rc;
    return serve_grammar_joined_same(g, rule, "part", &own->text, serve_string(text));
}

static assay_status add_delta(serve_grammar *g, serve_part *part, json_object *event)
{
    json_object *delta;
    assay_status rc =
        serve_grammar_member(g, "responses-part", "the event", event, "delta", json_type_string, &delta);
    if (rc == ASSAY_OK) rc = serve_grammar_join(g, &part->text, serve_string(delta));
    if (rc != ASSAY_OK) return rc;
    if (part->kind == &kinds[0]) return serve_grammar_content(g, &part->tail, serve_string(delta));
    if (strcmp(part->kind->item, "reasoning") == 0) g->summary.reasoning_bytes += serve_string(delta).n;
    return ASSAY_OK;
}

assay_status serve_items_read_text(serve_grammar *g, serve_items *items, assay_text type, json_object *event,
                                   bool *taken)
{
    const bool annotation = serve_text_is(type, "response.output_text.annotation.added");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const serve_part_kind *kind = &kinds[i];
        const bool done = serve_text_is(type, kind->done);
        serve_part *part = NULL;
        json_object *text;
        if (!done && !serve_text_is(type, kind->delta) && !(annotation && i == 0)) continue;
        *taken = true;
        assay_status rc = find_part(g, "responses-part", items, event, kind->index, kind->summary, &part);
        if (rc == ASSAY_OK && part->kind != kind)
            rc = serve_grammar_fail(g, "responses-part", "found %s for a part of type %s",
                                    serve_quote(type).at, part->kind->part);
        if (rc == ASSAY_OK && part->text_done)
            rc = serve_grammar_fail(g, "responses-done", "found more of a text that is done");
        if (rc == ASSAY_OK && !done && !annotation) rc = add_delta(g, part, event);
        if (rc == ASSAY_EFORMAT && !done && !annotation) items->lost = true;
        if (rc != ASSAY_OK || !done) return rc;
        part->text_done = true;
        rc = serve_grammar_member(g, "responses-done", "the event", event, kind->text, json_type_string,
                                  &text);
        if (rc != ASSAY_OK || items->lost) return rc;
        return serve_grammar_joined_same(g, "responses-done", kind->text, &part->text, serve_string(text));
    }
    *taken = false;
    return ASSAY_OK;
}

assay_status serve_items_read_arguments(serve_grammar *g, serve_items *items, json_object *event, bool done)
{
    serve_item *item = NULL;
    json_object *text;
    const char *name = done ? "arguments" : "delta", *rule = done ? "responses-done" : "responses-item";
    assay_status rc = find_item(g, "responses-item", items, event, true, &item);
    if (rc == ASSAY_OK && !is_of_type(item, "function_call"))
        rc = serve_grammar_fail(g, "responses-item", "found arguments of an item of type %s",
                                serve_quote(buffer_text(&item->type)).at);
    if (rc == ASSAY_OK && item->arguments_done)
        rc = serve_grammar_fail(g, "responses-done", "found more of arguments that are done");
    if (rc == ASSAY_OK) rc = serve_grammar_member(g, rule, "the event", event, name, json_type_string, &text);
    if (rc != ASSAY_OK) return rc;
    if (!done) return serve_grammar_join(g, &item->arguments, serve_string(text));
    item->arguments_done = true;
    if (items->lost) return ASSAY_OK;
    return serve_grammar_joined_same(g, rule, name, &item->arguments, serve_string(text));
}

/* Checks the parts of an item that is done. */
static assay_status check_parts(serve_grammar *g, const char *rule, json_object *item, const char *name,
                                const serve_part_list *parts)
{
    json_object *list, *text;
    assay_status rc = serve_grammar_optional(g, rule, "item", item, name, json_type_array, &list);
    if (rc == ASSAY_OK && (list ? json_object_array_length(list) : 0) != parts->n)
        rc = serve_grammar_fail(g, rule, "item: found %zu parts in its %s, expected %zu",
                                list ? json_object_array_length(list) : 0, name, parts->n);
    for (size_t i = 0; rc == ASSAY_OK && i < parts->n; i++) {
        json_object *part = json_object_array_get_idx(list, i);
        if (!json_object_is_type(part, json_type_object))
            return serve_grammar_fail(g, rule, "item: found a part that is no object");
        rc = serve_grammar_exactly(g, rule, "part", part, "type", parts->at[i].kind->part);
        if (rc == ASSAY_OK)
            rc =
                serve_grammar_member(g, rule, "part", part, parts->at[i].kind->text, json_type_string, &text);
        if (rc == ASSAY_OK)
            rc = serve_grammar_joined_same(g, rule, "item", &parts->at[i].text, serve_string(text));
    }
    return rc;
}

/* Checks that an item is the one that its first event announced. */
static assay_status check_identity(serve_grammar *g, const char *rule, serve_item *own, json_object *item)
{
    assay_status rc = serve_grammar_go_on(serve_grammar_same(g, rule, "item", item, "id", &own->id));
    return rc == ASSAY_OK ? serve_grammar_same(g, rule, "item", item, "type", &own->type) : rc;
}

/* Checks the contents of an item that is done against its own events. */
static assay_status check_item(serve_grammar *g, const char *rule, serve_item *own, json_object *item)
{
    json_object *arguments;
    assay_status rc = serve_grammar_go_on(check_status(g, "responses-done", item, "completed", "incomplete"));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(check_parts(g, rule, item, "content", &own->content));
    if (rc == ASSAY_OK) rc = serve_grammar_go_on(check_parts(g, rule, item, "summary", &own->summary));
    if (rc != ASSAY_OK || !is_of_type(own, "function_call")) return rc;
    rc = serve_grammar_go_on(check_call(g, own, item));
    if (rc == ASSAY_OK)
        rc = serve_grammar_member(g, rule, "item", item, "arguments", json_type_string, &arguments);
    return rc == ASSAY_OK
               ? serve_grammar_joined_same(g, rule, "arguments", &own->arguments, serve_string(arguments))
               : rc;
}

/* All that is within an item ends before it. */
static assay_status check_inner(serve_grammar *g, const serve_item *own)
{
    static const char rule[] = "responses-done";
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < own->content.n + own->summary.n; i++) {
        const serve_part *part =
            i < own->content.n ? &own->content.at[i] : &own->summary.at[i - own->content.n];
        if (!part->is_done)
            rc = serve_grammar_go_on(
                serve_grammar_fail(g, rule, "found the end of an item, expected that of its part before it"));
    }
    if (rc == ASSAY_OK && is_of_type(own, "function_call") && !own->arguments_done)
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, rule, "found the end of a call, expected response.function_call_arguments.done before it"));
    return rc;
}

assay_status serve_items_read_done(serve_grammar *g, serve_items *items, json_object *event)
{
    static const char rule[] = "responses-done";
    serve_item *own = NULL;
    json_object *item;
    assay_status rc = find_item(g, rule, items, event, false, &own);
    if (rc == ASSAY_OK) rc = check_inner(g, own);
    if (rc != ASSAY_OK) return rc;
    own->is_done = true;
    items->n_done++;
    rc = serve_grammar_member(g, rule, "the event", event, "item", json_type_object, &item);
    if (rc != ASSAY_OK) return rc;
    rc = check_identity(g, "responses-item", own, item);
    if (rc != ASSAY_OK || items->lost) return rc;
    rc = serve_grammar_go_on(check_item(g, rule, own, item));
    const assay_text status = serve_string(json_object_object_get(item, "status"));
    if (rc != ASSAY_OK || !is_of_type(own, "function_call") ||
        (status.at && serve_text_is(status, "incomplete")))
        return rc;
    return serve_grammar_joined_json(g, "responses-arguments", "the arguments of a call", &own->arguments,
                                     false);
}

assay_status serve_items_check_output(serve_grammar *g, const serve_items *items, json_object *output)
{
    static const char rule[] = "responses-output";
    assay_status rc = ASSAY_OK;
    if (items->lost) return ASSAY_OK;
    if (items->n_done < items->n)
        rc = serve_grammar_go_on(serve_grammar_fail(
            g, "responses-done", "found the end of the response, and %zu of %zu items done", items->n_done,
            items->n));
    if (rc == ASSAY_OK && json_object_array_length(output) != items->n)
        return serve_grammar_fail(g, rule, "output: found %zu items, expected %zu",
                                  json_object_array_length(output), items->n);
    for (size_t i = 0; rc == ASSAY_OK && i < items->n; i++) {
        json_object *item = json_object_array_get_idx(output, i);
        rc = json_object_is_type(item, json_type_object)
                 ? check_identity(g, rule, &items->at[i], item)
                 : serve_grammar_fail(g, rule, "output: found an item that is no object");
        if (rc == ASSAY_OK) rc = check_item(g, rule, &items->at[i], item);
        rc = serve_grammar_go_on(rc);
    }
    return rc;
}
