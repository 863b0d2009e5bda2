/* SPDX-License-Identifier: Apache-2.0 */
#include "model/plan/bind_format.h"

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "base/text.h"
#include "model/formats/blocks.h"
#include "model/plan/bind_tensor.h"

enum { SHAPE_MAX = 5 }; /* extents of a part, and of a stack */

/* Tensors of one module, with the leading dimension of a stack. */
typedef struct module_tensors {
    const char *path;
    bool is_parameter; /* path is a parameter of its own, not a module that has a weight */
    const format_module *is;
    const matrix_shape *shape;
    format_part part[FORMAT_PARTS_MAX];
    const assay_tensor *found[FORMAT_PARTS_MAX];
    size_t n;
} module_tensors;

enum { PART_NAME_MAX = BIND_NAME_MAX + 48 };

/* The tensors of a parameter X are named as transformers does (integrations/finegrained_fp8.py): X,
 * X_scale_inv for those that a module has as weight, weight_scale_inv. */
static void name_part(char name[PART_NAME_MAX], const module_tensors *t, const format_part *part)
{
    static const char WEIGHT[] = ".weight";
    const char *suffix = part->suffix;
    const bool is_weight = strncmp(suffix, WEIGHT, sizeof WEIGHT - 1) == 0;
    if (t->is_parameter && is_weight) suffix += sizeof WEIGHT - 1;
    const bool is_beside = t->is_parameter && !is_weight && *suffix == '.';
    (void)snprintf(name, PART_NAME_MAX, "%s%s%s", t->path, is_beside ? "_" : "", suffix + is_beside);
}

static const assay_tensor *find_part(const bind *b, const module_tensors *t, const format_part *part)
{
    char name[PART_NAME_MAX];
    name_part(name, t, part);
    return weights_find(b->weights, name);
}

/* The size of a matrix, for messages on the shapes of its tensors. */
static void size_text(char *out, size_t n, const format_module *is, const matrix_shape *m)
{
    if (is->group)
        (void)snprintf(out, n, " (rows of %zu elements, %zu bits in groups of %zu)", m->cols, is->bits,
                       is->group);
    else (void)snprintf(out, n, " (%zu rows of %zu elements, %s)", m->rows, m->cols, is->format->name);
}

static bool is_one(size_t rank, const size_t *shape)
{
    for (size_t i = 0; i < rank; i++)
        if (shape[i] != 1) return false;
    return true;
}

/* The rank and shape of a part in the checkpoint: with the leading dimension of a stack, any extent where any
 * is allowed, and a number alone with any extents of 1; numbers of a stack may have two of them. */
static size_t part_shape(const module_tensors *t, const format_part *part, const assay_tensor *found,
                         size_t shape[SHAPE_MAX])
{
    size_t rank = 0;
    if (t->shape->n) shape[rank++] = t->shape->n;
    if (found && found->rank <= SHAPE_MAX && !t->shape->n && is_one(part->rank, part->shape) &&
        is_one(found->rank, found->shape)) {
        memcpy(shape, found->shape, found->rank * sizeof *shape);
        return found->rank;
    }
    for (size_t i = 0; i < part->rank; i++) shape[rank++] = part->shape[i];
    if (!found) return rank;
    if (part->rank == 0 && found->rank <= rank + (t->shape->n ? 2 : 1))
        while (rank < found->rank) shape[rank++] = 1;
    for (size_t i = 0; i < rank && found->rank == rank; i++)
        if (shape[i] == FORMAT_ANY) shape[i] = found->shape[i];
    return rank;
}

static void take_parts(bind *b, module_tensors *t)
{
    char name[PART_NAME_MAX], why[120];
    size_t shape[SHAPE_MAX];
    size_text(why, sizeof why, t->is, t->shape);
    for (size_t i = 0; i < t->n; i++) {
        const format_part *part = &t->part[i];
        const assay_tensor *found = find_part(b, t, part);
        if (part->is_optional && !found) continue;
        const size_t rank = part_shape(t, part, found, shape);
        name_part(name, t, part);
        t->found[i] = bind_tensor_take(b, name, part->types, rank, shape, why);
    }
}

/* Part i of matrix e of the stack. */
static assay_tensor part_of(const module_tensors *t, size_t i, size_t e)
{
    assay_tensor part = *t->found[i];
    if (!t->shape->n) return part;
    part.rank--;
    memmove(part.shape, part.shape + 1, part.rank * sizeof *part.shape);
    part.data = (const char *)part.data + e * dtype_elements(&part) * dtype_size(part.dtype);
    return part;
}

static void describe_matrix(bind *b, const module_tensors *t, size_t e, plan_weight *out)
{
    assay_tensor part[FORMAT_PARTS_MAX];
    char reason[FORMAT_REASON_MAX];
    format_matrix m = {
        .module = t->is, .rows = t->shape->rows, .cols = t->shape->cols, .layouts = b->layouts};
    size_t n_bytes = 0;
    m.stored = (assay_stored){.format = t->is->format->name, .n_out = m.rows, .n_in = m.cols};
    for (size_t i = 0; i < t->n; i++) {
        if (!t->found[i]) continue;
        part[i] = part_of(t, i, e);
        m.part[i] = &part[i];
        n_bytes += dtype_elements(&part[i]) * dtype_size(part[i].dtype);
    }
    if (t->is->format->check && !t->is->format->check(&m, reason)) {
        bind_fail(b, ASSAY_EFORMAT, "module '%s': %s", t->path, reason);
        return;
    }
    t->is->format->describe(&m);
    if (m.is_short) bind_fail(b, ASSAY_ENOMEM, "out of memory");
    if (m.note) config_note(b->config->notes, "%.120s: %s", t->path, m.note);
    *out = (plan_weight){.name = t->found[0]->name,
                         .data = part[0].data,
                         .rows = m.rows,
                         .cols = m.cols,
                         .n_bytes = n_bytes,
                         .stored = m.stored};
}

static void count_parts(bind *b, const module_tensors *t)
{
    const size_t n_stacked = matrix_count(t->shape);
    plan_storage storage = {.format = t->is->format->name,
                            .dtype = t->n > 1 && t->found[1] ? t->found[1]->dtype : ASSAY_DTYPE_NONE,
                            .bias_dtype = t->n > 2 && t->found[2] ? t->found[2]->dtype : ASSAY_DTYPE_NONE,
                            .bits = t->is->bits,
                            .group = t->is->group};
    bind_tensor_count(b, t->found[0], n_stacked * t->shape->rows * t->shape->cols, storage);
    for (size_t i = 1; i < t->n; i++)
        if (t->found[i]) bind_tensor_use(b, t->found[i]);
}

/* Whether the checkpoint has any of the format's tensors for the module. */
static bool has_parts(const bind *b, const module_tensors *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const assay_tensor *found = find_part(b, t, &t->part[i]);
        if (found && (i > 0 || t->part[i].types & FORMAT_TYPE(found->dtype))) return true;
    }
    return false;
}

/* The module that a path belongs to: experts of transformers are one, and their stacks its parameters. */
static bool is_of_experts(const char *path, char module[BIND_NAME_MAX])
{
    const char *dot = strrchr(path, '.');
    (void)snprintf(module, BIND_NAME_MAX, "%.*s", dot ? (int)(dot - path) : 0, path);
    return string_ends_with(module, ".experts");
}

/* Where a block has the rows of all gates and ups, transformers has a row of scales for each of the two. */
static void halve_blocks(const bind *b, const module_tensors *t, format_module *is)
{
    enum { SCALES = 1, RANK = 3 };
    const assay_tensor *scales = t->n > SCALES ? find_part(b, t, &t->part[SCALES]) : NULL;
    if (!t->shape->has_halves || !scales || scales->rank != RANK || scales->shape[1] != 2) return;
    if (is->block_rows && is->block_rows < t->shape->rows) return;
    is->block_rows = t->shape->rows / 2;
    if (!is->block_cols) is->block_cols = t->shape->cols;
}

/* Binds the module in its format; false: it is stored as plain numbers. */
static bool bind_in_format(bind *b, const char *path, bool is_named, const matrix_shape *m, plan_weight *out)
{
    char module[BIND_NAME_MAX], reason[FORMAT_REASON_MAX] = "";
    const bool is_parameter = !is_named && is_of_experts(path, module);
    format_module is = rules_find(&b->rules, is_parameter ? module : path);
    if (!is.format || b->status != ASSAY_OK) return false;
    module_tensors t = {.path = path, .is_parameter = is_parameter, .is = &is, .shape = m};
    t.n = is.format->parts(&is, m->rows, m->cols, t.part, reason);
    halve_blocks(b, &t, &is);
    t.n = is.format->parts(&is, m->rows, m->cols, t.part, reason);
    if (!is.is_named && !has_parts(b, &t)) return false;
    if (!*reason) take_parts(b, &t);
    else bind_fail(b, ASSAY_EFORMAT, "tensor '%s%s': %s", path, t.part[0].suffix, reason);
    if (b->status != ASSAY_OK) return true;
    count_parts(b, &t);
    for (size_t e = 0; b->status == ASSAY_OK && e < matrix_count(m); e++) describe_matrix(b, &t, e, &out[e]);
    return true;
}

/* The tensor of the stack, or of the matrix. */
static const assay_tensor *take_stack(bind *b, const char *name, uint32_t types, const matrix_shape *m)
{
    const size_t shape[] = {m->n, m->rows, m->cols};
    return bind_tensor_take(b, name, types, m->n ? 3 : 2, m->n ? shape : shape + 1, "");
}

/* X.scale and X.input_scale of NVFP4 in GGUF files: a number, or one for each matrix of the stack. */
static const assay_tensor *take_scale(bind *b, const char *path, const char *suffix, size_t n)
{
    char name[PART_NAME_MAX];
    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    if (!weights_find(b->weights, name)) return NULL;
    const assay_tensor *t = bind_tensor_take(b, name, FORMAT_TYPE(ASSAY_F32), 1, &n, "");
    if (t) bind_tensor_use(b, t);
    return t;
}

/* Binds matrices of a GGUF file's blocks. */
static void bind_blocks(bind *b, const char *path, const assay_tensor *t, const gguf_type *type,
                        const matrix_shape *m, plan_weight *out)
{
    const size_t n = matrix_count(m);
    if (!blocks_is_known(type))
        bind_fail(b, ASSAY_EUNSUPPORTED, "tensor '%s': found type %s, whose values are not supported",
                  t->name, type->name);
    if (!take_stack(b, t->name, FORMAT_TYPE(ASSAY_DTYPE_NONE), m)) return;
    const assay_tensor *scale = take_scale(b, path, ".scale", n);
    (void)take_scale(b, path, ".input_scale", n);
    const size_t n_bytes = m->rows * (m->cols / type->block) * type->n_bytes;
    bind_tensor_count(b, t, n * m->rows * m->cols, (plan_storage){.format = type->name});
    for (size_t e = 0; e < n; e++) {
        const char *data = (const char *)t->data + e * n_bytes;
        const float *factor = scale ? (const float *)scale->data + e : NULL;
        out[e] = (plan_weight){
            .name = t->name, .data = data, .rows = m->rows, .cols = m->cols, .n_bytes = n_bytes};
        if (!blocks_describe(type, data, factor, m->rows, m->cols, b->layouts, &out[e].stored))
            bind_fail(b, ASSAY_ENOMEM, "out of memory");
    }
}

/* Row h d + p d/2 + i of the published matrix, of head h with d rows, is row h d + 2i + p of the stored one.
 */
static void permute_rows(assay_stored *s, size_t d)
{
    s->n_row_digits = 3;
    s->row_digits[0] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, d, 0, d};
    s->row_digits[1] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, 1, d / 2, 2};
    s->row_digits[2] = (assay_digit){ASSAY_INDEX_ROW, 1, 0, d / 2, 2, 1};
}

static void bind_numbers(bind *b, const char *name, const matrix_shape *m, plan_weight *out)
{
    const assay_tensor *t = take_stack(b, name, BIND_FLOATS, m);
    for (size_t e = 0; e < matrix_count(m); e++) {
        assay_tensor part = t ? *t : (assay_tensor){0};
        if (t) part.data = (const char *)t->data + e * m->rows * m->cols * dtype_size(t->dtype);
        out[e] = bind_tensor_weight(b, t ? &part : NULL, m->rows, m->cols);
    }
}

/* The module X of a name X.weight; false: a parameter, whose own name is the path. */
static bool split_name(const char *name, char path[BIND_NAME_MAX])
{
    static const char END[] = ".weight";
    const bool has_end = string_ends_with(name, END);
    const size_t length = strlen(name) - (has_end ? sizeof END - 1 : 0);
    (void)snprintf(path, BIND_NAME_MAX, "%.*s", (int)length, name);
    return has_end;
}

bool bind_has_matrix(const bind *b, const char *name)
{
    char path[BIND_NAME_MAX], reason[FORMAT_REASON_MAX] = "";
    if (weights_find(b->weights, name)) return true;
    const bool has_end = split_name(name, path);
    const format_module is = rules_find(&b->rules, path);
    module_tensors t = {.path = path, .is_parameter = !has_end, .is = &is};
    if (is.format) t.n = is.format->parts(&is, 0, 0, t.part, reason);
    return has_parts(b, &t);
}

void bind_matrices(bind *b, const char *name, const matrix_shape *m, plan_weight *out)
{
    char path[BIND_NAME_MAX];
    const bool has_end = split_name(name, path);
    if (bind_in_format(b, path, has_end, m, out)) return;
    const size_t index = weights_index(b->weights, name);
    const bool is_found = index != SIZE_MAX;
    const gguf_type *type = is_found ? weights_type(b->weights, index) : NULL;
    const size_t head_rows = is_found ? weights_head_rows(b->weights, index) : 0;
    if (type) bind_blocks(b, path, weights_at(b->weights, index), type, m, out);
    else bind_numbers(b, name, m, out);
    if (head_rows && b->status == ASSAY_OK) permute_rows(&out[0].stored, head_rows);
}
