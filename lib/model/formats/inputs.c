/* SPDX-License-Identifier: Apache-2.0 */
#include "model/formats/inputs.h"

#include <string.h>

#include "gguf/types.h"
#include "model/numerics/stored.h"

#define INT8_TOKEN "int8-token"

const char *const FORMAT_COMPUTES[] = {"q8_0", "q8_1", "q8_K", INT8_TOKEN, NULL};

bool format_inputs(const char *compute, const assay_stored *w, const char **type)
{
    stored_numbers numbers;
    size_t n;
    const gguf_type *types = gguf_types(&n);
    if (strcmp(compute, INT8_TOKEN) == 0) {
        *type = stored_as_numbers(w, &numbers) ? "f32" : INT8_TOKEN;
        return true;
    }
    for (size_t i = 0; i < n; i++)
        if (strcmp(types[i].name, w->format) == 0 && types[i].inputs) {
            *type = types[i].inputs;
            return true;
        }
    return false;
}
