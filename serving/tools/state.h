/* The state of a tool parser, which the machine, the output of calls and the formats share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SERVING_TOOLS_STATE_H
#define SERVING_TOOLS_STATE_H

#include "serving/text/bytes.h"
#include "serving/tools/format.h"
#include "serving/tools/request.h"
#include "serving/values/json_value.h"

/* How far a block has been looked at; zeroed at its beginning. */
typedef struct serve_tools_scan {
    size_t seen; /* bytes from the block's beginning */
    int phase;   /* of the format's own, as is mark */
    size_t mark[3];
    serve_json_balance balance;
    const char *until; /* where more is needed: bytes but these would not change that; NULL: any may */
} serve_tools_scan;

/* What there was of thoughts behind the first marker. */
typedef enum serve_tools_thought {
    SERVE_THOUGHT_NONE,
    SERVE_THOUGHT_STRAY, /* the end of one without a beginning */
    SERVE_THOUGHT_WHOLE
} serve_tools_thought;

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

#endif
