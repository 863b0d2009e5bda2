/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/follow.h"

#include <string.h>

#include "base/buffer.h"
#include "conformance/probe/truth/spelling.h"

/* Whether the row's token may be this one: it is, or what it is is unknown. */
static bool may_be(const probe_judge *j, const probe_row *row, int32_t id)
{
    const int32_t *ids;
    size_t n;
    if (!row->has_token || id < 0) return true;
    if (row->token.id >= 0) return row->token.id == id;
    probe_vocab_find(j->truth->vocab, row->token.text, &ids, &n);
    for (size_t i = 0; i < n; i++)
        if (ids[i] == id) return true;
    return n == 0;
}

/* How many of the recorded tokens from `at` on a row stands for: more than one if its text is a character
 * that several tokens make, and its token is the last of them (llama.cpp reports such a character once). */
static size_t count_tokens(const probe_judge *j, const probe_row *row, const probe_prompt *p, size_t at)
{
    const probe_vocab *vocab = j->truth->vocab;
    int32_t ids[PROBE_CHARACTER_MOST] = {probe_truth_next(p, at)};
    buffer text = {0};
    size_t found = 1;
    if (!row->has_token || row->token.text.n < 2 ||
        memmem(row->token.text.at, row->token.text.n, "\xEF\xBF\xBD", 3) || ids[0] < 0 ||
        !probe_vocab_is_part(vocab, ids[0]))
        return 1;
    for (size_t n = 2; n <= PROBE_CHARACTER_MOST && found == 1; n++) {
        ids[n - 1] = probe_truth_next(p, at + n - 1);
        if (ids[n - 1] < 0) break;
        text.n = 0;
        if (probe_vocab_decode(vocab, ids, n, false, &text, NULL) == ASSAY_OK &&
            text.n == row->token.text.n && memcmp(text.data, row->token.text.at, text.n) == 0 &&
            (row->token.id < 0 || row->token.id == ids[n - 1]))
            found = n;
    }
    buffer_free(&text);
    return found;
}

/* Where the row's token is, from place n_before on: after tokens without a text, which need no row, and after
 * the first tokens of a character that has one row. *n_joined: these. */
static size_t find_place(const probe_judge *j, const probe_row *row, const probe_prompt *p, size_t n_before,
                         size_t *n_joined)
{
    size_t at = n_before;
    int32_t id;
    while ((id = probe_truth_next(p, at)) >= 0 && probe_vocab_is_silent(j->truth->vocab, id) &&
           !may_be(j, row, id))
        at++;
    *n_joined = count_tokens(j, row, p, at) - 1;
    return at + *n_joined;
}

/* Whether rows are those of the recorded tokens from place n_before on, as far as these go. *end: the place
 * after the last row. */
static bool fits(const probe_judge *j, const probe_rows *rows, const probe_prompt *p, size_t n_before,
                 size_t *end)
{
    size_t n_joined;
    *end = n_before;
    for (size_t i = 0; i < rows->n; i++) {
        const size_t at = find_place(j, &rows->at[i], p, *end, &n_joined);
        if (!may_be(j, &rows->at[i], probe_truth_next(p, at))) return false;
        *end = at + 1;
    }
    return true;
}

/* Whether the token at a place has no text but white space: servers may count it to the content or not. */
static bool is_blank(const probe_judge *j, const probe_prompt *p, size_t at)
{
    buffer text = {0};
    const int32_t id = probe_truth_next(p, at);
    bool blank = id >= 0 && probe_vocab_decode(j->truth->vocab, &id, 1, false, &text, NULL) == ASSAY_OK;
    for (size_t i = 0; i < text.n; i++) blank = blank && strchr(" \t\r\n", text.data[i]) && text.data[i];
    buffer_free(&text);
    return blank;
}

/* How many tokens of the recorded answer precede the first row: none, or those before the content, where
 * white space may belong to either. Rows of all tokens go to the end of the answer. */
static size_t find_skipped(const probe_judge *j, const probe_rows *rows, const probe_asked *asked)
{
    const probe_prompt *p = asked->prompt;
    const size_t content = asked->n_before_content;
    size_t end;
    const bool from_first = !asked->content_only && fits(j, rows, p, asked->n_before, &end);
    if (content == 0 || (from_first && end >= asked->n_before + p->n_greedy)) return 0;
    for (size_t skip = content;; skip--) {
        if (fits(j, rows, p, asked->n_before + skip, &end)) return skip;
        if (skip == 0 || !is_blank(j, p, asked->n_before + skip - 1)) break;
    }
    return asked->content_only ? content : 0;
}

probe_follow probe_follow_answer(probe_judge *j, const probe_rows *rows, const probe_asked *asked)
{
    const probe_prompt *p = asked->prompt;
    const size_t skipped = find_skipped(j, rows, asked);
    probe_follow f = {.n_skipped = skipped};
    size_t n_before = asked->n_before + skipped;
    for (size_t i = 0; i < rows->n; i++, n_before++) {
        size_t n_joined;
        n_before = find_place(j, &rows->at[i], p, n_before, &n_joined);
        f.n_joined += n_joined;
        const int32_t next = probe_truth_next(p, n_before);
        const bool known = asked->is_recorded && n_before - asked->n_before < p->n_greedy;
        const probe_place place = {
            .prompt = p, .n_before = n_before, .greedy = true, .taken = known ? next : -1};
        const size_t n_wrong = j->rules[PROBE_RULE_TOKEN].n_broken;
        int32_t id;
        if (n_before > p->n_ids || !probe_truth_row(p, n_before)) break;
        probe_judge_row(j, rows, i, &place, &id);
        probe_spelling_judge(j, rows, i, &place);
        f.n_followed++;
        if (known || id < 0 || next < 0 || id == next) continue;
        f.tie = j->rules[PROBE_RULE_TOKEN].n_broken == n_wrong;
        break;
    }
    return f;
}

probe_follow probe_follow_prompt(probe_judge *j, const probe_rows *rows, const probe_prompt *p, size_t n)
{
    probe_follow f = {0};
    for (size_t i = 1; i < n && i < rows->n; i++) {
        const probe_place place = {.prompt = p, .n_before = i, .taken = -1};
        int32_t id;
        if (!probe_truth_row(p, i)) continue;
        if (!may_be(j, &rows->at[i], p->ids[i])) {
            f.misplaced = true;
            break;
        }
        probe_judge_row(j, rows, i, &place, &id);
        probe_spelling_judge(j, rows, i, &place);
        f.n_followed++;
    }
    return f;
}
