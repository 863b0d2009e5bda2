/* Models and sessions of a program, and the parts of requests that describe steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_OBJECT_H
#define CONFORMANCE_EXEC_OBJECT_H

#include "conformance/exec/link.h"

/* number: by which the program knows it. note: what it says of the model; empty: nothing. */
struct assay_model {
    uint64_t number;
    size_t vocab;
    char note[1024];
    int32_t *stop_ids; /* [n_stop_ids]; NULL: not known */
    size_t n_stop_ids;
};

/* tap: fn is NULL without one. */
struct assay_session {
    uint64_t number;
    const assay_model *model;
    assay_tap tap;
};

/* Adds members to the header of a request; the message is marked as failed if memory runs out. */
void exec_add(exec_message *m, const char *name, json_object *value);
void exec_add_number(exec_message *m, const char *name, uint64_t number);

/* A step as the protocol has it, as an object that the caller adds. Tensors of its items join the body.
 * with_outputs: whether it has outputs and positions. */
json_object *exec_step_object(exec_message *m, const assay_step *step, bool with_outputs);

/* Lists of numbers: [n], and [n_axes][n]. */
json_object *exec_numbers(exec_message *m, const int32_t *numbers, size_t n);
json_object *exec_number_rows(exec_message *m, const int32_t *numbers, size_t n_axes, size_t n);

/* Sends a request, ends the message, and frees the answer: for calls whose answers are empty. */
assay_status exec_call_plain(exec_message *m, const char *name, assay_error *err);

/* The same for an answer with a whole number from 0 to `most` in `member`. */
assay_status exec_call_whole(exec_message *m, const char *name, const char *member, int64_t most,
                             int64_t *out, assay_error *err);

/* The header of an answer, for reading it. */
conf_json_at exec_header(const exec_frame *f);

/* Reads a list of n numbers into out. Fails with ASSAY_EFORMAT. */
assay_status exec_read_numbers(const conf_json_at *at, size_t n, int32_t *out, assay_error *err);
assay_status exec_read_number_rows(const conf_json_at *at, size_t n_axes, size_t n, int32_t *out,
                                   assay_error *err);

#endif
