/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_conv.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/plan/bind_tensor.h"

void bind_convolution_2d(bind *b, plan_convolution *c, bool has_bias, const char *format, ...)
{
    char name[BIND_NAME_MAX];
    const size_t n = c->is_depthwise ? 1 : c->n_in, k = c->kernel;
    const size_t torch[] = {c->n_out, n, k, k}, mlx[] = {c->n_out, k, k, n};
    BIND_TENSOR_NAME(name, ".weight", format);
    const assay_tensor *t = bind_tensor_take(
        b, name, BIND_FLOATS, 4, c->channels_last ? mlx : torch,
        c->channels_last ? ", channels last, as another convolution of the tower has them" : "");
    c->product.weight = bind_tensor_weight(b, t, c->n_out, plan_convolution_columns(c));
    if (!has_bias) return;
    BIND_TENSOR_NAME(name, ".bias", format);
    c->product.bias = bind_tensor_vector(b, bind_tensor_take(b, name, BIND_FLOATS, 1, &c->n_out, ""));
}

bool bind_is_channels_last(const bind *b, size_t channels, size_t kernel, const char *name)
{
    char full[BIND_NAME_MAX];
    (void)snprintf(full, sizeof full, "%s%s.weight", b->prefix, name);
    const assay_tensor *t = weights_find(b->weights, full);
    return t && t->rank == 4 && t->shape[1] == kernel && t->shape[3] == channels;
}
