/* The state of a tool parser, shared by the machine, the output and the formats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_STATE_H
#define DIALOGUE_TOOLS_STATE_H

#include "base/buffer.h"
#include "dialogue/tools/format.h"
#include "dialogue/tools/request.h"
#include "dialogue/values/json_value.h"

/* How far the current block has been scanned; zeroed at its beginning. */
typedef struct serve_tools_scan {
    size_t seen; /* offset in the block */
    int phase;   /* phase and mark are private to the format */
    size_t mark[3];
    serve_json_balance balance;
    const char *until; /* if more text is needed: only these bytes can change that; NULL: any byte can */
} serve_tools_scan;

/* What the machine does with the text that comes next. */
typedef enum serve_tools_reading {
    SERVE_READING_CONTENT, /* search for an opener */
    SERVE_READING_START,   /* only white space has come, and the format has openers for the beginning of the
                              text */
    SERVE_READING_PLAIN,   /* as CONTENT, but nothing is held, and content is emitted as it comes */
    SERVE_READING_BLOCK,   /* `held` begins with an opener */
    SERVE_READING_NOTHING  /* ignore the rest of the text */
} serve_tools_reading;

/* What the format has decided about content at this place. */
typedef enum serve_tools_content_mode {
    SERVE_CONTENT_BY_RULE, /* nothing: the rules of serve_tools_after apply */
    SERVE_CONTENT_EMITTED,
    SERVE_CONTENT_DROPPED
} serve_tools_content_mode;

/* Which thinking blocks the text has had after the first marker. */
typedef enum serve_tools_thought {
    SERVE_THOUGHT_NONE,
    SERVE_THOUGHT_STRAY, /* a </think> without <think> */
    SERVE_THOUGHT_WHOLE
} serve_tools_thought;

typedef struct serve_tools_thoughts {
    serve_tools_thought had;
    size_t n_searched; /* how many bytes of the text were searched for </think> */
    size_t end;   /* offset in the text of the first </think> that has not been passed, or SERVE_NOWHERE */
    bool endless; /* there is a <think> without </think> */
} serve_tools_thoughts;

struct serve_tools {
    const serve_tools_format *format;
    void *own; /* [format->own_bytes], zeroed at the start; private to the format */
    serve_tools_request *request;
    const assay_sink *sink; /* set during a call */

    serve_tools_reading reading;
    buffer held;    /* undecided text: a block, or the beginning of a possible opener */
    size_t passed;  /* offset of `held` in the text */
    size_t n_blank; /* length of the leading white space of the text, as far as it has passed */
    size_t n_calls;
    bool marked; /* an opener has been found that is not in format->ends */
    bool failed; /* an allocation failed */

    size_t opener; /* of the current block: an index, or SERVE_BARE and so on */
    serve_tools_scan scan;
    unsigned disabled;  /* a bit for each opener that is no longer recognised */
    char first_byte;    /* the byte that all openers begin with; '\0' if they differ, see is_first */
    bool is_first[256]; /* whether an opener begins with this byte */
    serve_tools_thoughts thoughts;

    serve_tools_content_mode content_mode; /* set by the format */
    bool withheld;                         /* set by the format: content goes to the tail */
    bool watched;                          /* set by the format: format->watch receives content */
    bool overflowed;                       /* the tail grew too long; content after it is emitted */
    buffer tail;                           /* content that later text decides on, see serve_tools_after */
    size_t n_absorbed; /* how many leading bytes of the tail are dropped if a call comes */

    buffer block;           /* scratch: the block without its thinking blocks; a copy of the tail */
    buffer name, arguments; /* scratch: of the current call */
};

/* For a format that has scanned all of the block: only one of `bytes`, a literal, can change the result. */
static inline void serve_tools_wait_for(serve_tools *t, assay_text block, const char *bytes)
{
    if (t->scan.seen == block.n) t->scan.until = bytes;
}

/* For a format whose block reaches to the end of the text: only that end can complete it. */
static inline serve_tools_found serve_tools_hold(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    *n = t->scan.seen = text.n;
    serve_tools_wait_for(t, text, "");
    return ended ? SERVE_FOUND_BLOCK : SERVE_FOUND_MORE;
}

#endif
