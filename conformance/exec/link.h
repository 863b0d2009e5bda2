/* Requests to an engine's program, and their answers. A process talks to one program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_LINK_H
#define CONFORMANCE_EXEC_LINK_H

#include "conformance/exec/frame.h"
#include "conformance/exec/process.h"

#define EXEC_PROTOCOL  1
#define EXEC_NAMES_MAX 32

/* Names of types that the program lists. given: whether it has the list, which may be empty. */
typedef struct exec_names {
    char at[EXEC_NAMES_MAX][24];
    size_t n;
    bool given;
} exec_names;

/* What the program says of itself. compute_types, cache_types: as in assay_engine. */
typedef struct exec_hello {
    char name[64], version[64];
    assay_dtype logits;
    exec_names compute_types, cache_types;
    bool stop_ids, join, leave, rewind, fork, tap, tap_writes, positions, rope;
} exec_hello;

/* Answers a frame of a tap: fills in `reply`. */
typedef assay_status exec_tap_fn(void *context, const exec_frame *f, const conf_json_at *tap,
                                 exec_message *reply, assay_error *err);

/* name: of the call. message: the other members of the request. body_most: the longest body of the answer.
 * tap: for frames before the answer; NULL: none may come. */
typedef struct exec_call {
    const char *name;
    exec_message *message;
    size_t body_most;
    exec_tap_fn *tap;
    void *context;
} exec_call;

/* In the process of a task: a program that is running already, which outlives this process, is used for its
 * command; NULL: none is. From now on the end of a program is the end of this process, in the same way, so
 * that it is judged like a crash of any other engine. */
void exec_link_contain(exec_process *lent);

/* Starts the program unless this process has one, and greets it; both once. Fails with ASSAY_EIO if it ends,
 * ASSAY_EFORMAT if it breaks the protocol, ASSAY_EUNSUPPORTED for a second program, and like
 * exec_process_start. */
assay_status exec_link_open(const char *command, const exec_hello **out, assay_error *err);

/* Reads the answer to a hello. Fails with ASSAY_EFORMAT. */
assay_status exec_hello_read(const exec_frame *f, exec_hello *hello, assay_error *err);

/* What the program has said; valid after exec_link_open. */
const exec_hello *exec_link_hello(void);

/* What messages call the program. */
const char *exec_link_name(void);

/* Sends a request and waits for its answer; any thread may call this, one request is under way at a time.
 * Fails with the program's error; with ASSAY_EFORMAT if the program breaks the protocol, after which it is
 * ended and all calls fail; and with ASSAY_ENOMEM. *answer is valid after success; free it with
 * exec_frame_free. */
assay_status exec_link_call(const exec_call *call, exec_frame *answer, assay_error *err);

/* After an answer has been read: rc says whether it is what was asked for, and *why what is wrong. Returns
 * rc, and then fills err (may be NULL). ASSAY_EFORMAT also ends the program: all later calls fail for the
 * reason in *why. */
assay_status exec_link_settle(assay_status rc, const assay_error *why, assay_error *err);

#endif
