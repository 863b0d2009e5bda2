/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/dump.h"
#include "conformance/case/row_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/token.h"
#include "conformance/replay/greedy.h"
#include "conformance/replay/h5_writer.h"
#include "conformance/replay/state.h"

char *conf_dump_path(const char *dir, const char *engine, const char *id)
{
    const char *label = conf_engine_label(engine);
    size_t n_label = strlen(label);
    if (n_label > 3 && strcmp(label + n_label - 3, ".so") == 0) n_label -= 3;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    (void)fprintf(out, "%s/%.*s", dir, (int)n_label, label);
    while (*id) {
        size_t n = strcspn(id, "/");
        bool up = n == 2 && strncmp(id, "..", n) == 0;
        if (up) (void)fputs("/__", out);
        else if (n > 0 && !(n == 1 && id[0] == '.')) (void)fprintf(out, "/%.*s", (int)n, id);
        id += n + (id[n] == '/');
    }
    (void)fputs(".h5", out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* Writes doubles in the engine's logits type. They were widened from it, so the conversion is exact. */
static void write_reals(conf_h5_writer *file, const conf_replay *r, const char *name, size_t rank,
                        const size_t *shape, const double *data)
{
    conf_h5_write_reals(file, name, r->engine->logits_dtype == ASSAY_F64, rank, shape, data);
}

/* Writes r->rows as prefill, in the shape of the case and with NaN on padding, and decode. */
static bool write_prefill(conf_h5_writer *file, const conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    const double *row = r->rows;
    size_t shape[3], rank = conf_prefill_shape(d, r->vocab, shape), n = shape[0] * shape[1];
    if (rank == 3) n *= shape[2];
    double *prefill = malloc(n * sizeof *prefill);
    if (!prefill) return false;
    for (size_t i = 0; i < n; i++) prefill[i] = (double)NAN;
    for (size_t i = 0; i < d->rows.n_rows && !d->rows.place[i].decode; i++, row += r->vocab)
        memcpy(prefill + conf_row_in_file(d, i) * r->vocab, row, r->vocab * sizeof *row);
    write_reals(file, r, "/observed/prefill", rank, shape, prefill);
    free(prefill);
    if (d->n_decode)
        write_reals(file, r, "/observed/decode", 3, (size_t[]){d->n_samples, d->n_decode, r->vocab}, row);
    return true;
}

/* The token that the engine generates at step k of sample b, encoded as in a case: -1 after the end. */
static int32_t token_of(const conf_replay *r, size_t b, size_t k)
{
    const conf_decoder *d = &r->c->decoder;
    const double *row = r->greedy + (b * (d->n_greedy + 1) + k) * r->vocab;
    size_t n_golden, n_steps = conf_greedy_steps(r, b, &n_golden), best = conf_argmax(row, r->vocab);
    if (k >= n_steps || !isfinite(row[best])) return -1;
    bool ends = k >= n_golden && conf_is_stop((int32_t)best, r->stop_ids, r->n_stop_ids);
    return ends ? -1 : (int32_t)best;
}

static bool write_tokens(conf_h5_writer *file, const conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    int32_t *tokens = calloc(d->n_samples * d->n_greedy, sizeof *tokens);
    if (!tokens) return false;
    for (size_t b = 0; b < d->n_samples; b++)
        for (size_t k = 0; k < d->n_greedy; k++) tokens[b * d->n_greedy + k] = token_of(r, b, k);
    conf_h5_write_ids(file, "/observed/tokens", 2, (size_t[]){d->n_samples, d->n_greedy}, tokens);
    conf_h5_write_flag(file, "forced_tokens", 1);
    free(tokens);
    return true;
}

static void write_traces(conf_h5_writer *file, const conf_replay *r)
{
    for (size_t i = 0; i < r->n_seen; i++) {
        const conf_traced *seen = &r->seen[i];
        char name[256];
        (void)snprintf(name, sizeof name, "/observed/trace/%s", seen->trace->name);
        if (seen->value.data)
            write_reals(file, r, name, seen->value.rank, seen->value.shape, seen->value.data);
    }
}

static void write_header(conf_h5_writer *file, const char *name, const conf_replay *r)
{
    char source[256];
    (void)snprintf(source, sizeof source, "%s %s", r->engine->name, r->engine->version);
    conf_h5_write_text(file, "schema", "assay/1");
    conf_h5_write_text(file, "kind", "observation");
    conf_h5_write_text(file, "case", name);
    conf_h5_write_text(file, "source", source);
}

void conf_dump_discard_at(const char *path)
{
    char *part;
    if (asprintf(&part, "%s" CONF_H5_PART, path) < 0) return;
    (void)unlink(part);
    free(part);
}

void conf_dump_discard(const char *dir, const char *engine, const char *id)
{
    char *path = conf_dump_path(dir, engine, id);
    if (path) conf_dump_discard_at(path);
    free(path);
}

assay_status conf_dump_write(const char *path, const char *name, const conf_replay *r, assay_error *err)
{
    conf_h5_writer *file = NULL;
    assay_status rc = conf_h5_writer_open(path, &file, err);
    if (rc != ASSAY_OK) return rc;
    write_header(file, name, r);
    const bool complete =
        (!r->rows || write_prefill(file, r)) && (r->c->decoder.n_greedy == 0 || write_tokens(file, r));
    write_traces(file, r);
    rc = conf_h5_writer_close(file, complete, err);
    return rc == ASSAY_OK && !complete ? assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path) : rc;
}
