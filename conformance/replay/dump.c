/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/replay/dump.h"
#include "conformance/case/row_list.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/abi/engine.h"
#include "conformance/judge/distance.h"
#include "conformance/judge/token.h"
#include "conformance/replay/greedy.h"
#include "conformance/replay/state.h"
#include "conformance/support/directories.h"

#define PART ".part" /* suffix of the file while it is written */

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

static bool write_attribute(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    (void)H5Aclose(attribute);
    (void)H5Sclose(space);
    return ok;
}

static bool write_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool ok = H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              write_attribute(object, name, type, &text);
    (void)H5Tclose(type);
    return ok;
}

/* Writes data, which is of type `in`, as a dataset of type `type`. */
static bool write_array(hid_t file, const char *name, hid_t type, hid_t in, size_t rank, const size_t *shape,
                        const void *data)
{
    hsize_t dims[ASSAY_TENSOR_RANK_MAX];
    for (size_t i = 0; i < rank; i++) dims[i] = shape[i];
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple((int)rank, dims, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE); /* without timestamps: equal answers give equal files */
    (void)H5Pset_create_intermediate_group(links, 1);
    (void)H5Pset_obj_track_times(creation, false);
    hid_t dataset = H5Dcreate2(file, name, type, space, links, creation, H5P_DEFAULT);
    bool ok = dataset >= 0 && H5Dwrite(dataset, in, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    (void)H5Dclose(dataset);
    (void)H5Sclose(space);
    (void)H5Pclose(creation);
    (void)H5Pclose(links);
    return ok;
}

/* Writes doubles in the engine's logits type. They were widened from it, so the conversion is exact. */
static bool write_reals(hid_t file, const conf_replay *r, const char *name, size_t rank, const size_t *shape,
                        const double *data)
{
    hid_t type = r->engine->logits_dtype == ASSAY_F64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    return write_array(file, name, type, H5T_NATIVE_DOUBLE, rank, shape, data);
}

/* Writes r->rows as prefill, in the shape of the case and with NaN on padding, and decode. */
static bool write_prefill(hid_t file, const conf_replay *r)
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
    bool ok = write_reals(file, r, "/observed/prefill", rank, shape, prefill);
    free(prefill);
    return ok && (d->n_decode == 0 || write_reals(file, r, "/observed/decode", 3,
                                                  (size_t[]){d->n_samples, d->n_decode, r->vocab}, row));
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

static bool write_tokens(hid_t file, const conf_replay *r)
{
    const conf_decoder *d = &r->c->decoder;
    const int forced = 1;
    int32_t *tokens = calloc(d->n_samples * d->n_greedy, sizeof *tokens);
    if (!tokens) return false;
    for (size_t b = 0; b < d->n_samples; b++)
        for (size_t k = 0; k < d->n_greedy; k++) tokens[b * d->n_greedy + k] = token_of(r, b, k);
    bool ok = write_array(file, "/observed/tokens", H5T_STD_I32LE, H5T_NATIVE_INT32, 2,
                          (size_t[]){d->n_samples, d->n_greedy}, tokens) &&
              write_attribute(file, "forced_tokens", H5T_NATIVE_INT, &forced);
    free(tokens);
    return ok;
}

static bool write_traces(hid_t file, const conf_replay *r)
{
    bool ok = true;
    for (size_t i = 0; i < r->n_seen && ok; i++) {
        const conf_traced *seen = &r->seen[i];
        char name[256];
        (void)snprintf(name, sizeof name, "/observed/trace/%s", seen->trace->name);
        if (seen->value.data)
            ok = write_reals(file, r, name, seen->value.rank, seen->value.shape, seen->value.data);
    }
    return ok;
}

static bool write_header(hid_t file, const conf_replay *r)
{
    char source[256];
    (void)snprintf(source, sizeof source, "%s %s", r->engine->name, r->engine->version);
    return write_text(file, "schema", "assay/1") && write_text(file, "kind", "observation") &&
           write_text(file, "case", r->c->path) && write_text(file, "source", source);
}

void conf_dump_discard(const char *dir, const char *engine, const char *id)
{
    char *path = conf_dump_path(dir, engine, id), *part = NULL;
    if (path && asprintf(&part, "%s" PART, path) >= 0) (void)unlink(part);
    free(part);
    free(path);
}

assay_status conf_dump_write(const char *path, const conf_replay *r, assay_error *err)
{
    char *part = NULL;
    assay_status rc = conf_directories_make(path, err);
    if (rc != ASSAY_OK) return rc;
    if (asprintf(&part, "%s" PART, path) < 0) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0;
    hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = file >= 0 && write_header(file, r) && (!r->rows || write_prefill(file, r)) &&
              (r->c->decoder.n_greedy == 0 || write_tokens(file, r)) && write_traces(file, r);
    ok = (file >= 0 && H5Fclose(file) >= 0) && ok && rename(part, path) == 0;
    if (!ok) {
        rc = assay_fail(err, ASSAY_EIO, "%s: cannot be written: %s", path,
                        errno ? strerror(errno) : "HDF5 failed");
        (void)unlink(part);
    }
    free(part);
    return rc;
}
