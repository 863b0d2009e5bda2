/* The language model that Qwen2-VL and Qwen2.5-VL share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_QWEN2_VL_H
#define MODEL_FAMILIES_QWEN2_VL_H

#include "model/families/parts/family.h"

/* Qwen2 with chunked M-RoPE. Its config is text_config or, in older files, the document itself. */
void family_qwen2_vl_text(family *f);

#endif
