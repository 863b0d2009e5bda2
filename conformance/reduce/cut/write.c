/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/case/model_name.h"
#include "conformance/case/prompt.h"
#include "conformance/case/traces.h"
#include "conformance/kinds/kinds.h"
#include "conformance/reduce/cut/write_inputs.h"
#include "conformance/reduce/cut/write_positions.h"
#include "conformance/reduce/cut/write_rows.h"
#include "conformance/replay/h5_writer.h"

static void write_attributes(const conf_whole *whole, const conf_cut *cut, const conf_values *values,
                             conf_h5_writer *w)
{
    const conf_case *c = whole->c;
    const conf_cache_limit caches = c->decoder.caches;
    const bool keeps_kind = c->kind != CONF_GENERATE || cut->n_greedy;
    char schema[32];
    (void)snprintf(schema, sizeof schema, "assay/%d", CONF_SCHEMA_VERSION);
    conf_h5_write_text(w, "schema", schema);
    conf_h5_write_text(w, "kind", conf_kind_of(keeps_kind ? c->kind : CONF_LOGITS)->name);
    conf_h5_write_text(w, "model", conf_model_name(c->model));
    conf_h5_write_text(w, "reduced", values->reduced);
    if (values->truth) conf_h5_write_text(w, "source", CONF_ENGINE_REFERENCE);
    else if (c->source) conf_h5_write_text(w, "source", c->source);
    if (c->recorder) conf_h5_write_text(w, "recorder", c->recorder);
    if (c->flags.n) conf_h5_write_texts(w, "flags", c->flags.at, c->flags.n);
    if (c->float64_reason) {
        conf_h5_write_number(w, "float64_bound", c->float64_bound);
        conf_h5_write_text(w, "float64_reason", c->float64_reason);
    }
    if (c->decoder.n_more_ids) conf_h5_write_number(w, "more_ids", (double)c->decoder.n_more_ids);
    if (!caches.limit) return;
    conf_h5_write_number(w, "cache_limit", (double)caches.limit);
    conf_h5_write_number(w, "cache_kept", (double)caches.sink_tokens);
}

/* The streams of the kept samples, up to n_greedy tokens. */
static assay_status write_greedy(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w,
                                 assay_error *err)
{
    const conf_decoder *d = &whole->c->decoder;
    const size_t shape[2] = {conf_cut_samples(whole, cut), cut->n_greedy};
    if (!cut->n_greedy) return ASSAY_OK;
    int32_t *tokens = calloc(shape[0] * shape[1], sizeof *tokens);
    const char **finish = calloc(shape[0], sizeof *finish);
    if (!tokens || !finish) {
        free(tokens);
        free(finish);
        return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    }
    for (size_t b = 0, to = 0; b < d->n_samples; b++) {
        const int32_t *stream = (const int32_t *)d->greedy.data + b * d->n_greedy;
        if (!cut->samples[b]) continue;
        memcpy(tokens + to * shape[1], stream, shape[1] * sizeof *tokens);
        const bool ends = shape[1] == d->n_greedy || stream[shape[1]] == -1;
        finish[to++] = d->stops[b] && ends ? "stop" : "length";
    }
    conf_h5_write_ids(w, "/expect/tokens", 2, shape, tokens);
    conf_h5_write_strings(w, "/expect/finish", finish, shape[0]);
    free(tokens);
    free(finish);
    return ASSAY_OK;
}

/* A tensor of a tower has rows of all items of the sample, one of the model a row for each token of the
 * prompt. */
static bool has_tensor(const conf_whole *whole, const conf_cut *cut, const conf_trace *t)
{
    for (size_t i = whole->items.of[0]; i < whole->items.of[1]; i++)
        if (conf_trace_is_of_tower(t->name) && !conf_cut_has_item(whole, cut, 0, i)) return false;
    return conf_trace_is_of_tower(t->name) ||
           conf_cut_tokens(whole, cut, 0) - cut->n_decode <= t->value.shape[0];
}

bool conf_cut_has_tensors(const conf_whole *whole, const conf_cut *cut)
{
    const conf_decoder *d = &whole->c->decoder;
    bool has = false;
    for (size_t i = 0; i < d->n_traces && cut->samples[0]; i++)
        has = has || has_tensor(whole, cut, &d->traces[i]);
    return has;
}

static void write_tensors(const conf_whole *whole, const conf_cut *cut, conf_h5_writer *w)
{
    const conf_decoder *d = &whole->c->decoder;
    for (size_t i = 0; i < d->n_traces && cut->samples[0]; i++) {
        const conf_trace *t = &d->traces[i];
        char name[CONF_TRACE_NAME_MAX + 16];
        size_t shape[2] = {t->value.shape[0], t->value.shape[1]};
        if (!has_tensor(whole, cut, t)) continue;
        if (!conf_trace_is_of_tower(t->name)) shape[0] = conf_cut_tokens(whole, cut, 0) - cut->n_decode;
        (void)snprintf(name, sizeof name, "/trace/%s", t->name);
        conf_h5_write_reals(w, name, true, 2, shape, t->value.data);
        if (t->has_noise) conf_h5_write_number_of(w, name, "noise", t->noise);
    }
}

assay_status conf_cut_write(const conf_whole *whole, const conf_cut *cut, const conf_values *values,
                            const char *path, assay_error *err)
{
    conf_h5_writer *w = NULL;
    assay_status rc = conf_h5_writer_open(path, &w, err);
    if (rc != ASSAY_OK) return rc;
    write_attributes(whole, cut, values, w);
    rc = conf_cut_write_inputs(whole, cut, w, err);
    if (rc == ASSAY_OK && whole->c->decoder.has_truth)
        rc = conf_cut_write_rows(whole, cut, values->truth, w, err);
    if (rc == ASSAY_OK && whole->c->kind == CONF_POSITIONS) rc = conf_cut_write_positions(whole, cut, w, err);
    if (rc == ASSAY_OK) rc = write_greedy(whole, cut, w, err);
    if (values->has_tensors) write_tensors(whole, cut, w);
    const assay_status closed = conf_h5_writer_close(w, rc == ASSAY_OK, rc == ASSAY_OK ? err : NULL);
    return rc == ASSAY_OK ? closed : rc;
}
