/* Writing a program to its file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/json_write.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "conformance/judge/compute.h"
#include "conformance/support/directories.h"
#include "conformance/support/json_add.h"

static bool add_number(json_object *to, size_t n)
{
    return conf_json_append(to, json_object_new_int64((int64_t)n));
}

static bool add_prompts(json_object *to, const conf_schedule_session *session)
{
    json_object *prompts = json_object_new_array();
    bool ok = conf_json_add(to, "prompts", prompts);
    for (size_t k = 0; k < session->n_samples; k++) ok = ok && add_number(prompts, session->prompts[k]);
    return ok;
}

/* The members of a step of samples. */
static bool add_call(json_object *to, const conf_step *a)
{
    json_object *samples = json_object_new_array();
    bool ok = conf_json_add(to, "samples", samples);
    for (size_t k = 0; k < CONF_SCHEDULE_SAMPLES_MAX; k++)
        if (a->samples >> k & 1) ok = ok && add_number(samples, k);
    return ok && (!a->n_tokens || conf_json_add_count(to, "tokens", a->n_tokens)) &&
           conf_json_add_text(to, "rows", a->all_rows ? "all" : "last");
}

static bool add_step(json_object *to, const conf_schedule *s, const conf_step *a)
{
    const bool is_fork = a->op == CONF_OP_FORK;
    return conf_json_add_count(to, "thread", a->thread) &&
           conf_json_add_text(to, "op", conf_op_names[a->op]) &&
           (!conf_op_has_model(a->op) || conf_json_add_count(to, "model", a->model)) &&
           (!conf_op_has_session(a->op) || conf_json_add_count(to, "session", a->session)) &&
           (!conf_op_has_sample(a->op) || conf_json_add_count(to, "sample", a->sample)) &&
           (!is_fork || conf_json_add_count(to, "from", a->from)) &&
           (!is_fork || conf_json_add_count(to, "origin", a->origin)) &&
           (a->op != CONF_OP_JOIN || conf_json_add_count(to, "prompt", a->prompt)) &&
           (a->op != CONF_OP_REWIND || conf_json_add_count(to, "tokens", a->n_tokens)) &&
           (a->op != CONF_OP_SESSION || add_prompts(to, &s->sessions[a->session])) &&
           (a->op != CONF_OP_STEP || add_call(to, a));
}

static bool add_steps(json_object *to, const conf_schedule *s)
{
    json_object *steps = json_object_new_array();
    bool ok = conf_json_add(to, "steps", steps);
    for (size_t i = 0; ok && i < s->n_steps; i++) {
        json_object *step = json_object_new_object();
        ok = conf_json_append(steps, step) && add_step(step, s, &s->steps[i]);
    }
    return ok;
}

/* Bytes of a path that are not UTF-8 are not preserved: JSON cannot hold them. */
assay_status conf_schedule_write(const char *path, const conf_schedule_file *file, assay_error *err)
{
    json_object *document = json_object_new_object();
    bool ok = conf_json_add_text(document, "schema", CONF_SCHEDULE_SCHEMA) &&
              conf_json_add_text(document, "kind", CONF_SCHEDULE_KIND) &&
              conf_json_add_text(document, "case", file->path) &&
              conf_json_add_text(document, "engine", file->engine) &&
              (!file->compute || conf_json_add_text(document, "compute", conf_compute_name(file->compute))) &&
              (!file->kernels || conf_json_add_text(document, "kernels", file->kernels)) &&
              conf_json_add_count(document, "workers", file->schedule.n_workers) &&
              (!file->has_seed || conf_json_add(document, "seed", json_object_new_uint64(file->seed))) &&
              (!file->found || conf_json_add_text(document, "found", file->found)) &&
              add_steps(document, &file->schedule);
    assay_status rc = conf_directories_make(path, err);
    FILE *f = rc == ASSAY_OK ? fopen(path, "w") : NULL;
    if (!f) {
        (void)json_object_put(document);
        return rc == ASSAY_OK ? assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno)) : rc;
    }
    rc = conf_json_print_document(document, ok, f, err);
    if (fclose(f) != 0 && rc == ASSAY_OK) rc = assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    return rc;
}
