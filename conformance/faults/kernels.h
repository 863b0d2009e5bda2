/* Faults of kernels: a kernel library of fastpath's scalar kernels with one thing broken on purpose, to see
 * that the sweep notices. ASSAY_FAULT names the one that is planted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_FAULTS_KERNELS_H
#define CONFORMANCE_FAULTS_KERNELS_H

#include <assay/kernel.h>

typedef struct kernel_fault {
    const char *name;
    const char *caught; /* the operations that must diverge, apart by blanks */
    const char *says;   /* a part of what assay kernels says of each */
    const char *breaks; /* what is wrong, in one sentence */
    void (*plant)(assay_kernels *table);
} kernel_fault;

extern const kernel_fault KERNEL_FAULTS[];
extern const size_t N_KERNEL_FAULTS;

/* The kernels beneath the faults. */
extern assay_kernels SOUND;

/* Memory that ends the process where there is none: these kernels are part of a test. Freed by the caller. */
void *fault_allocate(size_t n_bytes);
void *fault_copy(const void *from, size_t n_bytes);

/* kernels_inputs.c's. */
void plant_without_zeros(assay_kernels *table);
void plant_writes_x(assay_kernels *table);
void plant_writes_scales(assay_kernels *table);
void plant_writes_panels(assay_kernels *table);
void plant_writes_keys(assay_kernels *table);
void plant_writes_ranges(assay_kernels *table);
void plant_writes_cosine(assay_kernels *table);
void plant_writes_up(assay_kernels *table);
void plant_shared_scratch(assay_kernels *table);

const assay_kernels *assay_kernels_v1(void);

#endif
