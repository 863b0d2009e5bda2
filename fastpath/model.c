/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/model.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "fastpath/pack_matrix.h"
#include "model/formats/inputs.h"
#include "model/loader.h"
#include "model/plan/feature.h"
#include "model/plan/shapes.h"

/* The features that this engine does not implement: none at present. */
static const plan_feature_set LACKED = {{false}};

static fp_matrix *pack_list(fp_packer *p, const plan_weight *w, size_t n)
{
    fp_matrix *list = n ? fp_pack_alloc(p, n, sizeof *list) : NULL;
    for (size_t i = 0; list && i < n; i++) fp_pack_matrix(p, &list[i], &w[i]);
    return list;
}

static void pack_attention(fp_packer *p, fp_attention *to, const plan_attention *from)
{
    fp_pack_linear(p, &to->q, &from->q);
    fp_pack_linear(p, &to->k, &from->k);
    fp_pack_linear(p, &to->v, &from->v);
    fp_pack_linear(p, &to->o, &from->o);
    fp_pack_norm(p, &to->q_norm, &from->q_norm);
    fp_pack_norm(p, &to->k_norm, &from->k_norm);
    fp_pack_norm(p, &to->v_norm, &from->v_norm);
    fp_pack_vector(p, &to->sinks, &from->sinks);
    fp_pack_matrix(p, &to->scale_q, &from->head_scale.q);
    fp_pack_matrix(p, &to->scale_v, &from->head_scale.v);
    fp_pack_vector(p, &to->scale_alpha, &from->head_scale.alpha);
}

static void pack_delta(fp_packer *p, fp_delta *to, const plan_delta *from)
{
    fp_pack_linear(p, &to->qkv, &from->qkv);
    fp_pack_linear(p, &to->z, &from->z);
    fp_pack_linear(p, &to->a, &from->a);
    fp_pack_linear(p, &to->b, &from->b);
    fp_pack_linear(p, &to->out, &from->out);
    fp_pack_columns(p, &to->conv, &from->conv);
    fp_pack_vector(p, &to->a_log, &from->a_log);
    fp_pack_vector(p, &to->dt_bias, &from->dt_bias);
    fp_pack_norm(p, &to->norm, &from->norm);
}

static void pack_mlp(fp_packer *p, fp_mlp *to, const plan_mlp *from)
{
    fp_pack_linear(p, &to->gate, &from->gate);
    fp_pack_linear(p, &to->up, &from->up);
    fp_pack_linear(p, &to->down, &from->down);
}

static void pack_experts(fp_packer *p, fp_experts *to, const plan_experts *from)
{
    fp_pack_matrix(p, &to->router, &from->router);
    fp_pack_norm(p, &to->router_norm, &from->router_norm);
    fp_pack_vector(p, &to->router_scale, &from->router_scale);
    fp_pack_vector(p, &to->router_bias, &from->router_bias);
    fp_pack_vector(p, &to->choice_bias, &from->choice_bias);
    fp_pack_vector(p, &to->expert_scale, &from->expert_scale);
    to->gate = pack_list(p, from->gate, from->n_experts);
    to->up = pack_list(p, from->up, from->n_experts);
    to->down = pack_list(p, from->down, from->n_experts);
    fp_pack_rows(p, &to->gate_bias, &from->gate_bias);
    fp_pack_rows(p, &to->up_bias, &from->up_bias);
    fp_pack_rows(p, &to->down_bias, &from->down_bias);
    pack_mlp(p, &to->shared, &from->shared);
    fp_pack_matrix(p, &to->shared_gate, &from->shared_gate);
}

static void pack_streams(fp_packer *p, fp_layer *to, const plan_layer *from)
{
    fp_pack_norm(p, &to->altup.router_norm, &from->altup.router_norm);
    fp_pack_matrix(p, &to->altup.router, &from->altup.router);
    fp_pack_matrix(p, &to->altup.prediction, &from->altup.prediction);
    fp_pack_matrix(p, &to->altup.correction, &from->altup.correction);
    fp_pack_vector(p, &to->altup.output_scale, &from->altup.output_scale);
    fp_pack_linear(p, &to->laurel.left, &from->laurel.left);
    fp_pack_linear(p, &to->laurel.right, &from->laurel.right);
    fp_pack_norm(p, &to->laurel.norm, &from->laurel.norm);
}

static void pack_layer(fp_packer *p, fp_layer *to, const plan_layer *from)
{
    if (from->mixer.kind == PLAN_MIXER_DELTA) pack_delta(p, &to->delta, &from->mixer.delta);
    else pack_attention(p, &to->attention, &from->mixer.attention);
    fp_pack_norm(p, &to->mixer_in, &from->mixer_in);
    fp_pack_norm(p, &to->mixer_out, &from->mixer_out);
    fp_pack_norm(p, &to->mlp_in, &from->mlp_in);
    fp_pack_norm(p, &to->mlp_out, &from->mlp_out);
    fp_pack_norm(p, &to->mlp_dense_out, &from->mlp_dense_out);
    fp_pack_norm(p, &to->experts_in, &from->experts_in);
    fp_pack_norm(p, &to->experts_out, &from->experts_out);
    fp_pack_vector(p, &to->mixer_gate, &from->mixer_gate);
    fp_pack_vector(p, &to->mlp_gate, &from->mlp_gate);
    pack_mlp(p, &to->mlp, &from->mlp);
    if (from->experts.present) pack_experts(p, &to->experts, &from->experts);
    if (from->own_experts.present) pack_experts(p, &to->own_experts, &from->own_experts);
    fp_pack_linear(p, &to->layer_input.gate, &from->layer_input.gate);
    fp_pack_linear(p, &to->layer_input.projection, &from->layer_input.projection);
    fp_pack_norm(p, &to->layer_input.out_norm, &from->layer_input.out_norm);
    pack_streams(p, to, from);
    fp_pack_vector(p, &to->scalar, &from->scalar);
}

static void pack_weights(fp_model *m)
{
    const plan *p = m->plan;
    fp_packer *k = &m->packer;
    fp_pack_table(k, &m->embedding, &p->embedding);
    m->head = p->tied ? &m->embedding : &m->own_head;
    if (!p->tied) fp_pack_matrix(k, &m->own_head, &p->head);
    fp_pack_vector(k, &m->head_bias, &p->head_bias);
    fp_pack_table(k, &m->table, &p->layer_inputs.table);
    fp_pack_linear(k, &m->input_projection, &p->layer_inputs.projection);
    fp_pack_norm(k, &m->input_norm, &p->layer_inputs.norm);
    fp_pack_norm(k, &m->norm, &p->norm);
    if (p->streams.n > 0) {
        m->projection = pack_list(k, p->streams.projection, p->streams.n - 1);
        m->unprojection = pack_list(k, p->streams.unprojection, p->streams.n - 1);
    }
    m->layers = fp_pack_alloc(k, p->n_layers, sizeof *m->layers);
    for (size_t i = 0; m->layers && i < p->n_layers; i++) pack_layer(k, &m->layers[i], &p->layers[i]);
    fp_tower_pack(k, &m->vision, &p->vision);
    fp_tower_pack(k, &m->audio, &p->audio);
    m->ones = fp_tower_ones(k, p);
    fp_id_table_pack(k, &m->id_table, &p->id_table);
    m->caches = fp_pack_alloc(k, p->n_layers, sizeof *m->caches);
    if (m->caches) fp_cache_specs(p, k->compute != ASSAY_F32 ? m->kernels.narrow_bf16 : NULL, m->caches);
}

static size_t count_processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < 1 ? 1 : (size_t)n < FP_WORKERS_MAX ? (size_t)n : FP_WORKERS_MAX;
}

static assay_status realise_arrays(fp_model *m, const char *dir, assay_error *err)
{
    assay_error why;
    if (m->packer.is_short)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory for %zu parameters", dir,
                          m->plan->n_parameters);
    assay_status rc = array_list_realise(m->plan->arrays, &why);
    return rc == ASSAY_OK ? rc : assay_fail(err, rc, "%s: %s", dir, why.text);
}

typedef struct checking {
    const char *compute;
    const plan_weight *failed; /* the first */
} checking;

static void check_weight(void *context, const char *place, const plan_weight *w, double added)
{
    checking *c = context;
    (void)place;
    (void)added;
    const char *type;
    if (!c->failed && w->data && !format_inputs(c->compute, &w->stored, &type)) c->failed = w;
}

/* *found: the name as FORMAT_COMPUTES has it. Fails if it does not, or a matrix has no type in it. */
static assay_status check_compute(const plan *p, const char *compute, const char **found, assay_error *err)
{
    checking c = {.compute = compute};
    size_t i = 0;
    while (FORMAT_COMPUTES[i] && strcmp(FORMAT_COMPUTES[i], compute) != 0) i++;
    if (!FORMAT_COMPUTES[i])
        return assay_fail(err, ASSAY_EUNSUPPORTED, "compute: found %s, which fastpath does not have",
                          compute);
    plan_visit_weights(p, check_weight, &c);
    if (c.failed)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "compute: found %s, which is not defined for %s of %s",
                          compute, c.failed->name, c.failed->stored.format);
    *found = FORMAT_COMPUTES[i];
    return ASSAY_OK;
}

/* Of bfloat16, which is what narrower compute types cache anyway, nothing changes there. */
static assay_status narrow_caches(fp_model *m, const char *name, assay_error *err)
{
    const fp_cache_type *type = fp_cache_type_find(name);
    if (!type)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "cache: found %s, which fastpath does not have", name);
    if (!m->caches || (m->packer.compute != ASSAY_F32 && strcmp(name, "bf16") == 0)) return ASSAY_OK;
    return fp_cache_narrow(m->plan, type, m->caches, err);
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
    if (rc == ASSAY_OK) rc = plan_open_allowing(dir, options->allow_unknown, &m->plan, err);
    if (rc == ASSAY_OK) rc = plan_check_features(m->plan, &LACKED, "fastpath", err);
    if (rc != ASSAY_OK) return rc;
    if (options->compute_name) rc = check_compute(m->plan, options->compute_name, &m->packer.inputs, err);
    if (rc != ASSAY_OK) return rc;
    m->packer.pool = m->pool;
    m->packer.kernels = &m->kernels;
    m->packer.arrays = m->plan->arrays;
    m->packer.compute = options->compute ? options->compute : ASSAY_F32;
    pack_weights(m);
    fp_widened_print(&m->packer.widened, m->packer.compute, m->note, sizeof m->note);
    if (options->cache_name) rc = narrow_caches(m, options->cache_name, err);
    if (rc == ASSAY_OK) rc = realise_arrays(m, dir, err);
    if (rc != ASSAY_OK) return rc;
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

bool fp_model_has_same_rope(const fp_model *m, size_t length, size_t other)
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
