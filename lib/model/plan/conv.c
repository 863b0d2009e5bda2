/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/conv.h"

size_t plan_convolution_pixels(const plan_convolution *c, size_t n)
{
    return n / c->stride + (n % c->stride != 0);
}

size_t plan_convolution_before(const plan_convolution *c, size_t n)
{
    const size_t end = (plan_convolution_pixels(c, n) - 1) * c->stride + c->kernel;
    return end > n ? (end - n) / 2 : 0;
}

size_t plan_convolution_columns(const plan_convolution *c)
{
    return c->kernel * c->kernel * (c->is_depthwise ? 1 : c->n_in);
}

size_t plan_conv_block_out(const plan_conv_block *b)
{
    return b->kind == PLAN_CONV_ATTENTION ? b->attention.o.weight.rows
                                          : b->units[b->n_units - 1].convolution.n_out;
}

size_t plan_conv_block_in(const plan_conv_block *b)
{
    return b->kind == PLAN_CONV_ATTENTION ? b->attention.q.weight.cols : b->units[0].convolution.n_in;
}

size_t plan_conv_block_pixels(const plan_conv_block *b, size_t n)
{
    for (size_t i = 0; b->kind == PLAN_CONV_UNITS && i < b->n_units; i++)
        n = plan_convolution_pixels(&b->units[i].convolution, n);
    return n;
}

size_t plan_conv_block_convolutions(const plan_conv_block *b)
{
    if (b->kind == PLAN_CONV_UNITS) return b->n_units;
    return b->has_key_units ? 2 : 0;
}

const plan_conv_unit *plan_conv_block_unit(const plan_conv_block *b, size_t i)
{
    if (b->kind == PLAN_CONV_UNITS) return &b->units[i];
    return i == 0 ? &b->key : &b->value;
}
