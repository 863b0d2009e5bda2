/* Groups of harmless members that several families have. Those of a single family stand in its reader.
 *
 * Sources: configuration_*.py of each family in transformers 4.28 to 5.23, mlx-vlm, and published config.json
 * files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FAMILIES_HARMLESS_H
#define MODEL_FAMILIES_HARMLESS_H

#include "model/checkpoint/config_harmless.h"

/* Constants of the classes of Qwen2 and of Qwen3. */
extern const config_harmless_group family_harmless_qwen2, family_harmless_qwen3;

/* Towers that a text plan leaves out, with their token ids. */
extern const config_harmless_group family_harmless_media;

/* Token ids around an image, of Qwen and of GLM. */
extern const config_harmless_group family_harmless_marks, family_harmless_glm_marks;

#endif
