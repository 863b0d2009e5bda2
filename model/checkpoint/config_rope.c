/* Resolves the published spellings of RoPE parameters. The rules are those of transformers
 * (RotaryEmbeddingConfigMixin, ROPE_INIT_FUNCTIONS), but where transformers falls back silently, this
 * fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_rope.h"

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_sections.h"
#include "model/checkpoint/config_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads the parameters of one type from the rope's own members d and the document c around it. */
typedef void read_fn(config *c, config *d, const config_rope_request *request, rope *r);

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
    read_fn *read;
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

/* Finds the reader for a type; sets the error of d if there is none. */
static read_fn *find_reader(config *d, const char *spelled, const config_rope_request *request, rope *r)
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

/* A number, and the member that holds it. */
typedef struct rope_number {
    config *in; /* NULL: absent, value is the default */
    const char *name;
    double value;
} rope_number;

/* Reads a number from the RoPE object or, in the older spelling, from the document around it, under its
 * own or an older name. Both may be present if they agree. */
static rope_number read_number(config *c, config *d, const char *name, const char *old_name, bool may_differ,
                               double fallback)
{
    const bool inside = config_has(d, name), outside = config_has(c, old_name);
    rope_number n = {.value = fallback}, old = {.value = fallback};
    if (outside) old = (rope_number){c, old_name, config_real(c, old_name)};
    if (inside) n = (rope_number){d, name, config_real(d, name)};
    if (inside && outside && d != c && n.value != old.value && !may_differ)
        config_fail_member(d, ASSAY_EFORMAT, name, "but %s next to it is %s", old_name,
                           json_object_to_json_string_ext(json_object_object_get(c->object, old_name),
                                                          JSON_C_TO_STRING_PLAIN));
    return inside ? n : old;
}

/* Fails about the member that holds the number. */
static void refuse_number(const rope_number *n, assay_status status, const char *expected)
{
    config_fail_member(n->in, status, n->name, "%s", expected);
}

/* Reads the number of leading elements of a head that rotate. */
static void read_dim(config *c, config *d, const config_rope_request *request, rope *r)
{
    r->head_dim = r->dim = r->exponent_dim = request->head_dim;
    if (r->type == ROPE_PROPORTIONAL) return;
    static const char NAME[] = "partial_rotary_factor";
    const rope_number n = read_number(c, d, NAME, NAME, request->layer_type != NULL,
                                      request->default_partial > 0 ? request->default_partial : 1);
    const double share = n.value;
    if (d->status != ASSAY_OK || c->status != ASSAY_OK) return;
    if (!n.in && share != 1) config_note(c->notes, "%s%s: absent, default %g taken", d->prefix, NAME, share);
    if (!(share > 0 && share <= 1)) {
        refuse_number(&n, ASSAY_EFORMAT, "expected more than 0, at most 1");
        return;
    }
    if (share != 1 && !request->partial)
        refuse_number(&n, ASSAY_EUNSUPPORTED, "but heads of this family rotate as a whole");
    r->exponent_dim = (size_t)((double)request->head_dim * share);
    r->dim = r->exponent_dim + r->exponent_dim % 2;
    if (r->dim == 0 || r->dim > r->head_dim || (r->dim != r->exponent_dim && r->type != ROPE_DEFAULT))
        config_fail(d, ASSAY_EFORMAT, "%s: %g of a head of %zu is %zu elements, expected an even number",
                    NAME, share, r->head_dim, r->exponent_dim);
}

static double read_theta(config *c, config *d, const config_rope_request *request)
{
    const char *old_name = request->old_theta ? request->old_theta : "rope_theta";
    /* With one RoPE per layer type, the document may also hold the theta of another type. */
    const rope_number theta =
        read_number(c, d, "rope_theta", old_name, request->layer_type != NULL, request->default_theta);
    if (!theta.in && d->status == ASSAY_OK)
        config_note(c->notes, "%srope_theta: absent, default %g taken", d->prefix, theta.value);
    if (d->status == ASSAY_OK && !(theta.value > 1))
        refuse_number(&theta, ASSAY_EFORMAT, "expected a number above 1");
    return theta.value;
}

/* Ends the reader of a rope's own members. */
static void end_rope(config *d, rope_type type)
{
    char reason[64];
    (void)snprintf(reason, sizeof reason, "not understood with rope_type \"%s\"", rope_type_name(type));
    config_end_strict(d, reason);
}

/* d: the rope's own members; may be c itself. */
static void read_rope(config *c, config *d, const config_rope_request *request, rope *r)
{
    r->attention_factor = 1;
    const char *fallback = request->default_type ? request->default_type : "default";
    bool older = config_has(d, "type");
    const char *type = config_has(d, "rope_type") ? config_text(d, "rope_type")
                       : older                    ? config_text(d, "type")
                                                  : fallback;
    if (d->status != ASSAY_OK || c->status != ASSAY_OK) return;
    read_fn *read = find_reader(d, type, request, r);
    read_dim(c, d, request, r);
    r->theta = read_theta(c, d, request);
    if (d->status == ASSAY_OK && c->status == ASSAY_OK) read(c, d, request, r);
}

/* If both spellings are present the newer one is used, so it must contain every member of the older
 * one. */
static void check_agreement(config *c, json_object *newer, json_object *older)
{
    struct json_object_iterator at = json_object_iter_begin(older), end = json_object_iter_end(older);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        const char *now = strcmp(name, "type") == 0 ? "rope_type" : name;
        json_object *value = json_object_iter_peek_value(&at), *other = NULL;
        (void)json_object_object_get_ex(newer, now, &other);
        if (!json_object_equal(value, other))
            config_fail(c, ASSAY_EFORMAT, "rope_scaling.%s: contradicts rope_parameters.%s", name, now);
    }
}

enum { PREFIX_MAX = 96 };

/* The object with the RoPE members, or NULL if the document has none; prefix receives its name. */
static json_object *rope_members(config *c, const config_rope_request *request, char prefix[PREFIX_MAX])
{
    const char *type = request->layer_type;
    json_object *newer = config_member(c, "rope_parameters"), *nested = NULL;
    json_object *older = request->old_scaling ? config_member(c, "rope_scaling") : NULL;
    (void)snprintf(prefix, PREFIX_MAX, "%srope_parameters.%.40s%s", c->prefix, type ? type : "",
                   type ? "." : "");
    if (type && newer) {
        if (!json_object_object_get_ex(newer, type, &nested) && !older)
            config_fail(c, ASSAY_EFORMAT, "rope_parameters.%s: missing", type);
        newer = nested;
    }
    if (json_object_is_type(newer, json_type_object) && json_object_is_type(older, json_type_object))
        check_agreement(c, newer, older);
    if (newer) return newer;
    if (request->old_scaling) (void)snprintf(prefix, PREFIX_MAX, "%srope_scaling.", c->prefix);
    return older;
}

void config_rope(config *c, const config_rope_request *request, rope *out)
{
    char prefix[PREFIX_MAX];
    config d;
    rope r = {0};
    *out = r;
    json_object *members = rope_members(c, request, prefix);
    json_object *none = members ? NULL : json_object_new_object();
    if (c->status == ASSAY_OK) {
        config_begin_inside(&d, c, prefix, members ? members : none);
        read_rope(c, &d, request, &r);
        config_sections(&d, request->sections, request->old_section, request->default_section, &r);
        end_rope(&d, r.type);
    }
    json_object_put(none);
    if (c->status == ASSAY_OK) *out = r;
    else rope_free(&r);
}

void config_rope_end(config *c)
{
    config d;
    char prefix[PREFIX_MAX];
    json_object *ropes = config_member(c, "rope_parameters");
    if (!ropes) return;
    (void)snprintf(prefix, sizeof prefix, "%srope_parameters.", c->prefix);
    config_begin_inside(&d, c, prefix, ropes);
    (void)config_has(&d, "full_attention");
    (void)config_has(&d, "sliding_attention");
    config_end_strict(&d, "expected only full_attention and sliding_attention");
}

void config_rope_standalone(config *c, size_t head_dim, rope *out)
{
    rope r = {0};
    *out = r;
    const char *model_type = config_has(c, "model_type") ? config_text(c, "model_type") : "";
    char prefix[PREFIX_MAX];
    config_rope_request request = {.head_dim = head_dim,
                                   .layer_type =
                                       config_has(c, "layer_type") ? config_text(c, "layer_type") : NULL,
                                   .default_theta = 10000,
                                   .old_scaling = true,
                                   .partial = true};
    if (config_has(c, "head_dim") && config_size(c, "head_dim") != head_dim)
        config_fail(c, ASSAY_EFORMAT, "head_dim: differs from the last dimension of x, %zu", head_dim);
    json_object *members = rope_members(c, &request, prefix);
    config inside, *d = c; /* without a RoPE object, the members are at the top level */
    if (members && c->status == ASSAY_OK) {
        d = &inside;
        config_begin_inside(d, c, prefix, members);
    }
    read_rope(c, d, &request, &r);
    config_sections_alone(d, model_type, &r);
    if (d != c) end_rope(d, r.type);
    if (c->status == ASSAY_OK) *out = r;
    else rope_free(&r);
}
