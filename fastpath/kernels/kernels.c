/* SPDX-License-Identifier: Apache-2.0 */
#include "fastpath/kernels/kernels.h"

#include <string.h>

#include "base/error.h"
#include "fastpath/kernels/stored/stored.h"

/* Where an operation is in the table of the ABI (a pointer) and in fp_operations (a struct). f32: the offset
 * of its required function there; 0: a product, of which `missing` names a required member that it lacks. */
typedef struct operation {
    const char *name;
    size_t in_table, in_own, size, f32;
    const char *(*missing)(const void *op);
} operation;

static const char *missing_of_layout(uint32_t panel, bool has_bytes, bool has_pack, bool has_unpack)
{
    return panel < 1 || panel > ASSAY_PANEL_MAX ? "panel"
           : !has_bytes                         ? "panel_bytes"
           : !has_pack                          ? "pack"
           : !has_unpack                        ? "unpack"
                                                : NULL;
}

static const char *missing_of_matmul(const void *op)
{
    const assay_matmul *m = op;
    return missing_of_layout(m->panel, m->panel_bytes, m->pack, m->unpack);
}

static const char *missing_of_stored(const void *op)
{
    const assay_matmul_stored *m = op;
    const char *missing = missing_of_layout(m->panel, m->panel_bytes, m->pack, m->unpack);
    return missing ? missing : !m->supports ? "supports" : m->i8 && !m->supports_i8 ? "supports_i8" : NULL;
}

#define PRODUCT(member)                                                                                      \
    {                                                                                                        \
#member, offsetof(assay_kernels, member), offsetof(fp_operations, member), sizeof(assay_matmul), 0,  \
            missing_of_matmul                                                                                \
    }
#define OPERATION(member)                                                                                    \
    {                                                                                                        \
#member, offsetof(assay_kernels, member), offsetof(fp_operations, member),                           \
            sizeof(((fp_operations *)NULL)->member), offsetof(fp_operations, member.f32), NULL               \
    }
static const operation OPERATIONS[] = {
    PRODUCT(matmul_f32),
    PRODUCT(matmul_f16),
    PRODUCT(matmul_bf16),
    PRODUCT(matmul_affine),
    OPERATION(attention_f32),
    OPERATION(attention_bf16),
    OPERATION(rms_norm),
    OPERATION(rope),
    OPERATION(gate),
    OPERATION(cap),
    OPERATION(router),
    {"matmul_stored", offsetof(assay_kernels, matmul_stored), offsetof(fp_operations, matmul_stored),
     sizeof(assay_matmul_stored), 0, missing_of_stored},
};
enum { N_OPERATIONS = sizeof OPERATIONS / sizeof *OPERATIONS };

fp_kernels fp_kernels_pick(fp_isa isa)
{
    const fp_matmul_variant *matmul = fp_matmul_pick(isa);
    const fp_attention_variant *attention = fp_attention_pick(isa);
    const fp_narrow_variant *narrow = fp_narrow_pick(isa);
    const fp_delta_variant *delta = fp_delta_pick(isa);
    fp_kernels k = {
        .op = {.matmul_f32 = matmul->f32,
               .matmul_f16 = matmul->f16,
               .matmul_bf16 = matmul->bf16,
               .matmul_affine = matmul->affine,
               .attention_f32.f32 = attention->f32,
               .attention_bf16.f32 = attention->bf16,
               .attention_bf16.bf16_shares = attention->bf16_shares,
               .rms_norm.f32 = fp_rms_norm_pick(isa)->f32,
               .rope.f32 = fp_rope_pick(isa)->f32,
               .gate.f32 = fp_gate_pick(isa)->f32,
               .cap.f32 = fp_cap_pick(isa)->f32,
               .router.f32 = fp_router_pick(isa)->f32,
               .matmul_stored = *fp_stored_pick(isa)},
        .narrow_bf16 = narrow->bf16,
        .narrow_i8 = narrow->i8,
        .convolve = delta->convolve,
        .delta = delta->update,
        .sigmoid_gate = delta->sigmoid_gate,
    };
    for (size_t i = 0; i < N_OPERATIONS; i++) {
        const uint32_t size = (uint32_t)OPERATIONS[i].size;
        memcpy((char *)&k.op + OPERATIONS[i].in_own, &size, sizeof size);
    }
    return k;
}

/* Copies the members that the library's header and this one have; those that `from` does not hold completely
 * are NULL. Members are pointers, or 32-bit integers in pairs. */
static void copy_members(void *to, uint32_t to_bytes, const void *from, uint32_t from_bytes)
{
    const uint32_t n = from_bytes < to_bytes ? from_bytes : to_bytes;
    memset(to, 0, to_bytes);
    memcpy(to, from, n / sizeof(void *) * sizeof(void *));
}

/* A required member that an operation lacks, or NULL. The products of an external layout may be missing: a
 * model that needs one is refused when it is packed. */
static const char *missing_of_operation(const fp_operations *op, const operation *o)
{
    void *f32;
    if (o->missing) return o->missing((const char *)op + o->in_own);
    memcpy(&f32, (const char *)op + o->f32, sizeof f32);
    return f32 ? NULL : "f32";
}

static assay_status check_operations(const fp_operations *op, const char *name, assay_error *err)
{
    for (size_t i = 0; i < N_OPERATIONS; i++) {
        const char *missing = missing_of_operation(op, &OPERATIONS[i]);
        if (missing)
            return assay_fail(err, ASSAY_EINVAL, "kernels %s: %s lacks the required %s", name,
                              OPERATIONS[i].name, missing);
    }
    return ASSAY_OK;
}

assay_status fp_kernels_replace(fp_kernels *own, const assay_kernels *given, assay_error *err)
{
    assay_kernels table;
    if (given->abi != ASSAY_KERNELS_ABI)
        return assay_fail(err, ASSAY_EINVAL, "kernels: built for kernel ABI %u, expected %u", given->abi,
                          ASSAY_KERNELS_ABI);
    copy_members(&table, sizeof table, given, given->size);
    own->outside = table.name ? table.name : "from outside";
    for (size_t i = 0; i < N_OPERATIONS; i++) {
        const void *from;
        uint32_t size;
        memcpy(&from, (const char *)&table + OPERATIONS[i].in_table, sizeof from);
        if (!from) continue;
        memcpy(&size, from, sizeof size);
        copy_members((char *)&own->op + OPERATIONS[i].in_own, (uint32_t)OPERATIONS[i].size, from, size);
    }
    own->has_stored = table.matmul_stored != NULL;
    return check_operations(&own->op, own->outside, err);
}

assay_kernels fp_kernels_table(const fp_operations *op, const char *name, const char *version)
{
    assay_kernels table = {
        .abi = ASSAY_KERNELS_ABI, .size = sizeof(assay_kernels), .name = name, .version = version};
    for (size_t i = 0; i < N_OPERATIONS; i++) {
        const void *at = (const char *)op + OPERATIONS[i].in_own;
        memcpy((char *)&table + OPERATIONS[i].in_table, &at, sizeof at);
    }
    return table;
}
