/* The table of kernels that fastpath exports: those of the best instruction set that this processor runs, or
 * of the one that ASSAY_ISA names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include <assay/kernel.h>

#include "config.h"
#include "fastpath/kernels/kernels.h"

static fp_operations operations[FP_N_ISAS];
static assay_kernels tables[FP_N_ISAS];
static pthread_once_t filled = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
    for (size_t i = 0; i < FP_N_ISAS; i++) {
        operations[i] = fp_kernels_pick((fp_isa)i).op;
        tables[i] = fp_kernels_table(&operations[i], fp_isa_name((fp_isa)i), PACKAGE_VERSION);
    }
}

const assay_kernels *assay_kernels_v2(void);

const assay_kernels *assay_kernels_v2(void)
{
    fp_isa isa;
    if (fp_isa_choose(getenv("ASSAY_ISA"), "ASSAY_ISA", &isa, NULL) != ASSAY_OK) return NULL;
    return pthread_once(&filled, fill_tables) == 0 ? &tables[isa] : NULL;
}
