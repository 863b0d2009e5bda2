/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

assay_status model_options_read(const assay_model_options *given, assay_model_options *out, assay_error *err)
{
    const unsigned char *bytes = (const unsigned char *)given;
    const size_t n = given->size < sizeof *out ? given->size : sizeof *out;
    for (size_t i = sizeof *out; i < given->size; i++)
        if (bytes[i] != 0)
            return assay_fail(
                err, ASSAY_EUNSUPPORTED,
                "model options: found a member at byte %zu, expected only the first %zu bytes to be set", i,
                sizeof *out);
    *out = (assay_model_options){0};
    memcpy(out, given, n);
    out->size = sizeof *out;
    return ASSAY_OK;
}
