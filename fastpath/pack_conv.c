/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack_conv.h"

#include "fastpath/pack_matrix.h"

static void pack_unit(fp_packer *p, fp_conv_unit *to, const plan_conv_unit *from)
{
    const plan_convolution *c = &from->convolution;
    if (c->is_depthwise) {
        fp_pack_columns(p, &to->kernel, &c->product.weight);
        fp_pack_vector(p, &to->bias, &c->product.bias);
    } else {
        fp_pack_linear(p, &to->product, &c->product);
    }
    fp_pack_norm(p, &to->norm, &from->norm);
}

static void pack_block(fp_packer *p, fp_conv_block *to, const plan_conv_block *from)
{
    for (size_t i = 0; from->kind == PLAN_CONV_UNITS && i < from->n_units; i++)
        pack_unit(p, &to->units[i], &from->units[i]);
    if (from->kind == PLAN_CONV_ATTENTION) {
        fp_pack_norm(p, &to->norm, &from->norm);
        fp_pack_linear(p, &to->q, &from->attention.q);
        fp_pack_linear(p, &to->k, &from->attention.k);
        fp_pack_linear(p, &to->v, &from->attention.v);
        fp_pack_linear(p, &to->o, &from->attention.o);
    }
    if (from->kind == PLAN_CONV_ATTENTION && from->has_key_units) {
        pack_unit(p, &to->key, &from->key);
        pack_unit(p, &to->value, &from->value);
    }
    fp_pack_vector(p, &to->scale, &from->scale);
}

void fp_conv_pack(fp_packer *p, fp_conv_tower *to, const plan_conv_tower *from)
{
    to->blocks = fp_pack_alloc(p, from->n_blocks, sizeof *to->blocks);
    for (size_t i = 0; to->blocks && i < from->n_blocks; i++) pack_block(p, &to->blocks[i], &from->blocks[i]);
    pack_block(p, &to->fusion, &from->fusion);
}

static size_t widest_of_block(const plan_conv_block *b)
{
    size_t widest = 0;
    for (size_t i = 0; i < plan_conv_block_convolutions(b); i++) {
        const size_t n = plan_conv_block_unit(b, i)->convolution.n_out;
        widest = n > widest ? n : widest;
    }
    return widest;
}

size_t fp_conv_widest(const plan_conv_tower *t)
{
    size_t widest = widest_of_block(&t->fusion);
    for (size_t i = 0; i < t->n_blocks; i++) {
        const size_t n = widest_of_block(&t->blocks[i]);
        widest = n > widest ? n : widest;
    }
    return widest;
}
