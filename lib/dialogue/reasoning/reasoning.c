/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/reasoning/reasoning.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dialogue/text/text.h"

static const serve_reasoning_rules *const known[] = {
    &serve_reasoning_qwen3,   &serve_reasoning_deepseek_r1, &serve_reasoning_deepseek_v4,
    &serve_reasoning_glm4,    &serve_reasoning_gemma4,      &serve_reasoning_mistral,
    &serve_reasoning_step3p5, &serve_reasoning_poolside_v1, &serve_reasoning_gpt_oss,
    &serve_reasoning_harmony,
};

enum { N_KNOWN = sizeof known / sizeof known[0] };

const serve_reasoning_rules *serve_reasoning_at(size_t i)
{
    return i < N_KNOWN ? known[i] : NULL;
}

assay_status serve_reasoning_find(const char *name, const serve_reasoning_rules **out, assay_error *err)
{
    char names[256] = "";
    for (size_t i = 0, n = 0; i < N_KNOWN; i++) {
        if (strcmp(name, known[i]->name) == 0) {
            *out = known[i];
            return ASSAY_OK;
        }
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", known[i]->name);
        assert(n < sizeof names);
    }
    return assay_fail(err, ASSAY_EUNSUPPORTED, "reasoning parser \"%s\": not found, expected one of %s", name,
                      names);
}

static const serve_phase *phase_of(const serve_reasoning *s)
{
    return &s->rules->phases[s->phase];
}

static void enter_phase(serve_reasoning *s, uint8_t phase)
{
    s->phase = phase;
    s->n_marks = s->n_first = 0;
    for (uint8_t i = 0; i < SERVE_MARKS; i++) {
        const serve_marker *mark = &s->rules->marks[i];
        if (phase_of(s)->marks[i].as == SERVE_NOTHING || !mark->at) continue;
        s->marks[s->n_marks++] = i;
        if (memchr(s->first, mark->at[0], s->n_first)) continue;
        if (s->n_first < sizeof s->first) s->first[s->n_first++] = mark->at[0];
        else assert(phase_of(s)->text == SERVE_SPACE);
    }
}

void serve_reasoning_start(serve_reasoning *s, const serve_reasoning_rules *rules,
                           const serve_reasoning_options *options)
{
    *s = (serve_reasoning){.rules = rules, .options = *options};
    enter_phase(s, options->thinking_off ? rules->first_off : rules->first);
}

static void emit_text(serve_reasoning *s, serve_reads_as as, const char *text, size_t n,
                      const assay_sink *sink)
{
    const bool content = as == SERVE_CONTENT || (as == SERVE_CALL && s->options.tools);
    if (n == 0) return;
    if (content) sink->take(sink->context, ASSAY_PART_CONTENT, text, n);
    else if (as == SERVE_REASONING && !s->options.thinking_off)
        sink->take(sink->context, ASSAY_PART_REASONING, text, n);
    else s->n_dropped += n;
}

/* The result of matching markers at text[0..n). */
typedef struct found {
    const serve_step *step; /* of the longest complete marker; NULL: there is none */
    size_t n;               /* its length */
    bool open;              /* with more bytes there may be a longer one */
} found;

/* The length of the common prefix of `mark` and text[0..n). */
static size_t measure_common_prefix(const serve_marker *mark, const char *text, size_t n)
{
    size_t k = 0;
    while (k < n && k < mark->n && text[k] == mark->at[k]) k++;
    return k;
}

static found match_marks(const serve_reasoning *s, const char *text, size_t n)
{
    found f = {0};
    for (size_t i = 0; i < s->n_marks; i++) {
        const serve_marker *mark = &s->rules->marks[s->marks[i]];
        const size_t k = measure_common_prefix(mark, text, n);
        if (k == n && k < mark->n) f.open = true;
        else if (k == mark->n && k > f.n)
            f = (found){.step = &phase_of(s)->marks[s->marks[i]], .n = k, .open = f.open};
    }
    if (f.step && f.step->n > 0) f.n = f.step->n;
    return f;
}

/* The length of a proper prefix of one of the phase's n_begun markers at text[0..n) that immediately precedes
 * the first marker of the rules; 0 if there is none. *open: more bytes may change that. */
static size_t measure_begun(const serve_reasoning *s, const char *text, size_t n, bool *open)
{
    const serve_marker *marks = s->rules->marks;
    size_t n_begun = 0;
    for (size_t i = 0; i < phase_of(s)->n_begun; i++) {
        const size_t k = measure_common_prefix(&marks[i], text, n),
                     k_first = measure_common_prefix(&marks[0], text + k, n - k);
        if (k == 0 || k == marks[i].n) continue;
        if (k_first == marks[0].n) n_begun = k;
        else if (k + k_first == n) *open = true;
    }
    return n_begun;
}

/* The number of bytes of text[0..n) before the first byte that a marker of the phase may begin with. */
static size_t find_mark_byte(const serve_reasoning *s, const char *text, size_t n)
{
    if (s->n_first == 0) return n;
    if (s->n_first == 1) {
        const char *at = memchr(text, s->first[0], n);
        return at ? (size_t)(at - text) : n;
    }
    size_t i = 0;
    while (i < n && text[i] != s->first[0] && text[i] != s->first[1]) i++;
    return i;
}

/* Emits the held preface as `as`. */
static void release_preface(serve_reasoning *s, serve_reads_as as, const assay_sink *sink)
{
    emit_text(s, as, s->preface, s->n_preface, sink);
    s->n_preface = 0;
}

/* Adds text to the preface; a preface that exceeds its buffer is resolved. */
static size_t hold_preface(serve_reasoning *s, const char *text, size_t n, const assay_sink *sink)
{
    if (n <= sizeof s->preface - s->n_preface) {
        memcpy(s->preface + s->n_preface, text, n);
        s->n_preface += (uint8_t)n;
        return n;
    }
    release_preface(s, SERVE_CONTENT, sink);
    enter_phase(s, phase_of(s)->after);
    return 0;
}

static void read_mark(serve_reasoning *s, const found *f, const char *text, const assay_sink *sink)
{
    if (f->step->to != s->phase) {
        release_preface(s, f->step->waited, sink);
        enter_phase(s, f->step->to);
    }
    if (f->step->as == SERVE_PREFACE) (void)hold_preface(s, text, f->n, sink);
    else emit_text(s, f->step->as, text, f->n, sink);
}

/* In a phase of SERVE_SPACE: reads white space or a marker, or finds that the phase has ended. Returns the
 * number of bytes read; *waits: there are too few to decide. */
static size_t read_space(serve_reasoning *s, const char *text, size_t n, bool last, bool *waits,
                         const assay_sink *sink)
{
    const serve_phase *phase = phase_of(s);
    const size_t space = serve_text_space(text, n);
    found f = match_marks(s, text, n);
    const size_t n_begun = measure_begun(s, text, n, &f.open);
    *waits = !last && (f.open || (space == 0 && serve_text_unfinished(text, n) == n));
    if (*waits) return 0;
    if (f.step) {
        read_mark(s, &f, text, sink);
        return f.n;
    }
    if (space > 0) emit_text(s, phase->space, text, space, sink);
    else emit_text(s, SERVE_DROPPED, text, n_begun, sink);
    if (space > 0 && phase->space != SERVE_NOTHING) enter_phase(s, phase->spaced);
    else if (space + n_begun == 0) enter_phase(s, phase->after);
    return space + n_begun;
}

/* Reads text up to the next marker, and the marker. Returns as read_space does. */
static size_t read_text(serve_reasoning *s, const char *text, size_t n, bool last, bool *waits,
                        const assay_sink *sink)
{
    const serve_reads_as as = phase_of(s)->text;
    found f = {0};
    size_t n_text = 0;
    while ((n_text += find_mark_byte(s, text + n_text, n - n_text)) < n) {
        f = match_marks(s, text + n_text, n - n_text);
        if (f.step || (f.open && !last)) break;
        n_text++;
    }
    *waits = !last && (n_text == n || f.open);
    if (n_text == n && !last) n_text -= serve_text_unfinished(text, n);
    if (as == SERVE_PREFACE && hold_preface(s, text, n_text, sink) < n_text) {
        *waits = false;
        return 0;
    }
    if (as != SERVE_PREFACE) emit_text(s, as, text, n_text, sink);
    if (*waits || !f.step) return n_text;
    read_mark(s, &f, text + n_text, sink);
    return n_text + f.n;
}

/* Reads text[0..n), or all of it if `last`. Returns the number of bytes read; what is left is shorter than
 * the longest marker. */
static size_t read_reply(serve_reasoning *s, const char *text, size_t n, bool last, const assay_sink *sink)
{
    size_t i = 0;
    for (bool waits = false; i < n && !waits;) {
        if (phase_of(s)->text == SERVE_SPACE) i += read_space(s, text + i, n - i, last, &waits, sink);
        else i += read_text(s, text + i, n - i, last, &waits, sink);
    }
    return i;
}

static void hold_text(serve_reasoning *s, const char *text, size_t n)
{
    assert(n < sizeof s->held);
    if (n > 0) memcpy(s->held, text, n);
    s->n_held = (uint8_t)n;
}

/* Fast path: most deltas are text of the current phase to the last byte. */
static bool is_text(const serve_reasoning *s, const char *delta, size_t n)
{
    const serve_reads_as as = phase_of(s)->text;
    return s->n_held == 0 && as != SERVE_SPACE && as != SERVE_PREFACE && find_mark_byte(s, delta, n) == n &&
           serve_text_unfinished(delta, n) == 0;
}

void serve_reasoning_feed(serve_reasoning *s, const char *delta, size_t n, const assay_sink *sink)
{
    size_t from = 0;
    if (is_text(s, delta, n)) {
        emit_text(s, phase_of(s)->text, delta, n, sink);
        return;
    }
    if (s->n_held > 0) {
        char seam[2 * SERVE_MARK_BYTES];
        const size_t n_held = s->n_held, n_delta = n < SERVE_MARK_BYTES ? n : SERVE_MARK_BYTES;
        memcpy(seam, s->held, n_held);
        memcpy(seam + n_held, delta, n_delta);
        const size_t n_read = read_reply(s, seam, n_held + n_delta, false, sink);
        if (n_read < n_held) {
            hold_text(s, seam + n_read, n_held + n_delta - n_read);
            return;
        }
        from = n_read - n_held;
    }
    from += read_reply(s, delta + from, n - from, false, sink);
    hold_text(s, delta + from, n - from);
}

/* Whether the preface is a marker and the beginning of an object or a tag; otherwise the marker is only
 * mentioned in the text. */
static bool begins_call(const serve_reasoning *s)
{
    const char *end = s->preface + s->n_preface, *at = memchr(s->preface, '>', s->n_preface);
    if (!at) return false;
    size_t space;
    for (at++; (space = serve_text_space(at, (size_t)(end - at))) > 0;) at += space;
    return at < end && (*at == '{' || *at == '<');
}

void serve_reasoning_end(serve_reasoning *s, const assay_sink *sink)
{
    char held[SERVE_MARK_BYTES];
    const size_t n_held = s->n_held;
    memcpy(held, s->held, n_held);
    s->n_held = 0;
    for (size_t i = 0; i < phase_of(s)->n_last && s->options.thinking_off; i++)
        if (n_held > 0 && measure_common_prefix(&s->rules->marks[i], held, n_held) == n_held) {
            s->n_dropped += n_held;
            return;
        }
    (void)read_reply(s, held, n_held, true, sink);
    release_preface(s, phase_of(s)->calls && !begins_call(s) ? SERVE_REASONING : SERVE_CONTENT, sink);
}
