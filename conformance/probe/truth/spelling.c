/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/truth/spelling.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

enum { SHOWN_MOST = 40, NAMED_MOST = 20 };

static bool same_text(assay_text a, assay_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

static bool has_replacement(assay_text text)
{
    return text.n >= 3 && memmem(text.at, text.n, "\xEF\xBF\xBD", 3);
}

/* Whether a text is that of the token. */
static bool is_text_of(const probe_vocab *vocab, assay_text text, int32_t id)
{
    const int32_t *ids;
    size_t n;
    probe_vocab_find(vocab, text, &ids, &n);
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id) return true;
    return false;
}

/* Whether a token is spelled by both texts. */
static bool share_token(const probe_vocab *vocab, assay_text a, assay_text b)
{
    const int32_t *ids;
    size_t n;
    probe_vocab_find(vocab, a, &ids, &n);
    for (size_t i = 0; i < n; i++)
        if (is_text_of(vocab, b, ids[i])) return true;
    return false;
}

/* Whether the token has a text of its own: it is no part of a character, and not empty. */
static bool has_text(const probe_vocab *vocab, int32_t id)
{
    buffer text = {0};
    const bool read = probe_vocab_decode(vocab, &id, 1, false, &text, NULL) == ASSAY_OK;
    const bool has = read && text.n > 0 && !probe_vocab_is_part(vocab, id);
    buffer_free(&text);
    return has;
}

static bool is_ascii(assay_text text)
{
    size_t n = 0;
    while (n < text.n && (unsigned char)text.at[n] < 0x80) n++;
    return n == text.n;
}

/* A text without an id and bytes: some token has it. Servers may give a character of several tokens as one
 * text. */
static void judge_text_alone(probe_judge *j, const probe_place *place, const probe_entry *e)
{
    const int32_t *ids;
    size_t n;
    if (!is_ascii(e->token)) return;
    probe_vocab_find(j->truth->vocab, e->token, &ids, &n);
    probe_rule_apply(&j->rules[PROBE_RULE_TEXT], place, n > 0 ? 0 : INFINITY, "no token has the text %.*s",
                     (int)(e->token.n < SHOWN_MOST ? e->token.n : SHOWN_MOST), e->token.at);
}

static void judge_text(probe_judge *j, const probe_place *place, const probe_entry *e)
{
    const probe_vocab *vocab = j->truth->vocab;
    const bool has_bytes = e->text.at != e->token.at && e->text.n > 0;
    if (!e->text.at || e->text.n == 0 || has_replacement(e->text)) return;
    const bool whole = utf8_valid_prefix(e->text.at, e->text.n) == e->text.n;
    if (has_bytes && whole && e->token.at) {
        const bool same = same_text(e->text, e->token) || share_token(vocab, e->text, e->token);
        probe_rule_apply(&j->rules[PROBE_RULE_TEXT], place, same ? 0 : INFINITY,
                         "found the token %.*s with the bytes of %.*s",
                         (int)(e->token.n < SHOWN_MOST ? e->token.n : SHOWN_MOST), e->token.at,
                         (int)(e->text.n < SHOWN_MOST ? e->text.n : SHOWN_MOST), e->text.at);
    }
    if (e->id < 0 && !has_bytes) judge_text_alone(j, place, e);
    if (e->id >= 0 && (size_t)e->id < j->truth->n_vocab && whole && has_text(vocab, e->id))
        probe_rule_apply(&j->rules[PROBE_RULE_TEXT], place, is_text_of(vocab, e->text, e->id) ? 0 : INFINITY,
                         "id %d has the text of another token, %.*s", (int)e->id,
                         (int)(e->text.n < SHOWN_MOST ? e->text.n : SHOWN_MOST), e->text.at);
}

/* How many tokens lie above a value by more than the bound, and how many do not lie below it by more. */
static void find_places(const probe_judge *j, double value, double bound, size_t *above, size_t *not_below)
{
    *above = *not_below = 0;
    for (size_t v = 0; v < j->truth->n_vocab; v++) {
        *above += j->scratch[v] > value + bound;
        *not_below += j->scratch[v] >= value - bound;
    }
}

static void judge_rank(probe_judge *j, const probe_place *place, const probe_entry *e)
{
    size_t above, not_below, n_ids = 0;
    const int32_t *ids;
    int32_t id = e->id;
    if (e->rank == 0) return;
    if (id < 0) probe_vocab_find(j->truth->vocab, e->text, &ids, &n_ids);
    if (n_ids == 1) id = ids[0];
    if (id < 0 || (size_t)id >= j->truth->n_vocab) return;
    find_places(j, j->scratch[id], 2 * probe_truth_bound(place->prompt, j->type), &above, &not_below);
    probe_rule_apply(&j->rules[PROBE_RULE_RANK], place,
                     e->rank > above && e->rank <= not_below ? 0 : INFINITY,
                     "id %d has the rank %zu, expected %zu to %zu", (int)id, e->rank, above + 1, not_below);
}

/* The least number of alternatives in an object: of the most likely tokens, those with texts of their own. */
static size_t count_named(const probe_judge *j, size_t n_asked)
{
    size_t n = 0;
    if (n_asked > NAMED_MOST || n_asked == 0) return 0;
    const double edge = j->sorted[n_asked - 1];
    for (size_t v = 0; v < j->truth->n_vocab; v++) {
        if (j->scratch[v] < edge || !has_text(j->truth->vocab, (int32_t)v)) continue;
        buffer text = {0};
        const int32_t id = (int32_t)v, *ids;
        size_t n_ids = 0;
        if (probe_vocab_decode(j->truth->vocab, &id, 1, false, &text, NULL) == ASSAY_OK)
            probe_vocab_find(j->truth->vocab, buffer_text(&text), &ids, &n_ids);
        n += n_ids == 1;
        buffer_free(&text);
    }
    return n < n_asked ? n : n_asked;
}

static void judge_count(probe_judge *j, const probe_row *row, const probe_place *place)
{
    const size_t asked = j->asked < j->truth->n_vocab ? j->asked : j->truth->n_vocab;
    if (asked == 0 || row->n_top == 0) return;
    const size_t least = row->by_text ? count_named(j, asked) : asked;
    const size_t most =
        row->by_text || !place->greedy ? asked + 1 : asked; /* the token itself may be one more */
    probe_rule_apply(&j->rules[PROBE_RULE_COUNT], place,
                     row->n_top >= least && row->n_top <= most ? 0 : INFINITY,
                     "found %zu alternatives, expected %zu", row->n_top, asked);
}

/* A prompt's own token may come before the alternatives. */
static void judge_order(probe_judge *j, const probe_rows *rows, const probe_row *row,
                        const probe_place *place)
{
    if (row->by_text || !place->greedy || row->n_top < 2) return;
    size_t i = row->top + 1;
    const size_t end = row->top + row->n_top;
    while (i < end && !(rows->entries[i].value > rows->entries[i - 1].value)) i++;
    probe_rule_apply(&j->rules[PROBE_RULE_ORDER], place, i == end ? 0 : INFINITY,
                     "alternative %zu has the value %.9g, and the one before it %.9g", i - row->top + 1,
                     i < end ? rows->entries[i].value : 0, rows->entries[i - 1].value);
}

void probe_spelling_judge(probe_judge *j, const probe_rows *rows, size_t row, const probe_place *place)
{
    const probe_row *r = &rows->at[row];
    if (!probe_truth_row(place->prompt, place->n_before)) return;
    if (r->has_token) judge_text(j, place, &r->token);
    if (r->has_token) judge_rank(j, place, &r->token);
    for (size_t i = 0; i < r->n_top; i++) {
        judge_text(j, place, &rows->entries[r->top + i]);
        judge_rank(j, place, &rows->entries[r->top + i]);
    }
    judge_count(j, r, place);
    judge_order(j, rows, r, place);
}
