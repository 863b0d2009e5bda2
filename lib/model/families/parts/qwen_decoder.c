/* SPDX-License-Identifier: Apache-2.0 */
#include "model/families/parts/qwen_decoder.h"

#include <stdlib.h>

#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"

size_t family_qwen_window(family *f, bool slides)
{
    const size_t stated = family_window(f, slides ? 4096 : 0);
    return slides ? stated : 0;
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

/* transformers 4.57 writes the members of text_config around it, too, but sliding_window as it was before the
 * class set it to null, since no layer has a window. */
static void read_idle_window(family *f)
{
    static const char USES[] = "use_sliding_window";
    if (!f->outer || !config_has(f->outer, USES) || config_flag_or(f->outer, USES, false)) return;
    if (!config_flag_or(f->config, USES, false)) (void)config_has(f->outer, "sliding_window");
}

void family_qwen2_vl_text(family *f)
{
    family_check_tied(f);
    read_idle_window(f);
    family_decoder d = family_decoder_read(f, &(family_class){.epsilon = 1e-5});
    const config_rope_request request = {.head_dim = d.head_dim,
                                         .default_theta = 1000000,
                                         .old_scaling = true,
                                         .sections = ROPE_SECTIONS_CHUNKED,
                                         .default_section = {16, 24, 24}};
    d.qkv_bias = true;
    d.rope = family_rope(f, &request);
    if (family_ok(f)) family_qwen_windows(f, 80);
    family_decoder_layers(f, &d);
}

config_rope_request family_qwen3_mrope(size_t head_dim)
{
    return (config_rope_request){.head_dim = head_dim,
                                 .default_theta = 500000,
                                 .old_scaling = true,
                                 .sections = ROPE_SECTIONS_INTERLEAVED,
                                 .default_section = {24, 20, 20}};
}
