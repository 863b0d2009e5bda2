/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/case/row_list.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "conformance/case/members.h"
#include "conformance/case/prompt.h"

static const char list_name[] = "/expect/rows";

typedef struct listed_row {
    conf_place place;
    size_t at; /* index in the file */
} listed_row;

static int compare_places(const void *a, const void *b)
{
    const conf_place *p = a, *q = b;
    if (p->sample != q->sample) return p->sample < q->sample ? -1 : 1;
    return p->pos < q->pos ? -1 : p->pos > q->pos;
}

static int compare_rows(const void *a, const void *b)
{
    return compare_places(&((const listed_row *)a)->place, &((const listed_row *)b)->place);
}

static assay_status no_memory(const conf_h5 *file, assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", conf_h5_path(file));
}

/* Checks the rows (sample, position) [n, 2] and fills rows [n]. */
static assay_status check_list(const conf_h5 *file, const conf_decoder *d, const int32_t *list, size_t n,
                               listed_row *rows, assay_error *err)
{
    for (size_t i = 0; i < n; i++, list += 2) {
        if (list[0] < 0 || (size_t)list[0] >= d->n_samples)
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s: row %zu has sample %" PRId32 ", expected 0 to %zu",
                              conf_h5_path(file), list_name, i, list[0], d->n_samples - 1);
        const size_t length = conf_prompt_length(d, (size_t)list[0]);
        if (list[1] < 0 || (size_t)list[1] >= length)
            return assay_fail(err, ASSAY_EFORMAT,
                              "%s: %s: row %zu has position %" PRId32 " of sample %" PRId32
                              ", expected 0 to %zu",
                              conf_h5_path(file), list_name, i, list[1], list[0], length - 1);
        rows[i] = (listed_row){{.sample = (size_t)list[0], .pos = (size_t)list[1]}, i};
    }
    return ASSAY_OK;
}

/* Stores rows [n] in both orders, and the places of decode behind them. */
static assay_status store_list(const conf_h5 *file, conf_decoder *d, listed_row *rows, size_t n,
                               assay_error *err)
{
    conf_rows *out = &d->rows;
    const size_t n_decode = d->n_samples * d->n_decode;
    out->listed = calloc(n, sizeof *out->listed);
    out->listed_at = calloc(n, sizeof *out->listed_at);
    out->place = calloc(n + n_decode, sizeof *out->place);
    if (!out->listed || !out->listed_at || !out->place) return no_memory(file, err);
    for (size_t i = 0; i < n; i++) out->listed[i] = rows[i].place;
    qsort(rows, n, sizeof *rows, compare_rows);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && compare_rows(&rows[i - 1], &rows[i]) == 0)
            return assay_fail(err, ASSAY_EFORMAT, "%s: %s: sample %zu, position %zu is listed twice",
                              conf_h5_path(file), list_name, rows[i].place.sample, rows[i].place.pos);
        out->place[i] = rows[i].place;
        out->listed_at[i] = rows[i].at;
    }
    for (size_t i = 0; i < n_decode; i++)
        out->place[n + i] = (conf_place){.sample = i / d->n_decode, .decode = true, .pos = i % d->n_decode};
    out->n_listed = n;
    out->n_rows = n + n_decode;
    return ASSAY_OK;
}

assay_status conf_row_list_read(const conf_h5 *file, conf_decoder *d, assay_error *err)
{
    conf_array list;
    if (!conf_h5_has(file, list_name)) return ASSAY_OK;
    assay_status rc = conf_array_read(file, list_name, ASSAY_I32, 2, (size_t[]){SIZE_MAX, 2}, &list, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = list.shape[0];
    listed_row *rows = calloc(n + 1, sizeof *rows);
    if (!rows) rc = no_memory(file, err);
    else if (n == 0) rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s is empty", conf_h5_path(file), list_name);
    if (rc == ASSAY_OK) rc = check_list(file, d, list.data, n, rows, err);
    if (rc == ASSAY_OK) rc = store_list(file, d, rows, n, err);
    free(rows);
    conf_array_free(&list);
    return rc;
}

static bool is_place(const conf_place *p, size_t sample, bool decode, size_t pos)
{
    return p->sample == sample && p->decode == decode && p->pos == pos;
}

/* The index of a row if all are recorded. */
static size_t usual_row(const conf_decoder *d, size_t sample, bool decode, size_t pos)
{
    size_t row = decode ? sample * d->n_decode + pos : pos;
    for (size_t b = 0; b < (decode ? d->n_samples : sample); b++) row += conf_prompt_length(d, b);
    return row;
}

/* The index of a row among the listed ones, which are in the order of compare_places, or behind them; n_rows:
 * none. */
static size_t listed_row_of(const conf_decoder *d, size_t sample, bool decode, size_t pos)
{
    const conf_rows *rows = &d->rows;
    if (decode) return rows->n_listed + sample * d->n_decode + pos;
    const conf_place wanted = {.sample = sample, .pos = pos};
    const conf_place *at = bsearch(&wanted, rows->place, rows->n_listed, sizeof wanted, compare_places);
    return at ? (size_t)(at - rows->place) : rows->n_rows;
}

/* A case that locate makes of a sequence has some of the rows, and no list of them. assay diff reads the rows
 * itself: without a list all are recorded, and have no places. */
size_t conf_row_find(const conf_decoder *d, size_t sample, bool decode, size_t pos)
{
    const conf_rows *rows = &d->rows;
    if (!rows->place) return usual_row(d, sample, decode, pos);
    const size_t usual =
        rows->n_listed ? listed_row_of(d, sample, decode, pos) : usual_row(d, sample, decode, pos);
    if (usual < rows->n_rows && is_place(&rows->place[usual], sample, decode, pos)) return usual;
    if (!d->whole) return SIZE_MAX;
    for (size_t row = 0; row < rows->n_rows; row++)
        if (is_place(&rows->place[row], sample, decode, pos)) return row;
    return SIZE_MAX;
}

size_t conf_row_in_file(const conf_decoder *d, size_t row)
{
    const conf_place *place = &d->rows.place[row];
    if (place->decode) return place->sample * d->n_decode + place->pos;
    if (d->rows.n_listed) return d->rows.listed_at[row];
    return place->sample * d->n_tokens + conf_prompt_padding(d, place->sample) + place->pos;
}

size_t conf_prefill_shape(const conf_decoder *d, size_t n_cols, size_t shape[3])
{
    const bool lists = d->rows.n_listed > 0;
    shape[0] = lists ? d->rows.n_listed : d->n_samples;
    shape[1] = lists ? n_cols : d->n_tokens;
    shape[2] = lists ? 0 : n_cols;
    return lists ? 2 : 3;
}
