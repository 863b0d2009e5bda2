/* From the published spellings of a rope to a resolved one. The rules are those of transformers,
 * RotaryEmbeddingConfigMixin and the ROPE_INIT_FUNCTIONS; where those would fall back in silence, this
 * refuses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads the parameters of one type from the rope's own members d and the document c around it. */
typedef void read_fn(config *c, config *d, const config_rope_request *request, rope *r);

static double positive(config *d, const char *name, double value)
{
    if (d->status == ASSAY_OK && !(value > 0))
        config_fail(d, ASSAY_EFORMAT, "%s: found %g, expected a number above 0", name, value);
    return value;
}

static double factor(config *d)
{
    return positive(d, "factor", config_real(d, "factor"));
}

/* The length of the first training. A member of the document outranks one of the rope. */
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
    r->factor = factor(d);
}

static void read_dynamic(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)request;
    r->factor = factor(d);
    r->max_length = (double)config_size(c, "max_position_embeddings");
    if (r->dim <= 2) config_fail(d, ASSAY_EFORMAT, "rope_type: dynamic needs more than 2 rotating elements");
}

static void read_llama3(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)request;
    r->factor = factor(d);
    r->low_freq_factor = positive(d, "low_freq_factor", config_real(d, "low_freq_factor"));
    r->high_freq_factor = config_real(d, "high_freq_factor");
    r->original_length = original_length(c, d);
    if (d->status == ASSAY_OK && r->high_freq_factor <= r->low_freq_factor)
        config_fail(d, ASSAY_EFORMAT, "high_freq_factor: found %g, expected more than low_freq_factor (%g)",
                    r->high_freq_factor, r->low_freq_factor);
}

static double yarn_magnitude(double scale, double mscale)
{
    return scale <= 1 ? 1 : 0.1 * mscale * log(scale) + 1;
}

static double optional(config *d, const char *name)
{
    return config_has(d, name) ? config_real(d, name) : 0;
}

static void read_yarn(config *c, config *d, const config_rope_request *request, rope *r)
{
    r->original_length = original_length(c, d);
    r->factor = config_has(d, "factor")
                    ? factor(d)
                    : (double)config_size(c, "max_position_embeddings") / r->original_length;
    double fast = optional(d, "beta_fast"), slow = optional(d, "beta_slow");
    r->beta_fast = fast != 0 ? fast : 32; /* upstream reads 0 as absent */
    r->beta_slow = slow != 0 ? slow : 1;
    r->truncate = config_has(d, "truncate") ? config_flag_or(d, "truncate", true) : true;
    if (!r->truncate && request->layer_type)
        config_fail(d, ASSAY_EUNSUPPORTED,
                    "truncate: found false, which the published implementation ignores "
                    "for a rope of one layer type");
    double mscale = optional(d, "mscale"), all_dim = optional(d, "mscale_all_dim");
    if (config_has(d, "attention_factor"))
        r->attention_factor = positive(d, "attention_factor", config_real(d, "attention_factor"));
    else if (mscale != 0 && all_dim != 0)
        r->attention_factor = yarn_magnitude(r->factor, mscale) / yarn_magnitude(r->factor, all_dim);
    else r->attention_factor = yarn_magnitude(r->factor, 1);
}

static double *factors(config *d, const char *name, size_t n)
{
    json_object *list = config_member(d, name);
    if (!json_object_is_type(list, json_type_array) || json_object_array_length(list) != n) {
        config_fail(d, ASSAY_EFORMAT, "%s: found %.80s, expected a list of %zu numbers", name,
                    list ? json_object_to_json_string_ext(list, JSON_C_TO_STRING_PLAIN) : "nothing", n);
        return NULL;
    }
    double *out = calloc(n, sizeof *out);
    if (!out) {
        config_fail(d, ASSAY_ENOMEM, "out of memory");
        return NULL;
    }
    (void)config_reals(d, name, false, out, n);
    for (size_t i = 0; i < n; i++) positive(d, name, out[i]);
    return out;
}

static void read_longrope(config *c, config *d, const config_rope_request *request, rope *r)
{
    /* Phi-3's class has a length of its own, 4096, that outranks the rope's: only a stated one is sure. */
    if (request->long_only && !config_has(c, "original_max_position_embeddings"))
        config_fail(c, ASSAY_EFORMAT, "original_max_position_embeddings: missing, longrope needs it");
    r->original_length = original_length(c, d);
    r->short_factor = factors(d, "short_factor", r->dim / 2);
    r->long_factor = factors(d, "long_factor", r->dim / 2);
    double scale = config_has(d, "factor")
                       ? factor(d)
                       : (double)config_size(c, "max_position_embeddings") / r->original_length;
    if (config_has(d, "attention_factor"))
        r->attention_factor = positive(d, "attention_factor", config_real(d, "attention_factor"));
    else r->attention_factor = scale <= 1 ? 1 : sqrt(1 + log(scale) / log(r->original_length));
}

static void read_proportional(config *c, config *d, const config_rope_request *request, rope *r)
{
    (void)c;
    r->factor = config_has(d, "factor") ? factor(d) : 1;
    double share = config_has(d, "partial_rotary_factor") ? config_real(d, "partial_rotary_factor")
                   : request->default_partial > 0         ? request->default_partial
                                                          : 1;
    if (d->status == ASSAY_OK && !(share >= 0 && share <= 1))
        config_fail(d, ASSAY_EFORMAT, "partial_rotary_factor: found %g, expected 0 to 1", share);
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

/* The reader for a spelled type; the error sticks where there is none. */
static read_fn *reader(config *d, const char *spelled, const config_rope_request *request, rope *r)
{
    if (request->long_only && (strcmp(spelled, "su") == 0 || strcmp(spelled, "yarn") == 0))
        spelled = rope_type_name(ROPE_LONGROPE);
    for (size_t i = 0; i < sizeof READERS / sizeof *READERS; i++) {
        r->type = READERS[i].type;
        bool allowed = !request->long_only || r->type == ROPE_DEFAULT || r->type == ROPE_LONGROPE;
        if (allowed && strcmp(spelled, rope_type_name(r->type)) == 0) return READERS[i].read;
    }
    config_fail(d, ASSAY_EUNSUPPORTED, "rope_type: found \"%s\", expected %s", spelled,
                request->long_only ? "default or longrope"
                                   : "default, linear, dynamic, llama3, yarn, longrope or proportional");
    return read_default;
}

/* A number that may stand in the rope or, in the older spelling, in the document around it under its own or
 * an older name; both may be there if they agree. false: it stands in neither. */
static bool read_number(config *c, config *d, const char *name, const char *old_name, bool may_differ,
                        double *out)
{
    bool inside = config_has(d, name), outside = config_has(c, old_name);
    if (outside) *out = config_real(c, old_name);
    if (!inside) return outside;
    double value = config_real(d, name);
    if (outside && d != c && value != *out && !may_differ)
        config_fail(d, ASSAY_EFORMAT, "%s: found %g, but %s beside it is %g", name, value, old_name, *out);
    *out = value;
    return true;
}

/* How many leading elements of a head rotate. */
static void read_dim(config *c, config *d, const config_rope_request *request, rope *r)
{
    r->head_dim = r->dim = r->exponent_dim = request->head_dim;
    if (r->type == ROPE_PROPORTIONAL) return;
    static const char NAME[] = "partial_rotary_factor";
    double share = 1;
    (void)read_number(c, d, NAME, NAME, request->layer_type != NULL, &share);
    if (d->status != ASSAY_OK || c->status != ASSAY_OK) return;
    if (!(share > 0 && share <= 1))
        config_fail(d, ASSAY_EFORMAT, "%s: found %g, expected more than 0, at most 1", NAME, share);
    else if (share != 1 && !request->partial)
        config_fail(d, ASSAY_EUNSUPPORTED, "%s: found %g, but heads of this family rotate as a whole", NAME,
                    share);
    r->exponent_dim = (size_t)((double)request->head_dim * share);
    r->dim = r->exponent_dim + r->exponent_dim % 2;
    if (r->dim == 0 || r->dim > r->head_dim || (r->dim != r->exponent_dim && r->type != ROPE_DEFAULT))
        config_fail(d, ASSAY_EFORMAT, "%s: %g of a head of %zu is %zu elements, expected an even number",
                    NAME, share, r->head_dim, r->exponent_dim);
}

static double read_theta(config *c, config *d, const config_rope_request *request)
{
    const char *old_name = request->old_theta ? request->old_theta : "rope_theta";
    double theta = request->default_theta;
    /* Beside ropes by layer type there may be the theta of another type. */
    if (!read_number(c, d, "rope_theta", old_name, request->layer_type != NULL, &theta) &&
        d->status == ASSAY_OK)
        config_note(c->notes, "%srope_theta: absent, default %g taken", d->prefix, theta);
    if (d->status == ASSAY_OK && !(theta > 1))
        config_fail(d, ASSAY_EFORMAT, "rope_theta: found %g, expected a number above 1", theta);
    return theta;
}

static void refuse_leftover(config *d, const char *type)
{
    const char *name = d->status == ASSAY_OK && d->parent->status == ASSAY_OK ? config_unused(d, 0) : NULL;
    if (name) config_fail(d, ASSAY_EUNSUPPORTED, "%s: not understood with rope_type \"%s\"", name, type);
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
    read_fn *read = reader(d, type, request, r);
    read_dim(c, d, request, r);
    r->theta = read_theta(c, d, request);
    if (d->status == ASSAY_OK && c->status == ASSAY_OK) read(c, d, request, r);
}

/* Where both spellings are present the newer one is read, so it must say all that the older one says. */
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

/* The object that holds the rope's members, or NULL where the document has none; *prefix names it. */
static json_object *rope_members(config *c, const config_rope_request *request, const char **prefix)
{
    json_object *newer = config_member(c, "rope_parameters"), *nested = NULL;
    json_object *older = request->old_scaling ? config_member(c, "rope_scaling") : NULL;
    *prefix = "rope_parameters.";
    if (request->layer_type && newer) {
        if (!json_object_object_get_ex(newer, request->layer_type, &nested) && !older)
            config_fail(c, ASSAY_EFORMAT, "rope_parameters.%s: missing", request->layer_type);
        newer = nested;
    }
    if (json_object_is_type(newer, json_type_object) && json_object_is_type(older, json_type_object))
        check_agreement(c, newer, older);
    if (newer) return newer;
    *prefix = "rope_scaling.";
    return older;
}

void config_rope(config *c, const config_rope_request *request, rope *out)
{
    const char *prefix;
    config d;
    rope r = {0};
    *out = r;
    json_object *members = rope_members(c, request, &prefix);
    json_object *none = members ? NULL : json_object_new_object();
    if (c->status == ASSAY_OK) {
        config_begin_inside(&d, c, prefix, members ? members : none);
        read_rope(c, &d, request, &r);
        refuse_leftover(&d, rope_type_name(r.type));
        config_drop(&d);
    }
    json_object_put(none);
    if (c->status == ASSAY_OK) *out = r;
    else rope_free(&r);
}

/* Deals the frequencies to three axes where the document says so. */
static void read_sections(config *d, const char *model_type, rope *r)
{
    if (!config_sizes(d, "mrope_section", false, r->section, ROPE_AXES_MAX)) return;
    bool interleaved = config_has(d, "mrope_interleaved") && config_flag_or(d, "mrope_interleaved", false);
    bool ernie = strncmp(model_type, "ernie4_5", 8) == 0;
    r->sections = ernie         ? ROPE_SECTIONS_ALTERNATING
                  : interleaved ? ROPE_SECTIONS_INTERLEAVED
                                : ROPE_SECTIONS_CHUNKED;
    if (ernie) r->pairing = ROPE_PAIRS_ADJACENT;
    size_t sum = r->section[0] + r->section[1] + r->section[2];
    if (d->status == ASSAY_OK && sum != r->dim / 2)
        config_fail(d, ASSAY_EFORMAT,
                    "mrope_section: found a sum of %zu, expected %zu, half of the rotating part", sum,
                    r->dim / 2);
}

void config_rope_alone(config *c, size_t head_dim, rope *out)
{
    rope r = {0};
    *out = r;
    const char *model_type = config_has(c, "model_type") ? config_text(c, "model_type") : "";
    const char *prefix = "";
    config_rope_request request = {.head_dim = head_dim,
                                   .layer_type =
                                       config_has(c, "layer_type") ? config_text(c, "layer_type") : NULL,
                                   .default_theta = 10000,
                                   .old_scaling = true,
                                   .partial = true};
    if (config_has(c, "head_dim") && config_size(c, "head_dim") != head_dim)
        config_fail(c, ASSAY_EFORMAT, "head_dim: differs from the last dimension of x, %zu", head_dim);
    json_object *members = rope_members(c, &request, &prefix);
    config inside, *d = c; /* without an object of their own the members stand at the top level */
    if (members && c->status == ASSAY_OK) {
        d = &inside;
        config_begin_inside(d, c, prefix, members);
    }
    read_rope(c, d, &request, &r);
    read_sections(d, model_type, &r);
    if (d != c) {
        refuse_leftover(d, rope_type_name(r.type));
        config_drop(d);
    }
    if (c->status == ASSAY_OK) *out = r;
    else rope_free(&r);
}
