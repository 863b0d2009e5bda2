/* A format of tool calls: its markers, and the functions that find and read its blocks.
 *
 * An opener is a marker at which a block may begin. A block is the text from an opener to the end of its
 * calls.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_FORMAT_H
#define DIALOGUE_TOOLS_FORMAT_H

#include "dialogue/text/span.h"

#include <stdbool.h>

#define SERVE_TOOLS_BLOCK_MAX ((size_t)1 << 20)

/* The state of a tool parser; see state.h. */
typedef struct serve_tools serve_tools;

/* What happens to content after the first marker, or after the first call. */
typedef enum serve_tools_after {
    SERVE_AFTER_KEPT,
    SERVE_AFTER_CALL_DROPPED,    /* content after the first call is dropped */
    SERVE_AFTER_CALL_BETWEEN,    /* content after the first call is emitted only if another call follows */
    SERVE_AFTER_MARKER_UNCALLED, /* content after the first marker is emitted only if the text has no call at
                                    all */
    SERVE_AFTER_MARKER_DROPPED   /* content after the first marker is dropped */
} serve_tools_after;

typedef enum serve_tools_found {
    SERVE_FOUND_MORE,    /* the block is incomplete */
    SERVE_FOUND_BLOCK,   /* the first *n bytes of the text are a block */
    SERVE_FOUND_CONTENT, /* the first *n bytes are content; the search for openers continues after them */
    SERVE_FOUND_NOTHING, /* the first *n bytes are dropped; the search for openers continues after them */
    SERVE_FOUND_CHAIN,   /* the first *n bytes are done; the text after them is scanned as a block with opener
                            SERVE_CHAINED */
    SERVE_FOUND_END      /* the rest of the text is ignored */
} serve_tools_found;

#define SERVE_OPENERS_MAX 7
#define SERVE_INNER_MAX   5

/* Values of t->opener that are no index: `bare` at the beginning of the text; the block after
 * SERVE_FOUND_CHAIN. */
#define SERVE_BARE    SERVE_OPENERS_MAX
#define SERVE_CHAINED (SERVE_OPENERS_MAX + 1)

/* Values of t->opener for <think> and </think>, which are recognised after the first marker where a format
 * has `absorb`; see thoughts.h. */
#define SERVE_THOUGHT     (SERVE_OPENERS_MAX + 2)
#define SERVE_THOUGHT_END (SERVE_OPENERS_MAX + 3)

typedef struct serve_tools_format {
    const char *names[4]; /* the first one is the canonical name */
    const char *openers[SERVE_OPENERS_MAX];
    const char *inner[SERVE_INNER_MAX]; /* the other markers, which occur within blocks */
    unsigned ends; /* a bit for each opener that begins no block, but ends a stretch of withheld content */
    serve_tools_after after;
    const char *bare;        /* a further opener, recognised only at the beginning of the text; NULL: none */
    bool leading;            /* openers are recognised only at the beginning of the text, after white space */
    bool reads_messages;     /* calls are harmony messages that are addressed to tools */
    bool drops_thoughts;     /* <think>…</think> within a block is removed before its calls are read */
    bool drops_thought_ends; /* after a call, a </think> without <think> is dropped */
    bool releases;           /* a call emits the content that was withheld before it */

    /* Continues from t->scan and decides whether text, which begins with opener t->opener, begins with a
     * complete block. ended: text is final; SERVE_FOUND_MORE is not allowed then. */
    serve_tools_found (*scan_block)(serve_tools *t, assay_text text, bool ended, size_t *n);

    /* Whether text, which may begin with a part of an opener, makes the parser ignore the rest of the reply
     * (SERVE_FOUND_END), does not (SERVE_FOUND_CONTENT), or is too short to tell (SERVE_FOUND_MORE). at:
     * offset of text in the reply. NULL: no text does. */
    serve_tools_found (*interrupts)(serve_tools *t, assay_text text, size_t at);

    /* Emits the calls of a block through output.h, and returns what the block is otherwise. */
    serve_tools_found (*read_block)(serve_tools *t, assay_text block);

    /* Whether a call repeats an earlier one and is dropped for that. NULL: no call is dropped. */
    bool (*is_repeated)(serve_tools *t, assay_text name, assay_text arguments);

    /* Receives all content that is not dropped, as long as t->watched is set. May be NULL. */
    void (*watch)(serve_tools *t, assay_text content);

    /* Whether the beginning of an opener at the end of the text is dropped. NULL: it is content. */
    bool (*drops_begun)(const serve_tools *t);

    /* A </think> without <think> has turned the text before it, and text, which ends in it, into a thinking
     * block. NULL: the format does not do that. */
    void (*absorb)(serve_tools *t, assay_text text);

    /* The absorbed bytes have been removed from the tail: decides whether the rest is still withheld. NULL:
     * it is not withheld. */
    void (*recheck_tail)(serve_tools *t);

    /* The text has ended: decides what the tail is, before the rules of `after` apply to it. May be NULL. */
    void (*finish)(serve_tools *t);

    size_t own_bytes;            /* size of the format's own state, t->own */
    void (*free_own)(void *own); /* frees the buffers in that state, but not the state; may be NULL */
} serve_tools_format;

#endif
