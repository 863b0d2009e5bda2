/* Streams and deferred arrays of assay/stream.h, the simplest way: eval computes everything on the
 * calling thread. Each process breaks one rule, which MODULE_FAULT names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>
#include <assay/stream.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/tests/engines/rule.h"

#define STREAMS_MAX 256

struct assay_array {
    assay_array_fn fn;
    size_t n, n_of, n_users;
    assay_array *of[2];
    int32_t stream;
    float *value; /* [n]; NULL while deferred */
};

static struct {
    pthread_mutex_t lock;
    int32_t n_streams, n_threads, n_per_thread;
    int32_t owner[STREAMS_MAX]; /* number of the owning thread; 0: none; -1: usable on all threads */
    bool failed[STREAMS_MAX];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Thread number and 1 + indices of streams; 0: not yet made. */
static _Thread_local struct {
    int32_t number, stream, per_thread[STREAMS_MAX];
} mine;

/* Crashes, even under a sanitizer that catches the signal. */
static void crash(void)
{
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static int32_t add_stream(bool everywhere)
{
    (void)pthread_mutex_lock(&all.lock);
    if (!mine.number) mine.number = ++all.n_threads;
    int32_t index = all.n_streams++;
    all.owner[index] = everywhere ? -1 : mine.number;
    (void)pthread_mutex_unlock(&all.lock);
    return index;
}

static assay_status check_device(assay_device device, const char *verb, bool indexed, assay_error *err)
{
    if (device.type == ASSAY_GPU)
        return fail(err, ASSAY_EUNSUPPORTED, "%s gpu stream without gpu backend.", verb);
    if (indexed && device.index != 0) return fail(err, ASSAY_EINVAL, "there is no cpu:%d", (int)device.index);
    return ASSAY_OK;
}

static size_t device_count(assay_device_type type)
{
    return type == ASSAY_CPU;
}

static assay_status new_stream(assay_device device, assay_stream_kind kind, assay_stream *out,
                               assay_error *err)
{
    assay_status rc = check_device(device, "[new_stream] Cannot make", false, err);
    if (rc != ASSAY_OK) return rc;
    int32_t index =
        kind == ASSAY_STREAM_PER_THREAD ? all.n_per_thread++ : add_stream(kind == ASSAY_STREAM_SHARED);
    *out = (assay_stream){.device = device, .index = index, .kind = kind};
    return ASSAY_OK;
}

static int32_t default_index(void)
{
    if (!mine.stream) mine.stream = add_stream(false) + 1;
    return mine.stream - 1;
}

static assay_status default_stream(assay_device device, assay_stream *out, assay_error *err)
{
    assay_status rc = check_device(device, "[default_stream] Cannot get", true, err);
    if (rc != ASSAY_OK) return rc;
    *out = (assay_stream){.device = device, .index = default_index() + errs("index")};
    return ASSAY_OK;
}

/* The index of the stream that `stream` refers to on this thread. */
static int32_t resolve(const assay_stream *stream)
{
    if (!stream) return default_index();
    if (stream->kind != ASSAY_STREAM_PER_THREAD) return stream->index;
    int32_t *own = &mine.per_thread[stream->index];
    if (!*own) *own = add_stream(false) + 1;
    return *own - 1;
}

static assay_status set_default_stream(assay_stream stream, assay_error *err)
{
    assay_status rc = check_device(stream.device, "[set_default_stream] Cannot set", true, err);
    if (rc == ASSAY_OK) mine.stream = resolve(&stream) + 1;
    return rc;
}

static assay_status scope_enter(assay_stream stream, assay_scope *out, assay_error *err)
{
    assay_scope scope = {.before.index = default_index()};
    assay_status rc = set_default_stream(stream, err);
    if (rc == ASSAY_OK) *out = scope;
    return rc;
}

static assay_status scope_leave(const assay_scope *scope, assay_error *err)
{
    (void)err;
    if (!errs("scope")) mine.stream = scope->before.index + 1;
    return ASSAY_OK;
}

static void clear_streams(void)
{
    if (errs("slow")) (void)usleep(50000);
    (void)pthread_mutex_lock(&all.lock);
    for (int32_t i = 0; i < all.n_streams; i++)
        if (all.owner[i] == mine.number) all.owner[i] = 0;
    (void)pthread_mutex_unlock(&all.lock);
}

static assay_status check_usable(int32_t stream, assay_error *err)
{
    (void)pthread_mutex_lock(&all.lock);
    int32_t owner = all.owner[stream];
    (void)pthread_mutex_unlock(&all.lock);
    if (owner == -1 || (owner && owner == mine.number) || errs("everywhere")) return ASSAY_OK;
    if (errs("words")) return fail(err, ASSAY_ESTREAM, "no stream %d here", (int)stream);
    return fail(err, errs("status") ? ASSAY_EINVAL : ASSAY_ESTREAM,
                "There is no Stream(cpu, %d) in current thread.: an array", (int)stream);
}

static assay_status take_error(int32_t stream, assay_error *err)
{
    bool failed = all.failed[stream] && !errs("dropped");
    all.failed[stream] = false;
    if (!failed) return ASSAY_OK;
    return fail(err, ASSAY_EINTERNAL, "[Inverse::eval_cpu] LU factorization failed with error code 1");
}

static assay_status synchronize(const assay_stream *stream, assay_error *err)
{
    return take_error(resolve(stream), err);
}

static assay_status make(assay_array_fn fn, size_t n, assay_array *const *of, const assay_stream *stream,
                         assay_array **out, assay_error *err)
{
    size_t n_of = fn == ASSAY_ARRAY_ARANGE ? 0 : fn == ASSAY_ARRAY_ADD ? 2 : 1;
    if (n_of == 2 && of[0]->n != of[1]->n) return fail(err, ASSAY_EINVAL, "lengths differ");
    if (errs("no-array")) return ASSAY_OK;
    assay_array *a = calloc(1, sizeof *a);
    if (!a) abort();
    *a = (assay_array){
        .fn = fn, .n = n_of ? of[0]->n : n, .n_of = n_of, .n_users = 1, .stream = resolve(stream)};
    for (size_t i = 0; i < n_of; i++) {
        a->of[i] = of[i];
        of[i]->n_users++;
    }
    *out = a;
    return ASSAY_OK;
}

static void array_free(assay_array *a)
{
    if (errs("crash-late")) crash();
    if (--a->n_users > 0) return;
    for (size_t i = 0; i < a->n_of; i++) array_free(a->of[i]);
    free(a->value);
    free(a);
}

static float element(const assay_array *a, size_t i)
{
    float x = a->n_of ? a->of[0]->value[i] : (float)i;
    switch (a->fn) {
    case ASSAY_ARRAY_ARANGE: return x;
    case ASSAY_ARRAY_SQUARE: return x * x;
    case ASSAY_ARRAY_NEGATIVE: return errs("sign") ? x : -x;
    case ASSAY_ARRAY_ABS: return fabsf(x);
    case ASSAY_ARRAY_ADD: return x + a->of[1]->value[i];
    case ASSAY_ARRAY_INVERSE: all.failed[a->stream] |= x == 0; return 1 / x;
    }
    return NAN;
}

static assay_status realise(assay_array *a, assay_error *err)
{
    if (a->value) return ASSAY_OK;
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; i < a->n_of && rc == ASSAY_OK; i++) rc = realise(a->of[i], err);
    if (rc == ASSAY_OK) rc = check_usable(a->stream, err);
    if (rc != ASSAY_OK) return rc;
    a->value = malloc((a->n + 1) * sizeof *a->value);
    if (!a->value) abort();
    for (size_t i = 0; i < a->n; i++) a->value[i] = element(a, i);
    return ASSAY_OK;
}

static assay_status eval(assay_array *const *of, size_t n, bool async, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (errs("crash")) crash();
    if (errs("exit")) _exit(3);
    while (errs("hang")) (void)pause();
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        rc = realise(of[i], err);
        if (rc == ASSAY_OK && !async) rc = take_error(of[i]->stream, err);
    }
    return rc;
}

static assay_status read_array(assay_array *array, float *out, size_t capacity, size_t *n, assay_error *err)
{
    assay_status rc = realise(array, err);
    if (rc == ASSAY_OK) rc = take_error(array->stream, err);
    if (rc == ASSAY_OK && array->n > capacity) rc = fail(err, ASSAY_EINVAL, "the capacity is too small");
    if (rc != ASSAY_OK) return rc;
    size_t written = array->n - (errs("unwritten") && array->n > 0);
    memcpy(out, array->value, written * sizeof *out);
    *n = errs("endless") ? SIZE_MAX : array->n - (errs("short") && array->n > 0);
    return ASSAY_OK;
}

#ifndef STREAMS_ALONE
static assay_status model_open(const char *dir, const assay_model_options *options, assay_model **out,
                               assay_error *err)
{
    (void)options, (void)out;
    return fail(err, ASSAY_EUNSUPPORTED, "%s: it has no models", dir);
}

static void model_free(assay_model *model)
{
    (void)model;
}

static size_t model_vocab(const assay_model *model)
{
    (void)model;
    return 0;
}

static assay_status session_open(assay_model *model, const assay_session_options *options,
                                 assay_session **out, assay_error *err)
{
    (void)model, (void)options, (void)out;
    return fail(err, ASSAY_EUNSUPPORTED, "it has no models");
}

static void session_free(assay_session *session)
{
    (void)session;
}

static assay_status run_step(assay_session *session, const assay_step *steps, size_t n,
                             const assay_step_options *options, assay_error *err)
{
    (void)session, (void)steps, (void)n, (void)options;
    return fail(err, ASSAY_EUNSUPPORTED, "it has no models");
}

const assay_engine *assay_engine_v2(void);

/* The required functions of an engine; the tests call none of them. */
const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {.abi = ASSAY_ENGINE_ABI,
                                       .size = sizeof table,
                                       .name = "streams",
                                       .version = "1",
                                       .logits_dtype = ASSAY_F32,
                                       .model_open = model_open,
                                       .model_free = model_free,
                                       .model_vocab = model_vocab,
                                       .session_open = session_open,
                                       .session_free = session_free,
                                       .step = run_step};
    return &table;
}

#endif

const assay_streams *assay_streams_v1(void);

const assay_streams *assay_streams_v1(void)
{
    static assay_streams table;
    while (errs("never-opens")) (void)pause();
    table = (assay_streams){.abi = ASSAY_STREAMS_ABI + errs("abi"),
                            .size = errs("size") ? 24 : (uint32_t)sizeof table,
                            .name = "streams",
                            .version = "1",
                            .device_count = device_count,
                            .new_stream = new_stream,
                            .default_stream = default_stream,
                            .set_default_stream = set_default_stream,
                            .scope_enter = scope_enter,
                            .scope_leave = scope_leave,
                            .clear_streams = clear_streams,
                            .synchronize = synchronize,
                            .make = make,
                            .array_free = array_free,
                            .eval = errs("lacks") ? NULL : eval,
                            .read = read_array};
    return errs("no-table") ? NULL : &table;
}
