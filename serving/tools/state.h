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

/* What the machine does with the text that comes next. */
typedef enum serve_tools_reading {
    SERVE_READING_CONTENT, /* searches for an opener */
    SERVE_READING_START,   /* nothing but white space has come, and the format has openers for this place */
    SERVE_READING_PLAIN,   /* CONTENT, but nothing is held, and content is handed out as it comes */
    SERVE_READING_BLOCK,   /* `held` begins with an opener */
    SERVE_READING_NOTHING  /* ignores the rest of the text */
} serve_tools_reading;

/* What the format has decided about content at this place. */
typedef enum serve_tools_content_mode {
    SERVE_CONTENT_BY_RULE, /* nothing: serve_tools_after decides */
    SERVE_CONTENT_HANDED_OUT,
    SERVE_CONTENT_DROPPED
} serve_tools_content_mode;

/* Which thoughts the text has had behind the first marker. */
typedef enum serve_tools_thought {
    SERVE_THOUGHT_NONE,
    SERVE_THOUGHT_STRAY, /* the end of a thought that had no beginning */
    SERVE_THOUGHT_WHOLE
} serve_tools_thought;

typedef struct serve_tools_thoughts {
    serve_tools_thought had;
    size_t n_searched; /* bytes of the text that were searched for the end of a thought */
    size_t end;        /* offset in the text of the first end that is not passed yet, or SERVE_NOWHERE */
    bool endless;      /* a thought has a beginning and no end */
} serve_tools_thoughts;

struct serve_tools {
    const serve_tools_format *format;
    void *own; /* [format->own_bytes], zeroed at the start; only the format reads it */
    serve_tools_request *request;
    const assay_sink *sink; /* during a call */

    serve_tools_reading reading;
    serve_bytes held; /* text that is undecided: a block, or the beginning of a possible opener */
    size_t passed;    /* bytes of the text before `held` */
    size_t n_blank;   /* of these, leading white space */
    size_t n_calls;
    bool marked; /* an opener has been found that is not one of format->ends */
    bool failed; /* an allocation failed */

    size_t opener; /* of the block: its index, or SERVE_BARE and so on */
    serve_tools_scan scan;
    unsigned dead;      /* a bit for each opener that is no longer one */
    char first_byte;    /* the byte that all openers begin with; '\0': they differ, see is_first */
    bool is_first[256]; /* whether an opener begins with this byte */
    serve_tools_thoughts thoughts;

    serve_tools_content_mode content_mode; /* set by the format */
    bool withheld;                         /* set by the format: content is added to the tail */
    bool watched;                          /* set by the format: format->watch is shown content */
    bool overflowed;                       /* the tail grew too long, and content behind it is handed out */
    serve_bytes tail;                      /* content under a condition, see serve_tools_after */
    size_t n_taken;                        /* leading bytes of the tail that are dropped if a call comes */

    serve_bytes block;           /* scratch: the block without the thoughts in it; the tail */
    serve_bytes name, arguments; /* scratch: of the call that is being read */
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
