/* Input: a safetensors file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/dtype.h"
#include "fuzz/fuzz.h"
#include "model/checkpoint/safetensors.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_write("model.safetensors", data, size);
    safetensors *file = NULL;
    assay_error err = {0};
    assay_status rc = safetensors_open(path, &file, &err);
    if (rc != ASSAY_OK) {
        fuzz_require_refusal(rc, &err, file == NULL);
        return 0;
    }
    size_t total = 0;
    volatile unsigned char touched;
    for (size_t i = 0; i < safetensors_count(file); i++) {
        const assay_tensor *t = safetensors_at(file, i);
        const size_t n = safetensors_bytes(t);
        fuzz_require(t->name && dtype_size(t->dtype) > 0, "a tensor has a name and a type");
        fuzz_require(t->rank <= ASSAY_TENSOR_RANK_MAX, "a tensor's rank is bounded");
        if (n > 0) {
            touched = ((const unsigned char *)t->data)[0];
            touched = ((const unsigned char *)t->data)[n - 1];
            (void)touched;
        }
        total += n;
        fuzz_require(total <= size, "the tensors do not hold more than the file");
    }
    safetensors_free(file);
    return 0;
}
