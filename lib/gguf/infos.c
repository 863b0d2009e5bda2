/* SPDX-License-Identifier: Apache-2.0 */
#include "gguf/infos.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES    255                 /* ggml's own limit is 63 unless it is built with another */
#define INFO_SIZE_MIN     (8 + 1 + 4 + 4 + 8) /* a name of one byte and no dimension */
#define ALIGNMENT_DEFAULT 32
#define ALIGNMENT_MIN     8
#define ALIGNMENT_MAX     ((uint64_t)1 << 20)

/* A tensor while its data's place is unknown. */
typedef struct info {
    gguf_tensor tensor;
    uint64_t offset;
} info;

typedef struct info_list {
    info *list; /* [n] */
    size_t n;
    const unsigned char *data; /* [n_data], where offsets count from */
    size_t n_data;
    size_t alignment;
} info_list;

static assay_text text_of(const char *terminated)
{
    return (assay_text){terminated, strlen(terminated)};
}

static assay_status read_alignment(const gguf_cursor *c, const gguf_entries *metadata, size_t *out)
{
    static const char KEY[] = "general.alignment";
    const gguf_value *v = gguf_entries_get(metadata, KEY);
    uint64_t found = ALIGNMENT_DEFAULT;
    if (v && (v->is_array || v->kind != GGUF_U32 || !gguf_value_unsigned(v, 0, &found)))
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "key '%s': found %s%s, expected u32", KEY,
                                v->is_array ? "an array of " : "", gguf_kind_name(v->kind));
    if (found < ALIGNMENT_MIN || found > ALIGNMENT_MAX || (found & (found - 1)) != 0)
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "key '%s': found %" PRIu64 ", expected a power of two from %d to %" PRIu64,
                                KEY, found, ALIGNMENT_MIN, ALIGNMENT_MAX);
    *out = (size_t)found;
    return ASSAY_OK;
}

static assay_status read_shape(gguf_cursor *c, gguf_tensor *t)
{
    uint32_t n_dims;
    assay_status rc = gguf_cursor_u32(c, "number of dimensions", &n_dims);
    if (rc == ASSAY_OK && n_dims > GGUF_DIMS_MAX)
        rc = gguf_cursor_fail(c, ASSAY_EFORMAT, "found %" PRIu32 " dimensions, expected at most %d", n_dims,
                              GGUF_DIMS_MAX);
    for (size_t i = 0; i < GGUF_DIMS_MAX; i++) t->ne[i] = 1;
    for (uint32_t i = 0; rc == ASSAY_OK && i < n_dims; i++) {
        uint64_t extent;
        rc = gguf_cursor_u64(c, "dimension", &extent);
        if (rc == ASSAY_OK && (extent == 0 || extent > INT64_MAX))
            rc = gguf_cursor_fail(c, ASSAY_EFORMAT,
                                  "dimension %" PRIu32 ": found %" PRIu64 " elements, expected 1 to %" PRId64,
                                  i, extent, INT64_MAX);
        if (rc == ASSAY_OK) t->ne[i] = (size_t)extent;
    }
    t->n_dims = n_dims;
    return rc;
}

static assay_status read_type(gguf_cursor *c, gguf_tensor *t)
{
    uint32_t id;
    const assay_status rc = gguf_cursor_u32(c, "type", &id);
    if (rc != ASSAY_OK) return rc;
    t->type = gguf_type_of(id);
    if (!t->type)
        return gguf_cursor_fail(c, ASSAY_EUNSUPPORTED, "found type %" PRIu32 ", expected a type of ggml 0.25",
                                id);
    if (t->type->n_bytes == 0)
        return gguf_cursor_fail(c, ASSAY_EUNSUPPORTED,
                                "found type %" PRIu32 " (%s), which the format has removed, expected another",
                                id, t->type->name);
    if (t->ne[0] % t->type->block != 0)
        return gguf_cursor_fail(
            c, ASSAY_EFORMAT,
            "found rows of %zu elements of type %s, expected a multiple of its block of %zu", t->ne[0],
            t->type->name, t->type->block);
    return ASSAY_OK;
}

static assay_status count_bytes(const gguf_cursor *c, gguf_tensor *t)
{
    size_t n = t->ne[0] / t->type->block;
    for (size_t i = 1; i <= GGUF_DIMS_MAX; i++) {
        const size_t factor = i < GGUF_DIMS_MAX ? t->ne[i] : t->type->n_bytes;
        if (n > (size_t)INT64_MAX / factor)
            return gguf_cursor_fail(
                c, ASSAY_EFORMAT,
                "found dimensions %zu x %zu x %zu x %zu of type %s, expected at most %" PRId64 " bytes",
                t->ne[0], t->ne[1], t->ne[2], t->ne[3], t->type->name, INT64_MAX);
        n *= factor;
    }
    t->n_bytes = n;
    return ASSAY_OK;
}

static assay_status read_info(gguf_cursor *c, info *one)
{
    assay_text name;
    gguf_tensor *t = &one->tensor;
    gguf_cursor_set_place(c, NULL, (assay_text){0});
    assay_status rc = gguf_cursor_name(c, "name of a tensor", NAME_MAX_BYTES, &name);
    if (rc != ASSAY_OK) return rc;
    gguf_cursor_set_place(c, "tensor", name);
    rc = read_shape(c, t);
    if (rc == ASSAY_OK) rc = read_type(c, t);
    if (rc == ASSAY_OK) rc = count_bytes(c, t);
    if (rc == ASSAY_OK) rc = gguf_cursor_u64(c, "offset", &one->offset);
    if (rc != ASSAY_OK) return rc;
    t->name = strndup(name.at, name.n);
    return t->name ? ASSAY_OK : gguf_cursor_fail(c, ASSAY_ENOMEM, "out of memory");
}

/* The data begins at the next multiple of the alignment; a file that ends before it has none. */
static void find_data(const gguf_cursor *c, info_list *in)
{
    const size_t rest = c->at % in->alignment, padding = rest == 0 ? 0 : in->alignment - rest;
    const size_t begin = padding > c->n - c->at ? c->n : c->at + padding;
    in->data = c->bytes + begin;
    in->n_data = c->n - begin;
}

static assay_status place_tensor(gguf_cursor *c, const info_list *in, info *one)
{
    gguf_tensor *t = &one->tensor;
    gguf_cursor_set_place(c, "tensor", text_of(t->name));
    if (one->offset % in->alignment != 0)
        return gguf_cursor_fail(c, ASSAY_EFORMAT, "found offset %" PRIu64 ", expected a multiple of %zu",
                                one->offset, in->alignment);
    if (one->offset > in->n_data || t->n_bytes > in->n_data - one->offset)
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "found %zu bytes at offset %" PRIu64
                                ", expected them to end in the %zu bytes of "
                                "data",
                                t->n_bytes, one->offset, in->n_data);
    t->data = in->data + one->offset;
    return ASSAY_OK;
}

static int by_offset(const void *a, const void *b)
{
    const info *x = *(info *const *)a, *y = *(info *const *)b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static assay_status check_overlap(gguf_cursor *c, const info_list *in)
{
    if (in->n < 2) return ASSAY_OK;
    const info **sorted = malloc(in->n * sizeof *sorted);
    if (!sorted) return gguf_cursor_fail(c, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < in->n; i++) sorted[i] = &in->list[i];
    qsort(sorted, in->n, sizeof *sorted, by_offset);
    assay_status rc = ASSAY_OK;
    for (size_t i = 1; i < in->n && rc == ASSAY_OK; i++) {
        const info *before = sorted[i - 1], *one = sorted[i];
        const uint64_t end = before->offset + before->tensor.n_bytes;
        if (one->offset >= end) continue;
        gguf_cursor_set_place(c, "tensor", text_of(one->tensor.name));
        rc = gguf_cursor_fail(c, ASSAY_EFORMAT,
                              "found offset %" PRIu64 ", expected at least %" PRIu64
                              ", the end of tensor '%.60s'",
                              one->offset, end, before->tensor.name);
    }
    free(sorted);
    return rc;
}

static assay_status read_list(gguf_cursor *c, uint64_t n, info_list *in)
{
    for (uint64_t i = 0; i < n; i++) {
        info *grown = grow_by_one(in->list, in->n, sizeof *grown);
        if (!grown) return gguf_cursor_fail(c, ASSAY_ENOMEM, "out of memory");
        in->list = grown;
        grown[in->n] = (info){0};
        const assay_status rc = read_info(c, &grown[in->n]);
        if (rc != ASSAY_OK) return rc;
        in->n++;
    }
    return ASSAY_OK;
}

/* Hands the tensors over, names included. */
static assay_status store_tensors(const gguf_cursor *c, info_list *in, size_t part, gguf_infos *out)
{
    if (in->n == 0) return ASSAY_OK;
    out->list = malloc(in->n * sizeof *out->list);
    if (!out->list) return gguf_cursor_fail(c, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < in->n; i++) {
        out->list[i] = in->list[i].tensor;
        out->list[i].part = part;
    }
    out->n = in->n;
    in->n = 0;
    return ASSAY_OK;
}

assay_status gguf_infos_read(gguf_cursor *c, const gguf_entries *metadata, uint64_t n, size_t part,
                             gguf_infos *out)
{
    info_list in = {0};
    if (n > (c->n - c->at) / INFO_SIZE_MIN)
        return gguf_cursor_fail(c, ASSAY_EFORMAT,
                                "found %" PRIu64 " tensors, expected at most the %zu that fit into the file",
                                n, (c->n - c->at) / INFO_SIZE_MIN);
    assay_status rc = read_alignment(c, metadata, &in.alignment);
    if (rc == ASSAY_OK) rc = read_list(c, n, &in);
    if (rc == ASSAY_OK) find_data(c, &in);
    for (size_t i = 0; rc == ASSAY_OK && i < in.n; i++) rc = place_tensor(c, &in, &in.list[i]);
    if (rc == ASSAY_OK) rc = check_overlap(c, &in);
    if (rc == ASSAY_OK) rc = store_tensors(c, &in, part, out);
    for (size_t i = 0; i < in.n; i++) free((char *)in.list[i].tensor.name);
    free(in.list);
    return rc;
}

void gguf_infos_free(gguf_infos *infos)
{
    for (size_t i = 0; i < infos->n; i++) free((char *)infos->list[i].name);
    free(infos->list);
}
