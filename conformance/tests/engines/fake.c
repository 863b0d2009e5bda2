/* An engine that evaluates the formula model, with the fault that the name of its checkpoint's
 * directory selects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "conformance/tests/engines/formula.h"

#ifdef FAKE_DOUBLE
typedef double real;
#define FAKE_DTYPE ASSAY_F64
#else
typedef float real;
#define FAKE_DTYPE ASSAY_F32
#endif

/* The largest padding of the tests' recorded cases. */
#define CASE_PADDING_MAX 2

struct assay_model {
    char fault[64];
    assay_dtype compute; /* requested type */
};

struct assay_session {
    const assay_model *model;
    assay_trace_fn *trace;
    void *trace_context;
    size_t n_samples, n_prefills, n_steps; /* n_prefills: prefills without a trace */
    uint32_t state[8];
};

static bool errs(const assay_session *s, const char *fault)
{
    return strcmp(s->model->fault, fault) == 0;
}

static assay_status fail(assay_error *err, assay_status status, const char *text)
{
    if (err) (void)snprintf(err->text, sizeof err->text, "%s", text);
    return status;
}

/* Crashes, even under a sanitizer that catches the signal. */
static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static void hang(void)
{
    while (true) (void)pause();
}

/* Leaves a child process behind that prints a line after a second. */
static void leave_child(void)
{
    static const char words[] = "left behind\n";
    if (fork() != 0) return;
    (void)sleep(1);
    _exit(write(STDERR_FILENO, words, sizeof words - 1) < 0);
}

/* Waits until the engine of the checkpoint "meet-b" has started, too, or "meet-a" for that one. */
static void wait_for_other_engine(const char *dir)
{
    char mine[4096], other[4096];
    (void)snprintf(mine, sizeof mine, "%s/here", dir);
    (void)snprintf(other, sizeof other, "%s/here", dir);
    other[strlen(dir) - 1] = (char)('a' + 'b' - other[strlen(dir) - 1]);
    FILE *f = fopen(mine, "w");
    if (f) (void)fclose(f);
    while (access(other, F_OK) != 0) (void)usleep(1000);
}

/* Whether 1 GiB of address space can be mapped, which the test's limit forbids; touches none of it. */
static bool eat_memory(void)
{
    size_t bytes = (size_t)1 << 30;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (a != MAP_FAILED) (void)munmap(a, bytes);
    return a != MAP_FAILED;
}

static assay_status fake_model_open(const char *dir, assay_model **out, assay_error *err)
{
    const char *slash = strrchr(dir, '/');
    const char *fault = slash ? slash + 1 : dir;
    if (strcmp(fault, "unsupported") == 0) return fail(err, ASSAY_EUNSUPPORTED, "sinks are not implemented");
    if (strcmp(fault, "refused") == 0) return fail(err, ASSAY_EFORMAT, "no such \033[31mtensor\nat all");
    if (strcmp(fault, "mute") == 0) return ASSAY_EFORMAT;
    if (strncmp(fault, "meet-", 5) == 0) wait_for_other_engine(dir);
    assay_model *m = calloc(1, sizeof *m);
    if (!m) return fail(err, ASSAY_ENOMEM, "out of memory");
    (void)snprintf(m->fault, sizeof m->fault, "%s", fault);
    *out = m;
    return ASSAY_OK;
}

/* Supports no int8. */
static assay_status fake_model_open_with(const char *dir, const assay_model_options *options,
                                         assay_model **out, assay_error *err)
{
    if (options->compute == ASSAY_I8) return fail(err, ASSAY_EUNSUPPORTED, "int8 is not implemented");
    assay_status rc = fake_model_open(dir, out, err);
    if (rc == ASSAY_OK) (*out)->compute = options->compute;
    return rc;
}

static void fake_model_free(assay_model *model)
{
    if (model && strcmp(model->fault, "crash-close") == 0) crash();
    free(model);
}

static size_t fake_model_vocab(const assay_model *model)
{
    return strcmp(model->fault, "vocab") == 0 ? FORMULA_VOCAB - 1 : FORMULA_VOCAB;
}

#ifndef FAKE_NO_STOP_IDS
static const int32_t *fake_model_stop_ids(const assay_model *model, size_t *n)
{
    static const int32_t ids[] = {FORMULA_STOP};
    *n = strcmp(model->fault, "no-stop") == 0 ? 0 : 1;
    return ids;
}
#endif

static assay_status fake_session_open(assay_model *model, assay_session **out, assay_error *err)
{
    if (strcmp(model->fault, "crash-session") == 0) abort();
    assay_session *s = calloc(1, sizeof *s);
    if (!s) return fail(err, ASSAY_ENOMEM, "out of memory");
    s->model = model;
    *out = s;
    return ASSAY_OK;
}

static void fake_session_free(assay_session *session)
{
    free(session);
}

static void fake_session_trace(assay_session *session, assay_trace_fn *fn, void *context)
{
    session->trace = fn;
    session->trace_context = context;
}

/* In bfloat16 the error of the recorded run, or five times that with "narrow-off". */
static float narrow_error(const assay_session *s)
{
    if (s->model->compute != ASSAY_BF16) return 0;
    return (float)FORMULA_NARROW * (errs(s, "narrow-off") ? 5 : 1);
}

/* Traces embed and layer.00.out of one sample: [n, FORMULA_WIDTH]. */
static void give_traces(const assay_session *s, size_t sample, const int32_t *tokens, size_t n)
{
    static const char *const names[] = {"embed", "layer.00.out"};
    float value[8 * FORMULA_WIDTH];
    for (size_t layer = 0; layer < 2; layer++) {
        if (layer == 1 && errs(s, "hang")) hang();
        if (layer == 1 && errs(s, "crash-traced")) crash();
        uint32_t state = 0;
        for (size_t t = 0; t < n; t++) {
            state = formula_step(state, tokens[t]);
            for (size_t d = 0; d < FORMULA_WIDTH; d++)
                value[t * FORMULA_WIDTH + d] = (float)formula_trace(state, layer, d) + narrow_error(s);
        }
        if (layer == 1 && (errs(s, "trace") || errs(s, "off-traced"))) value[FORMULA_WIDTH + 2] += 1;
        if (layer == 1 && errs(s, "trace-nan")) value[FORMULA_WIDTH + 2] = NAN;
        const char *name = errs(s, "trace-names") ? "model.norm" : names[layer];
        assay_tensor tensor = {.name = name, .dtype = ASSAY_F32, .rank = 2, .data = value};
        tensor.shape[0] = n;
        tensor.shape[1] = layer == 1 && errs(s, "trace-shape") ? FORMULA_WIDTH - 1 : FORMULA_WIDTH;
        s->trace(s->trace_context, sample, &tensor);
    }
}

static void write_row(real *row, uint32_t state)
{
    for (size_t v = 0; v < FORMULA_VOCAB; v++) row[v] = (real)formula_logit(state, v);
}

/* Sets the logit of another token to half the noise below the best one. */
static void tie(real *row, uint32_t state)
{
    row[formula_other(state)] = row[formula_best(state)] - (real)(FORMULA_NOISE / 2);
}

static void prefill_faults(const assay_session *s, const assay_batch *batch, real *logits)
{
    real *last = logits + (batch->n_samples * batch->n_tokens - 1) * FORMULA_VOCAB;
    last[4] += (real)narrow_error(s);
    if (errs(s, "nan")) last[4] = NAN;
    if (errs(s, "infinite")) last[4] = INFINITY;
    if (errs(s, "within")) last[4] += (real)(3.5 * FORMULA_NOISE);
    if (errs(s, "hair")) last[4] += (real)1e-8;
    if (errs(s, "near-tie")) tie(logits + (batch->n_tokens - 1) * FORMULA_VOCAB, s->state[0]);
    if (errs(s, "off-traced")) last[4] += 1;
    if (errs(s, "padding") && batch->n_tokens > (size_t)batch->length[0]) logits[0] = 7;
    if (errs(s, "untraced") && !s->trace) last[4] += 1;
    if (s->trace || s->n_prefills != 2) return;
    if (errs(s, "again-off")) last[4 - (ptrdiff_t)FORMULA_VOCAB] += (real)(20 * FORMULA_NOISE);
    if (errs(s, "again-nan")) last[4 - (ptrdiff_t)FORMULA_VOCAB] = NAN;
    if (errs(s, "again-within")) last[4 - (ptrdiff_t)FORMULA_VOCAB] += (real)(3.5 * FORMULA_NOISE);
    if (errs(s, "greedy-nan")) last[4] = NAN;
    if (errs(s, "stops-early")) last[FORMULA_STOP] += 100;
}

static assay_status fake_prefill(assay_session *s, const assay_batch *batch, void *out, assay_error *err)
{
    if (batch->n_inputs) return fail(err, ASSAY_EUNSUPPORTED, "an input that this engine does not know");
    if (errs(s, "crash")) crash();
    if (errs(s, "slow")) (void)usleep(300000);
    if (errs(s, "talks-late")) (void)sleep(1), (void)fputs("late words\n", stderr);
    if (errs(s, "leaves-child")) leave_child();
    if (errs(s, "eat-memory") && !eat_memory()) return fail(err, ASSAY_ENOMEM, "no memory for logits");
    if (errs(s, "prints")) (void)puts("ok 999 - an engine that talks"), (void)fflush(stdout);
    real *logits = out;
    s->n_samples = batch->n_samples;
    s->n_prefills += s->trace == NULL;
    s->n_steps = 0;
    for (size_t b = 0; b < batch->n_samples; b++) {
        size_t n = (size_t)batch->length[b], pad = batch->n_tokens - n;
        const int32_t *tokens = batch->tokens + b * batch->n_tokens + pad;
        if (!errs(s, "leaks")) s->state[b] = 0;
        for (size_t t = 0; t < n; t++) {
            s->state[b] = formula_step(s->state[b], tokens[t]);
            if (errs(s, "unwritten") && b + 1 == batch->n_samples && t + 1 == n) continue;
            real *row = logits + (b * batch->n_tokens + pad + t) * FORMULA_VOCAB;
            write_row(row, s->state[b]);
            if (pad > CASE_PADDING_MAX && errs(s, "deep-padding")) row[0] += 1;
        }
        if (s->trace) give_traces(s, b, tokens, n);
    }
    prefill_faults(s, batch, logits);
    return ASSAY_OK;
}

/* Applies faults of prefill_last: the next float, an unwritten logit, a lost state. */
static void last_faults(assay_session *s, real *last)
{
    real *one = last + (s->n_samples - 1) * FORMULA_VOCAB + 4;
    if (errs(s, "last-off")) *one = (real)nextafterf((float)*one, INFINITY);
    if (errs(s, "last-unwritten")) *one = NAN;
    if (errs(s, "last-forgets")) s->state[0] = 0;
}

static assay_status fake_prefill_last(assay_session *s, const assay_batch *batch, void *out, assay_error *err)
{
    if (errs(s, "last-crash")) crash();
    if (errs(s, "last-unsupported")) return fail(err, ASSAY_EUNSUPPORTED, "no last logits");
    size_t n = batch->n_samples * batch->n_tokens * FORMULA_VOCAB;
    real *all = malloc(n * sizeof *all), *last = out;
    if (!all) return fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) all[i] = NAN;
    assay_status rc = fake_prefill(s, batch, all, err);
    for (size_t b = 0; rc == ASSAY_OK && b < batch->n_samples; b++)
        memcpy(last + b * FORMULA_VOCAB, all + ((b + 1) * batch->n_tokens - 1) * FORMULA_VOCAB,
               FORMULA_VOCAB * sizeof *last);
    free(all);
    if (rc == ASSAY_OK) last_faults(s, last);
    return rc;
}

static void decode_faults(const assay_session *s, real *logits)
{
    bool greedy = s->n_prefills == 2;
    int32_t best = formula_best(s->state[0]);
    if (errs(s, "off") && s->n_steps == 2) logits[6] += (real)(20 * FORMULA_NOISE);
    if (errs(s, "near-tie") && s->n_steps == 1) tie(logits, s->state[0]);
    if (errs(s, "flip") && greedy && s->n_steps == 1) logits[(best + 1) % FORMULA_VOCAB] += 100;
    if (errs(s, "goes-on") && greedy) logits[FORMULA_STOP] -= 100;
}

static assay_status fake_decode(assay_session *s, const int32_t *tokens, void *out, assay_error *err)
{
    if (errs(s, "exit")) exit(3);
    if (errs(s, "decode-unsupported")) return fail(err, ASSAY_EUNSUPPORTED, "no decode");
    real *logits = out;
    s->n_steps++;
    for (size_t b = 0; b < s->n_samples; b++) {
        if (tokens[b] < 0) continue;
        s->state[b] = formula_step(s->state[b], tokens[b]);
        if (errs(s, "unwritten-decode") && s->n_steps == 2) continue;
        write_row(logits + b * FORMULA_VOCAB, s->state[b]);
    }
    decode_faults(s, logits);
    return ASSAY_OK;
}

#ifndef FAKE_NO_ROPE
/* A rotation by 0: cos 1, sin 0. */
static assay_status fake_rope(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                              assay_error *err)
{
    if (strstr(request->config, "unsupported")) return fail(err, ASSAY_EUNSUPPORTED, "no such rope");
    size_t n = request->n_positions * request->n_heads * request->head_dim;
    *dim = strstr(request->config, "narrow") ? request->head_dim - 2 : request->head_dim;
    memcpy(out, request->x, n * sizeof(real));
    for (size_t i = 0; i < request->n_positions * *dim; i++) {
        ((real *)cos)[i] = 1;
        ((real *)sin)[i] = 0;
    }
    if (strstr(request->config, "off-x")) ((real *)out)[n - 1] += (real)0.01;
    if (strstr(request->config, "off-cos")) ((real *)cos)[1] += (real)0.01;
    if (strstr(request->config, "off-sin")) ((real *)sin)[1] += (real)0.01;
    return ASSAY_OK;
}
#endif

const assay_engine *assay_engine_v1(void);

#ifdef FAKE_OLD_TABLE
/* A table from before session_override was added; the bytes after it are no valid pointers. */
static const assay_engine *old_table(const assay_engine *table)
{
    static assay_engine old;
    memset(&old, 0xa5, sizeof old);
    memcpy(&old, table, offsetof(assay_engine, session_override));
    old.size = (uint32_t)offsetof(assay_engine, session_override);
    return &old;
}
#endif

const assay_engine *assay_engine_v1(void)
{
    static const assay_engine table = {
        .abi = ASSAY_ENGINE_ABI,
        .size = sizeof(assay_engine),
        .name = "fake",
        .version = "1",
        .logits_dtype = FAKE_DTYPE,
        .model_open = fake_model_open,
        .model_free = fake_model_free,
        .model_vocab = fake_model_vocab,
#ifndef FAKE_NO_STOP_IDS
        .model_stop_ids = fake_model_stop_ids,
#endif
        .session_open = fake_session_open,
        .session_free = fake_session_free,
        .session_trace = fake_session_trace,
        .prefill = fake_prefill,
        .decode = fake_decode,
        .prefill_last = fake_prefill_last,
        .model_open_with = fake_model_open_with,
#ifndef FAKE_NO_ROPE
        .rope = fake_rope,
#endif
    };
#ifdef FAKE_OLD_TABLE
    return old_table(&table);
#endif
    return &table;
}
