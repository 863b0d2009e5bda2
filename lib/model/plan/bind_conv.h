/* Binding convolutions of two dimensions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_CONV_H
#define MODEL_PLAN_BIND_CONV_H

#include "model/plan/bind.h"

/* The weight name.weight of a convolution whose sizes have been set: [n_out, c, k, k] as torch stores it or,
 * where c->channels_last, [n_out, k, k, c] as MLX does; c is n_in, or 1 of a depthwise one. And name.bias
 * [n_out], where has_bias. */
void bind_convolution_2d(bind *b, plan_convolution *c, bool has_bias, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether name.weight, a convolution of `channels` channels with a kernel of another side, is stored with
 * channels last. False if it is missing, or has neither shape. */
bool bind_is_channels_last(const bind *b, size_t channels, size_t kernel, const char *name);

#endif
