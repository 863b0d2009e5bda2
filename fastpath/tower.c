/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/tower.h"

static void pack_layer(fp_packer *p, fp_tower_layer *to, const plan_tower_layer *from)
{
    fp_pack_norm(p, &to->mixer_in, &from->mixer_in);
    fp_pack_norm(p, &to->mixer_out, &from->mixer_out);
    fp_pack_norm(p, &to->mlp_in, &from->mlp_in);
    fp_pack_norm(p, &to->mlp_out, &from->mlp_out);
    fp_pack_linear(p, &to->q, &from->attention.q);
    fp_pack_linear(p, &to->k, &from->attention.k);
    fp_pack_linear(p, &to->v, &from->attention.v);
    fp_pack_linear(p, &to->o, &from->attention.o);
    fp_pack_norm(p, &to->q_norm, &from->attention.q_norm);
    fp_pack_norm(p, &to->k_norm, &from->attention.k_norm);
    fp_pack_norm(p, &to->v_norm, &from->attention.v_norm);
    fp_pack_linear(p, &to->gate, &from->mlp.gate);
    fp_pack_linear(p, &to->up, &from->mlp.up);
    fp_pack_linear(p, &to->down, &from->mlp.down);
}

static void pack_merger(fp_packer *p, fp_merger *to, const plan_merger *from)
{
    fp_pack_norm(p, &to->norm, &from->norm);
    fp_pack_linear(p, &to->first, &from->first);
    fp_pack_linear(p, &to->second, &from->second);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The largest number of elements of an activation without a gate. */
static size_t widest_activation(const plan_tower *t)
{
    size_t widest = t->merger.first.weight.rows;
    for (size_t i = 0; i < t->n_layers; i++) widest = larger(widest, t->layers[i].mlp.intermediate);
    for (size_t k = 0; k < t->n_deepstack; k++)
        widest = larger(widest, t->deepstack[k].merger.first.weight.rows);
    return widest;
}

void fp_tower_pack(fp_packer *p, fp_tower *to, const plan_tower *from)
{
    if (!from->present) return;
    fp_pack_linear(p, &to->embed, &from->patches.embed);
    fp_pack_norm(p, &to->in_norm, &from->in_norm);
    fp_pack_norm(p, &to->out_norm, &from->out_norm);
    fp_pack_matrix(p, &to->table, &from->table.weight);
    to->layers = fp_pack_alloc(p, from->n_layers, sizeof *to->layers);
    for (size_t i = 0; to->layers && i < from->n_layers; i++) pack_layer(p, &to->layers[i], &from->layers[i]);
    fp_pack_vector(p, &to->pool_bias, &from->pooling.bias);
    fp_pack_vector(p, &to->pool_scale, &from->pooling.scale);
    pack_merger(p, &to->merger, &from->merger);
    to->deepstack = fp_pack_alloc(p, from->n_deepstack, sizeof *to->deepstack);
    for (size_t k = 0; to->deepstack && k < from->n_deepstack; k++)
        pack_merger(p, &to->deepstack[k], &from->deepstack[k].merger);
    const size_t n = widest_activation(from);
    float *ones = fp_pack_alloc(p, n, sizeof *ones);
    for (size_t i = 0; ones && i < n; i++) ones[i] = 1;
    to->ones = ones;
}
