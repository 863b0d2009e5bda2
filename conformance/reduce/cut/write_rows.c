/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/reduce/cut/write_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/rows.h"
#include "conformance/judge/compute.h"
#include "conformance/reduce/cut/rows.h"

/* The arrays of one run in the layout of the file: prefill [B, T, V], or [R, V] of the listed rows, and
 * decode [B, N, V]. */
typedef struct layout {
    const conf_whole *whole;
    const conf_cut *cut;
    size_t n_samples, n_tokens, n_cols, n_listed; /* n_listed 0: all */
    size_t *length;                               /* [n_samples]: of the prompts */
    double *prefill, *decode;
} layout;

static size_t rows_of_prefill(const layout *l)
{
    return l->n_listed ? l->n_listed : l->n_samples * l->n_tokens;
}

static assay_status open_layout(layout *l, const conf_whole *whole, const conf_cut *cut, assay_error *err)
{
    const conf_rows *rows = &whole->c->decoder.rows;
    *l = (layout){
        .whole = whole, .cut = cut, .n_samples = conf_cut_samples(whole, cut), .n_cols = rows->n_cols};
    l->length = calloc(l->n_samples, sizeof *l->length);
    if (!l->length) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t b = 0, to = 0; b < whole->c->decoder.n_samples; b++) {
        if (!cut->samples[b]) continue;
        const size_t n = conf_cut_tokens(whole, cut, b) - cut->n_decode;
        l->length[to++] = n;
        if (n > l->n_tokens) l->n_tokens = n;
    }
    for (size_t i = 0; i < rows->n_rows && rows->n_listed; i++) {
        conf_place place;
        l->n_listed += conf_cut_place(whole, cut, i, &place) && !place.decode;
    }
    l->prefill = calloc(rows_of_prefill(l) * l->n_cols, sizeof *l->prefill);
    l->decode = calloc(l->n_samples * cut->n_decode * l->n_cols + 1, sizeof *l->decode);
    return l->prefill && l->decode ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
}

static void close_layout(layout *l)
{
    free(l->length);
    free(l->prefill);
    free(l->decode);
}

/* The row of the arrays that belongs to this place. n_before: listed rows of prefill before it. */
static double *row_at(const layout *l, const conf_place *place, size_t n_before)
{
    size_t at = n_before;
    if (place->decode) return l->decode + (place->sample * l->cut->n_decode + place->pos) * l->n_cols;
    if (!l->n_listed) at = place->sample * l->n_tokens + l->n_tokens - l->length[place->sample] + place->pos;
    return l->prefill + at * l->n_cols;
}

/* Fills the arrays with a run [n_rows, V] of the whole, moved by truth - recorded truth. run: NULL: the truth
 * itself. */
static void fill(layout *l, const double *run, const double *truth)
{
    const conf_rows *rows = &l->whole->c->decoder.rows;
    size_t n_before = 0;
    for (size_t i = 0; i < rows_of_prefill(l) * l->n_cols; i++) l->prefill[i] = NAN;
    for (size_t r = 0; r < rows->n_rows; r++) {
        conf_place place;
        if (!conf_cut_place(l->whole, l->cut, r, &place)) continue;
        double *to = row_at(l, &place, n_before);
        n_before += !place.decode;
        for (size_t k = 0; k < l->n_cols; k++) {
            const size_t at = r * l->n_cols + k;
            const double expected = truth ? truth[at] : rows->truth[at];
            const bool moves = truth && run && isfinite(expected) && isfinite(run[at]);
            to[k] = moves ? expected + (run[at] - rows->truth[at]) : run && !truth ? run[at] : expected;
        }
    }
}

static void write_run(const layout *l, const char *name, bool wide, conf_h5_writer *w)
{
    const size_t listed[2] = {l->n_listed, l->n_cols};
    const size_t prefill[3] = {l->n_samples, l->n_tokens, l->n_cols};
    const size_t decode[3] = {l->n_samples, l->cut->n_decode, l->n_cols};
    char path[64];
    (void)snprintf(path, sizeof path, "/expect/%s/prefill", name);
    conf_h5_write_reals(w, path, wide, l->n_listed ? 2 : 3, l->n_listed ? listed : prefill, l->prefill);
    (void)snprintf(path, sizeof path, "/expect/%s/decode", name);
    if (l->cut->n_decode) conf_h5_write_reals(w, path, wide, 3, decode, l->decode);
}

/* Of a run without logits: the recorded noise, of all rows. */
static void write_noise(const conf_run *run, conf_h5_writer *w)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/expect/%s/noise", conf_compute_run(run->compute));
    conf_h5_write_reals(w, path, true, 1, (size_t[]){3},
                        (double[]){run->noise.max_abs, run->noise.rmse, run->noise.kl});
}

static assay_status write_list(const layout *l, conf_h5_writer *w, assay_error *err)
{
    if (!l->n_listed) return ASSAY_OK;
    int32_t *list = calloc(2 * l->n_listed, sizeof *list);
    if (!list) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t r = 0, n = 0; r < l->whole->c->decoder.rows.n_rows; r++) {
        conf_place place;
        if (!conf_cut_place(l->whole, l->cut, r, &place) || place.decode) continue;
        list[n++] = (int32_t)place.sample;
        list[n++] = (int32_t)place.pos;
    }
    conf_h5_write_ids(w, "/expect/rows", 2, (size_t[]){l->n_listed, 2}, list);
    free(list);
    return ASSAY_OK;
}

assay_status conf_cut_write_rows(const conf_whole *whole, const conf_cut *cut, const double *truth,
                                 conf_h5_writer *w, assay_error *err)
{
    const conf_rows *rows = &whole->c->decoder.rows;
    layout l;
    assay_status rc = open_layout(&l, whole, cut, err);
    if (rc == ASSAY_OK) rc = write_list(&l, w, err);
    if (rc == ASSAY_OK) {
        fill(&l, NULL, truth);
        write_run(&l, "truth", true, w);
    }
    for (size_t i = 0; i < rows->n_runs && rc == ASSAY_OK; i++) {
        const conf_run *run = &rows->runs[i];
        if (!run->rows) {
            write_noise(run, w);
            continue;
        }
        fill(&l, run->rows, truth);
        write_run(&l, conf_compute_run(run->compute), false, w);
    }
    close_layout(&l);
    return rc;
}
