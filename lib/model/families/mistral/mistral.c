/* Mistral (transformers, models/mistral/modeling_mistral.py): Llama without biases, and with a window in
 * every layer.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true});
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    family_same_windows(f, family_window(f, 4096));
    family_decoder_layers(f, &d);
}

const family_reader family_mistral = {
    .types = {{.model_type = "mistral", .read = read_family}},
};
