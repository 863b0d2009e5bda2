/* The stream ABI, version 1: the thread rules of an engine's arrays. The harness replays recorded programs of
 * threads through it.
 *
 * An engine with streams exports one more function, `assay_streams_v1`, which may be called from any thread.
 * It returns a table that lives as long as the object is loaded:
 *
 *     const assay_streams *assay_streams_v1(void);
 *
 * The rules are those of MLX 0.32 (mlx/stream.h, mlx/scheduler.h, mlx/transforms.cpp; devices in
 * mlx/device.h). In short: every thread has a default stream for each device, which is created at its first
 * use; streams are numbered in the order of their creation, over all threads and devices. A stream
 * lives on the thread that made it. A deferred array remembers its stream, and is evaluated only where that
 * stream lives; a realised array can be read anywhere. The first error of a stream's work is kept on the
 * stream and returned, once, by the next call that waits for it.
 *
 * Wherever a stream does not live on the calling thread, ASSAY_ESTREAM is returned, and the text begins
 * with "There is no Stream(cpu, N) in current thread.".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_STREAM_H
#define ASSAY_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_STREAMS_ABI    1U
#define ASSAY_STREAMS_SYMBOL "assay_streams_v1"

typedef enum assay_device_type { ASSAY_CPU, ASSAY_GPU } assay_device_type;

typedef struct assay_device {
    assay_device_type type;
    int32_t index; /* 0 … device_count - 1 */
} assay_device;

/* Which threads may submit work to a stream. */
typedef enum assay_stream_kind {
    ASSAY_STREAM_OWNED,     /* on the thread that made it */
    ASSAY_STREAM_SHARED,    /* on any thread (mlx.core.new_thread_unsafe_stream) */
    ASSAY_STREAM_PER_THREAD /* stands for one stream on each thread that uses it, created at the first use on
                             * that thread (mlx.core.new_thread_local_stream) */
} assay_stream_kind;

/* The name of a stream. */
typedef struct assay_stream {
    assay_device device;
    int32_t index;          /* among all streams; of ASSAY_STREAM_PER_THREAD, among those */
    assay_stream_kind kind; /* OWNED by default */
} assay_stream;

/* The default stream that the end of a scope restores. */
typedef struct assay_scope {
    assay_stream before;
} assay_scope;

typedef struct assay_array assay_array; /* float32, of one dimension */

/* How an array is computed. */
typedef enum assay_array_fn {
    ASSAY_ARRAY_ARANGE, /* 0, 1, …, n - 1 */
    ASSAY_ARRAY_SQUARE, /* of one array, element by element; so are negative and abs */
    ASSAY_ARRAY_NEGATIVE,
    ASSAY_ARRAY_ABS,
    ASSAY_ARRAY_ADD,    /* of two arrays of one length */
    ASSAY_ARRAY_INVERSE /* 1 / x; where an x is 0, an error of the stream's work: "[Inverse::eval_cpu] LU
                         * factorization failed with error code 1" (mlx.core.linalg.inv of 1 x 1 matrices) */
} assay_array_fn;

/* On failure out-parameters are untouched, and `err`, where it is not NULL, holds the reason. */
typedef struct assay_streams {
    uint32_t abi;     /* ASSAY_STREAMS_ABI */
    uint32_t size;    /* sizeof(assay_streams) that the engine was built with */
    const char *name; /* one word, for reports */
    const char *version;

    size_t (*device_count)(assay_device_type type);

    /* ASSAY_EUNSUPPORTED for a device that does not exist: "[new_stream] Cannot make gpu stream without gpu
     * backend.", "[default_stream] Cannot get …", "[set_default_stream] Cannot set …". Only where a default
     * is looked up or set is the index of a device checked: ASSAY_EINVAL. */
    assay_status (*new_stream)(assay_device device, assay_stream_kind kind, assay_stream *out,
                               assay_error *err);
    assay_status (*default_stream)(assay_device device, assay_stream *out, assay_error *err);
    assay_status (*set_default_stream)(assay_stream stream, assay_error *err);

    /* Makes `stream` the calling thread's default of its device, and that device the default device of all
     * threads, until scope_leave on the same thread restores both. */
    assay_status (*scope_enter)(assay_stream stream, assay_scope *out, assay_error *err);
    assay_status (*scope_leave)(const assay_scope *scope, assay_error *err);

    /* From now on, streams of the calling thread live on no thread. */
    void (*clear_streams)(void);

    /* Waits until all work of a stream, of whichever thread, is done; NULL: of the default stream of the
     * default device. Returns the stream's error, if there is one, as ASSAY_EINTERNAL. */
    assay_status (*synchronize)(const assay_stream *stream, assay_error *err);

    /* A deferred array on a stream, NULL: on the default stream of the default device.
     * of: [1], or [2] for ADD, borrowed for the call and kept alive by the array until it is realised; n:
     * elements of ARANGE, otherwise 0. ASSAY_EINVAL where lengths differ. The caller frees *out with
     * array_free, on any thread. */
    assay_status (*make)(assay_array_fn fn, size_t n, assay_array *const *of, const assay_stream *stream,
                         assay_array **out, assay_error *err);
    void (*array_free)(assay_array *array);

    /* Evaluates arrays [n] with all their inputs, and waits; async: does not wait. Where an array is refused,
     * those before it in the order of evaluation may have been evaluated. */
    assay_status (*eval)(assay_array *const *of, size_t n, bool async, assay_error *err);

    /* Evaluates the array if it is deferred, and copies its elements into out, which has space for `capacity`
     * elements; *n is set to their number. ASSAY_EINVAL if there are more. */
    assay_status (*read)(assay_array *array, float *out, size_t capacity, size_t *n, assay_error *err);
} assay_streams;

typedef const assay_streams *assay_streams_fn(void);

#ifdef __cplusplus
}
#endif

#endif
