/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/evaluate/checkpoint.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/shown.h"
#include "conformance/kinds/kinds.h"
#include "conformance/support/checksums.h"
#include "gguf/container.h"
#include "gguf/document.h"
#include "model/checkpoint/weights.h"
#include "model/loader.h"
#include "model/plan/cost.h"
#include "model/plan/plan.h"
#include "model/source.h"
#include "tokenizer/tokenizer.h"

/* Whether the directory has the file. Fails if that cannot be told. */
static assay_status find_file(const char *dir, const char *name, bool *is_there, assay_error *err)
{
    char path[PATH_MAX];
    struct stat s;
    const int n = snprintf(path, sizeof path, "%s/%s", dir, name);
    const bool fits = n > 0 && (size_t)n < sizeof path;
    *is_there = fits && lstat(path, &s) == 0;
    if (*is_there || (fits && (errno == ENOENT || errno == ENOTDIR))) return ASSAY_OK;
    return assay_fail(err, ASSAY_EIO, "%s/%s: %s", dir, name, strerror(fits ? errno : ENAMETOOLONG));
}

static assay_status check_weights(const char *dir, assay_error *err)
{
    weights *w = NULL;
    const assay_status rc = weights_open(dir, &w, err);
    weights_free(w);
    return rc;
}

/* Whether config.json can be read, and names a family that is implemented. family: its name, cleaned; empty
 * if there is none. */
static assay_status find_family(const char *dir, char family[CONF_FAMILY_MAX], bool *known, assay_error *err)
{
    json_object *document = NULL, *type = NULL;
    const assay_status rc = source_config(dir, &document, err);
    if (rc == ASSAY_OK && json_object_is_type(document, json_type_object))
        (void)json_object_object_get_ex(document, "model_type", &type);
    *known = json_text(type) && plan_has_family(json_text(type));
    (void)snprintf(family, CONF_FAMILY_MAX, "%s", json_text(type) ? json_text(type) : "");
    shown_clean(family, CONF_FAMILY_MAX);
    (void)json_object_put(document);
    return rc;
}

static conf_placeholders placeholders_of(const plan *p)
{
    const plan_tower *t = &p->vision;
    conf_placeholders found = {.image = -1, .video = -1, .audio = -1};
    if (t->present) {
        const plan_merger_extra extra = plan_merger_extra_rows(&t->merger);
        found.image = t->image_token;
        found.video = t->video_token;
        if (t->kind == PLAN_TOWER_CONV) found.n_each = plan_tower_tokens(t, (const size_t[3]){1, 1, 1});
        found.side = plan_tower_block(t);
        found.row_end = extra.row_end;
        found.ends = 2 * extra.begin + t->n_leading;
        found.has_crops = t->kind == PLAN_TOWER_CROPS;
        found.leads = t->n_leading > 0;
    }
    if (p->audio.present) {
        found.audio = p->audio.audio_token;
        found.chunk = p->audio.audio.chunk;
    }
    return found;
}

/* What the plan of a checkpoint says about dividing prompts, and about the time that they take, and whose it
 * is.
 */
typedef struct division {
    char family[CONF_FAMILY_MAX];
    size_t n_divisible;
    conf_placeholders placeholders;
    double multiplies; /* see conf_checkpoint */
} division;

static assay_status read_plan(const plan *p, division *found, assay_error *err)
{
    plan_cost cost;
    const assay_status rc = plan_cost_read(p, &cost, err);
    if (rc != ASSAY_OK) return rc;
    found->n_divisible = plan_divisible_length(p);
    found->placeholders = placeholders_of(p);
    found->multiplies = (double)cost.multiplies + (double)cost.head;
    plan_cost_free(&cost);
    return ASSAY_OK;
}

/* For a family that is not implemented, only its safetensors files must be valid. A directory without
 * config.json is another format: *foreign is set, and nothing is known of its ropes. */
static assay_status check_model(const conf_case *c, division *found, bool *foreign, assay_error *err)
{
    const char *dir = c->model;
    bool has_config = gguf_is_file(dir), known = false;
    plan *p = NULL;
    assay_status rc = has_config ? ASSAY_OK : find_file(dir, "config.json", &has_config, err);
    if (rc != ASSAY_OK) return rc;
    if (!has_config) {
        rc = check_weights(dir, err);
        if (rc == ASSAY_ENOMEM) return rc;
        *foreign = rc != ASSAY_OK;
        return *foreign ? ASSAY_OK
                        : assay_fail(err, ASSAY_EIO, "%s: no config.json next to its weights", dir);
    }
    rc = find_family(dir, found->family, &known, err);
    if (rc == ASSAY_OK && known) {
        rc = plan_open_allowing(dir, c->allow_unknown, &p, err);
        if (rc == ASSAY_OK) rc = read_plan(p, found, err);
        plan_free(p);
    } else if (rc == ASSAY_OK) {
        rc = check_weights(dir, err);
        if (rc == ASSAY_OK || rc == ASSAY_EIO)
            rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: config.json names no family that is implemented",
                            dir);
    }
    return rc;
}

static assay_status check_tokenizer(const char *dir, assay_error *err)
{
    tokenizer *t = NULL;
    bool is_there;
    assay_status rc = ASSAY_OK;
    if (gguf_is_file(dir)) is_there = gguf_document_exists(dir, "tokenizer.json");
    else rc = find_file(dir, "tokenizer.json", &is_there, err);
    if (rc != ASSAY_OK || !is_there) return rc;
    rc = tokenizer_open(dir, &t, err);
    tokenizer_free(t);
    return rc;
}

/* The status of all checks; err: the reason of the first that fails. */
static assay_status check_all(const conf_case *c, division *found, bool *foreign, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    if (c->kind != CONF_TOKENIZER) rc = check_model(c, found, foreign, err);
    if (rc == ASSAY_OK && conf_kind_of(c->kind)->textual) rc = check_tokenizer(c->model, err);
    if (rc != ASSAY_OK && rc != ASSAY_EUNSUPPORTED) return rc;
    assay_error changed = {0};
    const assay_status sums = c->checksums ? conf_checksums_compare(c->model, c->checksums, &changed)
                                           : conf_checksums_check(c->model, &changed);
    if (sums == ASSAY_OK) return rc;
    *err = changed;
    return sums;
}

conf_checkpoint conf_checkpoint_check(const conf_case *c)
{
    conf_checkpoint found = {.state = CONF_CHECKPOINT_VALID};
    assay_error err = {0};
    bool foreign = false;
    division parts = {0};
    if (!c->model) return found;
    const assay_status rc = check_all(c, &parts, &foreign, &err);
    memcpy(found.family, parts.family, sizeof found.family);
    if (rc == ASSAY_OK && !foreign) {
        found.n_divisible = parts.n_divisible;
        found.placeholders = parts.placeholders;
        found.multiplies = parts.multiplies;
        return found;
    }
    if (rc == ASSAY_OK) (void)assay_fail(&err, rc, "%s: no config.json", c->model);
    else if (rc == ASSAY_ENOMEM && !err.text[0]) (void)assay_fail(&err, rc, "%s: out of memory", c->model);
    if (rc == ASSAY_EUNSUPPORTED) found.state = CONF_CHECKPOINT_UNKNOWN;
    else if (rc != ASSAY_OK && rc != ASSAY_ENOMEM) found.state = CONF_CHECKPOINT_BROKEN;
    (void)snprintf(found.reason, sizeof found.reason, "%.*s", CONF_TEXT_MAX - 1, err.text);
    return found;
}
