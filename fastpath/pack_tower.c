/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/pack_tower.h"

#include "fastpath/pack_matrix.h"

static void pack_mlp(fp_packer *p, fp_mlp *to, const plan_mlp *from)
{
    fp_pack_linear(p, &to->gate, &from->gate);
    fp_pack_linear(p, &to->up, &from->up);
    fp_pack_linear(p, &to->down, &from->down);
}

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
    pack_mlp(p, &to->mlp, &from->mlp);
    fp_pack_vector(p, &to->mixer_gate, &from->mixer_gate);
    fp_pack_vector(p, &to->mlp_gate, &from->mlp_gate);
}

static void pack_tiles(fp_packer *p, fp_tiles *to, const plan_tiles *from)
{
    fp_pack_matrix(p, &to->before, &from->before);
    fp_pack_table(p, &to->positions, &from->positions);
    fp_pack_table(p, &to->tile_positions, &from->tile_positions);
    fp_pack_matrix(p, &to->after, &from->after);
    fp_pack_vector(p, &to->class_row, &from->class_row);
    fp_pack_vector(p, &to->before_gate, &from->before_gate);
    fp_pack_vector(p, &to->positions_gate, &from->positions_gate);
    fp_pack_vector(p, &to->after_gate, &from->after_gate);
    fp_pack_norm(p, &to->middle, &from->middle);
}

static void pack_merger(fp_packer *p, fp_merger *to, const plan_merger *from)
{
    for (size_t i = 0; i < from->n_steps; i++) {
        const plan_merger_step *step = &from->steps[i];
        if (step->kind == PLAN_MERGER_NORM) fp_pack_norm(p, &to->steps[i].norm, &step->norm);
        if (step->kind == PLAN_MERGER_LINEAR) fp_pack_linear(p, &to->steps[i].linear, &step->linear);
        if (step->kind == PLAN_MERGER_ROW_ENDS) fp_pack_vector(p, &to->steps[i].vector[0], &step->row_end);
        if (step->kind == PLAN_MERGER_ENDS) {
            fp_pack_vector(p, &to->steps[i].vector[0], &step->begin);
            fp_pack_vector(p, &to->steps[i].vector[1], &step->end);
        }
        if (step->kind == PLAN_MERGER_MLP) pack_mlp(p, &to->steps[i].mlp, &step->mlp);
    }
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The widest row of a merger that an activation without a gate may have. */
static size_t widest_of_merger(const plan_tower *t, const plan_merger *m)
{
    size_t width = m == &t->merger ? plan_tower_state(t) : t->hidden, widest = width;
    for (size_t i = 0; i < m->n_steps; i++) {
        const plan_merger_step *step = &m->steps[i];
        width = plan_merger_step_width(step, width, t->merge);
        widest = larger(widest, width);
        if (step->kind == PLAN_MERGER_MLP) widest = larger(widest, step->mlp.intermediate);
    }
    return widest;
}

/* At least as many elements as any activation without a gate has. */
static size_t widest_activation(const plan_tower *t)
{
    size_t widest = t->present ? widest_of_merger(t, &t->merger) : 0;
    for (size_t k = 0; t->kind == PLAN_TOWER_AUDIO && k < PLAN_AUDIO_CONVOLUTIONS; k++)
        widest = larger(widest, t->audio.convolutions[k].product.weight.rows);
    if (t->kind == PLAN_TOWER_CONV) widest = larger(widest, fp_conv_widest(&t->conv));
    for (size_t i = 0; i < t->n_layers; i++) widest = larger(widest, t->layers[i].mlp.intermediate);
    for (size_t k = 0; k < t->n_deepstack; k++)
        widest = larger(widest, widest_of_merger(t, &t->deepstack[k].merger));
    return widest;
}

/* The weights that towers of one kind alone have. */
static void pack_kind(fp_packer *p, fp_tower *to, const plan_tower *from)
{
    if (from->kind == PLAN_TOWER_TILES) pack_tiles(p, &to->tiles, &from->tiles);
    if (from->kind == PLAN_TOWER_CONV) fp_conv_pack(p, &to->conv, &from->conv);
    for (size_t k = 0; from->kind == PLAN_TOWER_AUDIO && k < PLAN_AUDIO_CONVOLUTIONS; k++)
        fp_pack_linear(p, &to->convolutions[k], &from->audio.convolutions[k].product);
}

void fp_tower_pack(fp_packer *p, fp_tower *to, const plan_tower *from)
{
    if (!from->present) return;
    pack_kind(p, to, from);
    fp_pack_linear(p, &to->embed, &from->patches.embed);
    fp_pack_norm(p, &to->in_norm, &from->in_norm);
    fp_pack_norm(p, &to->out_norm, &from->out_norm);
    fp_pack_table(p, &to->table, &from->table.weight);
    to->layers = fp_pack_alloc(p, from->n_layers, sizeof *to->layers);
    for (size_t i = 0; to->layers && i < from->n_layers; i++) pack_layer(p, &to->layers[i], &from->layers[i]);
    fp_pack_vector(p, &to->pool_bias, &from->pooling.bias);
    fp_pack_vector(p, &to->pool_scale, &from->pooling.scale);
    pack_merger(p, &to->merger, &from->merger);
    to->deepstack = fp_pack_alloc(p, from->n_deepstack, sizeof *to->deepstack);
    for (size_t k = 0; to->deepstack && k < from->n_deepstack; k++)
        pack_merger(p, &to->deepstack[k], &from->deepstack[k].merger);
}

static size_t widest_of_layers(const plan *p)
{
    size_t widest = 0;
    for (size_t i = 0; i < p->n_layers; i++) {
        const plan_layer *l = &p->layers[i];
        if (l->mlp.present && l->mlp.gate.weight.rows == 0) widest = larger(widest, l->mlp.intermediate);
        if (l->mixer.kind == PLAN_MIXER_ATTENTION)
            widest = larger(widest, l->mixer.attention.head_scale.q.cols);
    }
    return widest;
}

const float *fp_tower_ones(fp_packer *p, const plan *of)
{
    const size_t n =
        larger(larger(widest_activation(&of->vision), widest_activation(&of->audio)), widest_of_layers(of));
    float *ones = fp_pack_alloc(p, n + 1, sizeof *ones);
    for (size_t i = 0; ones && i < n; i++) ones[i] = 1;
    return ones;
}

void fp_id_table_pack(fp_packer *p, fp_id_table *to, const plan_id_table *from)
{
    fp_pack_table(p, &to->table, &from->table);
    for (size_t i = 0; i < from->merger.n_steps; i++) {
        const plan_merger_step *step = &from->merger.steps[i];
        if (step->kind == PLAN_MERGER_NORM) fp_pack_norm(p, &to->steps[i].norm, &step->norm);
        else fp_pack_linear(p, &to->steps[i].linear, &step->linear);
    }
}
