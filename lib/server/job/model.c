/* SPDX-License-Identifier: Apache-2.0 */
#include "server/job/model.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "model/loader.h"
#include "model/plan/plan.h"

/* The last component of the real path. */
static char *name_of(const char *dir)
{
    char *path = realpath(dir, NULL);
    const char *whole = path ? path : dir;
    const char *slash = strrchr(whole, '/');
    char *name = strdup(slash && slash[1] ? slash + 1 : whole);
    free(path);
    return name;
}

static assay_status find_stops(server_model *m, assay_error *err)
{
    if (m->engine->model_stop_ids) {
        m->stop_ids = m->engine->model_stop_ids(m->model, &m->n_stop_ids);
        return ASSAY_OK;
    }
    const assay_status rc = stop_set_read(m->dir, &m->stops, err);
    if (rc == ASSAY_OK) m->stop_ids = stop_set_ids(m->stops, &m->n_stop_ids);
    return rc;
}

/* What the plan says about prompts. For a checkpoint that only the engine understands nothing is known, and
 * no prompt is divided. */
static void find_limits(server_model *m, const char *const *allow_unknown)
{
    plan *p;
    m->n_divisible = 0;
    if (plan_open_allowing(m->dir, allow_unknown, &p, NULL) != ASSAY_OK) return;
    m->max_positions = p->max_positions;
    m->n_divisible = plan_divisible_length(p);
    m->images_whole = plan_crosses(p);
    if (p->n_token_ids > m->n_ids) m->n_ids = p->n_token_ids;
    plan_free(p);
}

assay_status server_model_open(const server_model_options *o, server_model **out, assay_error *err)
{
    server_model *m = calloc(1, sizeof *m);
    if (!m) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", o->dir);
    m->engine = o->engine;
    m->serving = o->serving;
    m->created = (int64_t)time(NULL);
    m->dir = strdup(o->dir);
    m->name = o->name ? strdup(o->name) : name_of(o->dir);
    const assay_model_options options = {.size = sizeof options,
                                         .compute = o->compute,
                                         .compute_name = o->compute_name,
                                         .cache_name = o->cache_name,
                                         .allow_unknown = o->allow_unknown};
    assay_status rc = ASSAY_OK;
    if (!m->dir || !m->name) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", o->dir);
    if (rc == ASSAY_OK) rc = m->engine->model_open(m->dir, &options, &m->model, err);
    if (rc == ASSAY_OK) m->n_ids = m->vocab = m->engine->model_vocab(m->model);
    if (rc == ASSAY_OK) rc = m->serving->tokenizer_open(m->dir, &m->tokenizer, err);
    if (rc == ASSAY_OK) rc = find_stops(m, err);
    if (rc == ASSAY_OK) {
        find_limits(m, o->allow_unknown);
        *out = m;
    } else {
        server_model_close(m);
    }
    return rc;
}

void server_model_close(server_model *m)
{
    if (!m) return;
    stop_set_free(m->stops);
    if (m->tokenizer) m->serving->tokenizer_free(m->tokenizer);
    if (m->model) m->engine->model_free(m->model);
    free(m->dir);
    free(m->name);
    free(m);
}
