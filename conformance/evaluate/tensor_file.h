/* Named tensors in a file, loaded into memory one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_TENSOR_FILE_H
#define CONFORMANCE_EVALUATE_TENSOR_FILE_H

#include "conformance/case/case.h"

/* Named tensors that lie in a file, and come into memory one at a time. */
typedef struct conf_tensors conf_tensors;

/* Open the tensors of a case's /trace, of an observation's /observed/trace, or an empty temporary file.
 * file and c are borrowed. Fail with ASSAY_ENOMEM, ASSAY_EIO and as conf_h5_members does; the caller
 * frees *out. */
assay_status conf_tensors_of_case(const conf_h5 *file, const conf_case *c, conf_tensors **out,
                                  assay_error *err);
assay_status conf_tensors_of_observation(const conf_h5 *file, conf_tensors **out, assay_error *err);

assay_status conf_tensors_create(conf_tensors **out, assay_error *err);
void conf_tensors_free(conf_tensors *t);
size_t conf_tensors_count(const conf_tensors *t);

/* The tensor of that name, without its values; NULL if there is none. */
const conf_trace *conf_tensors_find(const conf_tensors *t, const char *name);
const conf_trace *conf_tensors_at(const conf_tensors *t, size_t i);

/* Its values, F64; the caller frees *out. ASSAY_EFORMAT if they are not floating-point numbers. */
assay_status conf_tensors_get(const conf_tensors *t, const conf_trace *trace, conf_array *out,
                              assay_error *err);

/* Adds a tensor to a temporary file, unless it has one with that name. */
assay_status conf_tensors_put(conf_tensors *t, const assay_tensor *tensor, assay_error *err);

#endif
