/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/samples.h"

#include "conformance/case/prompt.h"

#define N_SUBSTITUTES 8 /* different tokens that replace possible placeholders */

static bool has_items(const conf_items *items, size_t prompt)
{
    size_t n;
    (void)conf_items_of(items, prompt, &n);
    return n > 0;
}

/* Whether a prompt comes in one step: it is not known where the placeholder tokens of its items are, or the
 * engine does not divide them. */
static bool is_indivisible(const conf_items *items, size_t prompt)
{
    return has_items(items, prompt) && (items->undivided || !conf_items_spans(items, prompt));
}

size_t conf_schedule_sample_next(const conf_schedule_sample *sample, const conf_step *step,
                                 const conf_case *c, const conf_items *items)
{
    const size_t length = conf_prompt_length(&c->decoder, sample->prompt);
    const size_t n_left = sample->n_tokens < length ? length - sample->n_tokens : 0;
    if (step->n_tokens == 0) return n_left ? n_left : 1;
    return step->n_tokens < n_left && is_indivisible(items, sample->prompt) ? n_left : step->n_tokens;
}

size_t conf_schedule_sample_kept(const conf_schedule_sample *sample, const conf_step *step,
                                 const conf_case *c, const conf_items *items)
{
    if (step->n_tokens >= sample->n_tokens) return sample->n_tokens;
    const bool divides = step->n_tokens < conf_prompt_length(&c->decoder, sample->prompt);
    return divides && is_indivisible(items, sample->prompt) ? 0 : step->n_tokens;
}

/* The n-th token after the prompt. */
static int32_t continuation_token(const conf_decoder *d, size_t prompt, size_t n)
{
    if (n < d->n_decode) return ((const int32_t *)d->decode.data)[prompt * d->n_decode + n];
    const int32_t greedy = n < d->n_greedy ? ((const int32_t *)d->greedy.data)[prompt * d->n_greedy + n] : -1;
    return greedy >= 0 ? greedy : conf_prompt(d, prompt)[n % conf_prompt_length(d, prompt)];
}

/* Whether a prompt with items has the token. */
static bool may_be_placeholder(const conf_decoder *d, const conf_items *items, int32_t token)
{
    for (size_t k = 0; k < d->n_samples; k++) {
        const size_t length = has_items(items, k) ? conf_prompt_length(d, k) : 0;
        const int32_t *prompt = conf_prompt(d, k);
        for (size_t t = 0; t < length; t++)
            if (prompt[t] == token) return true;
    }
    return false;
}

/* One of the smallest tokens that are no placeholders, another one for the next n; `token` if the vocabulary
 * has none. */
static int32_t substitute_token(const conf_decoder *d, const conf_items *items, int32_t token, size_t n)
{
    const size_t n_ids = d->has_truth ? d->rows.n_cols : INT32_MAX;
    size_t left = n % N_SUBSTITUTES;
    for (size_t id = 0; id < n_ids; id++) {
        if (may_be_placeholder(d, items, (int32_t)id)) continue;
        token = (int32_t)id;
        if (left-- == 0) break;
    }
    return token;
}

int32_t conf_schedule_sample_token(const conf_schedule_sample *sample, size_t position, const conf_case *c,
                                   const conf_items *items)
{
    const conf_decoder *d = &c->decoder;
    const size_t length = conf_prompt_length(d, sample->prompt);
    if (position >= length || !has_items(items, sample->prompt)) position += sample->n_forks;
    if (position < length) return conf_prompt(d, sample->prompt)[position];
    const size_t n = position - length;
    const int32_t token = continuation_token(d, sample->prompt, n);
    return may_be_placeholder(d, items, token) ? substitute_token(d, items, token, n) : token;
}

void conf_schedule_samples_apply(conf_schedule_samples *samples, const conf_schedule *s, const conf_case *c,
                                 const conf_items *items, size_t i)
{
    const conf_step *a = &s->steps[i];
    const conf_schedule_session *session = &s->sessions[a->session];
    conf_schedule_sample *of = samples->of[a->session], *one = &of[a->sample];
    switch (a->op) {
    case CONF_OP_SESSION:
        for (size_t k = 0; k < session->n_samples; k++)
            of[k] = (conf_schedule_sample){.prompt = session->prompts[k]};
        return;
    case CONF_OP_STEP:
        for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++)
            if (a->samples >> k & 1) of[k].n_tokens += conf_schedule_sample_next(&of[k], a, c, items);
        return;
    case CONF_OP_JOIN: *one = (conf_schedule_sample){.prompt = a->prompt}; return;
    case CONF_OP_REWIND: one->n_tokens = conf_schedule_sample_kept(one, a, c, items); return;
    case CONF_OP_FORK:
        *one = samples->of[a->from][a->origin];
        one->n_forks++;
        return;
    default: return;
    }
}

size_t conf_schedule_samples_rows(const conf_schedule_samples *samples, const conf_schedule *s,
                                  const conf_case *c, const conf_items *items, size_t i)
{
    const conf_step *a = &s->steps[i];
    size_t n = 0;
    for (size_t k = 0; a->op == CONF_OP_STEP && k < CONF_SCHEDULE_SAMPLES_MAX; k++)
        if (a->samples >> k & 1)
            n += a->all_rows ? conf_schedule_sample_next(&samples->of[a->session][k], a, c, items) : 1;
    return n;
}

void conf_schedule_rows(const conf_schedule *s, const conf_case *c, const conf_items *items, size_t *first)
{
    conf_schedule_samples samples = {0};
    first[0] = 0;
    for (size_t i = 0; i < s->n_steps; i++) {
        first[i + 1] = first[i] + conf_schedule_samples_rows(&samples, s, c, items, i);
        conf_schedule_samples_apply(&samples, s, c, items, i);
    }
}
