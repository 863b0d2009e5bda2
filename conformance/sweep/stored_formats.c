/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "model/formats/blocks.h"
#include "model/formats/quantization.h"

/* A format of safetensors files: quantization_config, or `quantization` where is_mlx. */
typedef struct setting {
    const char *name, *text;
    bool is_mlx;
} setting;

#define COMPRESSED(format, weights)                                                                          \
    "{\"quant_method\": \"compressed-tensors\", \"format\": \"" format                                       \
    "\", \"config_groups\": {\"group_0\": {\"targets\": [\"Linear\"], \"weights\": {" weights "}}}}"
#define INTEGERS(bits, symmetric, rest)                                                                      \
    "\"num_bits\": " bits ", \"type\": \"int\", \"symmetric\": " symmetric ", " rest
#define FLOATS(bits, rest) "\"num_bits\": " bits ", \"type\": \"float\", \"symmetric\": true, " rest
#define GROUPS(size)       "\"strategy\": \"group\", \"group_size\": " size
#define CHANNELS           "\"strategy\": \"channel\""
#define GPTQ(bits, rest)   "{\"quant_method\": \"gptq\", \"bits\": " bits ", " rest "}"
#define BITSANDBYTES(rest) "{\"quant_method\": \"bitsandbytes\", " rest "}"
#define TABLE(type, rest)  BITSANDBYTES("\"load_in_4bit\": true, \"bnb_4bit_quant_type\": \"" type "\"" rest)
#define MLX(bits, group)                                                                                     \
    {                                                                                                        \
        "MLX " bits " bits, groups of " group, "{\"bits\": " bits ", \"group_size\": " group "}", true       \
    }

static const setting SETTINGS[] = {
    {"fp8 tensor", "{\"quant_method\": \"fp8\"}", false},
    {"fp8 block", "{\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}", false},
    {"fp8 block 16 x 32", "{\"quant_method\": \"fp8\", \"weight_block_size\": [16, 32]}", false},
    {"float-quantized channel", COMPRESSED("float-quantized", FLOATS("8", CHANNELS)), false},
    {"float-quantized tensor", COMPRESSED("float-quantized", FLOATS("8", "\"strategy\": \"tensor\"")), false},
    {"int-quantized channel", COMPRESSED("int-quantized", INTEGERS("8", "true", CHANNELS)), false},
    {"int-quantized asymmetric", COMPRESSED("int-quantized", INTEGERS("8", "false", CHANNELS)), false},
    {"pack-quantized 4", COMPRESSED("pack-quantized", INTEGERS("4", "true", GROUPS("32"))), false},
    {"pack-quantized 4 channel", COMPRESSED("pack-quantized", INTEGERS("4", "true", CHANNELS)), false},
    {"pack-quantized 4 asymmetric", COMPRESSED("pack-quantized", INTEGERS("4", "false", GROUPS("128"))),
     false},
    {"pack-quantized 4 g_idx",
     COMPRESSED("pack-quantized", INTEGERS("4", "false", GROUPS("32") ", \"actorder\": \"group\"")), false},
    {"pack-quantized 8", COMPRESSED("pack-quantized", INTEGERS("8", "true", GROUPS("128"))), false},
    {"pack-quantized 8 asymmetric", COMPRESSED("pack-quantized", INTEGERS("8", "false", GROUPS("32"))),
     false},
    {"nvfp4-pack-quantized",
     COMPRESSED("nvfp4-pack-quantized", FLOATS("4", "\"strategy\": \"tensor_group\", \"group_size\": 16")),
     false},
    {"mxfp4-pack-quantized", COMPRESSED("mxfp4-pack-quantized", FLOATS("4", GROUPS("32"))), false},
    {"modelopt NVFP4", "{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\"}", false},
    {"modelopt FP8 channel",
     "{\"quant_method\": \"modelopt\", \"quant_algo\": \"FP8_PER_CHANNEL_PER_TOKEN\"}", false},
    {"modelopt MXFP8", "{\"quant_method\": \"modelopt\", \"quant_algo\": \"MXFP8\"}", false},
    {"mxfp4", "{\"quant_method\": \"mxfp4\"}", false},
    {"AWQ", "{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 32, \"version\": \"gemm\"}", false},
    {"GPTQ 2", GPTQ("2", "\"group_size\": 64"), false},
    {"GPTQ 3", GPTQ("3", "\"group_size\": 32, \"sym\": false"), false},
    {"GPTQ 4", GPTQ("4", "\"group_size\": 128, \"sym\": false"), false},
    {"GPTQ 8", GPTQ("8", "\"group_size\": -1"), false},
    {"GPTQ 2 g_idx", GPTQ("2", "\"group_size\": 32, \"sym\": false, \"desc_act\": true"), false},
    {"GPTQ 3 g_idx", GPTQ("3", "\"group_size\": 32, \"desc_act\": true"), false},
    {"GPTQ 4 g_idx", GPTQ("4", "\"group_size\": 32, \"sym\": false, \"desc_act\": true"), false},
    {"GPTQ 8 g_idx", GPTQ("8", "\"group_size\": 64, \"desc_act\": true"), false},
    {"GPTQ 4, version 2", GPTQ("4", "\"group_size\": 32, \"sym\": false, \"checkpoint_format\": \"gptq_v2\""),
     false},
    {"bitsandbytes nf4", TABLE("nf4", ""), false},
    {"bitsandbytes fp4", TABLE("fp4", ""), false},
    {"bitsandbytes nf4 nested", TABLE("nf4", ", \"bnb_4bit_use_double_quant\": true"), false},
    {"bitsandbytes int8", BITSANDBYTES("\"load_in_8bit\": true"), false},
    MLX("2", "32"),
    MLX("3", "64"),
    MLX("4", "64"),
    MLX("5", "128"),
    MLX("6", "32"),
    MLX("8", "128"),
};
enum { N_SETTINGS = sizeof SETTINGS / sizeof *SETTINGS };

/* Type `index` of GGUF's known blocks; NULL: there are fewer. */
static const gguf_type *block_type(size_t index)
{
    size_t n;
    const gguf_type *types = gguf_types(&n);
    for (size_t i = 0; i < n; i++)
        if (blocks_is_coded(&types[i]) && blocks_is_known(&types[i]) && index-- == 0) return &types[i];
    return NULL;
}

size_t sweep_n_formats(void)
{
    size_t n = N_SETTINGS;
    while (block_type(n - N_SETTINGS)) n++;
    return n;
}

const char *sweep_format_name(size_t format)
{
    return format < N_SETTINGS ? SETTINGS[format].name : block_type(format - N_SETTINGS)->name;
}

/* The module of the setting. False: its text is refused, which check_stored_formats would find. */
static bool read_setting(const setting *is, format_module *out)
{
    const char *name = is->is_mlx ? "quantization" : "quantization_config";
    json_object *value = NULL, *document = json_object_new_object();
    config_notes notes = {0};
    assay_error err = {0};
    config c;
    rules all;
    bool ok = json_parse(is->name, is->text, strlen(is->text), &value, &err) == ASSAY_OK;
    json_object_object_add(document, name, value);
    config_begin(&c, is->name, "", document, &notes, &err);
    quantization_read(&c, &all);
    ok = ok && c.status == ASSAY_OK;
    *out = rules_find(&all, "m");
    rules_free(&all);
    config_drop(&c);
    config_notes_free(&notes);
    json_object_put(document);
    return ok && out->format;
}

/* Whether the format has matrices of the sizes; lists their parts. */
static bool list_parts(size_t format, size_t n_out, size_t n_in, sweep_stored *out)
{
    char reason[FORMAT_REASON_MAX] = "";
    if (format >= N_SETTINGS) return n_in % block_type(format - N_SETTINGS)->block == 0;
    if (!read_setting(&SETTINGS[format], &out->module)) return false;
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

/* An optional part is there where the config asks for it. */
static bool is_wanted(const drawing *d, const format_part *part)
{
    return !part->is_optional || (d->of->module.is_ordered && ends_with(part->suffix, "g_idx"));
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
    return format < N_SETTINGS ? describe_parts(&d) : describe_blocks(&d, block_type(format - N_SETTINGS));
}

void sweep_format_close(sweep_stored *of, bool owns)
{
    for (size_t i = 0; owns && i < FORMAT_PARTS_MAX; i++) free((void *)(uintptr_t)of->tensor[i].data);
    layouts_free(of->layouts);
}
