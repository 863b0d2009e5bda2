/* SPDX-License-Identifier: Apache-2.0 */
#include "template/filters/wrap.h"

#include "base/utf8.h"
#include "template/values/unicode.h"

/* The characters of a text. */
typedef struct letters {
    tpl *t;
    uint32_t *at; /* [n] */
    size_t n;
} letters;

static letters decode(tpl *t, assay_text text)
{
    letters l = {.t = t, .at = tpl_alloc(t, text.n + 1, sizeof *l.at)};
    for (size_t i = 0; l.at && i < text.n; l.n++) i += utf8_decode(text.at + i, text.n - i, &l.at[l.n], NULL);
    return l;
}

static bool is_white(const letters *l, size_t i)
{
    return l->at[i] == ' ' || (l->at[i] >= '\t' && l->at[i] <= '\r');
}

static bool is_word(const letters *l, uint32_t c)
{
    return c == '_' || tpl_char_has(l->t, c, TPL_ALNUM);
}

/* A character of a word that is no digit. */
static bool is_letter(const letters *l, size_t i)
{
    return i < l->n && is_word(l, l->at[i]) && !tpl_char_has(l->t, l->at[i], TPL_DECIMAL);
}

/* Whether a dash may follow character i. */
static bool ends_word(const letters *l, size_t i)
{
    const uint32_t c = l->at[i];
    return is_word(l, c) || c == '!' || c == '"' || c == '\'' || c == '&' || c == '.' || c == ',' || c == '?';
}

/* How many hyphens a dash between words at i has, two or more; 0: there is none. */
static size_t dash_at(const letters *l, size_t i)
{
    size_t n = 0;
    if (i == 0 || i >= l->n || !ends_word(l, i - 1)) return 0;
    while (i + n < l->n && l->at[i + n] == '-') n++;
    return n >= 2 && i + n < l->n && is_word(l, l->at[i + n]) ? n : 0;
}

/* Whether the hyphen at i divides a word: letters on both sides, on the left two or one after another hyphen.
 */
static bool divides(const letters *l, size_t i)
{
    if (i < 2 || l->at[i] != '-' || !is_letter(l, i - 1)) return false;
    const bool left = is_letter(l, i - 2) || (i > 2 && l->at[i - 2] == '-' && is_letter(l, i - 3));
    const size_t next = i + 2 < l->n && l->at[i + 2] == '-' ? i + 3 : i + 2;
    return left && is_letter(l, i + 1) && is_letter(l, next);
}

/* The end of the piece that begins at `from`: white space, a dash, or a word or part of it. */
static size_t piece_end(tpl *t, const letters *l, size_t from, bool hyphens)
{
    size_t i = from;
    if (is_white(l, i)) {
        while (i < l->n && is_white(l, i) && tpl_step(t, 1)) i++;
        return i;
    }
    if (hyphens && dash_at(l, i)) return i + dash_at(l, i);
    for (i++; i < l->n && !is_white(l, i) && tpl_step(t, 1); i++) {
        if (hyphens && divides(l, i)) return i + 1;
        if (hyphens && dash_at(l, i)) break;
    }
    return i;
}

/* Whether str.strip leaves nothing of a piece. */
static bool is_blank(const letters *l, size_t from, size_t end)
{
    char text[UTF8_LENGTH_MAX];
    while (from < end && tpl_space_prefix((assay_text){.at = text, .n = utf8_encode(text, l->at[from])}) > 0)
        from++;
    return from == end;
}

/* The lines while they are made. */
typedef struct wrapping {
    const letters *l;
    const tpl_wrapping *how;
    size_t at;        /* what is before it is on lines */
    size_t end;       /* of the piece at `at`; equal to it: not known yet */
    size_t first, to; /* of the current line */
    size_t last;      /* where its last piece begins */
} wrapping;

/* Finds the piece at `at`; false at the end of the text. */
static bool find_piece(tpl *t, wrapping *w)
{
    if (w->at < w->l->n && w->end <= w->at) w->end = piece_end(t, w->l, w->at, w->how->breaks_hyphens);
    return w->at < w->l->n && t->status == ASSAY_OK;
}

static void take(wrapping *w, size_t end)
{
    w->last = w->at;
    w->at = w->to = end;
}

/* Puts a piece that is longer than a line on the current line, or its beginning. */
static void take_long(wrapping *w)
{
    const size_t room = (size_t)w->how->width - (w->to - w->first);
    size_t end = w->at + room;
    if (!w->how->breaks_words) {
        if (w->to == w->first) take(w, w->end);
        return;
    }
    bool other = false;
    for (size_t i = w->at, hyphen = 0; w->how->breaks_hyphens && i < w->at + room; i++) {
        if (w->l->at[i] == '-' && i > w->at && other) hyphen = i + 1;
        other = other || w->l->at[i] != '-';
        if (hyphen) end = hyphen;
    }
    take(w, end);
}

/* Finds the next line; false if the rest is blank. */
static bool find_line(tpl *t, wrapping *w, bool is_first)
{
    const size_t width = (size_t)w->how->width;
    if (!is_first && find_piece(t, w) && is_blank(w->l, w->at, w->end)) w->at = w->end;
    w->first = w->to = w->last = w->at;
    while (find_piece(t, w) && w->end - w->first <= width) take(w, w->end);
    if (find_piece(t, w) && w->end - w->at > width) take_long(w);
    if (w->to > w->first && is_blank(w->l, w->last, w->to)) w->to = w->last;
    return w->to > w->first;
}

void tpl_wrap(tpl_builder *b, assay_text text, const tpl_wrapping *how, assay_text between)
{
    const letters l = decode(b->t, text);
    wrapping w = {.l = &l, .how = how};
    bool any = false;
    if (how->width < 1)
        (void)tpl_fail(b->t, ASSAY_EFORMAT, "wordwrap: found width %lld", (long long)how->width);
    while (b->t->status == ASSAY_OK && w.at < l.n) {
        if (!find_line(b->t, &w, !any)) continue;
        if (any) tpl_add(b, between.at, between.n);
        any = true;
        for (size_t i = w.first; i < w.to; i++) tpl_add_char(b, l.at[i]);
    }
}
