/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/output.h"

static void emit_text(serve_tools *t, assay_part part, assay_text text)
{
    if (text.n > 0) t->sink->take(t->sink->context, part, text.at, text.n);
}

void serve_tools_release(serve_tools *t)
{
    t->withheld = false;
    t->n_absorbed = 0;
    emit_text(t, ASSAY_PART_CONTENT, buffer_text(&t->tail));
    t->tail.n = 0;
}

/* Whether content is held in the tail until later text decides. */
static bool is_conditional(const serve_tools *t)
{
    if (t->format->after == SERVE_AFTER_CALL_BETWEEN) return t->n_calls > 0;
    return t->withheld || (t->format->after == SERVE_AFTER_MARKER_UNCALLED && t->marked);
}

/* Whether content after a call is dropped; if the text has no call, held content is emitted at its end. */
static bool drops_after_call(const serve_tools *t)
{
    return t->format->after == SERVE_AFTER_CALL_DROPPED || t->format->after == SERVE_AFTER_MARKER_UNCALLED;
}

static bool is_dropped(const serve_tools *t)
{
    if (t->format->after == SERVE_AFTER_MARKER_DROPPED && t->marked) return true;
    if (t->content_mode != SERVE_CONTENT_BY_RULE) return t->content_mode == SERVE_CONTENT_DROPPED;
    return !t->withheld && t->n_calls > 0 && drops_after_call(t);
}

bool serve_tools_emits_content(const serve_tools *t)
{
    return t->content_mode == SERVE_CONTENT_EMITTED ||
           (!is_dropped(t) && (!is_conditional(t) || t->overflowed));
}

void serve_tools_end_content(serve_tools *t)
{
    if (drops_after_call(t) && t->n_calls == 0) serve_tools_release(t);
}

void serve_tools_content(serve_tools *t, assay_text text)
{
    if (text.n == 0 || is_dropped(t)) return;
    if (t->watched) t->format->watch(t, text);
    if (serve_tools_emits_content(t)) {
        emit_text(t, ASSAY_PART_CONTENT, text);
        return;
    }
    if (t->tail.n + text.n <= SERVE_TOOLS_BLOCK_MAX) {
        buffer_append(&t->tail, text.at, text.n);
        return;
    }
    t->overflowed = true;
    serve_tools_release(t);
    emit_text(t, ASSAY_PART_CONTENT, text);
}

void serve_tools_read_tail(serve_tools *t, void (*read)(serve_tools *t, assay_text text))
{
    const size_t n_tail = t->tail.n, n_absorbed = t->n_absorbed, n_calls = t->n_calls;
    t->block.n = 0;
    if (n_tail > n_absorbed) buffer_append(&t->block, t->tail.data + n_absorbed, n_tail - n_absorbed);
    if (t->block.failed) return;
    t->tail.n = t->n_absorbed = 0;
    t->withheld = false;
    read(t, buffer_text(&t->block));
    if (t->n_calls > n_calls) return;
    t->tail.n = n_tail;
    t->n_absorbed = n_absorbed;
    t->withheld = true;
}

void serve_tools_withhold_absorbed(serve_tools *t, assay_text text)
{
    t->withheld = true;
    serve_tools_content(t, text);
    t->n_absorbed = t->tail.n;
}

/* A call has come: drops the absorbed bytes of the tail. */
static void drop_absorbed(serve_tools *t)
{
    buffer_drop(&t->tail, t->n_absorbed);
    t->n_absorbed = 0;
    if (t->format->recheck_tail) t->format->recheck_tail(t);
    else serve_tools_release(t);
}

void serve_tools_call(serve_tools *t, assay_text name, assay_text arguments)
{
    if (t->format->is_repeated && t->format->is_repeated(t, name, arguments)) return;
    if (t->n_absorbed > 0) drop_absorbed(t);
    else if (t->format->releases && t->withheld) serve_tools_release(t);
    if (t->format->after == SERVE_AFTER_CALL_BETWEEN) serve_tools_release(t);
    if (!t->withheld) {
        t->tail.n = 0;
        t->overflowed = false;
    }
    t->n_calls++;
    emit_text(t, ASSAY_PART_CALL, name);
    emit_text(t, ASSAY_PART_ARGUMENTS, arguments);
}
