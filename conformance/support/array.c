/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/support/array.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void conf_array_free(conf_array *a)
{
    if (!a) return;
    free(a->data);
    *a = (conf_array){0};
}

void conf_shape_print(char *text, size_t size, const size_t *shape, size_t rank)
{
    size_t n = (size_t)snprintf(text, size, "[");
    for (size_t i = 0; i < rank && n < size; i++)
        n += shape[i] == SIZE_MAX ? (size_t)snprintf(text + n, size - n, "%s*", i ? "," : "")
                                  : (size_t)snprintf(text + n, size - n, "%s%zu", i ? "," : "", shape[i]);
    if (n < size) (void)snprintf(text + n, size - n, "]");
}
