/* Invalid engine modules. Macros of the compilation choose what is wrong.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <assay/engine.h>

#include <stdlib.h>

#ifdef BROKEN_NO_SYMBOL
const assay_engine *another_function(void);
#define assay_engine_v2 another_function
#endif

const assay_engine *assay_engine_v2(void);

const assay_engine *assay_engine_v2(void)
{
    static const assay_engine table = {
#ifdef BROKEN_ABI
        .abi = ASSAY_ENGINE_ABI + 1,
#else
        .abi = ASSAY_ENGINE_ABI,
#endif
#ifdef BROKEN_SIZE
        .size = 16,
#else
        .size = sizeof(assay_engine),
#endif
        .name = "broken",
        .version = "1",
#ifdef BROKEN_DTYPE
        .logits_dtype = ASSAY_BF16,
#else
        .logits_dtype = ASSAY_F32,
#endif
    };
#ifdef BROKEN_TABLE
    return NULL;
#endif
#ifdef BROKEN_CRASH
    abort();
#endif
    return &table;
}
