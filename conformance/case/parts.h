/* Reading the parts of a case; for case.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_PARTS_H
#define CONFORMANCE_CASE_PARTS_H

#include "conformance/case/case.h"

/* Whether `schema` is one that this version reads; path: for the message. */
assay_status conf_schema_check(const char *path, const char *schema, assay_error *err);

/* The kind of that name, among the textual or the numeric ones. */
assay_status conf_kind_find(const char *path, const char *name, bool textual, conf_kind *out,
                            assay_error *err);

/* Sets c->model to the checkpoint at `model`, which must lie below the case's directory. */
assay_status conf_case_find_model(conf_case *c, const char *model, assay_error *err);

/* Reads the file at c->path, packed or not: the header and, where the kind is replayed, all vectors. */
assay_status conf_textual_read(conf_case *c, assay_error *err);

/* Fill c->decoder and c->rope; frame: as conf_case_read_frame does. What has been read on failure is freed by
 * conf_case_free. */
assay_status conf_decoder_read(const conf_h5 *file, conf_case *c, bool frame, assay_error *err);
void conf_decoder_free(conf_decoder *d);
assay_status conf_rope_read(const conf_h5 *file, conf_case *c, assay_error *err);
void conf_rope_free(conf_rope *r);

/* Fills d->rows from /expect/{truth,float32,bfloat16,int8}/{prefill,decode}; tokens, length and n_decode are
 * known. */
assay_status conf_rows_read(const conf_h5 *file, conf_decoder *d, assay_error *err);
/* Their sizes alone. */
assay_status conf_rows_count(const conf_h5 *file, conf_decoder *d, assay_error *err);
void conf_rows_free(conf_rows *rows);

/* Fills d->traces from /trace; outline: without values. */
assay_status conf_traces_read(const conf_h5 *file, conf_decoder *d, bool outline, assay_error *err);

/* Reads the tensor at `path`, "/trace/embed", which must be float64: shape and noise, not its values. */
assay_status conf_trace_outline_read(const conf_h5 *file, const char *path, conf_trace *trace,
                                     assay_error *err);

/* Notes every member of `group` that `known` (NULL-terminated) does not name, for a warning. */
assay_status conf_members_note(const conf_h5 *file, const char *group, const char *const *known,
                               conf_strings *unknown, assay_error *err);

/* The same for a list of names; what is noted is prefix and name. */
assay_status conf_strings_note(const conf_strings *names, const char *prefix, const char *const *known,
                               conf_strings *unknown, assay_error *err);

/* Reads `name` and checks type and shape; shape[i] SIZE_MAX: any length. */
assay_status conf_array_read(const conf_h5 *file, const char *name, assay_dtype dtype, size_t rank,
                             const size_t *shape, conf_array *out, assay_error *err);

/* The same of what may be of any floating type, read as F64. Not for a truth: one that went through float32
 * would make every float64 engine diverge. */
assay_status conf_array_read_wide(const conf_h5 *file, const char *name, size_t rank, const size_t *shape,
                                  conf_array *out, assay_error *err);

/* Fails where `noise`, a recorded distance from a truth with the largest magnitude max_abs, is above `most`:
 * conf_noise_most or conf_noise_most_tensor. what: whose noise it is, for the message. */
assay_status conf_noise_check(const char *path, const char *what, double noise, double max_abs, double most,
                              assay_error *err);

#endif
