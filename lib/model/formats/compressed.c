/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/compressed.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "model/formats/fields.h"

/* compressors/: pack_quantized, int_quantized, float_quantized (both also naive_quantized), nvfp4 and mxfp4.
 */

enum { NVFP4_GROUP = 16, MX_GROUP = 32 };

static const uint32_t E4M3 = FORMAT_TYPE(ASSAY_F8_E4M3), U8 = FORMAT_TYPE(ASSAY_U8);

/* weight_scale: [1], or a grid of the strategy. */
static format_part scale_part(const format_module *m, size_t rows, size_t cols, const char *suffix,
                              uint32_t types)
{
    const bool is_scalar = !m->block_rows && !m->block_cols;
    return (format_part){suffix,
                         types,
                         is_scalar ? 0 : 2,
                         {field_blocks(rows, m->block_rows), field_blocks(cols, m->block_cols)},
                         false};
}

static size_t list_packed(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                          char reason[FORMAT_REASON_MAX])
{
    const size_t n = field_blocks(cols, m->block_cols), bits = m->bits;
    (void)reason;
    out[0] = (format_part){
        ".weight_packed", FORMAT_TYPE(ASSAY_I32), 2, {rows, field_blocks(cols * bits, 32)}, false};
    out[1] = scale_part(m, rows, cols, ".weight_scale", FORMAT_SCALES);
    out[2] = (format_part){".weight_shape", FORMAT_TYPE(ASSAY_I64) | FORMAT_TYPE(ASSAY_I32), 1, {2}, false};
    out[3] = (format_part){".weight_g_idx", FORMAT_TYPE(ASSAY_I32), 1, {cols}, true};
    if (!m->is_asymmetric) return 4;
    out[4] = (format_part){
        ".weight_zero_point", FORMAT_TYPE(ASSAY_I32), 2, {field_blocks(rows * bits, 32), n}, false};
    return 5;
}

static bool check_packed(const format_matrix *m, char reason[FORMAT_REASON_MAX])
{
    const int64_t rows = dtype_integer(m->part[2], 0), cols = dtype_integer(m->part[2], 1);
    const size_t n = field_blocks(m->cols, m->module->block_cols);
    if (rows != (int64_t)m->rows || cols != (int64_t)m->cols) {
        (void)snprintf(reason, FORMAT_REASON_MAX, "weight_shape: found [%lld, %lld], expected [%zu, %zu]",
                       (long long)rows, (long long)cols, m->rows, m->cols);
        return false;
    }
    return field_check_groups(m->part[3], n, "weight_g_idx", reason);
}

/* Zero points are packed along the rows, with the same offset as the codes. */
static void set_packed_zeros(format_matrix *m, size_t columns)
{
    const size_t bits = m->module->bits, n = field_blocks(m->cols, m->module->block_cols);
    assay_layout layout = {.number = ASSAY_U8, .n_planes = (uint32_t)field_planes(bits), .times = 1};
    for (size_t p = 0; p < layout.n_planes; p++) {
        field_set_stream(&layout.planes[p], p, bits, ASSAY_INDEX_ROW, 32 * n);
        if (columns)
            layout.planes[p].digits[layout.planes[p].n_digits++] = (assay_digit)FIELD_COLUMNS(columns, 32);
    }
    field_set(m, &m->stored.zero, m->part[4], &layout);
}

static void describe_packed(format_matrix *m)
{
    const format_module *is = m->module;
    const size_t row_bits = field_blocks(m->cols * is->bits, 32) * 32;
    const bool is_listed = m->part[3];
    assay_layout codes = {
        .number = ASSAY_U8,
        .n_planes = 1,
        .minus = is->is_asymmetric ? 0 : (double)(1U << (is->bits - 1)),
        .times = 1,
        .planes = {{(uint32_t)is->bits, 2, 0, {FIELD_ROW(row_bits), FIELD_COLUMN(is->bits)}}}};
    field_set(m, &m->stored.codes, m->part[0], &codes);
    if (is_listed) {
        const size_t n = field_blocks(m->cols, is->block_cols), width = dtype_size(m->part[1]->dtype) * 8;
        const assay_layout scale = {
            .number = m->part[1]->dtype,
            .n_planes = 1,
            .times = 1,
            .planes = {{(uint32_t)width, 2, 0, {FIELD_ROW(n * width), FIELD_COLUMN(width)}}}};
        m->stored.group_of = m->part[3]->data;
        field_set(m, &m->stored.scale, m->part[1], &scale);
    } else {
        field_set_grid(m, &m->stored.scale, m->part[1], is->block_rows, is->block_cols);
    }
    if (is->is_asymmetric) set_packed_zeros(m, is_listed ? 1 : is->block_cols);
}

static size_t list_int(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                       char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    out[0] = (format_part){".weight", FORMAT_TYPE(ASSAY_I8), 2, {rows, cols}, false};
    out[1] = scale_part(m, rows, cols, ".weight_scale", FORMAT_SCALES);
    out[2] = (format_part){".input_scale", FORMAT_SCALES, 0, {0}, true};
    out[3] = (format_part){".input_zero_point", FORMAT_TYPE(ASSAY_I8), 0, {0}, true};
    if (!m->is_asymmetric) return 4;
    out[4] = scale_part(m, rows, cols, ".weight_zero_point", FORMAT_TYPE(ASSAY_I8));
    return 5;
}

static void describe_int(format_matrix *m)
{
    const format_module *is = m->module;
    field_describe_bytes(m);
    if (is->is_asymmetric) field_set_grid(m, &m->stored.zero, m->part[4], is->block_rows, is->block_cols);
}

static size_t list_mxfp8(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    out[0] = (format_part){".weight", E4M3, 2, {rows, cols}, false};
    out[1] = scale_part(m, rows, cols, ".weight_scale", U8 | FORMAT_TYPE(ASSAY_F8_E8M0));
    return 2;
}

static size_t list_float(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)reason;
    out[0] = (format_part){".weight", E4M3, 2, {rows, cols}, false};
    out[1] = scale_part(m, rows, cols, ".weight_scale", FORMAT_SCALES);
    out[2] = (format_part){".input_scale", FORMAT_SCALES, 0, {0}, true};
    return 3;
}

/* The parts of codes of e2m1, whose scales have one for `group` inputs. */
static void list_e2m1(size_t rows, size_t cols, size_t group, uint32_t scales, format_part *out, char *reason)
{
    field_expect_multiple(cols, group, reason);
    out[0] = (format_part){".weight_packed", U8, 2, {rows, cols / 2}, false};
    out[1] = (format_part){".weight_scale", scales, 2, {rows, cols / group}, false};
}

static size_t list_nvfp4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)m;
    list_e2m1(rows, cols, NVFP4_GROUP, E4M3, out, reason);
    out[2] = (format_part){".weight_global_scale", FORMAT_TYPE(ASSAY_F32), 0, {0}, false};
    out[3] = (format_part){".input_global_scale", FORMAT_TYPE(ASSAY_F32), 0, {0}, true};
    return 4;
}

static void describe_nvfp4(format_matrix *m)
{
    field_describe_e2m1(m, NVFP4_GROUP);
    field_set_grid(m, &m->stored.scale2, m->part[2], 0, 0);
    m->stored.scale2_divides = true;
}

static size_t list_mxfp4(const format_module *m, size_t rows, size_t cols, format_part out[FORMAT_PARTS_MAX],
                         char reason[FORMAT_REASON_MAX])
{
    (void)m;
    list_e2m1(rows, cols, MX_GROUP, U8 | FORMAT_TYPE(ASSAY_F8_E8M0), out, reason);
    return 2;
}

static void describe_mxfp4(format_matrix *m)
{
    field_describe_e2m1(m, MX_GROUP);
}

/* The weights of a format, as its compressor takes them; group 0: any, or none. */
static const struct compressed {
    weight_format format;
    const char *type;
    size_t least, most, group; /* bits; inputs of a scale */
    bool has_zeros;            /* asymmetric codes have zero points */
} FORMATS[] = {
    {{"float-quantized", list_float, field_describe_bytes, NULL}, "float", 8, 8, 0, false},
    {{"int-quantized", list_int, describe_int, NULL}, "int", 1, 8, 0, true},
    {{"pack-quantized", list_packed, describe_packed, check_packed}, "int", 1, 8, 0, true},
    {{"nvfp4-pack-quantized", list_nvfp4, describe_nvfp4, NULL}, "float", 4, 4, NVFP4_GROUP, false},
    {{"mxfp4-pack-quantized", list_mxfp4, describe_mxfp4, NULL}, "float", 4, 4, MX_GROUP, false},
    {{"mxfp8-quantized", list_mxfp8, field_describe_bytes, NULL}, "float", 8, 8, MX_GROUP, false},
};
enum { N_FORMATS = sizeof FORMATS / sizeof *FORMATS };

static const struct compressed *find(const char *name, bool is_float)
{
    if (strcmp(name, "naive-quantized") == 0) return &FORMATS[is_float ? 0 : 1];
    for (size_t i = 0; i < N_FORMATS; i++)
        if (strcmp(FORMATS[i].format.name, name) == 0) return &FORMATS[i];
    return NULL;
}

const weight_format *compressed_format_find(const char *name, bool is_float)
{
    const struct compressed *found = find(name, is_float);
    return found ? &found->format : NULL;
}

void compressed_format_check(config *c, const char *name, bool is_float, const format_module *m)
{
    const struct compressed *is = find(name, is_float);
    if (!is || c->status != ASSAY_OK) return;
    if (is_float != (strcmp(is->type, "float") == 0))
        config_fail(c, ASSAY_EFORMAT, "type: found \"%s\", expected \"%s\", as %s has it",
                    is_float ? "float" : "int", is->type, is->format.name);
    else if (m->bits < is->least || m->bits > is->most)
        config_fail(c, ASSAY_EFORMAT, "num_bits: found %zu, expected %s%zu, as %s has it", m->bits,
                    is->least < is->most ? "at most " : "", is->most, is->format.name);
    else if (is->group && m->group != is->group)
        config_fail(c, ASSAY_EFORMAT, "group_size: found %zu, expected %zu, as %s has it", m->group,
                    is->group, is->format.name);
    else if (m->is_asymmetric && !is->has_zeros)
        config_fail(c, ASSAY_EFORMAT, "symmetric: found false, expected true, as %s has it", is->format.name);
}

void compressed_format_names(char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < N_FORMATS && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "\"%s\", ", FORMATS[i].format.name);
    if (used < size) (void)snprintf(out + used, size - used, "\"naive-quantized\" or \"mixed-precision\"");
}
