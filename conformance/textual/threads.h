/* Textual cases of kind threads: programs of streams and deferred arrays. Steps run strictly one after
 * the other, each on the thread that it names, in a process that has no streams yet.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TEXTUAL_THREADS_H
#define CONFORMANCE_TEXTUAL_THREADS_H

#include <assay/stream.h>

#include "conformance/textual/textual.h"

#define CONF_THREADS_STEPS_MAX    1024
#define CONF_THREADS_MAX          64
#define CONF_THREADS_OPERANDS_MAX 256
#define CONF_THREADS_LENGTH_MAX   65536 /* elements of an array */
#define CONF_THREADS_NONE         SIZE_MAX

typedef enum conf_threads_op {
    CONF_THREADS_ASYNC_EVAL,
    CONF_THREADS_CLEAR_STREAMS,
    CONF_THREADS_DEFAULT_STREAM,
    CONF_THREADS_ENTER_SCOPE,
    CONF_THREADS_EVAL,
    CONF_THREADS_EXIT,
    CONF_THREADS_LEAVE_SCOPE,
    CONF_THREADS_MAKE,
    CONF_THREADS_NEW_STREAM,
    CONF_THREADS_NEW_THREAD_LOCAL_STREAM,
    CONF_THREADS_NEW_THREAD_UNSAFE_STREAM,
    CONF_THREADS_READ,
    CONF_THREADS_SET_DEFAULT_STREAM,
    CONF_THREADS_SYNCHRONIZE,
    CONF_THREADS_N_OPS
} conf_threads_op;

typedef enum conf_threads_result {
    CONF_THREADS_OK,
    CONF_THREADS_INDEX, /* the index of a stream */
    CONF_THREADS_VALUE, /* the elements of an array */
    CONF_THREADS_ERROR
} conf_threads_result;

/* The expected result of a step; only the member that `result` selects is set. */
typedef struct conf_threads_outcome {
    conf_threads_result result;
    int32_t index;
    float *value; /* [n] */
    size_t n;
    const char *error;
} conf_threads_outcome;

/* One step. Streams and arrays are identified by the index of the step that makes them. Strings are
 * borrowed from the document. */
typedef struct conf_threads_step {
    size_t thread; /* < n_threads of the program */
    conf_threads_op op;
    const char *as; /* the name of the stream or array that it makes, or NULL */
    assay_device device;
    size_t stream, scope; /* steps; CONF_THREADS_NONE: not given */
    assay_array_fn fn;
    size_t length; /* of ASSAY_ARRAY_ARANGE */
    size_t *of;    /* [n_of], steps that make the operands */
    size_t n_of;
    conf_threads_outcome expect;
} conf_threads_step;

typedef struct conf_threads_program {
    conf_threads_step *steps; /* [n_steps] */
    size_t n_steps, n_threads;
} conf_threads_program;

#endif
