/* Textual cases of kind threads: programs of streams and deferred arrays, whose steps run strictly one after
 * the other, each on a thread of its own, in a process that has no stream yet.
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
    CONF_THREADS_INDEX, /* of a stream */
    CONF_THREADS_VALUE, /* of an array */
    CONF_THREADS_ERROR
} conf_threads_result;

/* What comes of a step. */
typedef struct conf_threads_outcome {
    conf_threads_result result;
    int32_t index;
    float *value; /* [n] */
    size_t n;
    const char *error;
} conf_threads_outcome;

/* One step. Streams and arrays are named by the step that makes them. Texts are borrowed from the document.
 */
typedef struct conf_threads_step {
    size_t thread; /* < n_threads of the program */
    conf_threads_op op;
    const char *as; /* NULL: what it makes has no name */
    assay_device device;
    size_t stream, scope; /* CONF_THREADS_NONE: not given */
    assay_array_fn fn;
    size_t length; /* of ARANGE */
    size_t *of;    /* [n_of] */
    size_t n_of;
    conf_threads_outcome expect;
} conf_threads_step;

typedef struct conf_threads_program {
    conf_threads_step *steps; /* [n_steps] */
    size_t n_steps, n_threads;
} conf_threads_program;

/* Reads the program of a vector at `at`, and checks that every name is made before it is used, by a step that
 * is expected to succeed, and that no thread does anything once it has ended. Borrows the document until
 * conf_threads_program_free. Fails with ASSAY_EFORMAT or ASSAY_ENOMEM. */
assay_status conf_threads_program_read(const conf_json_at *at, conf_threads_program *out,
                                       conf_strings *unknown, assay_error *err);
void conf_threads_program_free(conf_threads_program *program);

/* "step 9 (thread 2, eval a3)" */
void conf_threads_step_print(char *text, size_t size, const conf_threads_program *program, size_t step);

/* "make", …, as the format spells them. */
extern const char *const conf_threads_ops[CONF_THREADS_N_OPS];

/* For conf_textual. */
assay_status conf_threads_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                assay_error *err);
const void *conf_threads_open(const char *module, conf_verdict *v);
void conf_threads_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                         const conf_json_at *at, conf_verdict *v);

#endif
