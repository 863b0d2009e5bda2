/* Checkpoints with fewer layers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_REDUCE_LAYERS_H
#define CONFORMANCE_REDUCE_LAYERS_H

#include <assay/status.h>

#include <stddef.h>

/* The largest checkpoint that is written again, in bytes of its tensors. */
#define CONF_LAYERS_BYTES_MAX ((size_t)1 << 30)

/* The layers of the language model, as num_hidden_layers of the config.json of `model`, or of its
 * text_config, says; 0: not known, or of a GGUF file,
 * which is not written again. */
size_t conf_layers_count(const char *model);

/* Writes the checkpoint `model` with its first n layers as the directory `to`: without the tensors of the
 * others, num_hidden_layers n, and lists with an element for each layer cut. Other files become links.
 * Whether it is a model of its family is left to who opens it. n: below conf_layers_count. Fails with
 * ASSAY_EIO, ASSAY_EFORMAT, ASSAY_ENOMEM, and with ASSAY_EUNSUPPORTED if the checkpoint is too large, or its
 * layers have unknown names. */
assay_status conf_layers_cut(const char *model, size_t n, const char *to, assay_error *err);

#endif
