/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "conformance/reduce/layers.h"
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

/* A checkpoint that is cut. */
typedef struct cutting {
    const char *model, *to;
    size_t n;
} cutting;

/* conf_task_fn, of a cutting: it reads an untrusted checkpoint. */
static void cut(const void *context, conf_verdict *v)
{
    const cutting *c = context;
    assay_error err = {0};
    if (conf_layers_cut(c->model, c->n, c->to, &err) != ASSAY_OK)
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
}

/* Makes the checkpoint with n layers, unless it is there. A checkpoint that cannot be cut stays incomplete,
 * and is refused by who opens it. */
static bool make_checkpoint(conf_reducing *r, size_t n)
{
    char folder[4096], to[4096];
    conf_verdict v = {0};
    const cutting c = {r->whole->c->model, to, n};
    conf_attempt_folder(r, n, folder, sizeof folder);
    conf_attempt_model(r, n, to, sizeof to);
    if (mkdir(folder, 0700) != 0) return errno == EEXIST;
    if (mkdir(to, 0700) != 0) return false;
    r->rc = conf_isolate(cut, &c, &r->assignment.limits, &v, r->err);
    return r->rc == ASSAY_OK;
}

static bool stays(void *reducing, size_t n)
{
    conf_reducing *r = reducing;
    if (conf_attempt_is_over(r) || !make_checkpoint(r, n)) return false;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    r->trial.n_layers = n;
    return conf_attempt(r, conf_part_layers.name);
}

static bool reduce(conf_reducing *r)
{
    const size_t n = r->best.n_layers;
    return n > 1 && conf_delta_count(1, n, stays, r) < n;
}

const conf_part conf_part_layers = {"layers", reduce};
