/* The parameters of each type of RoPE, with their defaults. The rules are those of transformers
 * (modeling_rope_utils.py: ROPE_INIT_FUNCTIONS), but where transformers falls back silently, this fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_rope_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/config_sections.h"
#include "model/checkpoint/config_value.h"

/* The length of the original training. A member of the document takes precedence over one of the RoPE
 * object. */
static double original_length(config *c, config *d)
{
    static const char NAME[] = "original_max_position_embeddings";
    bool in_rope = config_has(d, NAME);
    if (config_has(c, NAME)) return (double)config_size(c, NAME);
    if (in_rope) return (double)config_size(d, NAME);
    return (double)config_size(c, "max_position_embeddings");
}

static void read_default(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)c, (void)d, (void)request, (void)r;
}

static void read_linear(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)c, (void)request;
    r->factor = config_positive(d, "factor");
}

static void read_dynamic(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)request;
    r->factor = config_positive(d, "factor");
    r->max_length = (double)config_size(c, "max_position_embeddings");
    if (r->dim <= 2) config_fail(d, ASSAY_EFORMAT, "rope_type: dynamic needs more than 2 rotating elements");
}

static void read_llama3(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)request;
    r->factor = config_positive(d, "factor");
    r->low_freq_factor = config_positive(d, "low_freq_factor");
    r->high_freq_factor = config_positive(d, "high_freq_factor");
    r->original_length = original_length(c, d);
    if (d->status == ASSAY_OK && r->high_freq_factor <= r->low_freq_factor)
        config_fail_member(d, ASSAY_EFORMAT, "high_freq_factor", "expected more than low_freq_factor (%g)",
                           r->low_freq_factor);
}

static double yarn_magnitude(double scale, double mscale)
{
    return scale <= 1 ? 1 : 0.1 * mscale * log(scale) + 1;
}

/* An optional member; upstream treats 0 as absent. */
static double real_or_default(config *d, const char *name, double fallback)
{
    const double value = config_has(d, name) ? config_not_negative_or(d, name, 0) : 0;
    return value > 0 ? value : fallback;
}

/* The factor of cos and sin: attention_factor, or if absent the value derived from the scale. */
static void read_attention_factor(config *d, rope *r, double fallback)
{
    r->attention_factor =
        config_has(d, "attention_factor") ? config_positive(d, "attention_factor") : fallback;
    if (d->status == ASSAY_OK && !(isfinite(r->attention_factor) && r->attention_factor > 0))
        config_fail(d, ASSAY_EFORMAT,
                    "attention_factor: its parameters make it %g, expected a number above 0",
                    r->attention_factor);
}

static void read_yarn(config *c, config *d, const config_rope_request *request, rope *r)
{
    r->original_length = original_length(c, d);
    r->factor = config_has(d, "factor")
                    ? config_positive(d, "factor")
                    : (double)config_size(c, "max_position_embeddings") / r->original_length;
    r->beta_fast = real_or_default(d, "beta_fast", 32);
    r->beta_slow = real_or_default(d, "beta_slow", 1);
    if (r->beta_fast < r->beta_slow && config_has(d, "beta_slow"))
        config_fail_member(d, ASSAY_EFORMAT, "beta_slow", "expected at most beta_fast (%g)", r->beta_fast);
    else if (r->beta_fast < r->beta_slow)
        config_fail_member(d, ASSAY_EFORMAT, "beta_fast", "expected at least beta_slow (%g)", r->beta_slow);
    r->truncate = config_has(d, "truncate") ? config_flag_or(d, "truncate", true) : true;
    if (!r->truncate && request->layer_type)
        config_fail(d, ASSAY_EUNSUPPORTED,
                    "truncate: found false, which the published implementation ignores "
                    "for a rope of one layer type");
    const double mscale = real_or_default(d, "mscale", 0), all_dim = real_or_default(d, "mscale_all_dim", 0);
    read_attention_factor(d, r,
                          mscale > 0 && all_dim > 0
                              ? yarn_magnitude(r->factor, mscale) / yarn_magnitude(r->factor, all_dim)
                              : yarn_magnitude(r->factor, 1));
}

static double *read_factors(config *d, const char *name, size_t n)
{
    if (!config_has(d, name))
        config_fail(d, ASSAY_EFORMAT, "%s: missing, expected a list of %zu numbers", name, n);
    if (d->status != ASSAY_OK) return NULL;
    double *out = calloc(n, sizeof *out);
    if (!out) {
        config_fail(d, ASSAY_ENOMEM, "out of memory");
        return NULL;
    }
    const bool read = config_reals(d, name, false, out, n);
    for (size_t i = 0; read && i < n; i++)
        if (!(out[i] > 0)) config_fail_element(d, ASSAY_EFORMAT, name, i, "expected a number above 0");
    return out;
}

static void read_longrope(config *c, config *d, const config_rope_request *request, rope *r)
{
    /* Phi-3's class has a default length, 4096, that takes precedence over the RoPE object's: require
     * an explicit one. */
    if (request->long_only && !config_has(c, "original_max_position_embeddings"))
        config_fail(c, ASSAY_EFORMAT, "original_max_position_embeddings: missing, longrope needs it");
    r->original_length = original_length(c, d);
    r->short_factor = read_factors(d, "short_factor", r->dim / 2);
    r->long_factor = read_factors(d, "long_factor", r->dim / 2);
    double scale = config_has(d, "factor")
                       ? config_positive(d, "factor")
                       : (double)config_size(c, "max_position_embeddings") / r->original_length;
    read_attention_factor(d, r, scale <= 1 ? 1 : sqrt(1 + log(scale) / log(r->original_length)));
}

static void read_proportional(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)c;
    r->factor = config_has(d, "factor") ? config_positive(d, "factor") : 1;
    double share = config_has(d, "partial_rotary_factor") ? config_real(d, "partial_rotary_factor")
                   : request->default_partial > 0         ? request->default_partial
                                                          : 1;
    if (d->status == ASSAY_OK && !(share >= 0 && share <= 1))
        config_fail_member(d, ASSAY_EFORMAT, "partial_rotary_factor", "expected 0 to 1");
    else r->n_angles = (size_t)floor(share * (double)r->head_dim / 2);
}

static const struct {
    rope_type type;
    config_rope_reader *read;
} READERS[] = {
    {ROPE_DEFAULT, read_default},
    {ROPE_LINEAR, read_linear},
    {ROPE_DYNAMIC, read_dynamic},
    {ROPE_LLAMA3, read_llama3},
    {ROPE_YARN, read_yarn},
    {ROPE_LONGROPE, read_longrope},
    {ROPE_PROPORTIONAL, read_proportional},
};

/* "alpha" beside a dynamic rope (transformers, modeling_hunyuan_vl.py, compute_ntk_alpha_rope_parameters):
 * the frequencies do not depend on the length. The other members are of published files, and have no effect.
 */
static void read_alpha(config *c, config *d, const config_rope_request *request, rope *r)
{
    static const char *const UNUSED[] = {"factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"};
    (void)c, (void)request;
    for (size_t i = 0; i < sizeof UNUSED / sizeof *UNUSED; i++) (void)config_has(d, UNUSED[i]);
    const double alpha = config_positive(d, "alpha"), dim = (double)r->dim;
    if (r->dim <= 2) config_fail(d, ASSAY_EFORMAT, "alpha: needs more than 2 rotating elements");
    r->theta *= pow(alpha, dim / (dim - 2));
    if (d->status == ASSAY_OK && !(isfinite(r->theta) && r->theta > 1))
        config_fail(d, ASSAY_EFORMAT, "alpha: found %g, which makes the base %g, expected a number above 1",
                    alpha, r->theta);
}

config_rope_reader *config_rope_type(config *d, const char *spelled, const config_rope_request *request,
                                     rope *r)
{
    if (config_sections_are_axial(request->sections)) {
        r->type = ROPE_DEFAULT;
        if (strcmp(spelled, "axial") != 0 && strcmp(spelled, "default") != 0)
            config_fail(d, ASSAY_EUNSUPPORTED, "rope_type: found \"%s\", expected axial or default", spelled);
        return read_default;
    }
    if (request->has_alpha && (strcmp(spelled, "dynamic") == 0 || strcmp(spelled, "xdrope") == 0)) {
        r->type = ROPE_DEFAULT;
        return read_alpha;
    }
    if (request->sections != ROPE_SECTIONS_NONE && strcmp(spelled, "mrope") == 0)
        spelled = rope_type_name(ROPE_DEFAULT);
    if (request->long_only && (strcmp(spelled, "su") == 0 || strcmp(spelled, "yarn") == 0))
        spelled = rope_type_name(ROPE_LONGROPE);
    for (size_t i = 0; i < sizeof READERS / sizeof *READERS; i++) {
        r->type = READERS[i].type;
        const bool allowed = r->type == ROPE_DEFAULT ||
                             (!request->has_alpha && (!request->long_only || r->type == ROPE_LONGROPE));
        if (allowed && strcmp(spelled, rope_type_name(r->type)) == 0) return READERS[i].read;
    }
    config_fail(d, ASSAY_EUNSUPPORTED, "rope_type: found \"%s\", expected %s", spelled,
                request->has_alpha   ? "default, dynamic or xdrope"
                : request->long_only ? "default or longrope"
                                     : "default, linear, dynamic, llama3, yarn, longrope or proportional");
    return read_default;
}
