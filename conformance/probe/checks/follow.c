/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/follow.h"

#include <string.h>

#include "base/buffer.h"

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

/* Whether rows [n] are those of the recorded tokens from `at` on, as far as these go. */
static bool fits(const probe_judge *j, const probe_rows *rows, const probe_prompt *p, size_t at)
{
    for (size_t i = 0; i < rows->n; i++, at++) {
        at += count_tokens(j, &rows->at[i], p, at) - 1;
        if (!may_be(j, &rows->at[i], probe_truth_next(p, at))) return false;
    }
    return true;
}

/* How many tokens of the recorded answer precede the first row: rows may begin with the content, after the
 * reasoning. Of several places that fit, the last one is right, since an answer's rows go to its end. */
static size_t find_skipped(const probe_judge *j, const probe_rows *rows, const probe_prompt *p,
                           size_t n_before)
{
    const size_t n = p->n_greedy + p->ends;
    if (rows->n == 0 || rows->n >= n || fits(j, rows, p, n_before)) return 0;
    for (size_t skip = n - rows->n; skip > 0; skip--)
        if (fits(j, rows, p, n_before + skip)) return skip;
    return 0;
}

probe_follow probe_follow_answer(probe_judge *j, const probe_rows *rows, const probe_asked *asked)
{
    const probe_prompt *p = asked->prompt;
    const size_t skipped = asked->may_skip ? find_skipped(j, rows, p, asked->n_before) : 0;
    probe_follow f = {.n_skipped = skipped};
    size_t n_before = asked->n_before + skipped;
    for (size_t i = 0; i < rows->n; i++, n_before++) {
        const size_t n_joined = count_tokens(j, &rows->at[i], p, n_before) - 1;
        f.n_joined += n_joined;
        n_before += n_joined;
        const int32_t next = probe_truth_next(p, n_before);
        const bool known = asked->is_recorded && n_before - asked->n_before < p->n_greedy;
        const probe_place place = {
            .prompt = p, .n_before = n_before, .greedy = true, .taken = known ? next : -1};
        const size_t n_wrong = j->rules[PROBE_RULE_TOKEN].n_broken;
        int32_t id;
        if (n_before > p->n_ids || !probe_truth_row(p, n_before)) break;
        probe_judge_row(j, rows, i, &place, &id);
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
        f.n_followed++;
    }
    return f;
}
