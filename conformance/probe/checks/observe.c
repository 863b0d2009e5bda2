/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/case/row_list.h"
#include "conformance/probe/run/ask.h"
#include "conformance/probe/truth/judge.h"
#include "conformance/replay/h5_writer.h"

/* The logits of a case in the shapes of its file; NaN where the server has given none. */
typedef struct observed {
    const conf_case *c;
    bool refused; /* the server does not name tokens by their ids */
    size_t shape[3], rank, n_prefill, vocab;
    double *prefill, *decode;
} observed;

static bool begin_observed(observed *o, const conf_case *c)
{
    const conf_decoder *d = &c->decoder;
    *o = (observed){.c = c, .vocab = d->rows.n_cols};
    o->rank = conf_prefill_shape(d, o->vocab, o->shape);
    o->n_prefill = o->shape[0] * o->shape[1] * (o->rank == 3 ? o->shape[2] : 1);
    const size_t n_decode = d->n_samples * d->n_decode * o->vocab;
    o->prefill = calloc(o->n_prefill ? o->n_prefill : 1, sizeof(double));
    o->decode = calloc(n_decode ? n_decode : 1, sizeof(double));
    for (size_t i = 0; o->prefill && i < o->n_prefill; i++) o->prefill[i] = (double)NAN;
    for (size_t i = 0; o->decode && i < n_decode; i++) o->decode[i] = (double)NAN;
    return o->prefill && o->decode;
}

static void free_observed(observed *o)
{
    free(o->prefill);
    free(o->decode);
}

/* Takes the row after n_before ids of a prompt. */
static void take_row(observed *o, const probe_prompt *p, size_t n_before, const probe_rows *rows, size_t row)
{
    const conf_decoder *d = &o->c->decoder;
    const double *truth = probe_truth_row(p, n_before);
    const bool decode = n_before > p->n_prompt;
    if (!truth) return;
    const size_t index =
        conf_row_find(d, p->sample, decode, decode ? n_before - p->n_prompt - 1 : n_before - 1);
    double *to = (decode ? o->decode : o->prefill) + conf_row_in_file(d, index) * o->vocab;
    const double z = probe_log_z(truth, o->vocab);
    const probe_row *r = &rows->at[row];
    for (size_t i = 0; i < r->n_top; i++) {
        const probe_entry *e = &rows->entries[r->top + i];
        if (e->id >= 0 && (size_t)e->id < o->vocab && !e->is_null) to[e->id] = e->value + z;
    }
}

static assay_status ask_sample(probe_run *r, observed *o, const probe_prompt *p, size_t number,
                               assay_error *err)
{
    probe_exchange x;
    probe_answer a;
    char more[96];
    PROBE_LABEL(label, "numerics/observation-%zu", number);
    if (r->server.prompt_logprobs)
        (void)snprintf(more, sizeof more, "{\"prompt_logprobs\":%zu,\"return_tokens_as_token_ids\":true}",
                       o->vocab);
    else (void)snprintf(more, sizeof more, "{\"echo\":true,\"return_tokens_as_token_ids\":true}");
    const probe_ask ask = {.endpoint = PROBE_COMPLETIONS,
                           .prompt = p,
                           .n_before = probe_ids_most(r, p),
                           .max_tokens = 1,
                           .logprobs = o->vocab,
                           .more = more};
    assay_status rc = probe_ask_send(r, &ask, label, &x, &a, err);
    const probe_rows *rows = r->server.prompt_logprobs ? &a.prompt_rows : &a.rows;
    if (rc == ASSAY_OK && probe_exchange_succeeded(&x)) {
        for (size_t i = 1; i < rows->n && i <= p->n_ids; i++) take_row(o, p, i, rows, i);
        if (r->server.prompt_logprobs && a.rows.n) take_row(o, p, p->n_ids, &a.rows, 0);
    } else {
        o->refused = true;
    }
    probe_answer_free(&a);
    probe_exchange_free(&x);
    return rc;
}

static assay_status write_observed(const probe_run *r, const observed *o, const char *path, assay_error *err)
{
    const conf_decoder *d = &o->c->decoder;
    conf_h5_writer *w;
    assay_status rc = conf_h5_writer_open(path, &w, err);
    if (rc != ASSAY_OK) return rc;
    conf_h5_write_text(w, "schema", "assay/1");
    conf_h5_write_text(w, "kind", "observation");
    conf_h5_write_text(w, "case", o->c->path);
    conf_h5_write_text(w, "source", probe_wire_url(r->wire));
    conf_h5_write_reals(w, "/observed/prefill", false, o->rank, o->shape, o->prefill);
    if (d->n_decode)
        conf_h5_write_reals(w, "/observed/decode", false, 3, (size_t[]){d->n_samples, d->n_decode, o->vocab},
                            o->decode);
    return conf_h5_writer_close(w, true, err);
}

static void report_file(probe_run *r, const conf_case *c, const char *path)
{
    probe_finding *f = probe_report(r, NULL, "numerics/observation", PROBE_OK, PROBE_HABIT,
                                    "assay diff --part logits %s %s", c->path, path);
    if (f) shown_clean(f->text, sizeof f->text);
}

/* Observes case i. *number: counts the exchanges. */
static assay_status observe_case(probe_run *r, const conf_case *c, size_t *number, assay_error *err)
{
    observed o;
    char *path = NULL;
    const char *base = strrchr(c->path, '/');
    base = base ? base + 1 : c->path;
    bool ok = begin_observed(&o, c);
    ok = asprintf(&path, "%s/%s", r->observations, base) >= 0 && ok;
    assay_status rc = ok ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < r->truth->n_prompts && rc == ASSAY_OK; i++)
        if (r->truth->prompts[i].c == c) rc = ask_sample(r, &o, &r->truth->prompts[i], (*number)++, err);
    if (rc == ASSAY_OK && !o.refused) rc = write_observed(r, &o, path, err);
    if (rc == ASSAY_OK && !o.refused) report_file(r, c, path);
    free_observed(&o);
    free(path);
    return rc;
}

assay_status probe_observe(probe_run *r, assay_error *err)
{
    size_t number = 0;
    assay_status rc = ASSAY_OK;
    const probe_server *s = &r->server;
    const bool offered = probe_wants(r, "numerics/observation") && s->takes_ids &&
                         (s->echo || s->prompt_logprobs) && s->at[PROBE_COMPLETIONS].whole;
    for (size_t i = 0; offered && r->observations && i < r->truth->n_cases && rc == ASSAY_OK; i++)
        rc = observe_case(r, r->truth->cases[i], &number, err);
    return rc;
}
