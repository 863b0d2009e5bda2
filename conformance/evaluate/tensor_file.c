/* Tensors in files: of a case, of an observation, or stored temporarily while an engine runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/tensor_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/grow.h"
#include "conformance/case/members.h"
#include "conformance/case/traces.h"
#include "conformance/hdf5/file.h"

typedef struct entry {
    conf_trace trace;
    assay_dtype dtype; /* in the file */
    off_t at;          /* in a temporary file */
} entry;

struct conf_tensors {
    const conf_h5 *file; /* NULL: a temporary file */
    const conf_case *c;  /* NULL: an observation */
    FILE *aside;
    entry *entries;
    size_t n;
};

static assay_status no_memory(assay_error *err)
{
    return assay_fail(err, ASSAY_ENOMEM, "out of memory for the names of tensors");
}

static entry *add_entry(conf_tensors *t, const char *name)
{
    entry *grown = grow_by_one(t->entries, t->n, sizeof *grown);
    if (!grown) return NULL;
    t->entries = grown;
    grown[t->n] = (entry){.trace = {.name = strdup(name)}};
    return grown[t->n].trace.name ? &grown[t->n++] : NULL;
}

assay_status conf_tensors_of_case(const conf_h5 *file, const conf_case *c, conf_tensors **out,
                                  assay_error *err)
{
    conf_tensors *t = calloc(1, sizeof *t);
    if (!t) return no_memory(err);
    *t = (conf_tensors){.file = file, .c = c};
    for (size_t i = 0; i < c->decoder.n_traces; i++) {
        const conf_trace *trace = &c->decoder.traces[i];
        entry *e = add_entry(t, trace->name);
        if (!e) {
            conf_tensors_free(t);
            return no_memory(err);
        }
        char *name = e->trace.name;
        *e = (entry){.trace = *trace, .dtype = ASSAY_F64};
        e->trace.name = name;
    }
    *out = t;
    return ASSAY_OK;
}

assay_status conf_tensors_of_observation(const conf_h5 *file, conf_tensors **out, assay_error *err)
{
    conf_strings names;
    assay_status rc = conf_h5_members(file, "/observed/trace", &names, err);
    if (rc != ASSAY_OK) return rc;
    conf_tensors *t = calloc(1, sizeof *t);
    rc = t ? ASSAY_OK : no_memory(err);
    if (t) t->file = file;
    for (size_t i = 0; i < names.n && rc == ASSAY_OK; i++) {
        char path[256];
        (void)snprintf(path, sizeof path, "/observed/trace/%s", names.at[i]);
        entry *e = add_entry(t, names.at[i]);
        rc = e ? conf_h5_shape_types(file, path, CONF_H5_FLOATS, &e->trace.value, err) : no_memory(err);
        if (rc == ASSAY_OK) e->dtype = e->trace.value.dtype;
    }
    conf_strings_free(&names);
    if (rc == ASSAY_OK) *out = t;
    else conf_tensors_free(t);
    return rc;
}

/* Opens a temporary file without a name, which ends with the process. A minimal root may have no /tmp. */
static FILE *open_aside(void)
{
    FILE *f = tmpfile();
    if (f) return f;
    char name[] = "assay-tensors.XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0) return NULL;
    (void)unlink(name);
    f = fdopen(fd, "w+b");
    if (!f) (void)close(fd);
    return f;
}

assay_status conf_tensors_create(conf_tensors **out, assay_error *err)
{
    conf_tensors *t = calloc(1, sizeof *t);
    if (!t) return no_memory(err);
    t->aside = open_aside();
    if (!t->aside) {
        free(t);
        return assay_fail(err, ASSAY_EIO, "no temporary file for tensors, in /tmp or here: %s",
                          strerror(errno));
    }
    *out = t;
    return ASSAY_OK;
}

void conf_tensors_free(conf_tensors *t)
{
    if (!t) return;
    for (size_t i = 0; i < t->n; i++) free(t->entries[i].trace.name);
    free(t->entries);
    if (t->aside) (void)fclose(t->aside);
    free(t);
}

size_t conf_tensors_count(const conf_tensors *t)
{
    return t->n;
}

const conf_trace *conf_tensors_at(const conf_tensors *t, size_t i)
{
    return &t->entries[i].trace;
}

const conf_trace *conf_tensors_find(const conf_tensors *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->entries[i].trace.name, name) == 0) return &t->entries[i].trace;
    return NULL;
}

/* Reads from the temporary file, converted to double. */
static assay_status get_aside(const conf_tensors *t, const entry *e, conf_array *out, assay_error *err)
{
    conf_array a = e->trace.value;
    size_t bytes = dtype_size(e->dtype), n = a.n ? a.n : 1;
    void *raw = malloc(n * bytes);
    a.data = malloc(n * sizeof(double));
    a.dtype = ASSAY_F64;
    assay_status rc = ASSAY_OK;
    if (!raw || !a.data)
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory for %zu elements", e->trace.name, a.n);
    else if (fseeko(t->aside, e->at, SEEK_SET) != 0 || fread(raw, bytes, a.n, t->aside) != a.n)
        rc = assay_fail(err, ASSAY_EIO, "%s cannot be read back from a temporary file: %s", e->trace.name,
                        strerror(errno));
    else dtype_to_f64(a.data, raw, e->dtype, a.n);
    free(raw);
    if (rc == ASSAY_OK) *out = a;
    else conf_array_free(&a);
    return rc;
}

assay_status conf_tensors_get(const conf_tensors *t, const conf_trace *trace, conf_array *out,
                              assay_error *err)
{
    const entry *e = (const entry *)(const void *)trace; /* its first member */
    if (t->aside) return get_aside(t, e, out, err);
    /* The tensor is freed before the next one is read, and may be read several times: it does not count
     * towards the file's memory budget. */
    conf_h5_budget left = t->file->state->left;
    char path[256];
    (void)snprintf(path, sizeof path, "/observed/trace/%s", trace->name);
    assay_status rc =
        t->c ? conf_trace_read(t->file, trace, out, err)
             : conf_array_read_wide(t->file, path, trace->value.rank, trace->value.shape, out, err);
    t->file->state->left = left;
    return rc;
}

assay_status conf_tensors_put(conf_tensors *t, const assay_tensor *tensor, assay_error *err)
{
    if (conf_tensors_find(t, tensor->name)) return ASSAY_OK;
    if (!tensor->data || !dtype_is_float(tensor->dtype) || tensor->rank > ASSAY_TENSOR_RANK_MAX)
        return ASSAY_OK;
    entry *e = add_entry(t, tensor->name);
    if (!e) return no_memory(err);
    conf_array *a = &e->trace.value;
    *a = (conf_array){.dtype = tensor->dtype, .rank = tensor->rank, .n = 1};
    for (size_t i = 0; i < a->rank; i++) a->n *= a->shape[i] = tensor->shape[i];
    e->dtype = tensor->dtype;
    if (fseeko(t->aside, 0, SEEK_END) == 0) {
        e->at = ftello(t->aside);
        if (fwrite(tensor->data, dtype_size(e->dtype), a->n, t->aside) == a->n && fflush(t->aside) == 0)
            return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EIO, "%.100s cannot be put aside in a temporary file: %s", tensor->name,
                      strerror(errno));
}
