/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "conformance/sweep/stored_settings.h"
#include "model/formats/blocks.h"

/* Type `index` of GGUF's known blocks; NULL: there are fewer. */
static const gguf_type *block_type(size_t index)
{
    size_t n;
    const gguf_type *types = gguf_types(&n);
    for (size_t i = 0; i < n; i++)
        if (blocks_is_coded(&types[i]) && blocks_is_known(&types[i]) && index-- == 0) return &types[i];
    return NULL;
}

/* The type of a format; NULL: the format is a setting. */
static const gguf_type *type_of(size_t format)
{
    return format < sweep_n_settings() ? NULL : block_type(format - sweep_n_settings());
}

size_t sweep_n_formats(void)
{
    size_t n = 0;
    while (block_type(n)) n++;
    return sweep_n_settings() + n;
}

const char *sweep_format_name(size_t format)
{
    const gguf_type *type = type_of(format);
    return type ? type->name : sweep_setting_name(format);
}

/* Whether the format has matrices of the sizes; lists their parts. */
static bool list_parts(size_t format, size_t n_out, size_t n_in, sweep_stored *out)
{
    char reason[FORMAT_REASON_MAX] = "";
    const gguf_type *type = type_of(format);
    if (type) return n_in % type->block == 0;
    if (!sweep_setting_read(format, &out->module)) return false;
    out->n_parts = out->module.format->parts(&out->module, n_out, n_in, out->parts, reason);
    return reason[0] == '\0';
}

void sweep_format_fit(size_t format, size_t *n_out, size_t *n_in)
{
    static const size_t units[] = {1, 2, 8, 16, 32, 64, 128, 256};
    enum { N_UNITS = sizeof units / sizeof *units };
    const size_t rows = *n_out, cols = *n_in;
    for (size_t i = 0; i < N_UNITS * N_UNITS; i++) {
        const size_t of_rows = units[i / N_UNITS], of_cols = units[i % N_UNITS];
        sweep_stored one = {0};
        *n_out = (rows + of_rows - 1) / of_rows * of_rows;
        *n_in = (cols + of_cols - 1) / of_cols * of_cols;
        if (list_parts(format, *n_out, *n_in, &one)) return;
    }
}

/* The drawing of one matrix. */
typedef struct drawing {
    sweep_stored *of;
    sweep *sweep;
    uint64_t state; /* of a matrix without a sweep */
    size_t n_out, n_in;
} drawing;

static size_t draw_below(drawing *d, size_t n)
{
    return d->sweep ? sweep_between(d->sweep, 0, n - 1)
                    : (size_t)((d->state = d->state * 25214903917U + 11) >> 16) % n;
}

static void *allocate(drawing *d, const char *name, size_t n_bytes)
{
    void *made = d->sweep ? sweep_alloc_stored(d->sweep, name, n_bytes) : malloc(n_bytes + 1);
    return made ? memset(made, 0, n_bytes) : NULL;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* One of the types that the part may have. */
static assay_dtype draw_type(drawing *d, uint32_t types)
{
    assay_dtype all[32] = {ASSAY_DTYPE_NONE};
    size_t n = 0;
    for (uint32_t type = 0; type < 32; type++)
        if (types & FORMAT_TYPE(type)) all[n++] = (assay_dtype)type;
    return all[draw_below(d, n)];
}

/* What bitsandbytes states beside its tensors. */
static size_t write_state(const drawing *d, char *out, size_t size)
{
    const char *nested =
        d->of->module.is_nested ? ", \"nested_blocksize\": 4, \"nested_offset\": 0.03125" : "";
    return (size_t)snprintf(out, size, "{\"blocksize\": 32%s, \"shape\": [%zu, %zu]}", nested, d->n_out,
                            d->n_in);
}

/* The extent of a part that may have any: scales of blocks of 32 elements, or of 4 such scales. */
static size_t any_extent(const drawing *d, const format_part *part)
{
    char state[200];
    const size_t n = (d->n_out * d->n_in + 31) / 32;
    if (strstr(part->suffix, ".quant_state.")) return write_state(d, state, sizeof state);
    return ends_with(part->suffix, ".nested_absmax") ? (n + 3) / 4 : n;
}

/* Numbers on which the description depends. */
static void fill_part(drawing *d, const format_part *part, assay_tensor *t, char *to)
{
    const size_t n = dtype_elements(t), group = d->of->module.group;
    char state[200];
    for (size_t i = 0; i < n && ends_with(part->suffix, "quant_map"); i++)
        dtype_from_f64(to + i * sizeof(float), &(double){(double)draw_below(d, 4001) / 2000 - 1}, ASSAY_F32,
                       1);
    for (size_t i = 0; i < n && ends_with(part->suffix, "g_idx"); i++) {
        const int32_t index = (int32_t)draw_below(d, group ? (n + group - 1) / group : 1);
        memcpy(to + i * sizeof index, &index, sizeof index);
    }
    for (size_t i = 0; i < n && ends_with(part->suffix, "weight_shape"); i++) {
        const int64_t size = (int64_t)(i ? d->n_in : d->n_out);
        memcpy(to + i * dtype_size(t->dtype), &size, dtype_size(t->dtype));
    }
    if (strstr(part->suffix, ".quant_state.")) {
        (void)write_state(d, state, sizeof state);
        memcpy(to, state, n);
    }
}

/* An optional part is there where the config asks for it; of two names for the scales, one. */
static bool is_wanted(const drawing *d, const format_part *part)
{
    return !part->is_optional || ends_with(part->suffix, ".weight_scale_inv") ||
           (d->of->module.is_ordered && ends_with(part->suffix, "g_idx"));
}

static bool make_part(drawing *d, const format_part *part, assay_tensor *t)
{
    t->name = part->suffix;
    t->dtype = draw_type(d, part->types);
    t->rank = part->rank ? part->rank : 1;
    t->shape[0] = 1;
    for (size_t i = 0; i < part->rank; i++)
        t->shape[i] = part->shape[i] == FORMAT_ANY ? any_extent(d, part) : part->shape[i];
    char *data = allocate(d, part->suffix, dtype_elements(t) * dtype_size(t->dtype));
    if (data) fill_part(d, part, t, data);
    t->data = data;
    return data;
}

static bool describe_parts(drawing *d)
{
    sweep_stored *of = d->of;
    char reason[FORMAT_REASON_MAX];
    format_matrix m = {.module = &of->module, .rows = d->n_out, .cols = d->n_in, .layouts = of->layouts};
    m.stored = (assay_stored){.format = of->module.format->name, .n_out = d->n_out, .n_in = d->n_in};
    for (size_t i = 0; i < of->n_parts; i++) {
        if (!is_wanted(d, &of->parts[i])) continue;
        if (!make_part(d, &of->parts[i], &of->tensor[i])) return false;
        m.part[i] = &of->tensor[i];
    }
    if (of->module.format->check && !of->module.format->check(&m, reason)) return false;
    of->module.format->describe(&m);
    of->stored = m.stored;
    return !m.is_short;
}

static bool describe_blocks(drawing *d, const gguf_type *type)
{
    const size_t n = d->n_out * (d->n_in / type->block) * type->n_bytes;
    void *data = allocate(d, "blocks", n);
    d->of->tensor[0] = (assay_tensor){.name = type->name, .rank = 1, .shape = {n}, .data = data};
    return data && blocks_describe(type, data, NULL, d->n_out, d->n_in, d->of->layouts, &d->of->stored);
}

bool sweep_format_open(size_t format, size_t n_out, size_t n_in, sweep *s, uint64_t seed, sweep_stored *out)
{
    drawing d = {.of = out, .sweep = s, .state = seed, .n_out = n_out, .n_in = n_in};
    *out = (sweep_stored){.layouts = layouts_open()};
    if (!out->layouts || !list_parts(format, n_out, n_in, out)) return false;
    const gguf_type *type = type_of(format);
    return type ? describe_blocks(&d, type) : describe_parts(&d);
}

void sweep_format_close(sweep_stored *of, bool owns)
{
    for (size_t i = 0; owns && i < FORMAT_PARTS_MAX; i++) free((void *)(uintptr_t)of->tensor[i].data);
    layouts_free(of->layouts);
}
