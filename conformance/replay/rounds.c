/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/replay/decoys.h"
#include "conformance/replay/follow.h"
#include "conformance/replay/refusals.h"
#include "conformance/replay/session.h"
#include "conformance/replay/stopper.h"

#define N_REFUSED_ROUNDS 2 /* rounds before which invalid calls are tried */

/* A row of the batch during an evaluation. */
typedef struct member {
    const conf_batch_row *row;
    int32_t *tokens; /* [n_tokens]: the prompt, then the forced tokens */
    size_t n_tokens;
    bool divisible;    /* the prompt may come in several steps */
    bool same_rope;    /* and the rows of each are those of a whole prompt */
    assay_item *items; /* of the step under way; as many as the sample has */
    conf_moves moves;
    size_t at;     /* the next move */
    size_t sample; /* its number in the session */
    size_t n_done; /* tokens that the sample has */
    bool forked;
    size_t other;    /* the sample of the fork that gets other tokens */
    int32_t *decoys; /* [n_tokens]: the tokens of `other` */
} member;

struct conf_rounds {
    conf_replay *r;
    conf_manner manner;
    member *members; /* [n] */
    size_t n;
    size_t first, end;       /* the members of the session under way */
    conf_sample_step *steps; /* [2 n] of a round: of members, and of their forks */
    conf_sample_step *tried; /* [2 n]: a copy for a call that must fail */
    member **of;             /* [2 n]: whose step it is; NULL: of a fork */
    conf_watch *watch;
    conf_rounds_fn *got;
};

void conf_rounds_free(conf_rounds *q)
{
    if (!q) return;
    for (size_t i = 0; q->members && i < q->n; i++) {
        free(q->members[i].tokens);
        free(q->members[i].items);
        free(q->members[i].decoys);
        free(q->members[i].moves.at);
    }
    free(q->members);
    free(q->steps);
    free(q->tried);
    free(q->of);
    free(q);
}

/* Batch neighbours get no forced tokens. */
static bool plan_member(conf_rounds *q, size_t i)
{
    const conf_decoder *d = &q->r->c->decoder;
    member *m = &q->members[i];
    m->row = &q->r->batch.rows[i];
    const size_t n_prompt = m->row->n_tokens, n_more = m->row->judged ? d->n_decode : 0;
    const conf_span *spans = conf_items_spans(&q->r->items, m->row->sample);
    size_t n_items;
    (void)conf_items_of(&q->r->items, m->row->sample, &n_items);
    m->divisible = (n_items == 0 || spans) && q->r->verdict->checkpoint.n_divisible > 0;
    m->same_rope = n_prompt <= q->r->verdict->checkpoint.n_divisible;
    m->n_tokens = n_prompt + n_more;
    m->tokens = calloc(m->n_tokens, sizeof *m->tokens);
    m->decoys = calloc(m->n_tokens, sizeof *m->decoys);
    m->items = calloc(n_items + 1, sizeof *m->items);
    if (!m->tokens || !m->decoys || !m->items) return false;
    const int32_t *prompt = conf_prompt(d, m->row->sample);
    memcpy(m->tokens, prompt, n_prompt * sizeof *prompt);
    if (n_more)
        memcpy(m->tokens + n_prompt, (const int32_t *)d->decode.data + m->row->sample * d->n_decode,
               n_more * sizeof *prompt);
    conf_decoys_fill(m->tokens, m->n_tokens, m->divisible ? 0 : n_prompt,
                     &q->r->verdict->checkpoint.placeholders, m->decoys);
    const conf_manner_row row = {.index = i,
                                 .n_rows = q->n,
                                 .n_prompt = n_prompt,
                                 .n_more = n_more,
                                 .divisible = m->divisible,
                                 .spans = spans,
                                 .n_spans = m->divisible && spans ? n_items : 0,
                                 .keeps_spans = q->r->keeps_spans};
    return conf_manner_moves(q->manner, &row, &m->moves);
}

conf_rounds *conf_rounds_plan(conf_replay *r, conf_manner manner)
{
    conf_rounds *q = calloc(1, sizeof *q);
    bool ok = q != NULL;
    if (ok) {
        *q = (conf_rounds){.r = r, .manner = manner, .n = r->batch.n_rows};
        q->members = calloc(q->n, sizeof *q->members);
        q->steps = calloc(2 * q->n, sizeof *q->steps);
        q->tried = calloc(2 * q->n, sizeof *q->tried);
        q->of = calloc(2 * q->n, sizeof(member *));
        ok = q->members && q->steps && q->tried && q->of;
    }
    for (size_t i = 0; ok && i < q->n; i++) ok = plan_member(q, i);
    if (ok) return q;
    (void)conf_replay_no_memory(r);
    conf_rounds_free(q);
    return NULL;
}

size_t conf_rounds_cost(const conf_rounds *q)
{
    size_t cost = 0;
    for (size_t i = 0; i < q->n; i++) cost += conf_moves_cost(&q->members[i].moves);
    return cost;
}

void conf_rounds_print(const conf_rounds *q, size_t sample, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < q->n; i++)
        if (q->members[i].row->judged && q->members[i].row->sample == sample)
            conf_moves_print(&q->members[i].moves, text, size);
}

bool conf_rounds_are_divisible(const conf_rounds *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (!q->members[i].divisible) return false;
    return true;
}

/* Whether the prompt comes in one step, its further tokens one by one, and nothing else happens. */
static bool is_whole(const member *m)
{
    for (size_t i = 0; i < m->moves.n; i++)
        if (m->moves.at[i].kind != CONF_MOVE_STEP || m->moves.at[i].n != (i ? 1 : m->row->n_tokens))
            return false;
    return true;
}

bool conf_rounds_divide_spans(const conf_rounds *q)
{
    for (size_t i = 0; i < q->n && !q->r->keeps_spans; i++)
        if (conf_items_spans(&q->r->items, q->members[i].row->sample) && !is_whole(&q->members[i]))
            return true;
    return false;
}

/* Whether a fork of the member gets other tokens. */
static bool fork_differs(const member *m)
{
    size_t n_done = 0;
    for (size_t i = 0; i < m->moves.n && m->moves.at[i].kind != CONF_MOVE_FORK; i++)
        n_done += m->moves.at[i].n;
    return memcmp(m->tokens + n_done, m->decoys + n_done, (m->n_tokens - n_done) * sizeof *m->tokens) != 0;
}

/* Whether a row of the prompt before the last one is recorded. */
static bool has_earlier_row(const conf_rounds *q, const member *m)
{
    for (size_t t = 0; t + 1 < m->row->n_tokens; t++)
        if (conf_rounds_row(q->r, m->row, t) != SIZE_MAX) return true;
    return false;
}

static bool member_differs(const conf_rounds *q, const member *m)
{
    switch (q->manner) {
    case CONF_MANNER_LAST: return has_earlier_row(q, m);
    case CONF_MANNER_APART: return q->n > 1;
    case CONF_MANNER_REST: return q->n > 1 && !is_whole(m);
    case CONF_MANNER_FORK: return !is_whole(m) && fork_differs(m);
    case CONF_MANNER_STOPPED:
    case CONF_MANNER_REFUSED: return true;
    default: return !is_whole(m);
    }
}

bool conf_rounds_differ(const conf_rounds *q)
{
    for (size_t i = 0; i < q->n; i++)
        if (member_differs(q, &q->members[i])) return true;
    return false;
}

/* Whether a row joins a session that is open already. */
static bool joins_later(const member *m)
{
    size_t i = 0;
    while (m->moves.at[i].kind == CONF_MOVE_REST) i++;
    return m->moves.at[i].kind == CONF_MOVE_JOIN;
}

/* Carries out a move that is no step. */
static bool make_move(conf_rounds *q, member *m, const conf_move *move)
{
    static const conf_stage stages[] = {[CONF_MOVE_JOIN] = CONF_STAGE_JOIN,
                                        [CONF_MOVE_LEAVE] = CONF_STAGE_LEAVE,
                                        [CONF_MOVE_REWIND] = CONF_STAGE_REWIND,
                                        [CONF_MOVE_FORK] = CONF_STAGE_FORK};
    const assay_engine *e = q->r->engine;
    assay_session *session = conf_watch_session(q->watch);
    assay_error err = {0};
    assay_status rc;
    q->r->verdict->stage = stages[move->kind];
    if (move->kind == CONF_MOVE_JOIN) rc = e->join(session, &m->sample, &err);
    else if (move->kind == CONF_MOVE_LEAVE) rc = e->leave(session, m->sample, &err);
    else if (move->kind == CONF_MOVE_REWIND) rc = e->rewind(session, m->sample, move->n, &err);
    else rc = e->fork(session, m->sample, session, &m->other, &err);
    if (rc != ASSAY_OK) return conf_replay_refused(q->r, rc, &err);
    m->forked = m->forked || move->kind == CONF_MOVE_FORK;
    if (move->kind == CONF_MOVE_REWIND) m->n_done = move->n;
    if (move->kind == CONF_MOVE_JOIN) m->n_done = 0;
    /* Of every third row the origin goes on with the sample's tokens, of the others the copy does. */
    if (move->kind == CONF_MOVE_FORK && (size_t)(m - q->members) % 3 != 1) {
        const size_t origin = m->sample;
        m->sample = m->other;
        m->other = origin;
    }
    return true;
}

size_t conf_rounds_row(const conf_replay *r, const conf_batch_row *row, size_t at)
{
    const conf_decoder *d = &r->c->decoder;
    if (!row->judged || !d->has_truth) return SIZE_MAX;
    const bool decode = at >= row->n_tokens;
    return conf_row_find(d, row->sample, decode, decode ? at - row->n_tokens : at);
}

/* How many rows are wanted of the next n tokens: from the first recorded one on, at least the last one of a
 * prompt. Where ropes depend on the length, the recorded rows of a prompt are those of its whole length. */
static size_t rows_wanted(const conf_rounds *q, const member *m, size_t n)
{
    const bool in_prompt = m->n_done < m->row->n_tokens;
    if (!m->same_rope && m->n_done + n < m->row->n_tokens) return 0;
    if (q->manner == CONF_MANNER_LAST && in_prompt) return 1;
    for (size_t i = 0; i < n; i++)
        if (conf_rounds_row(q->r, m->row, m->n_done + i) != SIZE_MAX) return n - i;
    return m->n_done + n >= m->row->n_tokens ? 1 : 0;
}

static void add_step(conf_rounds *q, size_t *n_steps, member *m, size_t n)
{
    conf_sample_step *step = &q->steps[*n_steps];
    *step = (conf_sample_step){.sample = m->sample,
                               .tokens = m->tokens + m->n_done,
                               .n_tokens = n,
                               .items = m->items,
                               .n_last = rows_wanted(q, m, n)};
    step->n_items = conf_items_select(&q->r->items, m->row->sample, m->n_done, n, m->items);
    q->of[(*n_steps)++] = m;
    if (!m->forked) return;
    step[1] = *step;
    step[1].sample = m->other;
    step[1].tokens = m->decoys + m->n_done;
    step[1].n_last = 1;
    q->of[(*n_steps)++] = NULL;
}

/* Collects the steps of a round; false if a move failed. *over: no row has moves left. */
static bool collect_steps(conf_rounds *q, size_t *n_steps, bool *over)
{
    *n_steps = 0;
    *over = true;
    for (size_t i = q->first; i < q->end; i++) {
        member *m = &q->members[i];
        bool ends = false;
        while (m->at < m->moves.n && !ends) {
            const conf_move *move = &m->moves.at[m->at++];
            *over = false;
            ends = move->kind == CONF_MOVE_STEP || move->kind == CONF_MOVE_REST;
            if (move->kind == CONF_MOVE_STEP) add_step(q, n_steps, m, move->n);
            else if (!ends && !make_move(q, m, move)) return false;
        }
    }
    return true;
}

/* Whether a step has tokens of a prompt; then the batch has the padded width of the prompts. */
static bool has_prompt(const conf_rounds *q, size_t n_steps)
{
    for (size_t i = 0; i < n_steps; i++)
        if (q->of[i] && q->of[i]->n_done < q->of[i]->row->n_tokens) return true;
    return false;
}

static void give_rows(const conf_rounds *q, size_t n_steps)
{
    const size_t row_bytes = q->r->vocab * dtype_size(q->r->engine->logits_dtype);
    for (size_t i = 0; i < n_steps; i++) {
        const conf_sample_step *step = &q->steps[i];
        member *m = q->of[i];
        if (!m) continue;
        for (size_t k = 0; k < step->n_last; k++)
            q->got(q->r, m->row, m->n_done + step->n_tokens - step->n_last + k,
                   (const char *)step->logits + k * row_bytes);
        m->n_done += step->n_tokens;
    }
}

/* Tells r->follow which of the steps is that of its sample. */
static void follow_steps(const conf_rounds *q, size_t n_steps)
{
    conf_follow_begin(q->r->follow);
    for (size_t i = 0; i < n_steps; i++)
        if (q->of[i] && q->of[i]->row->judged)
            conf_follow_step(q->r->follow, q->of[i]->row->sample, false, q->of[i]->n_done, &q->steps[i]);
}

static bool run_round(conf_rounds *q, size_t round, size_t n_steps, conf_stopper *s)
{
    const bool prompts = has_prompt(q, n_steps);
    const size_t width = prompts ? q->r->batch.n_tokens : 0;
    bool ok = true;
    q->r->verdict->stage = prompts ? CONF_STAGE_PREFILL : CONF_STAGE_DECODE;
    if (q->manner == CONF_MANNER_REFUSED && round < N_REFUSED_ROUNDS)
        ok = conf_refusals_try(q->watch, q->steps, n_steps, width);
    if (q->manner == CONF_MANNER_STOPPED && round == 0) {
        memcpy(q->tried, q->steps, n_steps * sizeof *q->tried);
        ok = conf_stopper_stop(s, q->r, q->watch, q->tried, n_steps, width);
    }
    if (ok) follow_steps(q, n_steps);
    if (ok) ok = conf_watch_step(q->watch, q->steps, n_steps, width);
    if (ok) ok = conf_stopper_check(s, q->r->verdict);
    if (ok) give_rows(q, n_steps);
    return ok;
}

/* Evaluates the members `first` … end - 1 in a session of their own; keep: as in conf_rounds_run. */
static bool run_session(conf_rounds *q, size_t first, size_t end, conf_watch **keep)
{
    size_t n_first = 0, n_steps, rounds = 0;
    bool over = false, ok;
    conf_stopper s = {.name = q->r->verdict->last_trace};
    q->first = first;
    q->end = end;
    for (size_t i = first; i < end; i++)
        if (!joins_later(&q->members[i])) q->members[i].sample = n_first++;
    q->watch = conf_watch_open(q->r, n_first);
    ok = q->watch != NULL;
    while (ok && !over) {
        ok = collect_steps(q, &n_steps, &over);
        if (ok && n_steps) ok = run_round(q, rounds++, n_steps, &s);
    }
    if (ok && keep) *keep = q->watch;
    else conf_watch_free(q->watch);
    q->watch = NULL;
    return ok;
}

bool conf_rounds_run(conf_rounds *q, conf_rounds_fn *got, conf_watch **keep)
{
    bool ok = true;
    q->got = got;
    if (q->manner != CONF_MANNER_APART) return run_session(q, 0, q->n, keep);
    for (size_t i = q->n; ok && i > 0; i--) ok = run_session(q, i - 1, i, NULL);
    return ok;
}
