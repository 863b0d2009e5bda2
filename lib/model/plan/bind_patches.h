/* Binding the patch embedding of a tower.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_PLAN_BIND_PATCHES_H
#define MODEL_PLAN_BIND_PATCHES_H

#include "model/plan/bind.h"

/* The convolution name.weight whose stride is its kernel, and name.bias [D] where has_bias, as a product:
 * [D, C, F, S, S] as torch stores it, [D, F, S, S, C] as MLX does (weights_channels_last), or without F where
 * F is 1 (conv2d). patches: its sizes have been set; embed and weights_channels_last are filled in. Fails for
 * a shape that is neither, and for one that is both: C = F = S, or C = S without F. */
void bind_patches(bind *b, size_t hidden, plan_patches *patches, bool has_bias, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
