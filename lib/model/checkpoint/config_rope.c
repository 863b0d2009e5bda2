/* Resolves the published spellings of RoPE parameters. The rules are those of transformers
 * (RotaryEmbeddingConfigMixin, ROPE_INIT_FUNCTIONS), but where transformers falls back silently, this
 * fails.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config_rope.h"

#include "model/checkpoint/config.h"
#include "model/checkpoint/config_rope_types.h"
#include "model/checkpoint/config_sections.h"
#include "model/checkpoint/config_value.h"

#include <stdio.h>
#include <string.h>

/* The major version of transformers that first wrote rope_parameters. */
enum { FIRST_WITH_PARAMETERS = 5 };

/* A number, and the member that holds it. */
typedef struct rope_number {
    config *in; /* NULL: absent, value is the default */
    const char *name;
    double value;
} rope_number;

static bool is_filled(json_object *value)
{
    return json_object_is_type(value, json_type_object) && json_object_object_length(value) > 0;
}

/* Whether only versions from FIRST_WITH_PARAMETERS on compute the rope of d: one of them wrote the file, or
 * M-RoPE stands in rope_parameters alone. Earlier classes fail, because they take mrope_section out of
 * rope_scaling. */
static bool is_newer_only(const config *c, const config *d, const config_rope_request *request)
{
    const bool has_axes =
        request->sections != ROPE_SECTIONS_NONE && !config_sections_are_axial(request->sections);
    return config_writer(c) >= FIRST_WITH_PARAMETERS ||
           (has_axes && d != c && !is_filled(json_object_object_get(c->object, "rope_scaling")));
}

/* Reads a number from the RoPE object or, in the older spelling, from the document around it, under its
 * own or an older name. Both may be present if they agree. If they differ, transformers reads the RoPE object
 * from 5 on, and the other one before. */
static rope_number read_number(config *c, config *d, const char *name, const char *old_name,
                               const config_rope_request *request, double fallback)
{
    const bool inside = config_has(d, name), outside = config_has(c, old_name);
    rope_number n = {.value = fallback}, old = {.value = fallback};
    if (outside) old = (rope_number){c, old_name, config_real(c, old_name)};
    if (inside) n = (rope_number){d, name, config_real(d, name)};
    /* With one RoPE per layer type, the document may also hold the number of another type. */
    const bool contradicts = inside && outside && d != c && n.value != old.value && !request->layer_type;
    if (contradicts && is_newer_only(c, d, request))
        config_note(c->notes, "%s%s: counts, and not %s%s", d->prefix, name, c->prefix, old_name);
    else if (contradicts)
        config_fail_member(d, ASSAY_EFORMAT, name,
                           "but %s next to it is %s, which transformers reads before version %d; from %d on "
                           "it reads %s%s",
                           old_name,
                           json_object_to_json_string_ext(json_object_object_get(c->object, old_name),
                                                          JSON_C_TO_STRING_PLAIN),
                           FIRST_WITH_PARAMETERS, FIRST_WITH_PARAMETERS, d->prefix, name);
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
    const rope_number n =
        read_number(c, d, NAME, NAME, request, request->default_partial > 0 ? request->default_partial : 1);
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
    const rope_number theta = read_number(c, d, "rope_theta", old_name, request, request->default_theta);
    if (!theta.in && request->default_theta == 0)
        config_fail(d, ASSAY_EFORMAT, "rope_theta: missing, expected a number above 1");
    else if (!theta.in && d->status == ASSAY_OK)
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
    config_rope_reader *read = config_rope_type(d, type, request, r);
    read_dim(c, d, request, r);
    r->theta = read_theta(c, d, request);
    if (d->status == ASSAY_OK && c->status == ASSAY_OK) read(c, d, request, r);
    if (!request->query_beta) return;
    *request->query_beta = config_real(d, "llama_4_scaling_beta");
    (void)config_has(d, "max_position_embeddings"); /* of the document; the class does not read it here */
}

/* Of two spellings beside each other every version of transformers reads the older one, and those from 5 on
 * take rope_theta out of it, too. Fails unless the newer one has the same members; rope_theta may stand in
 * either. */
static void check_agreement(config *c, json_object *newer, json_object *older)
{
    struct json_object_iterator at = json_object_iter_begin(older), end = json_object_iter_end(older);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        const char *now = strcmp(name, "type") == 0 ? "rope_type" : name;
        json_object *value = json_object_iter_peek_value(&at), *other = NULL;
        const bool is_there = json_object_object_get_ex(newer, now, &other);
        if (!json_object_equal(value, other) && (is_there || strcmp(name, "rope_theta") != 0))
            config_fail(c, ASSAY_EFORMAT, "rope_scaling.%s: contradicts rope_parameters.%s", name, now);
    }
    at = json_object_iter_begin(newer), end = json_object_iter_end(newer);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        if (strcmp(name, "rope_type") != 0 && !json_object_object_get_ex(older, name, NULL))
            config_note(c->notes, "%srope_parameters.%.40s: not read, rope_scaling next to it counts",
                        c->prefix, name);
    }
}

enum { PREFIX_MAX = 96 };

/* The object of a layer type in rope_parameters, or else rope_scaling. */
static json_object *nested_members(config *c, const char *type, json_object *ropes, json_object *older)
{
    json_object *nested = NULL;
    if (!json_object_object_get_ex(ropes, type, &nested) && !older)
        config_fail(c, ASSAY_EFORMAT, "rope_parameters.%s: missing", type);
    if (is_filled(nested) && is_filled(older)) check_agreement(c, nested, older);
    return nested ? nested : older;
}

/* The object with the RoPE members, or NULL if the document has none; prefix receives its name. */
static json_object *rope_members(config *c, const config_rope_request *request, char prefix[PREFIX_MAX])
{
    const char *type = request->layer_type;
    json_object *newer = config_member(c, "rope_parameters");
    json_object *older = request->old_scaling ? config_member(c, "rope_scaling") : NULL, *members = NULL;
    if (type && newer) members = nested_members(c, type, newer, older);
    else if (newer && !is_filled(older)) members = newer;
    else members = older;
    if (!type && is_filled(newer) && is_filled(older)) check_agreement(c, newer, older);
    if (members && members == older) (void)snprintf(prefix, PREFIX_MAX, "%srope_scaling.", c->prefix);
    else
        (void)snprintf(prefix, PREFIX_MAX, "%srope_parameters.%.40s%s", c->prefix, type ? type : "",
                       type ? "." : "");
    return members;
}

/* What the class takes for a missing RoPE object; the caller puts it. */
static json_object *default_members(config *c, const config_rope_request *request)
{
    if (!request->default_members) return json_object_new_object();
    config_note(c->notes, "%srope_parameters: absent, %s taken", c->prefix, request->default_members);
    return json_tokener_parse(request->default_members);
}

void config_rope(config *c, const config_rope_request *request, rope *out)
{
    char prefix[PREFIX_MAX];
    config d;
    rope r = {0};
    *out = r;
    json_object *members = rope_members(c, request, prefix);
    json_object *none = members ? NULL : default_members(c, request);
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
