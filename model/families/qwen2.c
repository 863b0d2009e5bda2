/* Qwen2 (transformers, models/qwen2/modeling_qwen2.py): Llama with biases on q, k, v.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "model/families/families.h"

/* window: [n_layers]; 0: none. */
static void read_windows(family *f, size_t *window)
{
    config *c = f->config;
    size_t n = f->plan->n_layers;
    bool use = config_flag_or(c, "use_sliding_window", false);
    bool has_window = config_has(c, "sliding_window");
    size_t size = use && has_window ? config_size(c, "sliding_window") : 0;
    bool *sliding = calloc(n + 1, sizeof *sliding);
    if (!sliding) {
        config_fail(c, ASSAY_ENOMEM, "out of memory");
        return;
    }
    bool listed = family_layer_types(f, sliding);
    (void)config_has(c, "max_window_layers"); /* of no effect where the types are listed or nothing slides */
    size_t first = !listed && size ? config_count_or(c, "max_window_layers", 28) : n;
    for (size_t i = 0; i < n; i++) {
        if (listed && sliding[i] && !size)
            config_fail(c, ASSAY_EFORMAT, "layer_types[%zu]: found sliding_attention, but %s", i,
                        use ? "sliding_window is null" : "use_sliding_window is false");
        window[i] = (listed ? sliding[i] : i >= first) ? size : 0;
    }
    free(sliding);
}

void family_qwen_layers(family *f, family_decoder *d)
{
    d->rope = family_rope(
        f, &(config_rope_request){.head_dim = d->head_dim, .default_theta = 10000, .old_scaling = true});
    size_t *window = calloc(f->plan->n_layers + 1, sizeof *window);
    if (!window) config_fail(f->config, ASSAY_ENOMEM, "out of memory");
    if (family_ok(f)) read_windows(f, window);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder_attention(f, d, i, window[i]);
        family_decoder_mlp(f, d, i);
    }
    free(window);
}

void family_qwen2(family *f)
{
    family_decoder d = family_decoder_read(f, true, false);
    d.qkv_bias = true;
    family_qwen_layers(f, &d);
}
