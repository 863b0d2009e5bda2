/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/info/case.h"

#include "conformance/case/prompt.h"
#include "conformance/case/rows.h"
#include "conformance/case/run_noise.h"
#include "conformance/info/member.h"
#include "conformance/judge/noise.h"
#include "conformance/kinds/kinds.h"

static bool add_origin(json_object *to, const conf_case *c)
{
    json_object *one;
    bool ok = conf_json_add_text(to, "kind", conf_kind_of(c->kind)->name) &&
              conf_info_add_text(to, "model", c->model) && conf_info_add_text(to, "catches", c->catches) &&
              conf_info_add_text(to, "source", c->source) &&
              conf_info_add_text(to, "recorder", c->recorder) &&
              (!c->reduced || conf_info_add_text(to, "reduced", c->reduced)) &&
              conf_info_add_texts(to, "flags", (const char *const *)c->flags.at, c->flags.n) &&
              conf_info_add_texts(to, "unknown", (const char *const *)c->unknown.at, c->unknown.n);
    return ok && (c->float64_reason ? (one = conf_json_add_object(to, "float64")) &&
                                          conf_json_add_real(one, "bound", c->float64_bound) &&
                                          conf_json_add_text(one, "reason", c->float64_reason)
                                    : conf_json_add_null(to, "float64"));
}

static bool add_prompts(json_object *to, const conf_decoder *d)
{
    json_object *one = conf_json_add_object(to, "prompts"), *lengths = conf_json_add_array(one, "lengths");
    bool ok = lengths;
    for (size_t b = 0; ok && b < d->n_samples; b++)
        ok = conf_json_append(lengths, json_object_new_int64((int64_t)conf_prompt_length(d, b)));
    return ok && conf_json_add_count(one, "width", d->n_tokens);
}

static bool add_inputs(json_object *to, const conf_decoder *d)
{
    json_object *list = conf_json_add_array(to, "inputs");
    bool ok = list;
    for (size_t i = 0; ok && i < d->n_inputs; i++) {
        json_object *one = conf_json_append_object(list);
        ok = conf_json_add_text(one, "name", d->inputs[i].name) &&
             conf_info_add_counts(one, "shape", d->inputs[i].shape, d->inputs[i].rank);
    }
    return ok;
}

static bool add_noises(json_object *to, const conf_rows *rows)
{
    static const conf_compute always[] = {CONF_COMPUTE_F32, CONF_COMPUTE_BF16, CONF_COMPUTE_I8};
    json_object *all = conf_json_add_object(to, "noises");
    bool ok = all;
    for (size_t i = 0; ok && i < sizeof always / sizeof *always; i++)
        ok = conf_json_add_null(all, conf_compute_run(always[i]));
    for (size_t i = 0; ok && i < rows->n_runs; i++) {
        const conf_distance noise = conf_run_noise(rows, &rows->runs[i]);
        json_object *one = conf_json_add_object(all, conf_compute_run(rows->runs[i].compute));
        ok = conf_json_add_real(one, "max_abs", noise.max_abs) &&
             conf_json_add_real(one, "rmse", noise.rmse) && conf_json_add_real(one, "kl", noise.kl);
    }
    return ok;
}

static bool add_logits(json_object *to, const conf_decoder *d)
{
    if (!d->has_truth) return conf_json_add_null(to, "logits");
    const conf_rows *rows = &d->rows;
    json_object *one = conf_json_add_object(to, "logits");
    return conf_json_add_count(one, "rows", rows->n_rows) &&
           conf_json_add_count(one, "columns", rows->n_cols) &&
           conf_info_add_flag(one, "listed", rows->n_listed) &&
           conf_json_add_real(one, "largest", conf_max_abs(rows->truth, rows->n_rows * rows->n_cols)) &&
           add_noises(one, rows);
}

static bool add_tensors(json_object *to, const conf_decoder *d)
{
    json_object *list = conf_json_add_array(to, "tensors");
    bool ok = list;
    for (size_t i = 0; ok && i < d->n_traces; i++) {
        const conf_trace *t = &d->traces[i];
        json_object *one = conf_json_append_object(list);
        ok = conf_json_add_text(one, "name", t->name) &&
             conf_info_add_counts(one, "shape", t->value.shape, t->value.rank) &&
             (t->has_noise ? conf_json_add_real(one, "noise", t->noise) : conf_json_add_null(one, "noise"));
    }
    return ok;
}

static bool add_decoder(json_object *to, const conf_decoder *d)
{
    json_object *one;
    bool ok = (one = conf_json_add_object(to, "steps")) && conf_json_add_count(one, "forced", d->n_decode) &&
              conf_json_add_count(one, "greedy", d->n_greedy);
    ok = ok && (d->caches.limit ? (one = conf_json_add_object(to, "cache")) &&
                                      conf_json_add_count(one, "limit", d->caches.limit) &&
                                      conf_json_add_count(one, "sink_tokens", d->caches.sink_tokens)
                                : conf_json_add_null(to, "cache"));
    return ok && add_logits(to, d) && add_tensors(to, d);
}

static bool add_nulls(json_object *to, const char *const *names, size_t n)
{
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++) ok = conf_json_add_null(to, names[i]);
    return ok;
}

static bool add_rope(json_object *to, const conf_rope *r)
{
    json_object *one = conf_json_add_object(to, "rope");
    return conf_info_add_text(one, "config", r->config) &&
           conf_json_add_count(one, "positions", r->n_positions) &&
           conf_json_add_count(one, "axes", r->n_axes) && conf_json_add_count(one, "heads", r->n_heads) &&
           conf_json_add_count(one, "head_dim", r->head_dim);
}

static bool add_deltas(json_object *to, const conf_case *c)
{
    json_object *list = conf_json_add_array(to, "deltas");
    bool ok = list;
    for (size_t b = 0; ok && b < c->decoder.n_samples; b++)
        ok = conf_json_append(list, json_object_new_int(((const int32_t *)c->positions.delta.data)[b]));
    return ok;
}

static bool add_vectors(json_object *to, const conf_vectors *v)
{
    json_object *one = conf_json_add_object(to, "vectors"), *groups = conf_json_add_array(one, "groups");
    bool ok = groups && conf_json_add_count(one, "n", v->n);
    for (size_t i = 0; ok && i < v->n_groups; i++) {
        size_t n;
        const char *name = conf_vectors_group(v, i, &n);
        json_object *group = conf_json_append_object(groups);
        ok = conf_json_add_text(group, "name", name) && conf_json_add_count(group, "n", n);
    }
    return ok;
}

bool conf_info_add_case(json_object *to, const conf_case *c)
{
    static const char *const PROMPTS[] = {"prompts", "inputs"};
    static const char *const DECODER[] = {"steps", "cache", "logits", "tensors"};
    const bool decodes = conf_kind_of(c->kind)->has_decoder, positions = c->kind == CONF_POSITIONS;
    return add_origin(to, c) &&
           (decodes || positions ? add_prompts(to, &c->decoder) && add_inputs(to, &c->decoder)
                                 : add_nulls(to, PROMPTS, sizeof PROMPTS / sizeof *PROMPTS)) &&
           (decodes ? add_decoder(to, &c->decoder)
                    : add_nulls(to, DECODER, sizeof DECODER / sizeof *DECODER)) &&
           (c->kind == CONF_ROPE ? add_rope(to, &c->rope) : conf_json_add_null(to, "rope")) &&
           (positions ? add_deltas(to, c) : conf_json_add_null(to, "deltas")) &&
           (c->vectors.n > 0 ? add_vectors(to, &c->vectors) : conf_json_add_null(to, "vectors"));
}
