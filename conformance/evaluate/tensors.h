/* The verdict on tensors of the forward pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_EVALUATE_TENSORS_H
#define CONFORMANCE_EVALUATE_TENSORS_H

#include <float.h>

#include "conformance/judge/tensor.h"
#include "conformance/replay/state.h"

/* The limit of a tensor without recorded noise. Only a difference in NaN or infinity exceeds it: its error is
 * infinite in units of 1. */
#define CONF_UNJUDGED DBL_MAX

#define CONF_UNJUDGED_TEXT_MAX 128
/* Names element j->at of a tensor [shape], which is out of bounds, in v->trace, and in v->tensor.
 * is_recorded: the bound is that of a recorded noise (or of float64); otherwise it is an estimate, and the
 * text says so. */
void conf_evaluate_tensor_where(conf_verdict *v, const char *name, const conf_array *shape,
                                const conf_tensor_judgement *j, double expected, double found, double limit,
                                bool is_recorded);

/* Fails for a tensor unless another part has failed before; the logits agree then, if they were judged. */
void conf_evaluate_fail_tensor(conf_verdict *v);

/* Judges the recorded tensors. Whether one is out of bounds, which v->trace then names. */
bool conf_evaluate_traces(const conf_replay *r);

/* The unit of a tensor's multiples: limit·unit = bound. float64: the engine's type. trace: with its values.
 * For a tensor without recorded noise in the engine's compute type, the noise of the logits is used. */
double conf_tensor_unit(const conf_case *c, bool float64, conf_compute compute, const conf_trace *trace);

/* Writes ", 2 of them only for NaN and infinities: …"; empty where n is 0. */
void conf_tensor_print_unjudged(char text[CONF_UNJUDGED_TEXT_MAX], const conf_verdict *v, size_t n);

/* Whether the noise of a tensor is recorded in this type; only float32 noise is ever recorded. */
bool conf_tensor_has_noise(const conf_trace *trace, conf_compute compute);

/* The largest error of a traced tensor in multiples of its bound, which may be an estimate; infinite if its
 * type or its shape is not the recorded one. */
double conf_traced_multiple(const conf_replay *r, const conf_traced *seen);

/* The bytes of a tensor's name that name its layer, "layer.07" of "layer.07.attn"; all, if it has no parts.
 */
size_t conf_tensor_layer_length(const char *name);

/* "[3,17]": element `at` of an array. */
void conf_tensor_print_index(char *text, size_t size, const conf_array *a, size_t at);

#endif
