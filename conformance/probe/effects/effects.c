/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/effects/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/checks/trait.h"
#include "conformance/probe/effects/contents.h"
#include "conformance/probe/effects/sampling.h"

#define CHAT   (1U << PROBE_CHAT)
#define OPENAI (1U << PROBE_CHAT | 1U << PROBE_COMPLETIONS)
#define SEEDED (OPENAI | 1U << PROBE_RESPONSES)
#define CHATS  (1U << PROBE_CHAT | 1U << PROBE_RESPONSES | 1U << PROBE_MESSAGES)
#define ALL    0xfU

/* A member that makes sampling greedy; a member that changes samples; the default of a member, which does
 * not. */
#define GREEDY(name, endpoints, member)                                                                      \
    {                                                                                                        \
        "effects/" name, endpoints, PROBE_UNCERTAIN, member, NULL, 12, 4, probe_write_greedy,                \
            probe_judge_greedy, false                                                                        \
    }
#define CHANGES(name, endpoints, member)                                                                     \
    {                                                                                                        \
        "effects/" name, endpoints, PROBE_UNCERTAIN, member, NULL, 48, PROBE_PAIRS, probe_write_pairs,       \
            probe_judge_change, false                                                                        \
    }
#define DEFAULT(name, endpoints, member)                                                                     \
    {                                                                                                        \
        "defaults/" name, endpoints, PROBE_UNCERTAIN, member, NULL, 32, PROBE_PAIRS_OF_DEFAULT,              \
            probe_write_pairs, probe_judge_default, false                                                    \
    }

/* Terminated by a row without a name. */
static const probe_effect effects[] = {
    GREEDY("top-k", ALL, "\"top_k\":1"),
    GREEDY("top-p", ALL, "\"top_p\":0.001"),
    GREEDY("min-p", SEEDED, "\"min_p\":1"),
    {"effects/temperature", ALL, PROBE_UNCERTAIN, NULL, NULL, 12, 4, probe_write_greedy,
     probe_judge_temperature, false},
    CHANGES("presence-penalty", OPENAI, "\"presence_penalty\":2"),
    CHANGES("frequency-penalty", OPENAI, "\"frequency_penalty\":2"),
    CHANGES("repetition-penalty", SEEDED, "\"repetition_penalty\":1.5"),
    DEFAULT("presence-penalty", OPENAI, "\"presence_penalty\":0"),
    DEFAULT("frequency-penalty", OPENAI, "\"frequency_penalty\":0"),
    DEFAULT("repetition-penalty", SEEDED, "\"repetition_penalty\":1"),
    DEFAULT("top-p", SEEDED, "\"top_p\":1"),
    DEFAULT("top-k", SEEDED, "\"top_k\":0"),
    DEFAULT("min-p", SEEDED, "\"min_p\":0"),
    {"effects/seed", SEEDED, PROBE_UNCERTAIN, NULL, NULL, 12, PROBE_SEED_SAME + PROBE_SEED_OTHER,
     probe_write_seed, probe_judge_seed, false},
    {"effects/n", OPENAI, PROBE_ANY, "\"n\":2", NULL, 12, 1, NULL, probe_judge_n, false},
    {"effects/n-sampled", OPENAI, PROBE_UNCERTAIN, "\"n\":4,\"temperature\":2", NULL, 12, 1, NULL,
     probe_judge_choices, false},
    {"effects/logit-bias", OPENAI, PROBE_ANY, NULL, NULL, 12, 2, probe_write_bias, probe_judge_bias, false},
    {"effects/usage", OPENAI, PROBE_ANY, "\"stream_options\":null", NULL, 4, 1, NULL, probe_judge_no_usage,
     true},
    {"effects/max-completion-tokens", CHAT, PROBE_CERTAIN, "\"max_tokens\":null,\"max_completion_tokens\":3",
     NULL, 3, 1, NULL, probe_judge_limit, false},
    {"effects/ignore-eos", OPENAI, PROBE_CERTAIN, "\"ignore_eos\":true", NULL, 0, 1, NULL, probe_judge_limit,
     false},
    {"effects/min-tokens", OPENAI, PROBE_CERTAIN, NULL, NULL, 0, 1, probe_write_least, probe_judge_least,
     false},
    {"effects/stop-token-ids", OPENAI, PROBE_CERTAIN, NULL, NULL, 0, 1, probe_write_stop_id,
     probe_judge_stop_id, false},
    {"effects/token-ids", OPENAI, PROBE_CERTAIN, "\"return_token_ids\":true", NULL, 0, 1, NULL,
     probe_judge_token_ids, false},
    {"effects/json", SEEDED, PROBE_ANY, "\"response_format\":{\"type\":\"json_object\"}",
     "\"text\":{\"format\":{\"type\":\"json_object\"}}", 64, 1, NULL, probe_judge_json, false},
    {"effects/tool-choice", CHATS, PROBE_CALLING, "\"tool_choice\":\"none\"", NULL, 0, 1,
     probe_write_no_tools, probe_judge_no_calls, false},
    {"effects/parallel-calls", CHATS, PROBE_CALLING_TWICE, NULL, NULL, 0, 1, probe_write_one_call,
     probe_judge_one_call, false},
    {0},
};

/* The largest probability that temperature 2 gives to one of the first tokens of an answer, on average: how
 * certain a sampled answer is. */
static double certainty(const probe_run *r, const probe_prompt *p)
{
    double sum = 0;
    size_t n = 0;
    for (; n < 12 && n < p->n_greedy; n++) {
        const double *row = probe_truth_row(p, p->n_prompt + n);
        double most = -INFINITY, all = 0;
        if (!row) break;
        for (size_t v = 0; v < r->truth->n_vocab; v++) most = fmax(most, row[v]);
        for (size_t v = 0; v < r->truth->n_vocab; v++) all += exp((row[v] - most) / 2);
        sum += 1 / all;
    }
    return n ? sum / (double)n : 1;
}

static bool fits(const probe_run *r, probe_endpoint e, const probe_prompt *p, probe_choice choice)
{
    if (!probe_can_ask(r, e, p) || p->n_greedy == 0) return false;
    if (choice == PROBE_ANY || choice == PROBE_UNCERTAIN) return true;
    if (choice == PROBE_CERTAIN) return probe_trait_natural(r, e, p);
    return choice == PROBE_CALLING ? probe_trait_calls(r, e, p) : probe_trait_several_calls(r, e, p);
}

/* The first prompt that fits, or the one whose answer is least certain; NULL: none. */
static const probe_prompt *choose_prompt(const probe_run *r, probe_endpoint e, probe_choice choice)
{
    const probe_prompt *found = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < r->truth->n_prompts; i++) {
        const probe_prompt *p = &r->truth->prompts[i];
        if ((found && choice != PROBE_UNCERTAIN) || !fits(r, e, p, choice)) continue;
        const double c = choice == PROBE_UNCERTAIN ? certainty(r, p) : 0;
        if (c < least) {
            least = c;
            found = p;
        }
    }
    return found;
}

static void write_members(const probe_trial *t, size_t i, char more[PROBE_MORE_MAX])
{
    const char *member = probe_effect_member(t);
    more[0] = '\0';
    if (t->effect->write) t->effect->write(t, i, more);
    else if (member) (void)snprintf(more, PROBE_MORE_MAX, "{%s}", member);
}

/* *failed: the first request without a complete answer; n: none. */
static assay_status send_parts(probe_trial *t, size_t *failed, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    *failed = t->effect->n;
    for (size_t i = 0; i < t->effect->n && rc == ASSAY_OK && *failed == t->effect->n; i++) {
        char more[PROBE_MORE_MAX];
        PROBE_LABEL(label, "%.100s-%zu", t->check, i);
        write_members(t, i, more);
        const probe_ask ask = {.endpoint = t->endpoint,
                               .prompt = t->prompt,
                               .max_tokens = t->limit,
                               .logprobs = PROBE_NO_LOGPROBS,
                               .stream = t->stream,
                               .usage = true,
                               .more = more[0] ? more : NULL};
        rc = probe_ask_send(t->r, &ask, label, &t->parts[i].x, &t->parts[i].a, err);
        if (rc == ASSAY_OK && !probe_exchange_succeeded(&t->parts[i].x)) *failed = i;
    }
    return rc;
}

/* What a server refuses by name has no effect to judge. */
static void report_failure(const probe_trial *t, const probe_part *part)
{
    char why[256];
    probe_describe_failure(&part->x, why, sizeof why);
    (void)probe_report(t->r, &part->x, t->check,
                       probe_exchange_refused(&part->x) ? PROBE_NOT_EXERCISED : PROBE_FAILED, PROBE_DEPARTS,
                       "%s", why);
}

static assay_status try_effect(probe_trial *t, assay_error *err)
{
    size_t failed = 0;
    assay_status rc = probe_expect(t->r->truth, t->prompt, t->prompt->n_greedy, &t->expected, err);
    t->limit = t->effect->tokens ? t->effect->tokens : t->prompt->n_greedy + 8;
    if (rc == ASSAY_OK) rc = send_parts(t, &failed, err);
    if (rc == ASSAY_OK && failed < t->effect->n) report_failure(t, &t->parts[failed]);
    else if (rc == ASSAY_OK) t->effect->judge(t);
    for (size_t i = 0; i < PROBE_PARTS_MOST; i++) {
        probe_answer_free(&t->parts[i].a);
        probe_exchange_free(&t->parts[i].x);
    }
    probe_expected_free(&t->expected);
    return rc;
}

/* The prompts of an endpoint's effects, each of which several effects ask. */
typedef struct chosen {
    bool is_known;
    const probe_prompt *prompt; /* NULL: none fits */
} chosen;

static assay_status check_form(probe_run *r, const probe_effect *f, probe_endpoint e, bool stream,
                               chosen *chosen_prompt, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    probe_trial *t = calloc(1, sizeof *t);
    if (!t) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    *t = (probe_trial){.r = r, .endpoint = e, .effect = f, .stream = stream};
    (void)snprintf(t->check, sizeof t->check, "protocol/%s/%s/%s", probe_endpoint_name(e),
                   stream ? "stream" : "whole", f->name);
    const bool wanted = probe_wants(r, t->check);
    if (wanted && !chosen_prompt->is_known) *chosen_prompt = (chosen){true, choose_prompt(r, e, f->choice)};
    t->prompt = chosen_prompt->prompt;
    if (wanted && t->prompt) rc = try_effect(t, err);
    else if (wanted)
        (void)probe_report(r, NULL, t->check, PROBE_NOT_EXERCISED, PROBE_DEPARTS,
                           "no prompt of the truth has an answer that shows it");
    free(t);
    return rc;
}

assay_status probe_effects_check(probe_run *r, probe_endpoint e, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    chosen prompts[PROBE_N_CHOICES] = {0};
    for (const probe_effect *f = effects; f->name && rc == ASSAY_OK; f++) {
        if (!(f->endpoints & 1U << e)) continue;
        if (!f->streams_only) rc = check_form(r, f, e, false, &prompts[f->choice], err);
        if (rc == ASSAY_OK) rc = check_form(r, f, e, true, &prompts[f->choice], err);
    }
    return rc;
}
