/* Frames between the harness and an engine's program (docs/protocol.md): a JSON header and a body of tensors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EXEC_FRAME_H
#define CONFORMANCE_EXEC_FRAME_H

#include <assay/engine.h>

#include <json-c/json.h>

#include "conformance/support/json_at.h"

#define EXEC_HEADER_MAX ((size_t)16 << 20)

/* A frame that is read: untrusted input. */
typedef struct exec_frame {
    json_object *header; /* an object */
    unsigned char *body; /* [n_body], aligned for every type */
    size_t n_body;
} exec_frame;

/* A frame that is written. header is owned; the data of parts is borrowed until the frame is written. */
typedef struct exec_message {
    json_object *header;
    assay_tensor *parts; /* [n_parts], in the order of the body */
    size_t n_parts;
    size_t n_body;
    bool failed; /* out of memory */
} exec_message;

/* Reads one frame, of which nothing was read before. who: the program, for messages. Memory grows with the
 * bytes that have arrived. Fails with ASSAY_EIO if `from` ends (also in the middle of a frame) or cannot be
 * read, with ASSAY_EFORMAT if the bytes are no frame, the header is not one strict JSON object, or the body
 * is longer than body_most. Free *out with exec_frame_free, also after a failure. */
assay_status exec_frame_read(int from, const char *who, size_t body_most, exec_frame *out, assay_error *err);
void exec_frame_free(exec_frame *f);

/* The tensor that a value of the header describes; its data and its name ("" without one) are borrowed from
 * the frame. Fails with ASSAY_EFORMAT if it is not well-formed, or its bytes do not lie in the body. */
assay_status exec_frame_tensor(const exec_frame *f, const conf_json_at *at, assay_tensor *out,
                               assay_error *err);

/* exec_frame_tensor, which must have this type and shape [rank]. */
assay_status exec_frame_tensor_of(const exec_frame *f, const conf_json_at *at, assay_dtype dtype,
                                  const size_t *shape, size_t rank, assay_tensor *out, assay_error *err);

/* Starts a message with an empty header. */
void exec_message_begin(exec_message *m);
void exec_message_end(exec_message *m);

/* The object that describes a tensor, whose data becomes the next part of the body; NULL if out of memory.
 * The caller adds it to the header. */
json_object *exec_message_tensor(exec_message *m, const assay_tensor *t);

/* Writes a frame. Fails with ASSAY_ENOMEM, with ASSAY_EUNSUPPORTED if the header is longer than
 * EXEC_HEADER_MAX, and with ASSAY_EIO, not with SIGPIPE, if the other side no longer reads. */
assay_status exec_message_write(int to, const char *who, const exec_message *m, assay_error *err);

#endif
