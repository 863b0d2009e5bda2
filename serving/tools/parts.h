/* What the machine of tools.c and the formats say to each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_PARTS_H
#define SERVING_TOOLS_PARTS_H

#include "serving/text/bytes.h"
#include "serving/text/span.h"
#include "serving/tools/request.h"
#include "serving/tools/tools.h"
#include "serving/values/json_value.h"

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

/* How far a block has been looked at; zeroed at its beginning. */
typedef struct serve_tools_scan {
    size_t seen; /* bytes from the block's beginning */
    int phase;   /* of the format's own, as is mark */
    size_t mark[3];
    serve_json_balance balance;
    const char *until; /* where more is needed: bytes but these would not change that; NULL: any may */
} serve_tools_scan;

#define SERVE_THINK     "<think>"
#define SERVE_THINK_END "</think>"

#define SERVE_OPENERS_MAX 7
#define SERVE_INNER_MAX   5

/* Openers that are no markers: `bare` at the very beginning, and what follows SERVE_FOUND_CHAIN. */
#define SERVE_BARE    SERVE_OPENERS_MAX
#define SERVE_CHAINED (SERVE_OPENERS_MAX + 1)

/* Nor are these, which count behind the first marker where a format takes along; see tools_thoughts.h. */
#define SERVE_THOUGHT     (SERVE_OPENERS_MAX + 2)
#define SERVE_THOUGHT_END (SERVE_OPENERS_MAX + 3)

/* What there was of thoughts behind the first marker. */
typedef enum serve_tools_thought {
    SERVE_THOUGHT_NONE,
    SERVE_THOUGHT_STRAY, /* the end of one without a beginning */
    SERVE_THOUGHT_WHOLE
} serve_tools_thought;

typedef struct serve_tools_format {
    const char *names[4]; /* the first is the one to show */
    const char *openers[SERVE_OPENERS_MAX];
    const char *inner[SERVE_INNER_MAX]; /* the other markers, which stand in blocks */
    unsigned ends; /* a bit for each opener that begins nothing, but ends what was withheld */
    serve_tools_after after;
    const char *bare;    /* opens a block, too, but at the very beginning of the text alone; NULL: nothing */
    bool leading;        /* openers count at the very beginning alone, behind white space */
    bool reads_messages; /* those of harmony that go to tools */
    bool once;           /* a call that the one before it was already is none */
    bool drops_thoughts; /* <think>…</think> within a block is no part of its calls */
    bool drops_thought_ends; /* behind a call, the end of a thought without a beginning is no content */
    bool releases;           /* a call hands out what was withheld before it */

    /* Looks on, from t->scan, whether text, which begins with opener t->opener, begins with a whole block.
     * ended: there will be no more text; then SERVE_FOUND_MORE is not an answer. */
    serve_tools_found (*look)(serve_tools *t, assay_text text, bool ended, size_t *n);

    /* Whether text, which stands `at` bytes into the text of the reply, and may begin with a part of an
     * opener, ends what is read: SERVE_FOUND_END; SERVE_FOUND_MORE, SERVE_FOUND_CONTENT. NULL: none does. */
    serve_tools_found (*breaks_off)(serve_tools *t, assay_text text, size_t at);

    /* Hands out the calls of a block through serve_tools_call; what the block is otherwise. */
    serve_tools_found (*take)(serve_tools *t, assay_text block);

    /* Text up to the end of a thought that takes it along has come; NULL: none does. */
    void (*take_along)(serve_tools *t, assay_text text);

    /* What was taken along is no part of the tail any more: whether the rest is withheld. NULL: it is not. */
    void (*settle)(serve_tools *t);

    /* The text has ended: decides what the tail is, before what is left of it is content or not. NULL. */
    void (*finish)(serve_tools *t);
} serve_tools_format;

#define SERVE_N_OUTER 3

struct serve_tools {
    const serve_tools_format *format;
    serve_tools_request *request;
    const assay_sink *sink;           /* during a call */
    serve_bytes held;                 /* text that is not decided yet: a block, or what may become a marker */
    serve_bytes tail;                 /* content under a condition, see serve_tools_after */
    serve_bytes block;                /* at hand, without the thoughts in it */
    serve_bytes outer[SERVE_N_OUTER]; /* the format's: at hand, without the calls in it */
    serve_bytes copy;                 /* what was content since `copies` */
    serve_bytes name;                 /* of the call at hand */
    serve_bytes arguments;            /* of the call at hand */
    /* Of a format whose calls count once: name and arguments of the call before, and of that in brackets. */
    serve_bytes previous, previous_in_brackets;
    serve_tools_scan scan;
    size_t n_calls;
    size_t opener;   /* of the block: its index */
    unsigned dead;   /* a bit for each opener that is not one any more */
    bool first[256]; /* whether a marker begins with this byte */
    bool various;    /* not all of them begin with the same */
    size_t passed;   /* bytes of the text before the block */
    size_t n_blank;  /* of these, white space before anything else */
    int state;       /* of the format's own, across blocks, as are n_tags, hollow and seen */
    size_t n_tags;
    size_t hollow[2];
    unsigned seen;  /* bits */
    size_t n_taken; /* of the tail: taken along by the end of a thought if a call comes */
    serve_tools_thought thought;
    size_t sought;      /* bytes of the text that the end of a thought was looked for in */
    size_t thought_end; /* where the first was found that is not passed yet, or SERVE_NOWHERE */
    bool endless;       /* the text has a thought without an end */
    bool plain;         /* nothing is held, and content that no marker begins in is handed out as it comes */
    bool inside;        /* held begins with an opener */
    bool marked;        /* a marker has been seen */
    bool begun;         /* more than white space has been seen */
    bool released;      /* the tail grew too long, and what follows it is content as well */
    bool withheld;      /* the format's: content goes to the tail */
    bool dropping;      /* the format's: content is dropped */
    bool direct;        /* the format's: content is content, whatever else holds */
    bool drops_begun;   /* the format's: a part of an opener that the text ends in is dropped */
    bool copies;        /* the format's: content is copied, up to SERVE_TOOLS_BLOCK_MAX bytes */
    bool deaf;          /* nothing is read any more */
    bool failed;        /* memory ran out */
};

extern const serve_tools_format serve_tools_auto, serve_tools_deepseek, serve_tools_deepseek_v4,
    serve_tools_functionary, serve_tools_gemma4, serve_tools_glm47, serve_tools_granite, serve_tools_harmony,
    serve_tools_hermes, serve_tools_kimi, serve_tools_llama, serve_tools_minimax, serve_tools_mistral,
    serve_tools_nemotron, serve_tools_poolside_v1, serve_tools_qwen, serve_tools_qwen3_xml,
    serve_tools_step3p5, serve_tools_xlam;

/* By any of its names. ASSAY_EUNSUPPORTED where there is none; the reason lists those that there are. */
assay_status serve_tools_find(const char *name, const serve_tools_format **out, assay_error *err);

/* The names of all formats, one after the other; NULL behind the last. */
const char *serve_tools_name_at(size_t i);

/* For a format that has seen all of the block: only one of `bytes`, a literal, can change what it is. */
static inline void serve_tools_wait_for(serve_tools *t, assay_text block, const char *bytes)
{
    if (t->scan.seen == block.n) t->scan.until = bytes;
}

/* For a format whose block reaches to the end of the text: nothing but that tells more. */
static inline serve_tools_found serve_tools_hold(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    *n = t->scan.seen = text.n;
    serve_tools_wait_for(t, text, "");
    return ended ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

/* For a format that tries others: hands out the calls that `format` finds in the text, which is whole. False
 * where it finds none. */
bool serve_tools_try(serve_tools *t, const serve_tools_format *format, assay_text text);

/* For a format that withholds: hands out the tail as content, and the content behind it. */
void serve_tools_release(serve_tools *t);

/* For a format that withholds, when the text has ended: `take` reads calls from the tail, but for what was
 * taken along. Where it finds one, the tail is dropped. */
void serve_tools_take_tail(serve_tools *t, void (*take)(serve_tools *t, assay_text text));

/* For a format that takes along: withholds the text, which is none if a call comes. */
void serve_tools_withhold_taken(serve_tools *t, assay_text text);

/* Content, with what holds for it at this place. */
void serve_tools_content(serve_tools *t, assay_text text);

/* Hands a call out. name is not empty; arguments: JSON text, its beginning where the text ends in the call,
 * or what the model wrote that is not JSON. Neither may lie in t->tail. */
void serve_tools_call(serve_tools *t, assay_text name, assay_text arguments);

/* How a call is written as an object: its name is `name`. */
typedef struct serve_tools_members {
    const char *other_name;   /* where `name` is no text, or empty; may be NULL */
    const char *arguments[2]; /* what counts first; the second may be NULL */
    bool required;            /* without arguments it is no call */
    bool verbatim;            /* arguments that are a string stay one; else the string's text is their JSON */
    bool trimmed;             /* the name, without white space around it */
} serve_tools_members;

/* The members that are looked for, under these names. */
enum { SERVE_NAME, SERVE_OTHER_NAME, SERVE_ARGUMENTS, SERVE_OTHER_ARGUMENTS, SERVE_N_MEMBERS };
void serve_tools_member_names(const serve_tools_members *members, const char **names);

/* Hands out the call whose members have the values found[SERVE_N_MEMBERS]. False where they are none. */
bool serve_tools_call_members(serve_tools *t, const assay_text *found, const serve_tools_members *members);

/* Adds to out the JSON of a value: of JSON, itself; of any other text, a string. */
void serve_json_or_string(serve_tools *t, serve_bytes *out, assay_text value);

/* Hands out the call that object, JSON text, is. False where it is none. */
bool serve_tools_call_object(serve_tools *t, assay_text object, const serve_tools_members *members);

#endif
