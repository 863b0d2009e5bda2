/* Ministral (transformers, models/ministral/modeling_ministral.py): Mistral whose layers have the windows
 * that layer_types says, or else all of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

static void read_family(family *f)
{
    family_decoder d = family_decoder_read(
        f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true, .needs_head_dim = true});
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 10000, .old_scaling = true});
    if (config_has(f->config, "layer_types")) family_listed_windows(f, family_window(f, 4096), 1);
    else family_same_windows(f, family_window(f, 4096));
    family_decoder_layers(f, &d);
}

const family_reader family_ministral = {
    .types = {{.model_type = "ministral", .read = read_family}},
};
