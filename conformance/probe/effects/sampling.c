/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/effects/sampling.h"

#include <math.h>
#include <string.h>

#define CHANCE_MOST 1e-4 /* of a verdict against a correct server */

static bool same_field(const buffer *a, const buffer *b)
{
    const assay_text x = conf_field_strip(buffer_text(a)), y = conf_field_strip(buffer_text(b));
    return x.n == y.n && (x.n == 0 || memcmp(x.at, y.at, x.n) == 0);
}

static bool same_answer(const probe_answer *a, const probe_answer *b)
{
    return same_field(&a->content, &b->content) && same_field(&a->reasoning, &b->reasoning) &&
           a->n_calls == b->n_calls;
}

/* The probability that sampling at temperature 2 takes the truth's most likely tokens, as far as they are
 * asked for. */
static double chance_of_greedy(const probe_trial *t)
{
    const size_t n_vocab = t->r->truth->n_vocab;
    double chance = 1;
    for (size_t k = 0; k < t->limit && k < t->prompt->n_greedy; k++) {
        const double *row = probe_truth_row(t->prompt, t->prompt->n_prompt + k);
        double most = -INFINITY, all = 0;
        if (!row) break;
        for (size_t v = 0; v < n_vocab; v++) most = fmax(most, row[v]);
        for (size_t v = 0; v < n_vocab; v++) all += exp((row[v] - most) / 2);
        chance /= all;
    }
    return chance;
}

/* The first request is greedy, the others have temperature 2. */
void probe_write_greedy(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    const char *member = probe_effect_member(t);
    if (i > 0)
        (void)snprintf(more, PROBE_MORE_MAX, "{\"temperature\":2%s%s}", member ? "," : "",
                       member ? member : "");
}

/* The first answer that is not the greedy one; n: none. */
static size_t find_other(const probe_trial *t)
{
    size_t i = 1;
    while (i < t->effect->n && same_answer(&t->parts[0].a, &t->parts[i].a)) i++;
    return i;
}

void probe_judge_greedy(const probe_trial *t)
{
    const size_t other = find_other(t), n = t->effect->n - 1;
    const double chance = pow(chance_of_greedy(t), (double)n);
    if (other <= n)
        (void)probe_report(t->r, &t->parts[other].x, t->check, PROBE_IGNORED, PROBE_DEPARTS,
                           "an answer at temperature 2 with %s has other tokens than the most likely ones",
                           probe_effect_member(t));
    else if (chance > CHANCE_MOST)
        (void)probe_report(t->r, NULL, t->check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "temperature 2 gives the most likely tokens %zu times with probability %.2g", n,
                           chance);
    else
        (void)probe_report(t->r, NULL, t->check, PROBE_OK, PROBE_DEPARTS,
                           "%zu answers at temperature 2 have the most likely tokens", n);
}

void probe_judge_temperature(const probe_trial *t)
{
    const size_t other = find_other(t), n = t->effect->n - 1;
    const double chance = pow(chance_of_greedy(t), (double)n);
    if (other <= n)
        (void)probe_report(t->r, NULL, t->check, PROBE_OK, PROBE_DEPARTS, "temperature 2 gives other tokens");
    else
        (void)probe_report(t->r, &t->parts[1].x, t->check,
                           chance > CHANCE_MOST ? PROBE_NOT_EXERCISED : PROBE_IGNORED, PROBE_BREAKS,
                           "%zu answers at temperature 2 have the most likely tokens, by chance %.2g", n,
                           chance);
}

/* Requests 2, 4 and 6 have the member. */
void probe_write_pairs(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    const bool has = i > 0 && i % 2 == 0;
    (void)snprintf(more, PROBE_MORE_MAX, "{\"seed\":%zu,\"temperature\":2%s%s}",
                   i < 3 ? (size_t)1 : (i + 1) / 2, has ? "," : "", has ? probe_effect_member(t) : "");
}

/* The first request with the member whose answer is not that of the same seed without it; 0: none. */
static size_t find_changed(const probe_trial *t)
{
    static const size_t without[PROBE_PAIRS] = {[2] = 0, [4] = 3, [6] = 5};
    for (size_t i = 2; i < t->effect->n; i += 2)
        if (!same_answer(&t->parts[i].a, &t->parts[without[i]].a)) return i;
    return 0;
}

/* Whether a seed repeats an answer; without that nothing can be compared. */
static bool repeats(const probe_trial *t)
{
    if (same_answer(&t->parts[0].a, &t->parts[1].a)) return true;
    (void)probe_report(t->r, &t->parts[1].x, t->check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                       "requests with one seed have different answers");
    return false;
}

void probe_judge_change(const probe_trial *t)
{
    if (!repeats(t)) return;
    const size_t changed = find_changed(t);
    if (changed)
        (void)probe_report(t->r, NULL, t->check, PROBE_OK, PROBE_DEPARTS, "other samples with %s",
                           t->effect->member);
    else if (same_answer(&t->parts[0].a, &t->parts[3].a) || same_answer(&t->parts[0].a, &t->parts[5].a))
        (void)probe_report(t->r, NULL, t->check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "the model is so certain that other seeds have the same samples");
    else
        (void)probe_report(t->r, &t->parts[2].x, t->check, PROBE_IGNORED, PROBE_DEPARTS,
                           "%s has no effect: the same samples of three seeds with and without it",
                           t->effect->member);
}

void probe_judge_default(const probe_trial *t)
{
    if (!repeats(t)) return;
    const size_t changed = find_changed(t);
    if (changed)
        (void)probe_report(t->r, &t->parts[changed].x, t->check, PROBE_FAILED, PROBE_BREAKS,
                           "%s changes the samples of a seed: a request without it has another value",
                           t->effect->member);
    else
        (void)probe_report(t->r, NULL, t->check, PROBE_OK, PROBE_BREAKS,
                           "the same samples with %s and without it", t->effect->member);
}

void probe_write_seed(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    (void)t;
    (void)snprintf(more, PROBE_MORE_MAX, "{\"seed\":%zu,\"temperature\":2}",
                   i < PROBE_SEED_SAME ? (size_t)11 : 100 + i);
}

void probe_judge_seed(const probe_trial *t)
{
    size_t other = 1, n_same = 0; /* other: the first answer with seed 11 that differs */
    while (other < PROBE_SEED_SAME && same_answer(&t->parts[0].a, &t->parts[other].a)) other++;
    for (size_t i = PROBE_SEED_SAME; i < PROBE_SEED_SAME + PROBE_SEED_OTHER; i++)
        n_same += same_answer(&t->parts[0].a, &t->parts[i].a);
    if (other < PROBE_SEED_SAME)
        (void)probe_report(t->r, &t->parts[other].x, t->check, PROBE_IGNORED, PROBE_DEPARTS,
                           "requests with seed 11 have different answers");
    else if (n_same == PROBE_SEED_OTHER)
        (void)probe_report(t->r, &t->parts[0].x, t->check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "answers at temperature 2 are the same with %d different seeds",
                           PROBE_SEED_OTHER + 1);
    else
        (void)probe_report(t->r, &t->parts[0].x, t->check, PROBE_OK, PROBE_DEPARTS,
                           "the same seed gives the same answer");
}

void probe_judge_n(const probe_trial *t)
{
    for (size_t i = 0; i < t->effect->n; i++) {
        const size_t n = t->parts[i].a.n_choices;
        if (n == 2) continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check, n == 1 ? PROBE_IGNORED : PROBE_FAILED,
                           PROBE_DEPARTS, "found %zu choices, expected 2", n);
        return;
    }
    (void)probe_report(t->r, &t->parts[0].x, t->check, PROBE_OK, PROBE_DEPARTS, "2 choices");
}

/* Whether all choices of an answer are the same. */
static bool has_one_text(const probe_trial *t, const probe_part *part)
{
    bool same = true;
    for (size_t k = 1; k < 4 && same; k++) {
        probe_answer a;
        same =
            probe_answer_read_choice(t->endpoint, &part->x, k, &a) == ASSAY_OK && same_answer(&part->a, &a);
        probe_answer_free(&a);
    }
    return same;
}

void probe_judge_choices(const probe_trial *t)
{
    const double chance = pow(chance_of_greedy(t), 3);
    for (size_t i = 0; i < t->effect->n; i++) {
        if (!has_one_text(t, &t->parts[i])) continue;
        (void)probe_report(t->r, &t->parts[i].x, t->check,
                           chance > CHANCE_MOST ? PROBE_NOT_EXERCISED : PROBE_FAILED, PROBE_BREAKS,
                           "4 choices at temperature 2 have the same text");
        return;
    }
    (void)probe_report(t->r, NULL, t->check, PROBE_OK, PROBE_BREAKS,
                       "choices at temperature 2 have different texts");
}

/* The first token of the answer is made impossible. */
void probe_write_bias(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    if (i > 0)
        (void)snprintf(more, PROBE_MORE_MAX, "{\"logit_bias\":{\"%d\":-100}}", (int)t->prompt->greedy[0]);
}

void probe_judge_bias(const probe_trial *t)
{
    if (same_answer(&t->parts[0].a, &t->parts[1].a))
        (void)probe_report(t->r, &t->parts[1].x, t->check, PROBE_IGNORED, PROBE_DEPARTS,
                           "the answer begins with a token whose logit_bias is -100");
    else
        (void)probe_report(t->r, &t->parts[1].x, t->check, PROBE_OK, PROBE_DEPARTS, "the token is not taken");
}
