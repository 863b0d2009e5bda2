/* SPDX-License-Identifier: Apache-2.0 */
#include "model/loader.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "model/checkpoint/config.h"
#include "model/checkpoint/config_value.h"
#include "model/checkpoint/weights.h"
#include "model/families/families.h"
#include "model/families/parts/common.h"
#include "model/plan/arrays.h"
#include "model/plan/bind.h"
#include "model/plan/bind_vector.h"
#include "model/plan/shapes.h"
#include "model/source.h"

/* A plan with the objects from which it borrows. */
typedef struct owned_plan {
    plan plan; /* first: plan_free is given its address */
    char *dir, *model_type;
    weights *weights;
    stop_set *stops;
    config_notes notes;
} owned_plan;

bool plan_has_family(const char *model_type)
{
    const family_reader *reader;
    return family_type_find(model_type, &reader) != NULL;
}

/* The type that the document states, and its harmless members; NULL and an error if there is none. */
static const family_type *find_type(config *c)
{
    const char *type = config_text(c, "model_type");
    const family_reader *reader = NULL;
    const family_type *found = family_type_find(type, &reader);
    const char *whole = found ? NULL : family_type_around(type);
    if (found) c->harmless = reader->harmless;
    else if (whole)
        config_fail(
            c, ASSAY_EUNSUPPORTED,
            "model_type: found \"%s\", the text part of \"%s\", whose published class has no head and "
            "makes no logits; expected the config of the whole model",
            type, whole);
    else
        config_fail(
            c, ASSAY_EUNSUPPORTED,
            "model_type: found \"%s\", expected a supported family, such as \"%s\"; scripts/record/own "
            "judges others (docs/own.md)",
            type, family_type_similar(type));
    return found;
}

/* Ignores the tensors of towers that a text plan leaves out, but only if the config has these towers. */
static void ignore_towers(family *f)
{
    static const struct {
        const char *member, *start[5];
    } TOWERS[] = {
        {"vision_config",
         {"model.vision_tower.", "model.embed_vision.", "vision_tower.", "embed_vision.",
          "model.vision_embedder."}},
        {"audio_config", {"model.audio_tower.", "model.embed_audio.", "audio_tower.", "embed_audio.", NULL}},
    };
    for (size_t i = 0; i < sizeof TOWERS / sizeof *TOWERS; i++) {
        if (!config_has(f->outer, TOWERS[i].member)) continue;
        if (i == 0 ? f->plan->vision.present : f->plan->audio.present) continue;
        for (size_t k = 0; k < 5 && TOWERS[i].start[k]; k++)
            bind_ignore(f->bind, f->outer->notes, TOWERS[i].start[k], "not asked for");
    }
}

/* Runs the family's function over its config; both readers have been begun. */
static void read_family(const family_type *type, family *f)
{
    type->read(f);
    if (f->outer && family_ok(f)) ignore_towers(f);
}

/* Accepts members of the outer document that repeat those of its text_config with equal values, or, if `any`,
 * with other ones. */
static void read_repeated(config *outer, json_object *text, bool any)
{
    struct json_object_iterator at = json_object_iter_begin(text), end = json_object_iter_end(text);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        json_object *value = NULL;
        if (!json_object_object_get_ex(outer->object, name, &value)) continue;
        const bool is_equal = json_object_equal(value, json_object_iter_peek_value(&at));
        if (!is_equal && any)
            config_note(outer->notes, "%s%s: not read, that of text_config counts", outer->prefix, name);
        if (is_equal || any) (void)config_has(outer, name);
    }
}

/* transformers 4.51 reads the members of Qwen2-VL's text around text_config alone, and writes its defaults
 * there. If they state another hidden_size than the text_config by which the tensors have been bound, that
 * version cannot load the file, and they have no effect. */
static void read_around(config *outer, const config *text)
{
    static const char WIDTH[] = "hidden_size";
    json_object *around = NULL, *width = NULL, *ropes = NULL;
    const bool others = json_object_object_get_ex(outer->object, WIDTH, &around) &&
                        json_object_object_get_ex(text->object, WIDTH, &width) &&
                        !json_object_equal(around, width);
    read_repeated(outer, text->object, others);
    if (json_object_object_get_ex(text->object, "rope_parameters", &ropes) &&
        json_object_is_type(ropes, json_type_object))
        read_repeated(outer, ropes, others);
}

/* Fails unless the text_config has the model type of the family, as any version writes it. */
static void check_text_type(config *text, const family_type *stated)
{
    const char *expected = stated->text_type, *older = stated->older_text_type;
    const char *type = config_text_or(text, "model_type", expected);
    if (strcmp(type, expected) != 0 && (!older || strcmp(type, older) != 0))
        config_fail(text, ASSAY_EUNSUPPORTED, "model_type: found \"%s\", expected \"%s\"", type, expected);
}

/* whole: the document around the outer one; NULL: there is none. */
static void read_text_config(owned_plan *o, const family_type *type, config *whole, config *outer, bind *b)
{
    config text;
    if (!config_begin_member(&text, outer, "text_config.")) return;
    text.model_type = type->text_type;
    check_text_type(&text, type);
    if (text.status == ASSAY_OK)
        read_family(type,
                    &(family){.plan = &o->plan, .config = &text, .outer = outer, .whole = whole, .bind = b});
    if (text.status == ASSAY_OK) read_around(outer, &text);
    config_end(&text);
}

/* The document of a part of a larger model. */
static void read_part(owned_plan *o, const family_type *type, config *around, bind *b)
{
    config part;
    if (!config_begin_member(&part, around, type->part)) return;
    part.model_type = type->model_type;
    if (part.status == ASSAY_OK) read_text_config(o, type, around, &part, b);
    config_end(&part);
}

/* Reads config.json and binds the weights by it. */
static assay_status read_config(owned_plan *o, const source *from, const char *const *allowed,
                                assay_error *err)
{
    config c;
    bind b = {0};
    config_begin(&c, from->label, "", from->config, &o->notes, err);
    c.allowed = allowed;
    const family_type *type = find_type(&c);
    if (type && c.status == ASSAY_OK) {
        c.model_type = type->model_type;
        o->model_type = strdup(type->model_type);
        bind_begin(&b, o->weights, o->plan.arrays, o->plan.layouts, o->dir, &c, err);
        b.has_shifted_norms = from->architecture && from->architecture->has_shifted_norms;
        if (b.status != ASSAY_OK)
            ;
        else if (type->part) read_part(o, type, &c, &b);
        else if (type->text_type && !(type->may_be_flat && !config_has(&c, "text_config")))
            read_text_config(o, type, NULL, &c, &b);
        else read_family(type, &(family){.plan = &o->plan, .config = &c, .bind = &b});
        if (b.status == ASSAY_OK) b.status = c.status;
        if (from->architecture) bind_ignore(&b, &o->notes, "rope_freqs.", "read with the config");
        c.status = bind_end(&b);
    }
    o->plan.n_parameters = b.n_parameters;
    o->plan.n_ignored = b.n_ignored;
    o->plan.storages = b.storages;
    o->plan.n_storages = b.n_storages;
    config_end(&c);
    return c.status;
}

static void note_stops(owned_plan *o)
{
    size_t n;
    const int32_t *ids = stop_set_ids(o->stops, &n);
    const char *nameless = stop_set_nameless(o->stops);
    if (nameless)
        config_note(
            &o->notes,
            "tokenizer_config.json: eos_token \"%.80s\" has no id, neither there nor in tokenizer.json; "
            "it adds nothing to the stop set",
            nameless);
    for (size_t i = 0; i < n; i++)
        if ((size_t)ids[i] >= o->plan.vocab)
            config_note(&o->notes, "stop id %d lies outside the vocabulary (%zu); kept", ids[i],
                        o->plan.vocab);
}

static assay_status realise_arrays(owned_plan *o, assay_error *err)
{
    assay_error why;
    assay_status rc = array_list_realise(o->plan.arrays, &why);
    return rc == ASSAY_OK ? rc : assay_fail(err, rc, "%s: %s", o->dir, why.text);
}

static assay_status open_parts(owned_plan *o, const char *const *allowed, assay_error *err)
{
    source from;
    assay_status rc = source_open(o->dir, &from, err);
    o->weights = from.weights;
    from.weights = NULL;
    if (rc == ASSAY_OK) rc = array_list_open(&o->plan.arrays, err);
    if (rc == ASSAY_OK && !(o->plan.layouts = layouts_open()))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", o->dir);
    if (rc == ASSAY_OK) rc = read_config(o, &from, allowed, err);
    if (rc == ASSAY_OK) rc = plan_check_shapes(&o->plan, err);
    if (rc == ASSAY_OK) rc = plan_derive(&o->plan, err);
    if (rc == ASSAY_OK) rc = realise_arrays(o, err);
    if (rc == ASSAY_OK) rc = stop_set_read(o->dir, &o->stops, err);
    if (rc == ASSAY_OK) note_stops(o);
    if (rc == ASSAY_OK && (o->notes.incomplete || !o->model_type))
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", o->dir);
    source_free(&from);
    return rc;
}

assay_status plan_open(const char *dir, plan **out, assay_error *err)
{
    return plan_open_allowing(dir, NULL, out, err);
}

assay_status plan_open_allowing(const char *dir, const char *const *allowed, plan **out, assay_error *err)
{
    owned_plan *o = calloc(1, sizeof *o);
    if (!o || !(o->dir = strdup(dir))) {
        free(o);
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    o->plan.dir = o->dir;
    assay_status rc = open_parts(o, allowed, err);
    if (rc != ASSAY_OK) {
        plan_free(&o->plan);
        return rc;
    }
    plan *p = &o->plan;
    p->model_type = o->model_type;
    p->stops = o->stops;
    p->notes = (const char *const *)o->notes.line;
    p->n_notes = o->notes.n;
    *out = p;
    return ASSAY_OK;
}

static void free_experts(plan_experts *x)
{
    free(x->gate);
    free(x->up);
    free(x->down);
}

static void free_tower(plan_tower *tower)
{
    rope_free(&tower->rope);
    free(tower->layers);
    free(tower->deepstack);
    if (tower->kind == PLAN_TOWER_CONV) free(tower->conv.blocks);
}

void plan_free(plan *p)
{
    if (!p) return;
    owned_plan *o = (owned_plan *)p;
    for (size_t i = 0; i < p->n_ropes; i++) rope_free(&p->ropes[i]);
    for (size_t i = 0; i < p->n_layers; i++) {
        free_experts(&p->layers[i].experts);
        free_experts(&p->layers[i].own_experts);
    }
    free_tower(&p->vision);
    free_tower(&p->audio);
    array_list_free(p->arrays);
    layouts_free(p->layouts);
    free(p->frequencies);
    free(p->ropes);
    free(p->layers);
    free(p->streams.projection);
    free(p->streams.unprojection);
    free(p->storages);
    stop_set_free(o->stops);
    weights_free(o->weights);
    config_notes_free(&o->notes);
    free(o->model_type);
    free(o->dir);
    free(o);
}

void plan_release_weights(plan *p)
{
    owned_plan *o = (owned_plan *)p;
    weights_free(o->weights);
    o->weights = NULL;
}
