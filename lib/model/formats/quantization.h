/* Reading how a checkpoint is quantised from its config: `quantization`, which mlx-lm writes, or
 * `quantization_config`, of one of the published methods.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_FORMATS_QUANTIZATION_H
#define MODEL_FORMATS_QUANTIZATION_H

#include "model/formats/rules.h"

/* Reads the rules of a document; none if it states no quantisation. If `quantization` and
 * `quantization_config` are both present they must be equal. The caller frees *out with rules_free, after a
 * failure as well. */
void quantization_read(config *c, rules *out);

/* Whether the document states a quantisation. */
bool quantization_is_stated(config *c);

/* Refuses both members. */
void quantization_refuse(config *c);

/* Calls `use` for the path of each module that the rules name; context is passed on. */
void quantization_each_path(const rules *all, void (*use)(void *context, const char *path), void *context);

#endif
