/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/tools/formats.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const serve_tools_format *const FORMATS[] = {
    &serve_tools_gemma4,   &serve_tools_glm47,       &serve_tools_harmony,     &serve_tools_hermes,
    &serve_tools_llama,    &serve_tools_mistral,     &serve_tools_qwen,        &serve_tools_qwen3_xml,
    &serve_tools_deepseek, &serve_tools_deepseek_v4, &serve_tools_functionary, &serve_tools_granite,
    &serve_tools_kimi,     &serve_tools_minimax,     &serve_tools_nemotron,    &serve_tools_poolside_v1,
    &serve_tools_step3p5,  &serve_tools_xlam,        &serve_tools_auto,
};
#define N_FORMATS (sizeof FORMATS / sizeof FORMATS[0])

const char *serve_tools_name_at(size_t i)
{
    for (size_t k = 0; k < N_FORMATS; k++)
        for (const char *const *name = FORMATS[k]->names; *name; name++)
            if (i-- == 0) return *name;
    return NULL;
}

static assay_status refuse_format(const char *name, assay_error *err)
{
    char known[sizeof err->text] = "";
    size_t n = 0;
    const char *at;
    for (size_t i = 0; n < sizeof known && (at = serve_tools_name_at(i)); i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i > 0 ? ", " : "", at);
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "tool parser '%s': found no parser of this name, expected one of %s", name, known);
}

assay_status serve_tools_find(const char *name, const serve_tools_format **out, assay_error *err)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        for (const char *const *known = FORMATS[i]->names; *known; known++) {
            if (strcmp(*known, name) != 0) continue;
            *out = FORMATS[i];
            return ASSAY_OK;
        }
    return refuse_format(name, err);
}
