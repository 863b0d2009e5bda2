/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/abi/kernels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/abi/module.h"
#include "conformance/abi/table.h"

static const conf_table_member required[] = {
    CONF_TABLE_MEMBER(assay_kernels, name),
    CONF_TABLE_MEMBER(assay_kernels, version),
};

static const conf_table_kind kind = {
    .symbol = ASSAY_KERNELS_SYMBOL,
    .missing = "no kernel library",
    .unavailable = "it has no kernels for this processor",
    .abi_name = "kernel",
    .name = "its table",
    .abi = ASSAY_KERNELS_ABI,
    .size_least = offsetof(assay_kernels, matmul_f32) /* every operation may be missing */,
    .size = sizeof(assay_kernels),
    .required = required,
    .n_required = sizeof required / sizeof *required,
};

/* The requirements of one operation, a pointer in the table. */
typedef struct operation {
    const char *name;
    size_t offset;           /* in the table */
    size_t size_least, size; /* sizeof the operation in its first version, and in this one */
    size_t f32;              /* offset of the required function in the operation; 0: a product */
} operation;

#define PRODUCT(member)                                                                                      \
    {                                                                                                        \
#member, offsetof(assay_kernels, member), offsetof(assay_matmul, f32), sizeof(assay_matmul), 0       \
    }
#define OPERATION(member, type)                                                                              \
    {                                                                                                        \
#member, offsetof(assay_kernels, member), offsetof(type, f32) + sizeof(void *), sizeof(type),        \
            offsetof(type, f32)                                                                              \
    }
static const operation operations[] = {
    PRODUCT(matmul_f32),
    PRODUCT(matmul_f16),
    PRODUCT(matmul_bf16),
    PRODUCT(matmul_affine),
    OPERATION(attention_f32, assay_attention),
    OPERATION(attention_bf16, assay_attention),
    OPERATION(rms_norm, assay_rms_norm),
    OPERATION(rope, assay_rope),
    OPERATION(gate, assay_gate),
    OPERATION(cap, assay_cap),
    OPERATION(router, assay_router),
    {"matmul_stored", offsetof(assay_kernels, matmul_stored), sizeof(assay_matmul_stored),
     sizeof(assay_matmul_stored), 0},
};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

/* Copies the pointer at an offset of a table or of an operation. */
static const void *pointer_at(const void *of, size_t offset)
{
    const void *pointer;
    memcpy(&pointer, (const char *)of + offset, sizeof pointer);
    return pointer;
}

static uint32_t size_of(const void *op)
{
    uint32_t size;
    memcpy(&size, op, sizeof size);
    return size;
}

/* What products with packed weights must have in common. */
typedef struct layout {
    uint32_t panel;
    bool has_bytes, has_pack, has_unpack, has_product;
} layout;

static assay_status check_layout(const char *path, const char *name, const layout *is, assay_error *err)
{
    if (is->panel < 1 || is->panel > ASSAY_PANEL_MAX)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s.panel is %u, expected 1 to %zu", path, name, is->panel,
                          ASSAY_PANEL_MAX);
    const char *lacks = !is->has_bytes    ? "panel_bytes"
                        : !is->has_pack   ? "pack"
                        : !is->has_unpack ? "unpack"
                                          : NULL;
    if (lacks) return assay_fail(err, ASSAY_EFORMAT, "%s: %s lacks the required %s", path, name, lacks);
    if (!is->has_product)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has a layout, but no product", path, name);
    return ASSAY_OK;
}

/* m: complete; an operation that is shorter has been lengthened. */
static assay_status check_matmul(const char *path, const char *name, const assay_matmul *m, bool has_codes,
                                 assay_error *err)
{
    const layout is = {m->panel, m->panel_bytes, m->pack, m->unpack, m->f32 || m->bf16 || m->i8};
    if (m->i8 && !has_codes)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s.i8 is given, which only affine groups have", path,
                          name);
    return check_layout(path, name, &is, err);
}

static assay_status check_stored(const char *path, const char *name, const assay_matmul_stored *m,
                                 assay_error *err)
{
    const layout is = {m->panel, m->panel_bytes, m->pack, m->unpack, m->f32 || m->bf16 || m->i8};
    const char *lacks = !m->supports ? "supports" : m->i8 && !m->supports_i8 ? "supports_i8" : NULL;
    if (lacks) return assay_fail(err, ASSAY_EFORMAT, "%s: %s lacks the required %s", path, name, lacks);
    return check_layout(path, name, &is, err);
}

/* Checks the operation that the table points to, and replaces a shorter one by a longer copy. */
static assay_status complete_operation(const char *path, const operation *o, assay_kernels *table,
                                       assay_error *err)
{
    const void *op = pointer_at(table, o->offset);
    if (!op) return ASSAY_OK;
    const uint32_t size = size_of(op);
    if (size < o->size_least)
        return assay_fail(err, ASSAY_EFORMAT, "%s: %s has %u bytes, expected at least %zu", path, o->name,
                          size, o->size_least);
    if (size < o->size) op = conf_module_lengthen(op, size, o->size);
    if (!op) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    memcpy((char *)table + o->offset, &op, sizeof op);
    if (o->offset == offsetof(assay_kernels, matmul_stored)) return check_stored(path, o->name, op, err);
    if (!o->f32)
        return check_matmul(path, o->name, op, o->offset == offsetof(assay_kernels, matmul_affine), err);
    if (pointer_at(op, o->f32)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s lacks the required f32", path, o->name);
}

assay_status conf_kernels_open(const char *path, const assay_kernels **out, assay_error *err)
{
    const void *exported;
    assay_status rc = conf_table_open(path, &kind, &exported, err);
    if (rc != ASSAY_OK) return rc;
    assay_kernels *table = conf_module_lengthen(exported, sizeof *table, sizeof *table);
    if (!table) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    if (table->size > sizeof *table) table->size = sizeof *table; /* the copy has no more */
    for (size_t i = 0; i < N_OPERATIONS && rc == ASSAY_OK; i++)
        rc = complete_operation(path, &operations[i], table, err);
    if (rc == ASSAY_OK) *out = table;
    return rc;
}
