/* Faults of kernels: a library of fastpath's scalar kernels with one bug planted on purpose, to check
 * that the sweep catches it. ASSAY_FAULT names the planted one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_KERNELS_FAULT_H
#define CONFORMANCE_FAULTS_KERNELS_FAULT_H

#include "fastpath/kernels/kernels.h"

typedef struct kernel_fault {
    const char *name;
    const char *caught; /* operations that must diverge, separated by blanks */
    const char *says;   /* a part of the message of assay kernels on each */
    const char *breaks; /* description of the bug, in one sentence */
    void (*plant)(fp_operations *op);
} kernel_fault;

extern const kernel_fault KERNEL_FAULTS[];
extern const size_t N_KERNEL_FAULTS;

/* The correct kernels, which the faulty ones call. */
extern fp_operations CORRECT;

/* Allocates; aborts if out of memory, since these kernels are part of a test. Freed by the caller. */
void *fault_allocate(size_t n_bytes);
void *fault_copy(const void *from, size_t n_bytes);

/* Defined in inputs.c. */
void plant_without_zeros(fp_operations *op);
void plant_writes_x(fp_operations *op);
void plant_writes_scales(fp_operations *op);
void plant_writes_panels(fp_operations *op);
void plant_writes_keys(fp_operations *op);
void plant_writes_ranges(fp_operations *op);
void plant_writes_cosine(fp_operations *op);
void plant_writes_up(fp_operations *op);
void plant_shared_scratch(fp_operations *op);

/* Defined in sizes.c. */
void plant_active_16(fp_operations *op);
void plant_elements_65536(fp_operations *op);
void plant_experts_160(fp_operations *op);
void plant_experts_256(fp_operations *op);
void plant_heads_32(fp_operations *op);
void plant_inputs_8192(fp_operations *op);
void plant_keys_320(fp_operations *op);
void plant_keys_384(fp_operations *op);
void plant_keys_512(fp_operations *op);
void plant_keys_100000(fp_operations *op);
void plant_outputs_16384(fp_operations *op);
void plant_width_16384(fp_operations *op);

/* Defined in numbers.c. */
void plant_softmax_no_maximum(fp_operations *op);
void plant_sum_float16(fp_operations *op);

/* Defined in stored.c. */
void plant_stored_next_scale(fp_operations *op);
void plant_stored_no_zero(fp_operations *op);

const assay_kernels *assay_kernels_v2(void);

#endif
