/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/manner.h"

#include <stdio.h>
#include <string.h>

#include "base/grow.h"

static const conf_manner_info manners[CONF_N_MANNERS] = {
    [CONF_MANNER_WHOLE] = {.name = CONF_MANNER_WHOLE_NAME, .label = "each prompt in one step"},
    [CONF_MANNER_LAST] = {.name = "last", .label = "with only the last row of each prompt wanted"},
    [CONF_MANNER_CHUNK_1] = {.name = "chunk-1", .label = "in chunks of 1 token", .chunk = 1, .divides = true},
    [CONF_MANNER_CHUNK_7] = {.name = "chunk-7",
                             .label = "in chunks of 7 tokens",
                             .chunk = 7,
                             .divides = true},
    [CONF_MANNER_CHUNK_64] = {.name = "chunk-64",
                              .label = "in chunks of 64 tokens",
                              .chunk = 64,
                              .divides = true},
    [CONF_MANNER_CHUNK_512] = {.name = "chunk-512",
                               .label = "in chunks of 512 tokens",
                               .chunk = 512,
                               .divides = true},
    [CONF_MANNER_APART] = {.name = "apart",
                           .label = "with each sample in a session of its own, the last one first"},
    [CONF_MANNER_REST] = {.name = "rest", .label = "with half of the samples resting in each step"},
    [CONF_MANNER_LATE] = {.name = "late",
                          .label = "with samples joining one after the other",
                          .uses_join = true},
    [CONF_MANNER_EARLY] = {.name = "early",
                           .label = "with samples leaving, joining again and starting over",
                           .uses_join = true,
                           .uses_leave = true},
    [CONF_MANNER_REWIND] = {.name = "rewind",
                            .label = "with samples rewound into their prompt",
                            .uses_rewind = true},
    [CONF_MANNER_FORK] = {.name = "fork",
                          .label = "with samples forked within their prompt",
                          .uses_fork = true},
    [CONF_MANNER_STOPPED] = {.name = "stopped", .label = "after a step that a tap stopped", .uses_tap = true},
    [CONF_MANNER_REFUSED] = {.name = "refused", .label = "after calls that the engine has to refuse"},
};

const conf_manner_info *conf_manner_of(conf_manner manner)
{
    return &manners[manner];
}

conf_manner conf_manner_find(const char *name)
{
    conf_manner m = 0;
    while (m < CONF_N_MANNERS && strcmp(manners[m].name, name) != 0) m++;
    return m;
}

bool conf_manner_keeps_prompts(conf_manner manner)
{
    const conf_manner_info *is = &manners[manner];
    return !is->divides && !is->uses_rewind && !is->uses_fork;
}

const char *conf_manner_lacks(conf_manner manner, const assay_engine *engine)
{
    const conf_manner_info *is = &manners[manner];
    if (is->uses_join && !engine->join) return "join";
    if (is->uses_leave && !engine->leave) return "leave";
    if (is->uses_rewind && !engine->rewind) return "rewind";
    if (is->uses_fork && !engine->fork) return "fork";
    if (is->uses_tap && !engine->tap) return "tap";
    return NULL;
}

static bool add_move(conf_moves *moves, conf_move_kind kind, size_t n)
{
    conf_move *grown = grow_by_one(moves->at, moves->n, sizeof *grown);
    if (!grown) return false;
    moves->at = grown;
    grown[moves->n++] = (conf_move){kind, n};
    return true;
}

/* The tokens of the prompt from index `from` to `to`, at once. */
static bool add_part(conf_moves *moves, size_t from, size_t to)
{
    return from == to || add_move(moves, CONF_MOVE_STEP, to - from);
}

/* The span that a division at this index of the prompt would divide against the row's wish; NULL: none. */
static const conf_span *kept_span(const conf_manner_row *row, size_t at)
{
    for (size_t i = 0; i < row->n_spans && row->keeps_spans; i++)
        if (row->spans[i].first < at && at < row->spans[i].end) return &row->spans[i];
    return NULL;
}

/* The prompt in chunks; chunk 0: at once. */
static bool add_prompt(conf_moves *moves, const conf_manner_row *row, size_t chunk)
{
    const size_t n = row->n_prompt;
    bool ok = true;
    for (size_t at = 0, to; ok && at < n; at = to) {
        to = chunk && chunk < n - at ? at + chunk : n;
        for (const conf_span *kept; (kept = kept_span(row, to));) to = kept->end;
        ok = add_part(moves, at, to);
    }
    return ok;
}

/* Steps of one token. */
static bool add_tokens(conf_moves *moves, size_t n)
{
    bool ok = true;
    while (ok && n-- > 0) ok = add_move(moves, CONF_MOVE_STEP, 1);
    return ok;
}

/* Rests in every second round, odd rows in the first one. */
static bool add_with_rests(conf_moves *moves, const conf_manner_row *row)
{
    bool ok = row->index % 2 == 0 || add_move(moves, CONF_MOVE_REST, 0);
    if (ok) ok = add_prompt(moves, row, 0);
    for (size_t i = 0; ok && i < row->n_more; i++)
        ok = add_move(moves, CONF_MOVE_REST, 0) && add_move(moves, CONF_MOVE_STEP, 1);
    return ok;
}

/* The prompt in one step, then token by token. */
static bool add_whole(conf_moves *moves, const conf_manner_row *row)
{
    return add_prompt(moves, row, 0) && add_tokens(moves, row->n_more);
}

static bool add_late(conf_moves *moves, const conf_manner_row *row)
{
    bool ok = true;
    for (size_t i = 0; ok && i < row->index; i++) ok = add_move(moves, CONF_MOVE_REST, 0);
    if (ok && row->index > 0) ok = add_move(moves, CONF_MOVE_JOIN, 0);
    return ok && add_whole(moves, row);
}

/* Odd rows leave after the prompt and one token; the only row does. */
static bool add_early(conf_moves *moves, const conf_manner_row *row)
{
    bool ok = true;
    if (row->index % 2 == 1 || row->n_rows == 1)
        ok = add_prompt(moves, row, 0) && add_tokens(moves, row->n_more > 0) &&
             add_move(moves, CONF_MOVE_LEAVE, 0) && add_move(moves, CONF_MOVE_JOIN, 0);
    return ok && add_whole(moves, row);
}

/* The span whose first token comes first, or last. */
static const conf_span *outer_span(const conf_manner_row *row, bool is_last)
{
    const conf_span *found = row->spans;
    for (size_t i = 1; i < row->n_spans; i++)
        if ((row->spans[i].first > found->first) == is_last) found = &row->spans[i];
    return found;
}

/* Half of the prompt, or of the first or last span. */
static size_t middle_of(const conf_manner_row *row, bool of_last)
{
    if (!row->n_spans) return row->n_prompt / 2;
    const conf_span *span = outer_span(row, of_last);
    size_t at = span->first + (span->end - span->first) / 2;
    for (const conf_span *kept; (kept = kept_span(row, at));) at = kept->first;
    return at;
}

/* A rewind of a sample with at least the whole prompt, again to the same number, which changes nothing, and
 * the rest of the prompt. */
static bool add_rewind(conf_moves *moves, const conf_manner_row *row, size_t to)
{
    return add_move(moves, CONF_MOVE_REWIND, to) && add_move(moves, CONF_MOVE_REWIND, to) &&
           add_part(moves, to, row->n_prompt);
}

/* After the prompt and up to two tokens, odd rows are rewound to nothing, others to half of the prompt or,
 * if it is not divisible, to its end. A row with spans is first rewound into its first span, then before its
 * last one. */
static bool add_rewound(conf_moves *moves, const conf_manner_row *row)
{
    const size_t half = row->divisible ? row->n_prompt / 2 : row->n_prompt;
    const bool to_nothing = row->index % 2 || (half == row->n_prompt && row->n_more == 0);
    bool ok = add_prompt(moves, row, 0) && add_tokens(moves, row->n_more < 2 ? row->n_more : 2);
    if (ok && row->n_spans) {
        size_t before = outer_span(row, true)->first;
        for (const conf_span *kept; (kept = kept_span(row, before));) before = kept->first;
        ok = add_rewind(moves, row, middle_of(row, false)) && add_rewind(moves, row, before);
    }
    if (ok && (to_nothing || !row->n_spans)) ok = add_rewind(moves, row, to_nothing ? 0 : half);
    return ok && add_tokens(moves, row->n_more);
}

/* Every third row is forked before it has a token, others after half of the prompt or of its last span; a
 * prompt that is not divisible is forked at its end. */
static bool add_forked(conf_moves *moves, const conf_manner_row *row)
{
    const size_t before = !row->divisible ? row->n_prompt : row->index % 3 == 2 ? 0 : middle_of(row, true);
    if (before == row->n_prompt && row->n_more == 0) return add_whole(moves, row);
    return add_part(moves, 0, before) && add_move(moves, CONF_MOVE_FORK, 0) &&
           add_part(moves, before, row->n_prompt) && add_tokens(moves, row->n_more);
}

bool conf_manner_moves(conf_manner manner, const conf_manner_row *row, conf_moves *out)
{
    *out = (conf_moves){0};
    switch (manner) {
    case CONF_MANNER_REST: return add_with_rests(out, row);
    case CONF_MANNER_LATE: return add_late(out, row);
    case CONF_MANNER_EARLY: return add_early(out, row);
    case CONF_MANNER_REWIND: return add_rewound(out, row);
    case CONF_MANNER_FORK: return add_forked(out, row);
    default: return add_prompt(out, row, manners[manner].chunk) && add_tokens(out, row->n_more);
    }
}

size_t conf_moves_cost(const conf_moves *moves)
{
    size_t n_tokens = 0, cost = 0, factor = 1;
    for (size_t i = 0; i < moves->n; i++) {
        const conf_move *m = &moves->at[i];
        if (m->kind == CONF_MOVE_LEAVE) n_tokens = 0;
        if (m->kind == CONF_MOVE_REWIND) n_tokens = m->n;
        if (m->kind == CONF_MOVE_FORK) factor = 2;
        if (m->kind != CONF_MOVE_STEP) continue;
        n_tokens += m->n;
        cost += factor * n_tokens;
    }
    return cost;
}

static bool is_same(const conf_move *a, const conf_move *b)
{
    return a->kind == b->kind && a->n == b->n;
}

void conf_moves_print(const conf_moves *moves, char *text, size_t size)
{
    static const char *const names[] = {
        [CONF_MOVE_STEP] = "",       [CONF_MOVE_REST] = "rest",         [CONF_MOVE_JOIN] = "join",
        [CONF_MOVE_LEAVE] = "leave", [CONF_MOVE_REWIND] = "rewind to ", [CONF_MOVE_FORK] = "fork"};
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0, same; i < moves->n && n < size; i += same) {
        const conf_move *m = &moves->at[i];
        char count[32] = "", times[32] = "";
        for (same = 1; i + same < moves->n && is_same(m, &moves->at[i + same]);) same++;
        if (m->kind == CONF_MOVE_STEP || m->kind == CONF_MOVE_REWIND)
            (void)snprintf(count, sizeof count, "%zu", m->n);
        if (same > 1) (void)snprintf(times, sizeof times, " x %zu", same);
        n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", i ? ", " : "", names[m->kind], count, times);
    }
}
