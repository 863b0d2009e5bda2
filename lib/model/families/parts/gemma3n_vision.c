/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/gemma3n_vision.h"

#include <math.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/mobilenet.h"
#include "model/plan/bind_matrix.h"
#include "model/plan/bind_vector.h"

/* The last tensor of the encoder: without it, a file has parts of a tower at most. */
static const char PROBE[] = "vision_tower.timm_model.msfa.norm.weight";
static const char *const PREFIXES[] = {"model.", ""};
static const char *const INSIDE[] = {"model.vision_tower.timm_model.", "vision_tower.timm_model."};

enum { N_PREFIXES = sizeof PREFIXES / sizeof *PREFIXES };

/* The embedder: norm, product, norm without weights; of the soft embedding or the hard one. */
static plan_merger make_merger(const family_vision *v, plan_norm first, plan_linear projection)
{
    return (plan_merger){
        3,
        {{PLAN_MERGER_NORM, .norm = first},
         {PLAN_MERGER_LINEAR, .linear = projection},
         {PLAN_MERGER_NORM, .norm = {.present = true, .epsilon = v->epsilon, .width = v->own.plan->hidden}}}};
}

static void read_ids(family_vision *v, size_t audio_offset)
{
    plan *p = v->own.plan;
    config *outer = v->around;
    const size_t first = config_count_or(&v->config, "vocab_offset", 262144),
                 n = config_size_or(&v->config, "vocab_size", 128);
    const size_t image = config_count_or(outer, "image_token_id", 262145),
                 n_soft = config_size_or(outer, "vision_soft_tokens_per_image", 256);
    const size_t end = audio_offset < p->vocab ? audio_offset : p->vocab, side = p->vision.conv.side;
    if (!family_ok(&v->own) || outer->status != ASSAY_OK) return;
    if (first > end || end - first > n)
        config_fail(&v->config, ASSAY_EUNSUPPORTED,
                    "vocab_size: found %zu ids from %zu on, expected to reach %zu, where other ids begin", n,
                    first, end);
    else if (image >= end)
        config_fail(outer, ASSAY_EFORMAT, "image_token_id: found %zu, expected an id below %zu", image, end);
    else if (n_soft != side * side)
        config_fail(outer, ASSAY_EFORMAT,
                    "vision_soft_tokens_per_image: found %zu, expected %zu x %zu, as the tower gives them",
                    n_soft, side, side);
    p->id_table.first = (int32_t)first;
    p->id_table.n = n;
    p->n_token_ids = end;
    p->vision.image_token = (int32_t)image;
}

static void bind_embedder(family_vision *v)
{
    bind *b = v->own.bind;
    plan *p = v->own.plan;
    plan_tower *t = &p->vision;
    const size_t width = t->hidden;
    const plan_linear projection =
        bind_linear(b, p->hidden, width, false, "embed_vision.embedding_projection");
    const plan_norm soft = bind_norm(b, width, v->epsilon, "embed_vision.soft_embedding_norm"),
                    hard = bind_norm(b, width, v->epsilon, "embed_vision.hard_embedding_norm");
    t->pooling.factor = sqrt((double)width);
    t->merger = make_merger(v, soft, projection);
    p->id_table.table = bind_matrix(b, p->id_table.n, width, "embed_vision.embedding.weight");
    p->id_table.merger = make_merger(v, hard, projection);
}

void family_gemma3n_tower(family *f, size_t audio_offset)
{
    if (!f->outer || !config_has(f->outer, "vision_config") || !family_ok(f)) return;
    if (!family_vision_is_stored(f, PREFIXES, N_PREFIXES, PROBE)) {
        config_note(f->outer->notes, "vision_config: the checkpoint has no tower, images are not read");
        return;
    }
    family_vision v;
    bind_place around;
    family_vision_begin(&v, f, "gemma3n_vision", PREFIXES, N_PREFIXES, PROBE);
    bind_enter(f->bind, INSIDE, N_PREFIXES, "msfa.norm.weight", &around);
    family_mobilenet(&v);
    bind_leave(f->bind, &around);
    v.epsilon = family_epsilon(&v.own, 1e-6);
    const size_t width = config_size_or(&v.config, "hidden_size", 2048);
    if (family_ok(&v.own) && width != f->plan->vision.hidden)
        config_fail_member(&v.config, ASSAY_EUNSUPPORTED, "hidden_size", "expected %zu, the tower's width",
                           f->plan->vision.hidden);
    if (family_ok(&v.own)) read_ids(&v, audio_offset);
    if (family_ok(&v.own)) bind_embedder(&v);
    family_vision_end(&v);
}
