/* Qwen2 (transformers, models/qwen2/modeling_qwen2.py): Llama with biases on q, k, v.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/families.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/qwen2.h"

size_t family_qwen_window(family *f, bool slides)
{
    static const char NAME[] = "sliding_window";
    config *c = f->config;
    size_t stated = config_has(c, NAME) ? config_size(c, NAME) : 0;
    if (!slides || config_is_null(c, NAME)) return 0;
    return stated ? stated : config_size_or(c, NAME, 4096);
}

void family_qwen_windows(family *f, size_t default_full)
{
    config *c = f->config;
    size_t n = f->plan->n_layers;
    bool use = config_flag_or(c, "use_sliding_window", false);
    size_t size = family_qwen_window(f, use);
    bool *sliding = calloc(n + 1, sizeof *sliding);
    if (!sliding) {
        config_fail(c, ASSAY_ENOMEM, "out of memory");
        return;
    }
    bool listed = family_layer_types(f, sliding);
    size_t first = config_has(c, "max_window_layers") || (!listed && size)
                       ? config_count_or(c, "max_window_layers", default_full)
                       : n;
    if (listed || !size) first = n; /* the member then has no effect */
    for (size_t i = 0; i < n; i++) {
        if (listed && sliding[i] && !size)
            config_fail(c, ASSAY_EFORMAT, "layer_types[%zu]: found sliding_attention, but %s", i,
                        use ? "sliding_window is null" : "use_sliding_window is false");
        f->plan->layers[i].mixer.attention.window = (listed ? sliding[i] : i >= first) ? size : 0;
    }
    free(sliding);
}

void family_qwen_layers(family *f, family_decoder *d)
{
    d->rope = family_rope(
        f, &(config_rope_request){.head_dim = d->head_dim, .default_theta = 10000, .old_scaling = true});
    if (family_ok(f)) family_qwen_windows(f, 28);
    family_decoder_layers(f, d);
}

void family_qwen2(family *f)
{
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true});
    d.qkv_bias = true;
    family_qwen_layers(f, &d);
}
