/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/grow.h"

enum { N_CPUS = 1, NOT_PER_THREAD = -1 };

/* Thread numbers are never reused, so that the streams of an ended thread have no owner. */
#define NOBODY   UINT64_C(0)
#define EVERYONE UINT64_MAX

struct stream {
    assay_device device;
    int32_t index;
    int32_t stands_for; /* index of the ASSAY_STREAM_PER_THREAD that it represents, or NOT_PER_THREAD */
    uint64_t maker;
    uint64_t owner; /* the creating thread, EVERYONE, or NOBODY after that thread has cleared its streams;
                       protected by the registry's lock */
    queue queue;
};

/* All streams. A stream of a device that does not exist takes an index, too, and is NULL. */
static struct {
    pthread_mutex_t lock;
    stream **at; /* [n] */
    size_t n;
    assay_device *per_thread; /* [n_per_thread] */
    size_t n_per_thread;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int default_type = ASSAY_CPU, default_index = 0;
static atomic_uint_fast64_t n_threads = 0;

/* Per-thread state: all that the lookup of a default stream needs. */
static _Thread_local struct {
    uint64_t number; /* NOBODY: not assigned yet */
    bool has_default[N_CPUS];
    assay_stream defaults[N_CPUS];
} here;

static uint64_t this_thread(void)
{
    if (here.number == NOBODY) here.number = atomic_fetch_add(&n_threads, 1) + 1;
    return here.number;
}

size_t stream_device_count(assay_device_type type)
{
    return type == ASSAY_CPU ? N_CPUS : 0;
}

static assay_status out_of_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "stream: out of memory");
}

/* The registry is locked. A device that does not exist takes an index all the same, as upstream. */
static assay_status add_stream(assay_device device, uint64_t owner, int32_t stands_for, stream **out,
                               assay_error *err)
{
    const bool exists = device.type == ASSAY_CPU;
    stream *s = exists ? malloc(sizeof *s) : NULL;
    stream **grown = exists && !s ? NULL : grow_by_one(registry.at, registry.n, sizeof *grown);
    if (!grown) {
        free(s);
        return out_of_memory(err);
    }
    registry.at = grown;
    registry.at[registry.n++] = s;
    if (!exists)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "[%s] Cannot make gpu stream without gpu backend.",
                          owner == EVERYONE ? "new_thread_unsafe_stream" : "new_stream");
    s->device = device;
    s->index = (int32_t)registry.n - 1;
    s->stands_for = stands_for;
    s->maker = this_thread();
    s->owner = owner;
    queue_begin(&s->queue);
    *out = s;
    return ASSAY_OK;
}

static assay_status make_stream(assay_device device, uint64_t owner, assay_stream *out, assay_error *err)
{
    stream *s;
    (void)pthread_mutex_lock(&registry.lock);
    assay_status rc = add_stream(device, owner, NOT_PER_THREAD, &s, err);
    (void)pthread_mutex_unlock(&registry.lock);
    if (rc == ASSAY_OK) *out = stream_name(s);
    return rc;
}

static assay_status make_per_thread(assay_device device, assay_stream *out, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    (void)pthread_mutex_lock(&registry.lock);
    assay_device *grown = grow_by_one(registry.per_thread, registry.n_per_thread, sizeof *grown);
    if (grown) {
        registry.per_thread = grown;
        *out = (assay_stream){device, (int32_t)registry.n_per_thread, ASSAY_STREAM_PER_THREAD};
        registry.per_thread[registry.n_per_thread++] = device;
    } else {
        rc = out_of_memory(err);
    }
    (void)pthread_mutex_unlock(&registry.lock);
    return rc;
}

assay_status stream_new(assay_device device, assay_stream_kind kind, assay_stream *out, assay_error *err)
{
    if (kind == ASSAY_STREAM_PER_THREAD) return make_per_thread(device, out, err);
    return make_stream(device, kind == ASSAY_STREAM_SHARED ? EVERYONE : this_thread(), out, err);
}

assay_stream stream_name(const stream *s)
{
    return (assay_stream){s->device, s->index, ASSAY_STREAM_OWNED};
}

queue *stream_queue(stream *s)
{
    return &s->queue;
}

/* Checks that the device has default streams. */
static assay_status check_device(assay_device device, const char *function, const char *verb,
                                 assay_error *err)
{
    if (device.type != ASSAY_CPU)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "[%s] Cannot %s gpu stream without gpu backend.", function,
                          verb);
    if (device.index < 0 || device.index >= N_CPUS)
        return assay_fail(err, ASSAY_EINVAL, "[%s] Device(cpu, %" PRId32 "): expected an index below %d",
                          function, device.index, (int)N_CPUS);
    return ASSAY_OK;
}

assay_status stream_default(assay_device device, assay_stream *out, assay_error *err)
{
    assay_status rc = check_device(device, "default_stream", "get", err);
    if (rc == ASSAY_OK && !here.has_default[device.index]) {
        rc = make_stream((assay_device){device.type, 0}, this_thread(), &here.defaults[device.index], err);
        here.has_default[device.index] = rc == ASSAY_OK;
    }
    if (rc == ASSAY_OK) *out = here.defaults[device.index];
    return rc;
}

static assay_status set_default(assay_stream name, assay_error *err)
{
    assay_status rc = check_device(name.device, "set_default_stream", "set", err);
    if (rc != ASSAY_OK) return rc;
    here.defaults[name.device.index] = name;
    here.has_default[name.device.index] = true;
    return ASSAY_OK;
}

assay_status stream_set_default(assay_stream name, assay_error *err)
{
    stream *s;
    assay_status rc = stream_find(&name, &s, err);
    return rc == ASSAY_OK ? set_default(stream_name(s), err) : rc;
}

static assay_device default_device(void)
{
    return (assay_device){(assay_device_type)atomic_load(&default_type), atomic_load(&default_index)};
}

/* The thread's own default is found without the lock; a name is looked up with it. */
static assay_status find_named(const assay_stream *name, stream **out, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    (void)pthread_mutex_lock(&registry.lock);
    if (name->index < 0 || (size_t)name->index >= registry.n || !registry.at[name->index])
        rc = assay_fail(err, ASSAY_EINVAL, "stream: found index %" PRId32 ", expected that of one of %zu",
                        name->index, registry.n);
    else *out = registry.at[name->index];
    (void)pthread_mutex_unlock(&registry.lock);
    return rc;
}

static assay_status find_per_thread(const assay_stream *name, stream **out, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    const uint64_t me = this_thread();
    (void)pthread_mutex_lock(&registry.lock);
    if (name->index < 0 || (size_t)name->index >= registry.n_per_thread) {
        rc = assay_fail(err, ASSAY_EINVAL, "stream: found index %" PRId32 ", expected that of one of %zu",
                        name->index, registry.n_per_thread);
    } else {
        stream *found = NULL;
        for (size_t i = 0; !found && i < registry.n; i++) {
            stream *s = registry.at[i];
            if (s && s->maker == me && s->stands_for == name->index) found = s;
        }
        if (!found) rc = add_stream(registry.per_thread[name->index], me, name->index, &found, err);
        if (rc == ASSAY_OK) *out = found;
    }
    (void)pthread_mutex_unlock(&registry.lock);
    return rc;
}

assay_status stream_find(const assay_stream *name, stream **out, assay_error *err)
{
    assay_stream own;
    if (name && name->kind == ASSAY_STREAM_PER_THREAD) return find_per_thread(name, out, err);
    if (!name) {
        assay_status rc = stream_default(default_device(), &own, err);
        if (rc != ASSAY_OK) return rc;
        name = &own;
    }
    return find_named(name, out, err);
}

assay_status stream_check(const stream *s, assay_error *err)
{
    (void)pthread_mutex_lock(&registry.lock);
    const uint64_t owner = s->owner;
    (void)pthread_mutex_unlock(&registry.lock);
    if (owner == EVERYONE || owner == this_thread()) return ASSAY_OK;
    return assay_fail(err, ASSAY_ESTREAM, "There is no Stream(cpu, %" PRId32 ") in current thread.",
                      s->index);
}

static void set_default_device(assay_device device)
{
    atomic_store(&default_type, (int)device.type);
    atomic_store(&default_index, device.index);
}

/* In upstream's order: if setting the default stream fails, the default device has changed. */
assay_status stream_scope_enter(assay_stream name, assay_scope *out, assay_error *err)
{
    assay_scope scope;
    stream *s;
    assay_status rc = stream_default(default_device(), &scope.before, err);
    if (rc == ASSAY_OK) rc = stream_find(&name, &s, err);
    if (rc != ASSAY_OK) return rc;
    set_default_device(s->device);
    rc = set_default(stream_name(s), err);
    if (rc == ASSAY_OK) *out = scope;
    return rc;
}

assay_status stream_scope_leave(const assay_scope *scope, assay_error *err)
{
    set_default_device(scope->before.device);
    return set_default(scope->before, err);
}

void stream_clear(void)
{
    const uint64_t me = this_thread();
    (void)pthread_mutex_lock(&registry.lock);
    for (size_t i = 0; i < registry.n; i++)
        if (registry.at[i] && registry.at[i]->owner == me) registry.at[i]->owner = NOBODY;
    (void)pthread_mutex_unlock(&registry.lock);
}

assay_status stream_synchronize(const assay_stream *name, assay_error *err)
{
    stream *s;
    assay_status rc = stream_find(name, &s, err);
    if (rc != ASSAY_OK) return rc;
    queue_wait(&s->queue, queue_last(&s->queue));
    return queue_take_error(&s->queue, err);
}

/* After the executors: destructors with a higher number run first. */
__attribute__((destructor(101))) static void forget_streams(void)
{
    for (size_t i = 0; i < registry.n; i++) {
        if (!registry.at[i]) continue;
        queue_end(&registry.at[i]->queue);
        free(registry.at[i]);
    }
    free(registry.at);
    free(registry.per_thread);
}
