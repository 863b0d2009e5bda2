/* The readers of all families.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_FAMILIES_H
#define MODEL_FAMILIES_FAMILIES_H

#include "model/families/parts/family.h"

family_fn family_llama, family_qwen2, family_qwen3, family_qwen3_moe, family_phi3;
family_fn family_mllama, family_mllama_text;
family_fn family_qwen2_vl, family_qwen2_5_vl, family_qwen3_vl, family_qwen3_vl_moe;
family_fn family_qwen3_omni_moe;
family_fn family_qwen3_5, family_qwen3_5_moe;
family_fn family_olmo2, family_granite;
family_fn family_paddleocr_vl, family_glm4v, family_glm4v_moe, family_glm_ocr, family_ernie4_5_vl_moe,
    family_hunyuan_vl, family_falcon_ocr, family_moondream3;
family_fn family_gemma, family_gemma2, family_gemma4, family_gemma3n;

#endif
