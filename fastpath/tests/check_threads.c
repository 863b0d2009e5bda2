/* Sessions that move from thread to thread, concurrently with others: all rows stay bit-identical.
 *
 * A party is a session and the threads that call it in turn. The calls depend only on a seed, so that the
 * same calls on one thread give the expected rows. Between rounds parties fork samples into each other's
 * sessions; the first call of a round writes to all pages that they share since then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/tests/support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fastpath/session/session.h"

/* Caches of each kind; where limit is not 0, they hold no more than that. */
static const struct {
    const char *name;
    size_t limit, sink_tokens;
} MODELS[] = {{"qwen3/window", 0, 0},     {"llama/dynamic", 0, 0},  {"phi3/longrope", 0, 0},
              {"gemma4/shared-kv", 0, 0}, {"gemma4/experts", 0, 0}, {"llama/base", 11, 4}};

enum { N_MODELS = sizeof MODELS / sizeof *MODELS };
enum { N_PARTIES = 3, N_ROUNDS = 3, N_CALLS = 20, MOST_SAMPLES = 5, LENGTH = 80, MOST_THREADS = 16 };
enum { PREFILL = 60, MOST_ROWS = N_ROUNDS * N_CALLS * MOST_SAMPLES * PREFILL };

static const size_t THREADS[] = {1, 2, 4, MOST_THREADS}, WORKERS[] = {1, 3};

typedef struct sample {
    size_t slot, n_tokens;
    int32_t tokens[LENGTH];
} sample;

typedef struct party {
    const fp_model *model;
    size_t limit, sink_tokens;
    fp_session *session;
    sample samples[MOST_SAMPLES];
    size_t n_samples;
    uint32_t seed;
    float *rows; /* [n_rows, vocab], of all steps so far */
    size_t n_rows;
    fp_session *apart; /* session for comparison with samples that share no pages; or NULL */

    /* Whose turn it is. */
    pthread_mutex_t lock;
    pthread_cond_t passed;
    size_t n_called, n_threads;

    assay_status status;
    assay_error err;
} party;

static fp_model *open_model(int index, size_t n_workers, assay_error *err)
{
    char path[4096];
    fp_model *m = NULL;
    const char *top = getenv("top_srcdir");
    const fp_options options = {.isa = getenv("ASSAY_ISA"), .n_workers = n_workers, .grain = 0};
    (void)snprintf(path, sizeof path, "%s/fixtures/%s/model", top ? top : ".", MODELS[index].name);
    return fp_model_open(path, &options, &m, err) == ASSAY_OK ? m : NULL;
}

static size_t draw(party *p, size_t below)
{
    p->seed = p->seed * 1664525U + 1013904223U;
    return (p->seed >> 8) % below;
}

/* Keeps the first failure. */
static void note_failure(party *p, assay_status rc)
{
    if (p->status == ASSAY_OK) p->status = rc;
}

static fp_session *open_session(party *p)
{
    fp_session *s = NULL;
    note_failure(p, fp_session_open(p->model, &s, &p->err));
    if (s && p->limit) note_failure(p, fp_session_limit(s, p->limit, p->sink_tokens, &p->err));
    return s;
}

static void join(party *p)
{
    sample *new = &p->samples[p->n_samples++];
    new->n_tokens = 0;
    note_failure(p, fp_session_join(p->session, &new->slot, &p->err));
}

static void drop_sample(party *p, size_t i)
{
    note_failure(p, fp_session_leave(p->session, p->samples[i].slot, &p->err));
    p->samples[i] = p->samples[--p->n_samples];
}

static void fork_into(party *p, size_t i, party *into)
{
    if (into->n_samples == MOST_SAMPLES) drop_sample(into, 0);
    sample *new = &into->samples[into->n_samples++];
    *new = p->samples[i];
    note_failure(p, fp_session_fork(p->session, p->samples[i].slot, into->session, &new->slot, &p->err));
}

static void rewind_one(party *p)
{
    sample *one = &p->samples[draw(p, p->n_samples)];
    one->n_tokens = draw(p, one->n_tokens + 1);
    note_failure(p, fp_session_rewind(p->session, one->slot, one->n_tokens, &p->err));
}

/* A few more tokens, or a prompt, and a buffer for their logits. */
static fp_step extend(party *p, sample *one)
{
    const size_t n_left = LENGTH - one->n_tokens;
    size_t n = 1 + draw(p, one->n_tokens ? 4 : PREFILL);
    n = n < n_left ? n : n_left;
    int32_t *tokens = one->tokens + one->n_tokens;
    for (size_t t = 0; t < n; t++) tokens[t] = (int32_t)draw(p, 90);
    one->n_tokens += n;
    float *logits = p->rows + p->n_rows * p->model->plan->vocab;
    p->n_rows += n;
    return (fp_step){.slot = one->slot, .tokens = tokens, .n_tokens = n, .logits = logits, .n_logits = n};
}

/* The same tokens in a sample that has never shared anything. */
static void hold_to_fresh(party *p, const sample *one, const fp_step *step)
{
    const size_t bytes = step->n_logits * p->model->plan->vocab * sizeof(float);
    float *fresh = malloc(bytes);
    size_t slot;
    ck_assert_ptr_nonnull(fresh);
    ck_assert_int_eq(fp_session_join(p->apart, &slot, &p->err), ASSAY_OK);
    const fp_step whole = {.slot = slot,
                           .tokens = one->tokens,
                           .n_tokens = one->n_tokens,
                           .logits = fresh,
                           .n_logits = step->n_logits};
    ck_assert_int_eq(fp_session_step(p->apart, &whole, 1, NULL, &p->err), ASSAY_OK);
    ck_assert_mem_eq(step->logits, fresh, bytes);
    ck_assert_int_eq(fp_session_leave(p->apart, slot, &p->err), ASSAY_OK);
    free(fresh);
}

/* Samples take steps together, each in three times one rests; from any of them on. */
static void step(party *p, bool nobody_rests)
{
    fp_step steps[MOST_SAMPLES] = {0};
    const sample *of[MOST_SAMPLES];
    size_t n = 0, first = draw(p, p->n_samples);
    for (size_t i = 0; i < p->n_samples; i++) {
        sample *one = &p->samples[(first + i) % p->n_samples];
        const bool rests = draw(p, 3) == 0 && !nobody_rests;
        if (rests || one->n_tokens == LENGTH) continue;
        of[n] = one;
        steps[n++] = extend(p, one);
    }
    note_failure(p, fp_session_step(p->session, steps, n, NULL, &p->err));
    for (size_t i = 0; p->apart && i < n; i++) hold_to_fresh(p, of[i], &steps[i]);
}

/* The first call opens the session, and the last one frees it. */
static void run_call(party *p)
{
    const bool is_full = p->n_samples == MOST_SAMPLES;
    if (p->n_called == 0) p->session = open_session(p);
    if (p->n_called == N_ROUNDS * N_CALLS - 1) {
        fp_session_free(p->session);
        return;
    }
    const size_t what = p->n_samples == 0 ? 0 : p->n_called % N_CALLS == 0 ? 9 : draw(p, 10);
    if (what < 2 && !is_full) join(p);
    else if (what < 4 && !is_full) fork_into(p, draw(p, p->n_samples), p);
    else if (what < 5) rewind_one(p);
    else if (what < 6 && p->n_samples > 1) drop_sample(p, draw(p, p->n_samples));
    else step(p, what == 9);
}

/* One thread's turns of a round. */
typedef struct turns {
    party *party;
    size_t number; /* of the thread in its party */
    pthread_barrier_t *start;
} turns;

static void *take_turns(void *context)
{
    const turns *own = context;
    party *p = own->party;
    (void)pthread_barrier_wait(own->start);
    (void)pthread_mutex_lock(&p->lock);
    const size_t end = (p->n_called / N_CALLS + 1) * N_CALLS;
    (void)pthread_mutex_unlock(&p->lock);
    (void)pthread_barrier_wait(own->start);
    for (size_t turn = end - N_CALLS; turn < end; turn++) {
        if (turn % p->n_threads != own->number) continue;
        (void)pthread_mutex_lock(&p->lock);
        while (p->n_called < turn) (void)pthread_cond_wait(&p->passed, &p->lock);
        run_call(p);
        p->n_called++;
        (void)pthread_cond_broadcast(&p->passed);
        (void)pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

static void round_on_threads(party *parties, size_t n_threads)
{
    pthread_t threads[N_PARTIES * MOST_THREADS];
    turns all[N_PARTIES * MOST_THREADS];
    pthread_barrier_t start;
    const size_t n = N_PARTIES * n_threads;
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, (unsigned)n), 0);
    for (size_t i = 0; i < n; i++) {
        all[i] = (turns){&parties[i % N_PARTIES], i / N_PARTIES, &start};
        all[i].party->n_threads = n_threads;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, take_turns, &all[i]), 0);
    }
    for (size_t i = 0; i < n; i++) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    (void)pthread_barrier_destroy(&start);
}

static void round_on_one(party *parties)
{
    for (size_t i = 0; i < N_PARTIES; i++)
        for (size_t call = 0; call < N_CALLS; call++) {
            run_call(&parties[i]);
            parties[i].n_called++;
        }
}

/* The longest sample of each into all the others' sessions. */
static void exchange_samples(party *parties)
{
    for (size_t i = 0; i < N_PARTIES; i++) {
        const party *p = &parties[i];
        size_t longest = 0;
        for (size_t k = 1; k < p->n_samples; k++)
            if (p->samples[k].n_tokens > p->samples[longest].n_tokens) longest = k;
        for (size_t k = 1; k < N_PARTIES; k++) fork_into(&parties[i], longest, &parties[(i + k) % N_PARTIES]);
    }
}

/* n_threads: of each party; 0: all on this one, and held to samples that share nothing. */
static void run(const fp_model *m, int index, size_t n_threads, party *parties)
{
    for (size_t i = 0; i < N_PARTIES; i++) {
        party *p = &parties[i];
        *p = (party){.model = m, .limit = MODELS[index].limit, .sink_tokens = MODELS[index].sink_tokens};
        p->seed = (uint32_t)(i + 1);
        (void)pthread_mutex_init(&p->lock, NULL);
        (void)pthread_cond_init(&p->passed, NULL);
        p->rows = calloc(MOST_ROWS, m->plan->vocab * sizeof *p->rows);
        ck_assert_ptr_nonnull(p->rows);
        if (n_threads == 0) p->apart = open_session(p);
    }
    for (size_t round = 0; round < N_ROUNDS; round++) {
        if (n_threads == 0) round_on_one(parties);
        else round_on_threads(parties, n_threads);
        if (round + 1 < N_ROUNDS) exchange_samples(parties);
    }
    for (size_t i = 0; i < N_PARTIES; i++) {
        fp_session_free(parties[i].apart);
        ck_assert_msg(parties[i].status == ASSAY_OK, "party %zu: %s", i, parties[i].err.text);
    }
}

static void close_parties(party *parties)
{
    for (size_t i = 0; i < N_PARTIES; i++) {
        (void)pthread_cond_destroy(&parties[i].passed);
        (void)pthread_mutex_destroy(&parties[i].lock);
        free(parties[i].rows);
    }
}

static void compare(const party *expected, const party *is, size_t n_threads, size_t n_workers)
{
    const size_t vocab = is->model->plan->vocab;
    for (size_t i = 0; i < N_PARTIES; i++) {
        ck_assert_uint_eq(is[i].n_rows, expected[i].n_rows);
        for (size_t r = 0; r < is[i].n_rows; r++)
            ck_assert_msg(
                memcmp(is[i].rows + r * vocab, expected[i].rows + r * vocab, vocab * sizeof *is->rows) == 0,
                "%zu threads, %zu workers: party %zu: row %zu of %zu differs", n_threads, n_workers, i, r,
                is[i].n_rows);
    }
}

/* The same checkpoint, opened and closed again and again beside the parties. */
typedef struct opening {
    int index;
    size_t n_workers;
    const float *expected; /* [vocab], after token 1 */
    atomic_bool ended, differs;
} opening;

static bool first_row(const fp_model *m, float *row)
{
    fp_session *s = NULL;
    size_t slot;
    const int32_t token = 1;
    bool ok = fp_session_open(m, &s, NULL) == ASSAY_OK && fp_session_join(s, &slot, NULL) == ASSAY_OK &&
              fp_session_step(
                  s, &(fp_step){.slot = slot, .tokens = &token, .n_tokens = 1, .logits = row, .n_logits = 1},
                  1, NULL, NULL) == ASSAY_OK;
    fp_session_free(s);
    return ok;
}

static void *open_and_close(void *context)
{
    opening *o = context;
    do {
        fp_model *m = open_model(o->index, o->n_workers, NULL);
        const size_t n = m ? m->plan->vocab : 1;
        float *row = malloc(n * sizeof *row);
        if (!m || !row || !first_row(m, row) || memcmp(row, o->expected, n * sizeof *row) != 0)
            atomic_store(&o->differs, true);
        free(row);
        fp_model_free(m);
    } while (!atomic_load(&o->ended));
    return NULL;
}

static void run_beside_openings(int index, size_t n_workers, size_t n_threads, const party *expected,
                                const float *row)
{
    static party parties[N_PARTIES];
    assay_error err = {0};
    pthread_t thread;
    fp_model *m = open_model(index, n_workers, &err);
    ck_assert_msg(m != NULL, "%s", err.text);
    opening beside = {.index = index, .n_workers = n_workers, .expected = row};
    ck_assert_int_eq(pthread_create(&thread, NULL, open_and_close, &beside), 0);
    run(m, index, n_threads, parties);
    atomic_store(&beside.ended, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(!atomic_load(&beside.differs));
    compare(expected, parties, n_threads, n_workers);
    close_parties(parties);
    fp_model_free(m);
}

START_TEST(rows_have_the_bits_of_the_same_calls_on_one_thread)
{
    static party expected[N_PARTIES];
    assay_error err = {0};
    fp_model *m = open_model(_i, 1, &err);
    ck_assert_msg(m != NULL, "%s", err.text);
    float *row = malloc(m->plan->vocab * sizeof *row);
    ck_assert(row && first_row(m, row));
    run(m, _i, 0, expected);
    for (size_t w = 0; w < sizeof WORKERS / sizeof *WORKERS; w++)
        for (size_t t = 0; t < sizeof THREADS / sizeof *THREADS; t++)
            run_beside_openings(_i, WORKERS[w], THREADS[t], expected, row);
    close_parties(expected);
    free(row);
    fp_model_free(m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fastpath/threads");
    TCase *tc = tcase_create("threads");
    tcase_set_timeout(tc, 600);
    tcase_add_loop_test(tc, rows_have_the_bits_of_the_same_calls_on_one_thread, 0, N_MODELS);
    suite_add_tcase(suite, tc);
    return support_run(suite);
}
