/* deepseek (V3, R1): behind <｜tool▁calls▁begin｜>,
 * <｜tool▁call▁begin｜>TYPE<｜tool▁sep｜>NAME\n```json\n{…}\n```<｜tool▁call▁end｜>, or the same without TYPE
 * and its end as long as no call has had them. The arguments are what stands there, JSON or not.
 *
 * Each part reaches to the next of its ends, whatever other markers are in it. What is before the section is
 * content, calls as well; but they are calls, too, once a section begins: then all is held until the text
 * ends.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "serving/tools/formats.h"
#include "serving/tools/output.h"
#include "serving/tools/state.h"

#include <string.h>

#define SECTION  "<｜tool▁calls▁begin｜>"
#define CALL     "<｜tool▁call▁begin｜>"
#define CALL_END "<｜tool▁call▁end｜>"
#define TYPE_END "<｜tool▁sep｜>"
#define CODE     "\n```json\n"
#define CODE_END "\n```" CALL_END

enum { IN_SECTION, CALLED }; /* openers */

/* Where the parts of a call end. */
enum { TYPE, NAME, ARGUMENTS, N_PARTS };

typedef struct deepseek_state {
    bool typed;       /* a call had a type */
    serve_bytes copy; /* content since t->watched was set: calls before the section */
} deepseek_state;

static const char *const ENDS[N_PARTS] = {TYPE_END, CODE, CODE_END};

/* Looks on for the ends of the parts from scan->phase on, each behind the one before it; scan->mark. */
static bool find_ends(serve_tools_scan *scan, assay_text text)
{
    for (; scan->phase < N_PARTS; scan->phase++) {
        const size_t at = serve_span_find_next(text, &scan->seen, ENDS[scan->phase]);
        if (at == SERVE_NOWHERE) return false;
        scan->mark[scan->phase] = at;
    }
    return true;
}

/* A call may lack its type until one has it. */
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

static serve_tools_found look(serve_tools *t, assay_text text, bool ended, size_t *n)
{
    *n = strlen(t->format->openers[t->opener]);
    t->watched |= t->opener == CALLED && !t->marked;
    if (t->opener == IN_SECTION && t->watched) return serve_tools_hold(t, text, ended, n);
    if (t->opener == IN_SECTION || !t->marked) return SERVE_FOUND_CONTENT;
    if (find_call(t, text, n)) return SERVE_FOUND_BLOCK;
    if (!ended) return SERVE_FOUND_MORE;
    *n = text.n; /* no other one ends behind it, either */
    return SERVE_FOUND_CONTENT;
}

/* The call that text begins with, whose parts end at mark. False where it has no name. */
static bool take_call(serve_tools *t, assay_text text, const size_t *mark, bool typed)
{
    const size_t name_begin = typed ? mark[TYPE] + strlen(TYPE_END) : strlen(CALL);
    const assay_text name = serve_span_trim(serve_span_part(text, name_begin, mark[NAME]));
    if (name.n == 0) return false;
    serve_tools_call(t, name,
                     serve_span_trim(serve_span_part(text, mark[NAME] + strlen(CODE), mark[ARGUMENTS])));
    return true;
}

/* All calls of a text that have a type, or have none. */
static void take_calls(serve_tools *t, assay_text text, bool typed)
{
    for (size_t at = 0; (at = serve_span_find(text, at, CALL)) != SERVE_NOWHERE;) {
        const assay_text rest = serve_span_from(text, at);
        serve_tools_scan scan = {.seen = strlen(CALL), .phase = typed ? TYPE : NAME};
        if (!find_ends(&scan, rest)) return;
        (void)take_call(t, rest, scan.mark, typed);
        at += scan.seen;
    }
}

/* Behind calls before the section, which are content and count with those in it. */
static bool take_with_copy(serve_tools *t, assay_text block)
{
    deepseek_state *own = t->own;
    serve_bytes_add(&own->copy, block.at, block.n);
    t->failed |= own->copy.failed;
    if (t->failed) return true;
    take_calls(t, serve_bytes_text(&own->copy), true);
    if (t->n_calls == 0) take_calls(t, serve_bytes_text(&own->copy), false);
    t->watched = false;
    return t->n_calls > 0;
}

static serve_tools_found take(serve_tools *t, assay_text block)
{
    const deepseek_state *own = t->own;
    const bool called =
        t->opener == IN_SECTION ? take_with_copy(t, block) : take_call(t, block, t->scan.mark, own->typed);
    return called ? SERVE_FOUND_NOTHING : SERVE_FOUND_CONTENT;
}

/* A copy that would grow too long is given up. */
static void watch(serve_tools *t, assay_text content)
{
    deepseek_state *own = t->own;
    t->watched = own->copy.n + content.n <= SERVE_TOOLS_BLOCK_MAX;
    if (t->watched) serve_bytes_add(&own->copy, content.at, content.n);
    else serve_bytes_free(&own->copy);
    t->failed |= own->copy.failed;
}

static void free_own(void *own)
{
    serve_bytes_free(&((deepseek_state *)own)->copy);
}

const serve_tools_format serve_tools_deepseek = {
    .names = {"deepseek", "deepseek_v3", "deepseek_r1"},
    .openers = {SECTION, CALL},
    .inner = {"<｜tool▁calls▁end｜>", CALL_END, TYPE_END},
    .ends = 1U << CALLED,
    .after = SERVE_AFTER_MARKER_UNCALLED,
    .look = look,
    .take = take,
    .watch = watch,
    .own_bytes = sizeof(deepseek_state),
    .free_own = free_own,
};
