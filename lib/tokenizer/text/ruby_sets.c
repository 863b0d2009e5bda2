/* SPDX-License-Identifier: Apache-2.0 */
#include "tokenizer/text/ruby_sets.h"

#include <stdio.h>
#include <string.h>

#include "tokenizer/text/property.h"
#include "tokenizer/text/ruby_chars.h"

/* What is between '[', "&&" and ']': items of PCRE2's brackets, and alternatives that these cannot say. */
typedef struct term {
    buffer items, others;
} term;

static void term_free(term *t)
{
    buffer_free(&t->items);
    buffer_free(&t->others);
}

/* Rewrites a POSIX class after "[:". Most have the members of the property of the same name. */
static bool put_posix(ruby_rewriting *r)
{
    static const struct {
        const char *name, *items; /* NULL: those of the property */
    } SETS[] = {{"alpha", NULL},     {"digit", NULL},  {"space", NULL}, {"upper", NULL},
                {"lower", NULL},     {"xdigit", NULL}, {"alnum", NULL}, {"punct", "\\p{P}\\p{S}"},
                {"graph", NULL},     {"print", NULL},  {"blank", NULL}, {"cntrl", NULL},
                {"word", RUBY_WORD}, {"ascii", NULL}};
    const size_t begin = r->at;
    const bool negated = ruby_peek(r) == '^';
    if (negated) r->at++;
    const bool has_no_case = ruby_next_is(r, "digit:]") || ruby_next_is(r, "space:]");
    const bool is_sound =
        has_no_case ? !(negated && ruby_set_folds(r)) : r->set.is_complement && ruby_next_is(r, "alpha:]");
    if (r->folds && !is_sound) return ruby_refuse(r, begin, "a named set where case is ignored");
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        tokenizer_property property;
        char closed[16];
        (void)snprintf(closed, sizeof closed, "%s:]", SETS[i].name);
        if (!ruby_next_is(r, closed)) continue;
        r->at += strlen(closed);
        (void)tokenizer_property_find(SETS[i].name, strlen(SETS[i].name), &property);
        return ruby_put_items(r, SETS[i].items ? SETS[i].items : property.items, negated);
    }
    return ruby_refuse(r, begin, "an unknown set");
}

static bool put_item(ruby_rewriting *r)
{
    if (ruby_next_is(r, "[:")) {
        r->at += 2;
        return put_posix(r);
    }
    if (ruby_peek(r) == '[') return r->at++, ruby_put_set(r);
    if (ruby_peek(r) != '\\') return ruby_put_char(r);
    r->at++;
    if (ruby_peek(r) == 'b') { /* a backspace, within brackets */
        r->at++;
        return ruby_put(r, "\\x08");
    }
    return ruby_put_escape(r);
}

static bool ends_term(const ruby_rewriting *r, size_t ahead)
{
    const ruby_rewriting next = {.text = r->text, .n = r->n, .at = r->at + ahead};
    return ruby_peek(&next) == ']' || ruby_next_is(&next, "&&");
}

/* Rewrites items until ']' or "&&". */
static bool put_items_of_term(ruby_rewriting *r)
{
    for (bool first = true; r->at < r->n && !ends_term(r, 0); first = false) {
        const bool hyphen = ruby_peek(r) == '-' && !first && !ends_term(r, 1);
        if (!hyphen) {
            if (!put_item(r)) return false;
            continue;
        }
        const uint32_t low = r->code;
        const size_t begin = r->at++;
        if (ruby_peek(r) == '[' || ruby_peek(r) == '-')
            return ruby_refuse(r, r->at, "a range without an end");
        if (!ruby_put(r, "-") || !put_item(r)) return false;
        if (ruby_set_folds(r) && ruby_range_folds(low, r->code))
            return ruby_refuse(r, begin, "a range with a character whose case folding has several");
    }
    return true;
}

static bool read_term(ruby_rewriting *r, term *t)
{
    buffer *out = r->out, *others = r->others;
    const size_t begin = r->at;
    r->out = &t->items;
    r->others = &t->others;
    const bool ok = put_items_of_term(r);
    r->out = out;
    r->others = others;
    if (!ok) return false;
    if (r->at == r->n) return ruby_refuse(r, begin, "brackets without an end");
    return t->items.n + t->others.n > 0 || ruby_refuse(r, begin, "a set without members");
}

static bool append(ruby_rewriting *r, buffer *to, const char *text, size_t n)
{
    return buffer_append(to, text, n) || ruby_refuse(r, r->at, NULL);
}

static bool append_text(ruby_rewriting *r, buffer *to, const char *text)
{
    return append(r, to, text, strlen(text));
}

/* The pattern of a term, which matches one character. */
static bool append_term(ruby_rewriting *r, buffer *to, const term *t)
{
    const bool has_items = t->items.n > 0, has_others = t->others.n > 0;
    return append_text(r, to, has_others ? "(?:" : "") && append_text(r, to, has_items ? "[" : "") &&
           (!has_items || append(r, to, t->items.data, t->items.n)) &&
           append_text(r, to, has_items ? "]" : "") &&
           append_text(r, to, has_items && has_others ? "|" : "") &&
           (!has_others || append(r, to, t->others.data, t->others.n)) &&
           append_text(r, to, has_others ? ")" : "");
}

/* Appends a set that is one term without alternatives. */
static bool put_plain(ruby_rewriting *r, const term *t, bool negated)
{
    if (r->others && !negated) return ruby_put_text(r, t->items.data, t->items.n);
    buffer atom = {0};
    const bool ok = append_text(r, &atom, negated ? "[^" : "[") &&
                    append(r, &atom, t->items.data, t->items.n) && append(r, &atom, "]", 2) &&
                    (r->others ? ruby_put_other(r, atom.data) : ruby_put(r, atom.data));
    buffer_free(&atom);
    return ok;
}

/* Appends any other set. terms: the lookaheads of all terms but the last, and its pattern. */
static bool put_pattern(ruby_rewriting *r, const buffer *terms, bool negated)
{
    buffer atom = {0};
    const bool ok = append_text(r, &atom, negated ? "(?:(?!" : "(?:") &&
                    append(r, &atom, terms->data, terms->n) &&
                    append(r, &atom, negated ? ")(?s:.))" : ")", negated ? sizeof ")(?s:.))" : 2) &&
                    (r->others ? ruby_put_other(r, atom.data) : ruby_put(r, atom.data));
    buffer_free(&atom);
    return ok;
}

static void end_outermost_term(ruby_set *set)
{
    set->lacks_complement = set->lacks_complement || !set->has_complement;
    set->has_complement = false;
}

/* Rewrites the terms of a set. Oniguruma adds the other cases to the members of the whole set, PCRE2 to those
 * of each part: with an intersection, or a complement within the set, the results differ. */
static bool put_terms(ruby_rewriting *r, bool negated)
{
    buffer terms = {0};
    bool ok = true;
    for (bool is_last = false; ok && !is_last;) {
        term t = {0};
        ok = read_term(r, &t);
        is_last = ok && ruby_peek(r) == ']';
        if (ok && !is_last && r->folds) ok = ruby_refuse(r, r->at, "an intersection where case is ignored");
        if (r->n_sets == 1) end_outermost_term(&r->set);
        if (ok) r->at += is_last ? 1 : 2;
        if (ok && is_last && terms.n == 0 && t.others.n == 0) ok = put_plain(r, &t, negated);
        else if (ok && is_last) ok = append_term(r, &terms, &t) && put_pattern(r, &terms, negated);
        else if (ok)
            ok = append_text(r, &terms, "(?=") && append_term(r, &terms, &t) && append_text(r, &terms, ")");
        term_free(&t);
    }
    buffer_free(&terms);
    return ok;
}

bool ruby_put_set(ruby_rewriting *r)
{
    const size_t begin = r->at;
    const bool negated = ruby_peek(r) == '^';
    if (negated) r->at++;
    if (ruby_peek(r) == ']') return ruby_refuse(r, begin, "brackets that begin with ]");
    if (negated && r->n_sets > 0 && r->folds)
        return ruby_refuse(r, begin, "a complement in a set where case is ignored");
    if (r->n_sets == RUBY_DEPTH_MAX) return ruby_refuse(r, begin, "sets nested too deeply");
    if (r->n_sets == 0) r->set = (ruby_set){.is_complement = negated};
    else r->set.has_complement = r->set.has_complement || negated;
    r->n_sets++;
    const bool ok = put_terms(r, negated);
    r->n_sets--;
    /* If each term has a complement within, and no character beyond ASCII is in all terms, Oniguruma's
     * complement of them has none either. */
    if (ok && r->n_sets == 0 && negated && !r->set.lacks_complement)
        return ruby_refuse(r, begin, "a complement within a complement");
    return ok;
}
