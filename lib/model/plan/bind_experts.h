/* Matrices of the experts of a layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_EXPERTS_H
#define MODEL_PLAN_BIND_EXPERTS_H

#include "model/plan/bind.h"

/* The experts of one layer below prefix + base, in a published layout: base.E.{gate,up,down}_proj.weight
 * per expert, from E = first on; fused base.gate_up_proj [E, 2I, D] (or [E, D, 2I]) with base.down_proj [E,
 * D, I] (or [E, I, D]), gate first; or mlx-lm's stacked.{gate,up,down}_proj.weight, [E, out, in]. The
 * orientation of a square matrix is ambiguous: the published one, [out, in], is assumed. Fills x->gate,
 * x->up, x->down for x->n_experts and x->intermediate. */
void bind_experts(bind *b, plan_experts *x, size_t hidden, size_t first, const char *base,
                  const char *stacked);

/* The matrices base.E.NAME.weight of each expert, by the names of gate, up and down. */
void bind_named_experts(bind *b, plan_experts *x, size_t hidden, const char *base,
                        const char *const names[3]);

/* The same from two stacks below base: fc1.weight [E, 2I, D], of each expert gate first, and fc2.weight
 * [E, D, I]. */
void bind_stacked_experts(bind *b, plan_experts *x, size_t hidden, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The experts below base of gpt-oss, with biases: base.gate_up_proj [E, D, 2I], whose columns 2i are gate's
 * and 2i + 1 up's, with gate_up_proj_bias [E, 2I], and down_proj [E, I, D] with down_proj_bias [E, D]; the
 * same two matrices in a format, [E, 2I, D] and [E, D, I]; or, as converters split them,
 * base.{gate,up,down}_proj.weight [E, out, in] with .bias [E, out]. */
void bind_biased_experts(bind *b, plan_experts *x, size_t hidden, const char *base);

#endif
