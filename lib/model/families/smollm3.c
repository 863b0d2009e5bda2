/* SmolLM3 (transformers, models/smollm3/modeling_smollm3.py): Llama without a rope in every fourth layer,
 * where alone there may be windows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_value.h"
#include "model/families/parts/common.h"
#include "model/families/parts/decoder.h"
#include "model/families/parts/family.h"

#include <stdlib.h>

/* has[i] != 0: layer i has a rope. */
static void read_ropes(family *f, double *has)
{
    static const char NAME[] = "no_rope_layers"; /* 1 stands for a layer with a rope */
    const size_t n = f->plan->n_layers, every = config_size_or(f->config, "no_rope_layer_interval", 4);
    if (!family_ok(f)) return;
    if (!config_has(f->config, NAME)) {
        config_note(f->config->notes, "%s%s: absent, every %zu. layer is taken without a rope",
                    f->config->prefix, NAME, every);
        for (size_t i = 0; i < n; i++) has[i] = (i + 1) % every != 0;
    }
    (void)config_reals(f->config, NAME, false, has, n);
    for (size_t i = 0; family_ok(f) && i < n; i++)
        if (has[i] != 0 && has[i] != 1)
            config_fail_element(f->config, ASSAY_EFORMAT, NAME, i, "expected 0 or 1");
}

/* The windows of layers that layer_types calls sliding_attention, or else of those without a rope. */
static void read_windows(family *f, const double *has_rope)
{
    const size_t n = f->plan->n_layers, size = family_window(f, 0);
    const bool uses = config_flag_or(f->config, "use_sliding_window", false);
    bool *sliding = calloc(n, sizeof *sliding);
    if (!sliding) {
        config_fail(f->config, ASSAY_ENOMEM, "out of memory");
        return;
    }
    const bool listed = family_layer_types(f, sliding);
    for (size_t i = 0; family_ok(f) && i < n; i++) {
        if (!listed) sliding[i] = has_rope[i] == 0;
        f->plan->layers[i].mixer.attention.window = uses && sliding[i] ? size : 0;
    }
    free(sliding);
}

static void read_family(family *f)
{
    family_decoder d =
        family_decoder_read(f, &(family_class){.epsilon = 1e-6, .needs_kv_heads = true, .tied = true});
    d.qkv_bias = d.o_bias = config_flag_or(f->config, "attention_bias", false);
    d.mlp_bias = config_flag_or(f->config, "mlp_bias", false);
    d.rope = family_rope(
        f, &(config_rope_request){.head_dim = d.head_dim, .default_theta = 2000000, .old_scaling = true});
    double *has_rope = family_ok(f) ? calloc(f->plan->n_layers, sizeof *has_rope) : NULL;
    if (!has_rope) {
        config_fail(f->config, ASSAY_ENOMEM, "out of memory");
        return;
    }
    read_ropes(f, has_rope);
    if (family_ok(f)) read_windows(f, has_rope);
    for (size_t i = 0; family_ok(f) && i < f->plan->n_layers; i++) {
        family_decoder own = d;
        if (has_rope[i] == 0) own.rope = PLAN_NONE;
        family_decoder_attention(f, &own, i);
        family_decoder_mlp(f, &own, i);
    }
    free(has_rope);
}

/* In published files, but not read by the class. */
static const config_harmless_member UNREAD_MEMBERS[] = {{"max_window_layers", NULL}};
static const config_harmless_group UNREAD = {"is not read by the published class",
                                             CONFIG_HARMLESS(UNREAD_MEMBERS)};

const family_reader family_smollm3 = {
    .types = {{.model_type = "smollm3", .read = read_family}},
    .harmless = {&UNREAD},
};
