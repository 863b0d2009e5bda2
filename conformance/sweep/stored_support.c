/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/sweep/stored_support.h"

enum { TRIES = 8 }; /* other types of scales are drawn each time */

size_t sweep_stored_group(size_t codes, size_t n_in)
{
    return codes == 0 ? 32 : codes == 1 ? 256 : n_in;
}

bool sweep_stored_is_supported(const assay_kernels *kernels, const sweep_wanted *wanted)
{
    const assay_matmul_stored *m = kernels->matmul_stored;
    bool found = false;
    for (uint64_t i = 0; i < TRIES && !found; i++) {
        sweep_stored one;
        found = sweep_format_open(wanted->format, wanted->n_out, wanted->n_in, NULL, i, &one) &&
                m->supports(&one.stored) &&
                (!wanted->is_coded ||
                 m->supports_i8(&one.stored, sweep_stored_group(wanted->codes, wanted->n_in)));
        sweep_format_close(&one, true);
    }
    return found;
}

bool sweep_format_is_supported(const assay_kernels *kernels, size_t format)
{
    static const size_t sizes[] = {1, 8, 64, 256, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sweep_wanted wanted = {format, sizes[i], sizes[i], false, 0};
        sweep_format_fit(format, &wanted.n_out, &wanted.n_in);
        if (sweep_stored_is_supported(kernels, &wanted)) return true;
    }
    return false;
}
