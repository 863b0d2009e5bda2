/* A format of tool calls: its markers, and the functions that find and read its blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_FORMAT_H
#define SERVING_TOOLS_FORMAT_H

#include "serving/text/span.h"

#include <stdbool.h>

#define SERVE_TOOLS_BLOCK_MAX ((size_t)1 << 20)

/* A tool parser that reads a text; state.h. */
typedef struct serve_tools serve_tools;

/* What becomes of content behind the first marker, or the first call. */
typedef enum serve_tools_after {
    SERVE_AFTER_KEPT,
    SERVE_AFTER_CALL_DROPPED,    /* no content behind the first call */
    SERVE_AFTER_CALL_BETWEEN,    /* behind the first call, content only where another call follows */
    SERVE_AFTER_MARKER_UNCALLED, /* behind the first marker, content only if no call is found at all */
    SERVE_AFTER_MARKER_DROPPED   /* no content behind the first marker */
} serve_tools_after;

typedef enum serve_tools_found {
    SERVE_FOUND_MORE,    /* the block is not whole yet */
    SERVE_FOUND_BLOCK,   /* the first *n bytes of the text are a block */
    SERVE_FOUND_CONTENT, /* the first *n bytes are content, and what follows is looked at anew */
    SERVE_FOUND_NOTHING, /* the first *n bytes are dropped */
    SERVE_FOUND_CHAIN,   /* they are, and what follows is looked at as SERVE_CHAINED */
    SERVE_FOUND_END      /* nothing of the text is read from here on */
} serve_tools_found;

#define SERVE_OPENERS_MAX 7
#define SERVE_INNER_MAX   5

/* Openers that are no markers: `bare` at the very beginning, and what follows SERVE_FOUND_CHAIN. */
#define SERVE_BARE    SERVE_OPENERS_MAX
#define SERVE_CHAINED (SERVE_OPENERS_MAX + 1)

/* Nor are these, which count behind the first marker where a format takes along; see thoughts.h. */
#define SERVE_THOUGHT     (SERVE_OPENERS_MAX + 2)
#define SERVE_THOUGHT_END (SERVE_OPENERS_MAX + 3)

typedef struct serve_tools_format {
    const char *names[4]; /* the first is the one to show */
    const char *openers[SERVE_OPENERS_MAX];
    const char *inner[SERVE_INNER_MAX]; /* the other markers, which stand in blocks */
    unsigned ends; /* a bit for each opener that begins nothing, but ends what was withheld */
    serve_tools_after after;
    const char *bare;    /* opens a block, too, but at the very beginning of the text alone; NULL: nothing */
    bool leading;        /* openers count at the very beginning alone, behind white space */
    bool reads_messages; /* those of harmony that go to tools */
    bool drops_thoughts; /* <think>…</think> within a block is no part of its calls */
    bool drops_thought_ends; /* behind a call, the end of a thought without a beginning is no content */
    bool releases;           /* a call hands out what was withheld before it */

    /* Looks on, from t->scan, whether text, which begins with opener t->opener, begins with a whole block.
     * ended: there will be no more text; then SERVE_FOUND_MORE is not an answer. */
    serve_tools_found (*look)(serve_tools *t, assay_text text, bool ended, size_t *n);

    /* Whether text, which stands `at` bytes into the text of the reply, and may begin with a part of an
     * opener, ends what is read: SERVE_FOUND_END; SERVE_FOUND_MORE, SERVE_FOUND_CONTENT. NULL: none does. */
    serve_tools_found (*breaks_off)(serve_tools *t, assay_text text, size_t at);

    /* Hands out the calls of a block through output.h; what the block is otherwise. */
    serve_tools_found (*take)(serve_tools *t, assay_text block);

    /* Whether a call repeats an earlier one, and so is none. NULL: every call counts. */
    bool (*is_repeated)(serve_tools *t, assay_text name, assay_text arguments);

    /* Shown content that is not dropped, as long as t->watched is set. May be NULL. */
    void (*watch)(serve_tools *t, assay_text content);

    /* Whether the beginning of an opener that the text ends in is dropped. NULL: it is content. */
    bool (*drops_begun)(const serve_tools *t);

    /* Text up to the end of a thought that takes it along has come; NULL: none does. */
    void (*take_along)(serve_tools *t, assay_text text);

    /* What was taken along is no part of the tail any more: whether the rest is withheld. NULL: it is not. */
    void (*settle)(serve_tools *t);

    /* The text has ended: decides what the tail is, before what is left of it is content or not. NULL. */
    void (*finish)(serve_tools *t);

    size_t own_bytes;            /* of the format's own state, t->own */
    void (*free_own)(void *own); /* frees what that state holds, but not the state; may be NULL */
} serve_tools_format;

#endif
