/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/thoughts.h"

#include <string.h>

static bool absorbs_text(const serve_tools *t)
{
    return t->format->absorb && t->thoughts.had == SERVE_THOUGHT_NONE && t->n_calls == 0;
}

assay_text serve_tools_drop_thoughts(serve_tools *t, assay_text block)
{
    size_t from = 0, begin, end;
    t->block.n = 0;
    while ((begin = serve_span_find(block, from, SERVE_THINK)) != SERVE_NOWHERE &&
           (end = serve_span_find(block, begin, SERVE_THINK_END)) != SERVE_NOWHERE) {
        buffer_append(&t->block, block.at + from, begin - from);
        from = end + strlen(SERVE_THINK_END);
    }
    if (from == 0) return block;
    buffer_append(&t->block, block.at + from, block.n - from);
    return buffer_text(&t->block);
}

serve_tools_found serve_tools_match_thought(serve_tools *t, assay_text text)
{
    if (!t->format->absorb || !t->marked) return SERVE_FOUND_CONTENT;
    const bool begins = !t->thoughts.endless && serve_span_starts(text, SERVE_THINK);
    if (begins || serve_span_starts(text, SERVE_THINK_END)) {
        t->opener = begins ? SERVE_THOUGHT : SERVE_THOUGHT_END;
        return SERVE_FOUND_BLOCK;
    }
    const bool may = serve_span_begins(text, SERVE_THINK) || serve_span_begins(text, SERVE_THINK_END);
    return may ? SERVE_FOUND_MORE : SERVE_FOUND_CONTENT;
}

/* Outside of blocks: scans a thinking block up to its end, or reads a </think> without <think>. */
static serve_tools_found scan_outside(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->opener == SERVE_THOUGHT_END) {
        *n = strlen(SERVE_THINK_END);
        if (t->thoughts.had != SERVE_THOUGHT_NONE) return SERVE_FOUND_CONTENT;
        if (t->n_calls > 0) return t->format->drops_thought_ends ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
        t->thoughts.had = SERVE_THOUGHT_STRAY;
        t->format->absorb(t, serve_span_part(text, 0, *n));
        return SERVE_FOUND_NOTHING;
    }
    if (serve_span_find_next(text, &t->scan.seen, SERVE_THINK_END) != SERVE_NOWHERE) {
        *n = t->scan.seen;
        t->thoughts.had = SERVE_THOUGHT_WHOLE;
        return SERVE_FOUND_NOTHING;
    }
    t->thoughts.endless = ended;
    *n = strlen(SERVE_THINK);
    return ended ? SERVE_FOUND_CONTENT : SERVE_FOUND_MORE;
}

/* The offset of the next </think> in text, or SERVE_NOWHERE. No byte is searched twice, however many blocks
 * it is part of. */
static size_t find_end(serve_tools *t, assay_text text)
{
    if (t->thoughts.end < t->passed) t->thoughts.end = SERVE_NOWHERE;
    if (t->thoughts.end == SERVE_NOWHERE) {
        size_t seen = t->thoughts.n_searched > t->passed ? t->thoughts.n_searched - t->passed : 0;
        if (seen > text.n) return SERVE_NOWHERE;
        const size_t at = serve_span_find_next(text, &seen, SERVE_THINK_END);
        t->thoughts.n_searched = t->passed + seen;
        if (at == SERVE_NOWHERE) return SERVE_NOWHERE;
        t->thoughts.end = t->passed + at;
    }
    const size_t at = t->thoughts.end - t->passed;
    return at + strlen(SERVE_THINK_END) <= text.n ? at : SERVE_NOWHERE;
}

/* Calls the format's scan_block, but handles a </think> within a block that is incomplete before it. */
static serve_tools_found scan_inside(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    const size_t at = absorbs_text(t) ? find_end(t, text) : SERVE_NOWHERE;
    if (at != SERVE_NOWHERE) {
        const assay_text so_far = serve_span_part(text, 0, at + strlen(SERVE_THINK_END));
        const serve_tools_found found = t->format->scan_block(t, so_far, false, n);
        if (found != SERVE_FOUND_MORE) return found;
        t->thoughts.had = serve_span_find(serve_span_part(text, 0, at), 0, SERVE_THINK) == SERVE_NOWHERE
                              ? SERVE_THOUGHT_STRAY
                              : SERVE_THOUGHT_WHOLE;
        if (t->thoughts.had == SERVE_THOUGHT_STRAY) {
            *n = so_far.n;
            t->format->absorb(t, so_far);
            return SERVE_FOUND_NOTHING;
        }
    }
    t->scan.until = NULL;
    return t->format->scan_block(t, text, ended, n);
}

serve_tools_found serve_tools_scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    if (t->opener == SERVE_THOUGHT || t->opener == SERVE_THOUGHT_END) return scan_outside(t, text, ended, n);
    const serve_tools_found found = scan_inside(t, text, ended, n);
    if (absorbs_text(t) && t->thoughts.n_searched < t->passed + text.n) t->scan.until = NULL;
    return found;
}
