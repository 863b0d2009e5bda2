/* The table of tool-call formats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DIALOGUE_TOOLS_FORMATS_H
#define DIALOGUE_TOOLS_FORMATS_H

#include "dialogue/tools/format.h"

extern const serve_tools_format serve_tools_auto, serve_tools_deepseek, serve_tools_deepseek_v4,
    serve_tools_functionary, serve_tools_gemma4, serve_tools_glm47, serve_tools_granite, serve_tools_harmony,
    serve_tools_hermes, serve_tools_kimi, serve_tools_llama, serve_tools_minimax, serve_tools_mistral,
    serve_tools_nemotron, serve_tools_poolside_v1, serve_tools_qwen, serve_tools_qwen3_xml,
    serve_tools_step3p5, serve_tools_xlam;

/* Finds a format by any of its names. ASSAY_EUNSUPPORTED for an unknown name; the message lists the known
 * ones. */
assay_status serve_tools_find(const char *name, const serve_tools_format **out, assay_error *err);

/* The i-th name, counting the names of all formats; NULL after the last. */
const char *serve_tools_name_at(size_t i);

#endif
