/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/model.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "model/dtype.h"
#include "model/error.h"

static fp_matrix *pack_list(fp_packer *p, const plan_weight *w, size_t n)
{
    fp_matrix *list = n ? fp_pack_alloc(p, n, sizeof *list) : NULL;
    for (size_t i = 0; list && i < n; i++) list[i] = fp_pack_matrix(p, &w[i]);
    return list;
}

static void pack_attention(fp_packer *p, fp_attention *to, const plan_attention *from)
{
    to->q = fp_pack_linear(p, &from->q);
    to->k = fp_pack_linear(p, &from->k);
    to->v = fp_pack_linear(p, &from->v);
    to->o = fp_pack_linear(p, &from->o);
    to->q_norm = fp_pack_norm(p, &from->q_norm);
    to->k_norm = fp_pack_norm(p, &from->k_norm);
    to->v_norm = fp_pack_norm(p, &from->v_norm);
}

static void pack_experts(fp_packer *p, fp_experts *to, const plan_experts *from)
{
    to->router = fp_pack_matrix(p, &from->router);
    to->router_norm = fp_pack_norm(p, &from->router_norm);
    to->router_scale = fp_pack_vector(p, &from->router_scale);
    to->expert_scale = fp_pack_vector(p, &from->expert_scale);
    to->gate = pack_list(p, from->gate, from->n_experts);
    to->up = pack_list(p, from->up, from->n_experts);
    to->down = pack_list(p, from->down, from->n_experts);
}

static void pack_streams(fp_packer *p, fp_layer *to, const plan_layer *from)
{
    to->altup.router_norm = fp_pack_norm(p, &from->altup.router_norm);
    to->altup.router = fp_pack_matrix(p, &from->altup.router);
    to->altup.prediction = fp_pack_matrix(p, &from->altup.prediction);
    to->altup.correction = fp_pack_matrix(p, &from->altup.correction);
    to->altup.output_scale = fp_pack_vector(p, &from->altup.output_scale);
    to->laurel.left = fp_pack_linear(p, &from->laurel.left);
    to->laurel.right = fp_pack_linear(p, &from->laurel.right);
    to->laurel.norm = fp_pack_norm(p, &from->laurel.norm);
}

static void pack_layer(fp_packer *p, fp_layer *to, const plan_layer *from)
{
    pack_attention(p, &to->attention, &from->mixer.attention);
    to->mixer_in = fp_pack_norm(p, &from->mixer_in);
    to->mixer_out = fp_pack_norm(p, &from->mixer_out);
    to->mlp_in = fp_pack_norm(p, &from->mlp_in);
    to->mlp_out = fp_pack_norm(p, &from->mlp_out);
    to->mlp_dense_out = fp_pack_norm(p, &from->mlp_dense_out);
    to->experts_in = fp_pack_norm(p, &from->experts_in);
    to->experts_out = fp_pack_norm(p, &from->experts_out);
    to->mlp.gate = fp_pack_linear(p, &from->mlp.gate);
    to->mlp.up = fp_pack_linear(p, &from->mlp.up);
    to->mlp.down = fp_pack_linear(p, &from->mlp.down);
    if (from->experts.present) pack_experts(p, &to->experts, &from->experts);
    to->layer_input.gate = fp_pack_linear(p, &from->layer_input.gate);
    to->layer_input.projection = fp_pack_linear(p, &from->layer_input.projection);
    to->layer_input.out_norm = fp_pack_norm(p, &from->layer_input.out_norm);
    pack_streams(p, to, from);
    to->scalar = fp_pack_vector(p, &from->scalar);
}

static bool depends_on_length(const rope *r)
{
    return r->type == ROPE_DYNAMIC || r->type == ROPE_LONGROPE;
}

static void make_frequencies(fp_model *m)
{
    const plan *p = m->plan;
    m->frequency = fp_pack_alloc(&m->packer, p->n_ropes, sizeof *m->frequency);
    for (size_t r = 0; m->frequency && r < p->n_ropes; r++) {
        if (depends_on_length(&p->ropes[r])) continue;
        m->frequency[r] = fp_pack_alloc(&m->packer, p->ropes[r].dim / 2, sizeof(double));
        if (m->frequency[r]) rope_frequencies(&p->ropes[r], 1, m->frequency[r]);
    }
}

static void pack(fp_model *m)
{
    const plan *p = m->plan;
    fp_packer *k = &m->packer;
    m->embedding = fp_pack_matrix(k, &p->embedding);
    m->head = p->tied ? m->embedding : fp_pack_matrix(k, &p->head);
    m->table = fp_pack_matrix(k, &p->layer_inputs.table);
    m->input_projection = fp_pack_linear(k, &p->layer_inputs.projection);
    m->input_norm = fp_pack_norm(k, &p->layer_inputs.norm);
    m->norm = fp_pack_norm(k, &p->norm);
    if (p->streams.n > 0) {
        m->projection = pack_list(k, p->streams.projection, p->streams.n - 1);
        m->unprojection = pack_list(k, p->streams.unprojection, p->streams.n - 1);
    }
    m->layers = fp_pack_alloc(k, p->n_layers, sizeof *m->layers);
    for (size_t i = 0; m->layers && i < p->n_layers; i++) pack_layer(k, &m->layers[i], &p->layers[i]);
    m->caches = fp_pack_alloc(k, p->n_layers, sizeof *m->caches);
    if (m->caches) fp_cache_specs(p, k->compute != ASSAY_F32 ? m->kernels.narrow_bf16 : NULL, m->caches);
    make_frequencies(m);
}

static size_t count_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : (size_t)n < FP_WORKERS_MAX ? (size_t)n : FP_WORKERS_MAX;
}

static assay_status open_parts(fp_model *m, const char *dir, const fp_options *options, assay_error *err)
{
    fp_isa isa;
    size_t n = options->n_workers ? options->n_workers : count_processors();
    if (n > FP_WORKERS_MAX)
        return assay_fail(err, ASSAY_EINVAL, "workers: found %zu, expected 1 to %zu", n, FP_WORKERS_MAX);
    if (options->compute != ASSAY_DTYPE_NONE && options->compute != ASSAY_F32 &&
        options->compute != ASSAY_BF16 && options->compute != ASSAY_I8)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "compute: found %s, expected f32, bf16 or i8",
                          dtype_name(options->compute));
    assay_status rc = fp_isa_choose(options->isa, "ASSAY_ISA", &isa, err);
    if (rc != ASSAY_OK) return rc;
    m->kernels = fp_kernels_pick(isa);
    if (options->kernels) rc = fp_kernels_replace(&m->kernels, options->kernels, err);
    if (rc != ASSAY_OK) return rc;
    rc = fp_pool_open(n, options->grain == SIZE_MAX ? FP_GRAIN : options->grain, &m->pool, err);
    if (rc == ASSAY_OK) rc = plan_open(dir, &m->plan, err);
    if (rc != ASSAY_OK) return rc;
    m->packer.pool = m->pool;
    m->packer.kernels = &m->kernels;
    m->packer.compute = options->compute ? options->compute : ASSAY_F32;
    pack(m);
    if (m->packer.status == ASSAY_EUNSUPPORTED)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: %s", dir, m->packer.why);
    if (m->packer.status != ASSAY_OK)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory for %zu parameters", dir,
                          m->plan->n_parameters);
    plan_release_weights(m->plan);
    return ASSAY_OK;
}

assay_status fp_model_open(const char *dir, const fp_options *options, fp_model **out, assay_error *err)
{
    fp_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = open_parts(m, dir, options, err);
    if (rc == ASSAY_OK) *out = m;
    else fp_model_free(m);
    return rc;
}

void fp_model_free(fp_model *m)
{
    if (!m) return;
    fp_pool_free(m->pool);
    plan_free(m->plan);
    fp_pack_free(&m->packer);
    free(m);
}

bool fp_model_rotates_alike(const fp_model *m, size_t length, size_t other)
{
    for (size_t i = 0; i < m->plan->n_ropes; i++) {
        const rope *r = &m->plan->ropes[i];
        if (r->type == ROPE_LONGROPE &&
            ((double)length > r->original_length) != ((double)other > r->original_length))
            return false;
        if (r->type == ROPE_DYNAMIC && length != other &&
            ((double)length > r->max_length || (double)other > r->max_length))
            return false;
    }
    return true;
}
