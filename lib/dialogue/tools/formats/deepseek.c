/* deepseek (V3, R1): after <｜tool▁calls▁begin｜>,
 * <｜tool▁call▁begin｜>TYPE<｜tool▁sep｜>NAME\n```json\n{…}\n```<｜tool▁call▁end｜>, or the same without TYPE
 * and <｜tool▁sep｜> as long as no call has had them. The arguments are copied, JSON or not.
 *
 * Each part reaches to the next of its end markers, whatever other markers it contains. Text before the
 * section is content, including calls; but these are emitted as calls as well once a section begins, and all
 * text is then held until the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"
#include "dialogue/tools/output.h"
#include "dialogue/tools/state.h"

#include <string.h>

#define SECTION  "<｜tool▁calls▁begin｜>"
#define CALL     "<｜tool▁call▁begin｜>"
#define CALL_END "<｜tool▁call▁end｜>"
#define TYPE_END "<｜tool▁sep｜>"
#define CODE     "\n```json\n"
#define CODE_END "\n```" CALL_END

enum { IN_SECTION, CALLED }; /* openers */

/* Which marker ends each part of a call. */
enum { TYPE, NAME, ARGUMENTS, N_PARTS };

typedef struct deepseek_state {
    bool typed;  /* a call had a type */
    buffer copy; /* content since t->watched was set, with the calls before the section */
} deepseek_state;

static const char *const ENDS[N_PARTS] = {TYPE_END, CODE, CODE_END};

/* Searches for the ends of the parts from scan->phase on, each after the one before it. scan->mark: their
 * offsets. */
static bool find_ends(serve_tools_scan *scan, assay_text text)
{
    for (; scan->phase < N_PARTS; scan->phase++) {
        const size_t at = serve_span_find_next(text, &scan->seen, ENDS[scan->phase]);
        if (at == SERVE_NOWHERE) return false;
        scan->mark[scan->phase] = at;
    }
    return true;
}

/* A call may lack its type until one has had it. */
static bool find_call(serve_tools *t, assay_text text, size_t *n)
{
    deepseek_state *own = t->own;
    const serve_tools_scan begun = {.seen = strlen(CALL), .phase = own->typed ? TYPE : NAME};
    if (t->scan.seen == 0) t->scan = begun;
    if (!find_ends(&t->scan, text)) {
        serve_tools_wait_for(t, text, t->scan.phase == TYPE ? "<" : "\n");
        return false;
    }
    *n = t->scan.seen;
    serve_tools_scan typed = {.seen = strlen(CALL)};
    if (!own->typed && find_ends(&typed, serve_span_part(text, 0, *n))) {
        own->typed = true;
        t->scan = typed;
    }
    return true;
}

static serve_tools_found scan_block(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    *n = strlen(t->format->openers[t->opener]);
    t->watched |= t->opener == CALLED && !t->marked;
    if (t->opener == IN_SECTION && t->watched) return serve_tools_hold(t, text, ended, n);
    if (t->opener == IN_SECTION || !t->marked) return SERVE_FOUND_CONTENT;
    if (find_call(t, text, n)) return SERVE_FOUND_BLOCK;
    if (!ended) return SERVE_FOUND_MORE;
    *n = text.n; /* no other call can be complete either */
    return SERVE_FOUND_CONTENT;
}

/* Emits the call that text begins with; mark: the offsets of its parts' ends. False if it has no name. */
static bool read_call(serve_tools *t, assay_text text, const size_t *mark, bool typed)
{
    const size_t name_begin = typed ? mark[TYPE] + strlen(TYPE_END) : strlen(CALL);
    const assay_text name = serve_span_trim(serve_span_part(text, name_begin, mark[NAME]));
    if (name.n == 0) return false;
    serve_tools_call(t, name,
                     serve_span_trim(serve_span_part(text, mark[NAME] + strlen(CODE), mark[ARGUMENTS])));
    return true;
}

/* Emits all calls of a text, either with a type or without one. */
static void read_calls(serve_tools *t, assay_text text, bool typed)
{
    for (size_t at = 0; (at = serve_span_find(text, at, CALL)) != SERVE_NOWHERE;) {
        const assay_text rest = serve_span_from(text, at);
        serve_tools_scan scan = {.seen = strlen(CALL), .phase = typed ? TYPE : NAME};
        if (!find_ends(&scan, rest)) return;
        (void)read_call(t, rest, scan.mark, typed);
        at += scan.seen;
    }
}

/* Reads a section after earlier calls, which are content and are emitted as calls with those in the
 * section. */
static bool read_with_copy(serve_tools *t, assay_text block)
{
    deepseek_state *own = t->own;
    buffer_append(&own->copy, block.at, block.n);
    t->failed |= own->copy.failed;
    if (t->failed) return true;
    read_calls(t, buffer_text(&own->copy), true);
    if (t->n_calls == 0) read_calls(t, buffer_text(&own->copy), false);
    t->watched = false;
    return t->n_calls > 0;
}

static serve_tools_found read_block(serve_tools *t, assay_text block)
{
    const deepseek_state *own = t->own;
    const bool called =
        t->opener == IN_SECTION ? read_with_copy(t, block) : read_call(t, block, t->scan.mark, own->typed);
    return called ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* Gives up a copy that would grow too long. */
static void watch_content(serve_tools *t, assay_text content)
{
    deepseek_state *own = t->own;
    t->watched = own->copy.n + content.n <= SERVE_TOOLS_BLOCK_MAX;
    if (t->watched) buffer_append(&own->copy, content.at, content.n);
    else buffer_free(&own->copy);
    t->failed |= own->copy.failed;
}

static void free_own(void *own)
{
    buffer_free(&((deepseek_state *)own)->copy);
}

const serve_tools_format serve_tools_deepseek = {
    .names = {"deepseek", "deepseek_v3", "deepseek_r1"},
    .openers = {SECTION, CALL},
    .inner = {"<｜tool▁calls▁end｜>", CALL_END, TYPE_END},
    .ends = 1U << CALLED,
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .scan_block = scan_block,
    .read_block = read_block,
    .watch = watch_content,
    .own_bytes = sizeof(deepseek_state),
    .free_own = free_own,
};
