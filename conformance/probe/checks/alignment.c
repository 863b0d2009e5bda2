/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/alignment.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "conformance/probe/checks/expect.h"

/* Whether a reader has no use for rows of the first tokens: all of them are reasoning. */
static assay_status are_thoughts(const probe_run *r, const probe_asked *asked, size_t n, bool *thoughts,
                                 assay_error *err)
{
    probe_expected e;
    *thoughts = false;
    const assay_status rc = probe_expect(r->truth, asked->prompt, n, &e, err);
    if (rc == ASSAY_OK)
        *thoughts = e.fields.reasoning.n > 0 && e.fields.content.n == 0 && e.fields.n_calls == 0;
    probe_expected_free(&e);
    return rc;
}

static assay_status check_skipped(probe_run *r, probe_alignment *a, const probe_exchange *x,
                                  const probe_asked *asked, size_t n, assay_error *err)
{
    bool thoughts = false;
    PROBE_LABEL(check, "numerics/%s/rows", a->way);
    /* In Responses rows belong to texts: reasoning has none. */
    if (n == 0 || a->endpoint == PROBE_RESPONSES || a->n_skipped++) return ASSAY_OK;
    const assay_status rc =
        a->endpoint == PROBE_COMPLETIONS ? ASSAY_OK : are_thoughts(r, asked, n, &thoughts, err);
    if (rc == ASSAY_OK)
        (void)probe_report(r, x, check, PROBE_FAILED, thoughts ? PROBE_HABIT : PROBE_BREAKS,
                           "the first %zu tokens of the answer have no row", n);
    return rc;
}

/* Tokens without a text need no row. */
static size_t count_silent(const probe_run *r, const probe_prompt *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_greedy; i++) n += probe_vocab_is_silent(r->truth->vocab, p->greedy[i]);
    return n;
}

/* A recorded answer that ended has a row for each of its tokens, or in Responses for those of its content;
 * for the stop id there may be one. */
static void check_lost(probe_run *r, probe_alignment *a, const probe_exchange *x, const probe_answer *answer,
                       const probe_asked *asked, const probe_follow *f)
{
    const probe_prompt *p = asked->prompt;
    const size_t n = answer->rows.n + f->n_skipped + f->n_joined + count_silent(r, p);
    const size_t n_due = asked->content_only ? asked->n_with_content : p->n_greedy;
    PROBE_LABEL(check, "numerics/%s/rows", a->way);
    if (!asked->is_recorded || !p->ends || n >= n_due || a->n_lost++) return;
    (void)probe_report(r, x, check, PROBE_FAILED, PROBE_BREAKS, "%s: found %zu rows for %zu tokens", p->name,
                       n - f->n_skipped, n_due - f->n_skipped);
}

/* The characters of a token's text; SIZE_MAX: it is no whole text. */
static size_t count_characters(assay_text text)
{
    size_t n = 0;
    if (!text.at || utf8_valid_prefix(text.at, text.n) != text.n ||
        memmem(text.at, text.n, "\xEF\xBF\xBD", 3))
        return SIZE_MAX;
    for (size_t i = 0; i < text.n; i++) n += ((unsigned char)text.at[i] & 0xC0U) != 0x80U;
    return n;
}

/* Each offset is the one before it and the characters between them, up to a token that is part of a
 * character. first: what the first offset may be. */
static void check_offsets(probe_run *r, probe_alignment *a, const probe_exchange *x, const probe_rows *rows,
                          int64_t first, int64_t or_else)
{
    PROBE_LABEL(check, "numerics/%s/offsets", a->way);
    if (rows->n == 0 || rows->at[0].offset < 0) return;
    int64_t expected = rows->at[0].offset == or_else ? or_else : first;
    for (size_t i = 0; i < rows->n; i++) {
        const size_t n = count_characters(rows->at[i].token.token);
        a->n_offsets++;
        if (rows->at[i].offset != expected) {
            if (!a->n_offsets_wrong++)
                (void)probe_report(r, x, check, PROBE_FAILED, PROBE_DEPARTS,
                                   "row %zu: found %" PRId64 ", expected %" PRId64, i, rows->at[i].offset,
                                   expected);
            return;
        }
        if (n == SIZE_MAX) return;
        expected += (int64_t)n;
    }
}

void probe_alignment_check_prompt(probe_run *r, probe_alignment *a, const probe_exchange *x,
                                  const probe_rows *rows)
{
    check_offsets(r, a, x, rows, 0, 0);
}

/* Whether an answer has delivered more of a text than its tokens so far make. */
static bool is_ahead(const probe_alignment *a, const probe_expected *e, const probe_step *s)
{
    if (a->endpoint == PROBE_COMPLETIONS) return s->content > e->special.n;
    return s->content > e->fields.content.n || s->reasoning > e->fields.reasoning.n;
}

/* An event with a text comes with the rows of its tokens, or after them. */
static assay_status check_pace(probe_run *r, probe_alignment *a, const probe_exchange *x,
                               const probe_answer *answer, const probe_asked *asked, const probe_follow *f,
                               assay_error *err)
{
    const probe_prompt *p = asked->prompt;
    assay_status rc = ASSAY_OK;
    PROBE_LABEL(check, "numerics/%s/pace", a->way);
    if (answer->n_steps == 0 || !asked->is_recorded || f->n_joined || count_silent(r, p)) return ASSAY_OK;
    for (size_t i = 0; i < answer->n_steps && rc == ASSAY_OK && a->n_late == 0; i++) {
        const probe_step *s = &answer->steps[i];
        const size_t n = s->rows + f->n_skipped;
        probe_expected e;
        a->n_paced++;
        rc = probe_expect(r->truth, p, n < p->n_greedy ? n : p->n_greedy, &e, err);
        if (rc == ASSAY_OK && is_ahead(a, &e, s)) {
            a->n_late++;
            (void)probe_report(
                r, x, check, PROBE_FAILED, PROBE_BREAKS,
                "%s: %zu rows have come with %zu bytes of content and %zu of reasoning, which they do not "
                "make",
                p->name, s->rows, s->content, s->reasoning);
        }
        probe_expected_free(&e);
    }
    return rc;
}

assay_status probe_alignment_check(probe_run *r, probe_alignment *a, const probe_exchange *x,
                                   const probe_answer *answer, const probe_asked *asked,
                                   const probe_follow *f, assay_error *err)
{
    PROBE_LABEL(check, "numerics/%s/rows", a->way);
    const size_t n = count_characters(buffer_text(&asked->prompt->text));
    a->n_answers++;
    if (f->n_joined && !a->n_joined++)
        (void)probe_report(r, x, check, PROBE_FAILED, PROBE_DEPARTS,
                           "%zu tokens have no row: a character of several tokens has one, the last",
                           f->n_joined);
    assay_status rc = check_skipped(r, a, x, asked, f->n_skipped, err);
    if (rc == ASSAY_OK) check_lost(r, a, x, answer, asked, f);
    check_offsets(r, a, x, &answer->rows, 0, n == SIZE_MAX ? 0 : (int64_t)n);
    return rc == ASSAY_OK ? check_pace(r, a, x, answer, asked, f, err) : rc;
}

void probe_alignment_report(probe_run *r, const probe_alignment *a)
{
    PROBE_LABEL(rows, "numerics/%s/rows", a->way);
    PROBE_LABEL(offsets, "numerics/%s/offsets", a->way);
    PROBE_LABEL(pace, "numerics/%s/pace", a->way);
    if (a->n_answers && !a->n_skipped && !a->n_joined && !a->n_lost)
        (void)probe_report(r, NULL, rows, PROBE_OK, PROBE_BREAKS, "%zu answers have a row for each token",
                           a->n_answers);
    if (a->n_offsets && !a->n_offsets_wrong)
        (void)probe_report(r, NULL, offsets, PROBE_OK, PROBE_DEPARTS, "%zu offsets", a->n_offsets);
    if (a->n_paced && !a->n_late)
        (void)probe_report(r, NULL, pace, PROBE_OK, PROBE_BREAKS, "%zu events", a->n_paced);
}
