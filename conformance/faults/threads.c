/* Faults that show only with a second thread: arrays left deferred, wrong streams, shared memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "conformance/faults/fault.h"

/* Leaves the table of one rope deferred. */
bool fault_private_deferred(const assay_array_info *info)
{
    return strcmp(info->name, "ropes.0.inverse_frequency") == 0;
}

/* Realises only what mx.eval(model.parameters()) would. */
bool fault_parameters_only(const assay_array_info *info)
{
    return info->is_private;
}

/* Gives every thread the default stream of the first one that asked. */
assay_status fault_default_shared(assay_device device, assay_stream *out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static assay_stream first;
    static bool has_first;
    (void)device;
    (void)pthread_mutex_lock(&lock);
    if (!has_first) first = *out;
    has_first = true;
    *out = first;
    (void)pthread_mutex_unlock(&lock);
    return ASSAY_OK;
}

/* Sums squares in as many parts as there are workers, so that the order of additions depends on their
 * number. */
void fault_split_by_workers(const fp_pass *pass, float *y, const float *x, size_t n_rows, size_t width,
                            const fp_norm *norm)
{
    const size_t n_parts = fp_pool_workers(pass->model->pool);
    for (size_t r = 0; r < n_rows; r++) {
        const float *row = x + r * width;
        float sum = 0;
        for (size_t part = 0; part < n_parts; part++) {
            float own = 0;
            for (size_t i = part; i < width; i += n_parts) own += row[i] * row[i];
            sum += own;
        }
        const float root = sqrtf(sum / (float)width + (float)norm->epsilon);
        for (size_t i = 0; i < width; i++)
            y[r * width + i] = row[i] / root * (norm->weight ? norm->weight[i] : 1);
    }
}
