/* The items of a response in progress: messages, reasoning, function calls, and the texts joined for each.
 * Used by responses.c only. Each function reads one event of the type that it is named after, and fails as
 * checks.h says.
 *
 *     responses-item       items are numbered 0, 1, 2…, have an id and a type, the same at their end; later
 *                          events refer to an open item by its number
 *     responses-item-id    and by its id
 *     responses-new        items and parts start empty, and in progress
 *     responses-part       parts are numbered within their item and fit its type; deltas fit the part
 *     responses-done       done events come once for all that is open, innermost first (text, part, item);
 *                          each repeats the joined deltas
 *     responses-output     so does the output of the last event
 *     responses-call       a function call has a call_id and a name, the same at its end
 *     responses-arguments  the arguments of a completed call are JSON
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_GRAMMAR_ITEMS_H
#define DIALOGUE_GRAMMAR_ITEMS_H

#include "dialogue/grammar/checks.h"

/* The kinds of parts and their deltas. */
typedef struct serve_part_kind {
    const char *part;  /* the type of the part */
    const char *item;  /* the type of the item it belongs to */
    const char *delta; /* the types of events */
    const char *done;
    const char *text;  /* the member that holds the text */
    const char *index; /* the member that numbers the part */
    bool summary;      /* of a reasoning summary, which has its own numbering */
} serve_part_kind;

typedef struct serve_part {
    const serve_part_kind *kind;
    buffer text; /* the joined deltas */
    serve_tail tail;
    bool text_done, is_done;
} serve_part;

typedef struct serve_part_list {
    serve_part *at; /* [n] */
    size_t n;
} serve_part_list;

typedef struct serve_item {
    buffer id, type, call_id, name;
    serve_part_list content, summary;
    buffer arguments; /* the joined deltas */
    bool arguments_done, is_done;
} serve_item;

typedef struct serve_items {
    serve_item *at; /* [n] */
    size_t n, n_done;
    bool lost; /* an event that adds to an item could not be read: what the items hold is unknown, and not
                  compared */
} serve_items;

void serve_items_free(serve_items *items);

assay_status serve_items_read_added(serve_grammar *g, serve_items *items, json_object *event);
assay_status serve_items_read_done(serve_grammar *g, serve_items *items, json_object *event);
assay_status serve_items_read_part_added(serve_grammar *g, serve_items *items, json_object *event,
                                         bool summary);
assay_status serve_items_read_part_done(serve_grammar *g, serve_items *items, json_object *event,
                                        bool summary);
assay_status serve_items_read_arguments(serve_grammar *g, serve_items *items, json_object *event, bool done);

/* Reads deltas and done events of texts, and annotations. *taken is false if `type` is none of these. */
assay_status serve_items_read_text(serve_grammar *g, serve_items *items, assay_text type, json_object *event,
                                   bool *taken);

/* The output of the last event must equal what the items' own events said. */
assay_status serve_items_check_output(serve_grammar *g, const serve_items *items, json_object *output);

#endif
