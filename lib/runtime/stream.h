/* Streams: which thread may submit work, in which order it runs, and how errors are reported. The rules, and
 * their source, are in include/assay/stream.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNTIME_STREAM_H
#define RUNTIME_STREAM_H

#include <assay/stream.h>

#include "runtime/queue.h"

/* A stream that has been created; lives until the library is unloaded. */
typedef struct stream stream;

size_t stream_device_count(assay_device_type type);

/* As the functions of assay_streams of the same names without the prefix. */
assay_status stream_new(assay_device device, assay_stream_kind kind, assay_stream *out, assay_error *err);
assay_status stream_default(assay_device device, assay_stream *out, assay_error *err);
assay_status stream_set_default(assay_stream name, assay_error *err);
assay_status stream_scope_enter(assay_stream name, assay_scope *out, assay_error *err);
assay_status stream_scope_leave(const assay_scope *scope, assay_error *err);
void stream_clear(void);
assay_status stream_synchronize(const assay_stream *name, assay_error *err);

/* The stream that a name denotes on this thread; NULL: the default stream of the default device. Fails
 * as stream_default and stream_new do, and with ASSAY_EINVAL for the name of no existing stream. */
assay_status stream_find(const assay_stream *name, stream **out, assay_error *err);

/* The name of a stream. */
assay_stream stream_name(const stream *s);

/* Whether this thread may submit work; ASSAY_ESTREAM if not. */
assay_status stream_check(const stream *s, assay_error *err);

queue *stream_queue(stream *s);

#endif
