/* Qwen3 (transformers, models/qwen3/modeling_qwen3.py): Llama with norms of q and k per head before rope.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/families/families.h"

void family_qwen3(family *f)
{
    family_decoder d = family_decoder_read(f, true, true);
    d.head_norms = true;
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    size_t *window = calloc(f->plan->n_layers + 1, sizeof *window);
    if (!window) config_fail(f->config, ASSAY_ENOMEM, "out of memory");
    if (family_ok(f)) family_qwen_windows(f, window);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, &d, i, window[i]);
        family_decoder_mlp(f, &d, i);
    }
    free(window);
}
