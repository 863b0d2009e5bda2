/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/grade.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conformance/support/fields.h"

const char *probe_likeness_name(probe_likeness likeness)
{
    static const char *const names[PROBE_N_LIKENESSES] = {"same bits", "same text", "within noise",
                                                          "tie flip", "divergent"};
    return names[likeness];
}

static bool same_buffer(const buffer *a, const buffer *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->data, b->data, a->n) == 0);
}

static bool same_entry(const probe_entry *a, const probe_entry *b)
{
    return a->id == b->id && a->text.n == b->text.n &&
           (a->text.n == 0 || memcmp(a->text.at, b->text.at, a->text.n) == 0);
}

/* The first row whose token differs; the smaller number of rows if none does. */
static size_t first_difference(const probe_rows *a, const probe_rows *b)
{
    size_t i = 0;
    while (i < a->n && i < b->n && same_entry(&a->at[i].token, &b->at[i].token)) i++;
    return i;
}

/* The largest difference of values of the same tokens in rows [n]; *same: all rows are equal in every bit. */
static double value_difference(const probe_rows *a, const probe_rows *b, size_t n, bool *same)
{
    double worst = 0;
    *same = a->n == b->n;
    for (size_t i = 0; i < n; i++) {
        const probe_row *x = &a->at[i], *y = &b->at[i];
        const double d = fabs(x->token.value - y->token.value);
        if (!(d <= worst)) worst = d;
        *same = *same && d == 0 && x->n_top == y->n_top;
        for (size_t k = 0; k < x->n_top; k++)
            for (size_t m = 0; m < y->n_top; m++) {
                const probe_entry *e = &a->entries[x->top + k], *f = &b->entries[y->top + m];
                if (!same_entry(e, f)) continue;
                const double difference = fabs(e->value - f->value);
                if (!(difference <= worst)) worst = difference;
                *same = *same && difference == 0;
            }
    }
    return worst;
}

/* Whether the two most likely tokens after n_before ids are so near that rounding may choose either. */
static bool is_tie(const probe_run *r, const probe_prompt *p, size_t n_before)
{
    const double *row = probe_truth_row(p, n_before);
    double first = -INFINITY, second = -INFINITY;
    if (!row) return false;
    for (size_t v = 0; v < r->truth->n_vocab; v++) {
        if (row[v] > first) {
            second = first;
            first = row[v];
        } else if (row[v] > second) {
            second = row[v];
        }
    }
    return first - second <= 2 * probe_truth_bound(p, r->type);
}

/* Texts differ: by a near tie, or not. */
static probe_likeness grade_texts(const probe_run *r, const probe_prompt *p, const probe_answer *a,
                                  const probe_answer *b, char *text, size_t size)
{
    if (conf_field_same("content", buffer_text(&a->content), buffer_text(&b->content), text, size))
        (void)snprintf(text, size, "reasoning, calls or finish differ: %s and %s", a->finish, b->finish);
    if (a->rows.n && b->rows.n) {
        const size_t k = first_difference(&a->rows, &b->rows);
        return is_tie(r, p, p->n_prompt + k) ? PROBE_TIE_FLIP : PROBE_DIVERGENT;
    }
    for (size_t k = 0; k < p->n_greedy; k++)
        if (is_tie(r, p, p->n_prompt + k)) return PROBE_TIE_FLIP;
    return PROBE_DIVERGENT;
}

probe_likeness probe_grade_of(const probe_run *r, const probe_prompt *p, const probe_answer *a,
                              const probe_answer *b, char *text, size_t size)
{
    bool same;
    text[0] = '\0';
    if (!same_buffer(&a->content, &b->content) || !same_buffer(&a->reasoning, &b->reasoning) ||
        strcmp(a->finish, b->finish) != 0 || a->n_calls != b->n_calls)
        return grade_texts(r, p, a, b, text, size);
    if (a->rows.n == 0 && b->rows.n == 0) return PROBE_SAME_TEXT;
    const size_t n = first_difference(&a->rows, &b->rows);
    if (n < a->rows.n || n < b->rows.n) {
        (void)snprintf(text, size, "%zu and %zu rows of log-probabilities, which differ in row %zu",
                       a->rows.n, b->rows.n, n);
        return is_tie(r, p, p->n_prompt + n) ? PROBE_TIE_FLIP : PROBE_DIVERGENT;
    }
    const double worst = value_difference(&a->rows, &b->rows, n, &same),
                 bound = 4 * probe_truth_bound(p, r->type);
    if (same) return PROBE_SAME_BITS;
    (void)snprintf(text, size, "log-probabilities differ by up to %.3g; %.3g is explained by rounding", worst,
                   bound);
    return worst <= bound ? PROBE_WITHIN_NOISE : PROBE_DIVERGENT;
}
