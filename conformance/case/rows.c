/* The recorded logits of a case: their rows without padding, checked against each other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"
#include "conformance/case/row_list.h"
#include "conformance/case/run_noise.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/noise.h"

/* The recorded logits in the layout of the file: prefill [B, T, V] and decode [B, N, V]. */
typedef struct recorded_run {
    conf_array prefill, decode;
} recorded_run;

static void run_free(recorded_run *run)
{
    conf_array_free(&run->prefill);
    conf_array_free(&run->decode);
}

/* group: for example "/expect/truth". vocab SIZE_MAX: any size. */
static assay_status run_read(const conf_h5 *file, const conf_decoder *d, const char *group, assay_dtype dtype,
                             size_t vocab, recorded_run *run, assay_error *err)
{
    char name[64];
    size_t shape[3], rank = conf_prefill_shape(d, vocab, shape);
    (void)snprintf(name, sizeof name, "%s/prefill", group);
    assay_status rc = conf_array_read(file, name, dtype, rank, shape, &run->prefill, err);
    (void)snprintf(name, sizeof name, "%s/decode", group);
    if (rc != ASSAY_OK || (d->n_decode == 0 && !conf_h5_has(file, name))) return rc;
    vocab = run->prefill.shape[rank - 1];
    return conf_array_read(file, name, dtype, 3, (size_t[]){d->n_samples, d->n_decode, vocab}, &run->decode,
                           err);
}

/* The list of rows, if there is one, has already counted them. */
static void count_rows(conf_decoder *d, size_t n_cols)
{
    for (size_t b = 0; b < d->n_samples && !d->rows.n_listed; b++)
        d->rows.n_rows += conf_prompt_length(d, b) + d->n_decode;
    d->rows.n_cols = n_cols;
}

assay_status conf_rows_count(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    static const char name[] = "/expect/truth/prefill";
    conf_array a;
    assay_status rc = conf_row_list_read(file, d, err);
    if (rc == ASSAY_OK) rc = conf_h5_shape(file, name, &a, err);
    if (rc != ASSAY_OK) return rc;
    if (a.rank != (d->rows.n_listed ? 2 : 3) || a.shape[a.rank - 1] == 0)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has no vocabulary: %zu axes, the last of length %zu",
                          conf_h5_path(file), name, a.rank, a.rank ? a.shape[a.rank - 1] : 0);
    count_rows(d, a.shape[a.rank - 1]);
    return ASSAY_OK;
}

static assay_status place_rows(const conf_h5 *file, conf_decoder *d, size_t n_cols, assay_error *err)
{
    conf_rows *rows = &d->rows;
    const bool lists = rows->n_listed > 0;
    count_rows(d, n_cols);
    if (!lists) rows->place = calloc(rows->n_rows, sizeof *rows->place);
    rows->truth = calloc(rows->n_rows * n_cols, sizeof *rows->truth);
    if (!rows->place || !rows->truth)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    if (lists) return ASSAY_OK;
    conf_place *place = rows->place;
    for (size_t b = 0; b < d->n_samples; b++)
        for (size_t t = conf_prompt_padding(d, b); t < d->n_tokens; t++)
            *place++ = (conf_place){.sample = b, .pos = t - conf_prompt_padding(d, b)};
    for (size_t b = 0; b < d->n_samples; b++)
        for (size_t n = 0; n < d->n_decode; n++)
            *place++ = (conf_place){.sample = b, .decode = true, .pos = n};
    return ASSAY_OK;
}

/* Copies the rows of a run, without padding, to `into` [R, V]. */
static void copy_rows(const conf_decoder *d, const recorded_run *run, double *into)
{
    size_t v = d->rows.n_cols;
    for (size_t r = 0; r < d->rows.n_rows; r++) {
        const conf_array *a = d->rows.place[r].decode ? &run->decode : &run->prefill;
        dtype_to_f64(into + r * v, (const char *)a->data + conf_row_in_file(d, r) * v * dtype_size(a->dtype),
                     a->dtype, v);
    }
}

/* Checks that the truth has no NaN and that the run is finite where the truth is finite, and equal
 * where the truth is infinite: otherwise the noise, and with it every bound, would be infinite. */
static assay_status check_rows(const conf_h5 *file, const conf_decoder *d, const char *name,
                               const double *run, assay_error *err)
{
    const conf_rows *rows = &d->rows;
    for (size_t i = 0; i < rows->n_rows * rows->n_cols; i++) {
        double t = rows->truth[i], f = run[i];
        if (!isnan(t) && (isinf(t) ? f == t : isfinite(f))) continue;
        const conf_place *p = &rows->place[i / rows->n_cols];
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: /expect/%s/%s: sample %zu, position %zu, id %zu is %g where the truth is %g",
                          conf_h5_path(file), isnan(t) ? "truth" : name, p->decode ? "decode" : "prefill",
                          p->sample, p->pos, i % rows->n_cols, isnan(t) ? t : f, t);
    }
    return ASSAY_OK;
}

/* Checks that padding rows are NaN; a list of rows has none. name: the run to which prefill (F64 or F32)
 * belongs. */
static assay_status check_padding(const conf_h5 *file, const conf_decoder *d, const char *name,
                                  const conf_array *prefill, assay_error *err)
{
    size_t v = d->rows.n_cols, row_bytes = v * dtype_size(prefill->dtype);
    for (size_t b = 0; b < d->n_samples && !d->rows.n_listed; b++)
        for (size_t t = 0; t < conf_prompt_padding(d, b); t++) {
            const conf_row row = {.dtype = prefill->dtype,
                                  .data = (const char *)prefill->data + (b * d->n_tokens + t) * row_bytes};
            for (size_t i = 0; i < v; i++)
                if (!isnan(conf_row_at(&row, i)))
                    return assay_fail(
                        err, ASSAY_EFORMAT,
                        "%s: /expect/%s/prefill: sample %zu, column %zu of its padding is %g, expected NaN",
                        conf_h5_path(file), name, b, t, conf_row_at(&row, i));
        }
    return ASSAY_OK;
}

/* The largest distance of a run [R, V] from the truth, both checked by check_rows. */
static double noise_of(const conf_rows *rows, const double *run)
{
    double noise = 0;
    for (size_t i = 0; i < rows->n_rows * rows->n_cols; i++)
        if (isfinite(rows->truth[i])) noise = fmax(noise, fabs(run[i] - rows->truth[i]));
    return noise;
}

static assay_status read_truth(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    recorded_run truth = {0};
    assay_status rc = conf_row_list_read(file, d, err);
    if (rc == ASSAY_OK) rc = run_read(file, d, "/expect/truth", ASSAY_F64, SIZE_MAX, &truth, err);
    size_t vocab = rc == ASSAY_OK ? truth.prefill.shape[truth.prefill.rank - 1] : 0;
    if (rc == ASSAY_OK && vocab == 0)
        rc =
            assay_fail(err, ASSAY_EFORMAT, "%s: /expect/truth/prefill has no vocabulary", conf_h5_path(file));
    if (rc == ASSAY_OK) rc = place_rows(file, d, vocab, err);
    if (rc == ASSAY_OK) rc = check_padding(file, d, "truth", &truth.prefill, err);
    if (rc == ASSAY_OK) copy_rows(d, &truth, d->rows.truth);
    run_free(&truth);
    return rc;
}

/* Reads the run in type `compute`, always stored as F32, into *rows [R, V]. */
static assay_status read_run(const conf_h5 *file, const conf_decoder *d, conf_compute compute, double **rows,
                             assay_error *err)
{
    const char *name = conf_compute_run(compute);
    const conf_rows *all = &d->rows;
    char group[64];
    recorded_run run = {0};
    (void)snprintf(group, sizeof group, "/expect/%s", name);
    assay_status rc = run_read(file, d, group, ASSAY_F32, all->n_cols, &run, err);
    if (rc == ASSAY_OK) rc = check_padding(file, d, name, &run.prefill, err);
    if (rc == ASSAY_OK) {
        *rows = calloc(all->n_rows * all->n_cols, sizeof **rows);
        if (*rows) copy_rows(d, &run, *rows);
        rc = *rows ? check_rows(file, d, name, *rows, err)
                   : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    }
    if (rc == ASSAY_OK) {
        const double largest = conf_max_abs(all->truth, all->n_rows * all->n_cols);
        rc = conf_noise_check(conf_h5_path(file), group, noise_of(all, *rows), largest,
                              conf_noise_max(compute, largest), err);
        if (rc == ASSAY_OK) rc = conf_truth_check(conf_h5_path(file), largest, err);
    }
    run_free(&run);
    return rc;
}

static int compare_runs(const void *a, const void *b)
{
    const conf_compute x = ((const conf_run *)a)->compute, y = ((const conf_run *)b)->compute;
    return (x > y) - (x < y);
}

/* Lists the runs among the members of /expect; float32 also if it is missing, so that reading it fails. */
static assay_status list_runs(const conf_h5 *file, const conf_strings *names, conf_rows *rows,
                              assay_error *err)
{
    rows->runs = calloc(names->n + 1, sizeof *rows->runs);
    if (!rows->runs) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
    rows->runs[rows->n_runs++].compute = CONF_COMPUTE_F32;
    for (size_t i = 0; i < names->n; i++) {
        const conf_compute compute = conf_compute_of_run(names->at[i]);
        if (compute > CONF_COMPUTE_F32) rows->runs[rows->n_runs++].compute = compute;
    }
    qsort(rows->runs, rows->n_runs, sizeof *rows->runs, compare_runs);
    return ASSAY_OK;
}

assay_status conf_rows_read(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    conf_strings names = {0};
    assay_status rc = read_truth(file, d, err);
    if (rc == ASSAY_OK) rc = conf_h5_members(file, "/expect", &names, err);
    if (rc == ASSAY_OK) rc = list_runs(file, &names, &d->rows, err);
    conf_strings_free(&names);
    for (size_t i = 0; rc == ASSAY_OK && i < d->rows.n_runs; i++) {
        conf_run *run = &d->rows.runs[i];
        rc = conf_run_noise_has(file, run->compute)
                 ? conf_run_noise_read(file, run->compute, &run->noise, err)
                 : read_run(file, d, run->compute, &run->rows, err);
    }
    return rc;
}

const double *conf_rows_noise(const conf_rows *rows, conf_compute compute)
{
    const conf_run *run = conf_run_find(rows, compute);
    return run ? run->rows : NULL;
}

void conf_rows_free(conf_rows *rows)
{
    free(rows->listed);
    free(rows->listed_at);
    free(rows->place);
    free(rows->truth);
    for (size_t i = 0; i < rows->n_runs; i++) free(rows->runs[i].rows);
    free(rows->runs);
}
