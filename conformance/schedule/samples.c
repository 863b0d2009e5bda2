/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/samples.h"

#include "conformance/case/prompt.h"

size_t conf_schedule_sample_next(const conf_schedule_sample *sample, const conf_step *step,
                                 const conf_case *c)
{
    const size_t length = conf_prompt_length(&c->decoder, sample->prompt);
    if (step->n_tokens) return step->n_tokens;
    return sample->n_tokens < length ? length - sample->n_tokens : 1;
}

/* The n-th token after the prompt. */
static int32_t continuation_token(const conf_decoder *d, size_t prompt, size_t n)
{
    if (n < d->n_decode) return ((const int32_t *)d->decode.data)[prompt * d->n_decode + n];
    const int32_t greedy = n < d->n_greedy ? ((const int32_t *)d->greedy.data)[prompt * d->n_greedy + n] : -1;
    return greedy >= 0 ? greedy : conf_prompt(d, prompt)[n % conf_prompt_length(d, prompt)];
}

int32_t conf_schedule_sample_token(const conf_schedule_sample *sample, size_t position, const conf_case *c,
                                   const conf_items *items)
{
    const conf_decoder *d = &c->decoder;
    const size_t length = conf_prompt_length(d, sample->prompt);
    size_t n_items;
    (void)conf_items_of(items, sample->prompt, &n_items);
    const bool has_fixed_prompt = n_items > 0;
    if (!has_fixed_prompt || position >= length) position += sample->n_forks;
    return position < length ? conf_prompt(d, sample->prompt)[position]
                             : continuation_token(d, sample->prompt, position - length);
}

void conf_schedule_samples_apply(conf_schedule_samples *samples, const conf_schedule *s, const conf_case *c,
                                 size_t i)
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
            if (a->samples >> k & 1) of[k].n_tokens += conf_schedule_sample_next(&of[k], a, c);
        return;
    case CONF_OP_JOIN: *one = (conf_schedule_sample){.prompt = a->prompt}; return;
    case CONF_OP_REWIND:
        if (one->n_tokens > a->n_tokens) one->n_tokens = a->n_tokens;
        return;
    case CONF_OP_FORK:
        *one = samples->of[a->from][a->origin];
        one->n_forks++;
        return;
    default: return;
    }
}

size_t conf_schedule_samples_rows(const conf_schedule_samples *samples, const conf_schedule *s,
                                  const conf_case *c, size_t i)
{
    const conf_step *a = &s->steps[i];
    size_t n = 0;
    for (size_t k = 0; a->op == CONF_OP_STEP && k < CONF_SCHEDULE_SAMPLES_MAX; k++)
        if (a->samples >> k & 1)
            n += a->all_rows ? conf_schedule_sample_next(&samples->of[a->session][k], a, c) : 1;
    return n;
}

void conf_schedule_rows(const conf_schedule *s, const conf_case *c, size_t *first)
{
    conf_schedule_samples samples = {0};
    first[0] = 0;
    for (size_t i = 0; i < s->n_steps; i++) {
        first[i + 1] = first[i] + conf_schedule_samples_rows(&samples, s, c, i);
        conf_schedule_samples_apply(&samples, s, c, i);
    }
}
