/* A program in its file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "conformance/abi/compute.h"
#include "conformance/support/directories.h"
#include "conformance/support/json_add.h"
#include "conformance/support/text.h"

#define SCHEMA     "assay/1"
#define KIND       "schedule"
#define NUMBER_MAX 1000000 /* before conf_schedule_check applies the exact limits */

/* Location of a value, for messages. */
typedef struct place {
    const char *path;
    char where[64];
} place;

static assay_status refuse_member(const place *at, const char *member, const char *expected, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s%s: expected %s", at->path, at->where, member, expected);
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

/* names: NULL-terminated. */
static assay_status check_members(const place *at, json_object *object, const char *const *names,
                                  assay_error *err)
{
    json_object_object_foreach(object, name, value)
    {
        (void)value;
        if (is_among(name, names)) continue;
        char clean[64];
        (void)snprintf(clean, sizeof clean, "%s", name);
        conf_text_clean(clean);
        return refuse_member(at, clean, "no such member", err);
    }
    return ASSAY_OK;
}

static assay_status read_text(const place *at, json_object *object, const char *name, const char **out,
                              assay_error *err)
{
    json_object *value = NULL;
    if (!json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, json_type_string) ||
        strlen(json_object_get_string(value)) != (size_t)json_object_get_string_len(value) ||
        !json_object_get_string_len(value))
        return refuse_member(at, name, "a text", err);
    *out = json_object_get_string(value);
    return ASSAY_OK;
}

static assay_status number_of(const place *at, json_object *value, const char *name, size_t *out,
                              assay_error *err)
{
    int64_t n = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
    if (n < 0 || n > NUMBER_MAX) return refuse_member(at, name, "a whole number from 0 to 1000000", err);
    *out = (size_t)n;
    return ASSAY_OK;
}

/* A number that must be present if `due` and absent otherwise. */
static assay_status read_number(const place *at, json_object *object, const char *name, bool due, size_t *out,
                                assay_error *err)
{
    json_object *value = NULL;
    bool there = json_object_object_get_ex(object, name, &value);
    if (!there && !due) return ASSAY_OK;
    if (!due) return refuse_member(at, name, "no such member of this op", err);
    if (!there) return refuse_member(at, name, "a whole number", err);
    return number_of(at, value, name, out, err);
}

static assay_status read_array(const place *at, json_object *object, const char *name, size_t most,
                               json_object **out, size_t *n, assay_error *err)
{
    char expected[64];
    (void)snprintf(expected, sizeof expected, "an array of 1 to %zu", most);
    if (!json_object_object_get_ex(object, name, out) || !json_object_is_type(*out, json_type_array))
        return refuse_member(at, name, expected, err);
    *n = json_object_array_length(*out);
    return *n > 0 && *n <= most ? ASSAY_OK : refuse_member(at, name, expected, err);
}

static assay_status read_op(const place *at, json_object *object, conf_op *out, assay_error *err)
{
    const char *name = NULL;
    assay_status rc = read_text(at, object, "op", &name, err);
    if (rc != ASSAY_OK) return rc;
    for (conf_op op = 0; op < CONF_N_OPS; op++) {
        if (strcmp(conf_op_names[op], name) != 0) continue;
        *out = op;
        return ASSAY_OK;
    }
    return refuse_member(at, "op",
                         "open, load, wait, session, row, prefill, prefill_last, decode, free or close", err);
}

static assay_status read_samples(const place *at, json_object *object, conf_schedule_session *out,
                                 assay_error *err)
{
    json_object *samples = NULL;
    size_t n = 0;
    assay_status rc = read_array(at, object, "samples", CONF_SCHEDULE_SAMPLES_MAX, &samples, &n, err);
    for (size_t k = 0; k < n && rc == ASSAY_OK; k++)
        rc = number_of(at, json_object_array_get_idx(samples, k), "samples", &out->samples[k], err);
    out->n_samples = n;
    return rc;
}

static assay_status read_step(const place *at, json_object *object, conf_schedule *s, conf_step *out,
                              assay_error *err)
{
    static const char *const names[] = {"thread", "op", "model", "session", "row", "samples", NULL};
    if (!json_object_is_type(object, json_type_object)) return refuse_member(at, "step", "an object", err);
    conf_step a = {0};
    assay_status rc = check_members(at, object, names, err);
    if (rc == ASSAY_OK) rc = read_op(at, object, &a.op, err);
    if (rc == ASSAY_OK) rc = read_number(at, object, "thread", true, &a.thread, err);
    if (rc == ASSAY_OK) rc = read_number(at, object, "model", conf_op_has_model(a.op), &a.model, err);
    if (rc == ASSAY_OK) rc = read_number(at, object, "session", conf_op_has_session(a.op), &a.session, err);
    if (rc == ASSAY_OK) rc = read_number(at, object, "row", a.op == CONF_OP_ROW, &a.row, err);
    if (rc != ASSAY_OK) return rc;
    *out = a;
    json_object *samples = NULL;
    bool given = json_object_object_get_ex(object, "samples", &samples);
    if (a.op != CONF_OP_SESSION)
        return given ? refuse_member(at, "samples", "no such member of this op", err) : rc;
    if (a.session >= CONF_SCHEDULE_SESSIONS_MAX) return rc; /* conf_schedule_check refuses it */
    return read_samples(at, object, &s->sessions[a.session], err);
}

static assay_status read_steps(place *at, json_object *document, conf_schedule *s, assay_error *err)
{
    json_object *steps = NULL;
    size_t n = 0;
    assay_status rc = read_array(at, document, "steps", CONF_SCHEDULE_STEPS_MAX, &steps, &n, err);
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        (void)snprintf(at->where, sizeof at->where, "step %zu: ", i + 1);
        rc = read_step(at, json_object_array_get_idx(steps, i), s, &s->steps[i], err);
    }
    at->where[0] = '\0';
    s->n_steps = n;
    return rc;
}

/* As read_text; leaves *out unchanged if the member is missing. */
static assay_status read_optional_text(const place *at, json_object *object, const char *name,
                                       const char **out, assay_error *err)
{
    return json_object_object_get_ex(object, name, NULL) ? read_text(at, object, name, out, err) : ASSAY_OK;
}

static assay_status read_seed(const place *at, json_object *object, conf_schedule_file *out, assay_error *err)
{
    json_object *value = NULL;
    if (!json_object_object_get_ex(object, "seed", &value)) return ASSAY_OK;
    if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
        return refuse_member(at, "seed", "a whole number from 0 to 2^64 - 1", err);
    out->has_seed = true;
    out->seed = json_object_get_uint64(value);
    return ASSAY_OK;
}

static assay_status read_compute(const place *at, json_object *object, assay_dtype *out, assay_error *err)
{
    const char *name = NULL;
    assay_status rc = read_optional_text(at, object, "compute", &name, err);
    if (rc != ASSAY_OK || !name) return rc;
    *out = conf_compute_of(name);
    return *out == ASSAY_DTYPE_NONE ? refuse_member(at, "compute", "f32, bf16 or int8", err) : ASSAY_OK;
}

/* Strings of the file, borrowed from its JSON document. */
typedef struct texts {
    const char *path, *engine, *kernels, *found;
} texts;

static assay_status copy_texts(const place *at, const texts *from, conf_schedule_file *to, assay_error *err)
{
    to->path = strdup(from->path);
    to->engine = strdup(from->engine);
    to->kernels = from->kernels ? strdup(from->kernels) : NULL;
    to->found = from->found ? strdup(from->found) : NULL;
    if (to->path && to->engine && (to->kernels || !from->kernels) && (to->found || !from->found))
        return ASSAY_OK;
    return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", at->path);
}

static assay_status read_head(const place *at, json_object *document, texts *out, assay_error *err)
{
    static const char *const names[] = {"schema",  "kind", "case",  "engine", "compute", "kernels",
                                        "workers", "seed", "found", "steps",  NULL};
    const char *schema = "", *kind = "";
    if (!json_object_is_type(document, json_type_object))
        return refuse_member(at, "document", "an object", err);
    assay_status rc = read_text(at, document, "schema", &schema, err);
    if (rc == ASSAY_OK && strcmp(schema, SCHEMA) != 0)
        rc = refuse_member(at, "schema", "\"" SCHEMA "\"", err);
    if (rc == ASSAY_OK) rc = read_text(at, document, "kind", &kind, err);
    if (rc == ASSAY_OK && strcmp(kind, KIND) != 0) rc = refuse_member(at, "kind", "\"" KIND "\"", err);
    if (rc == ASSAY_OK) rc = check_members(at, document, names, err);
    if (rc == ASSAY_OK) rc = read_text(at, document, "case", &out->path, err);
    if (rc == ASSAY_OK) rc = read_text(at, document, "engine", &out->engine, err);
    if (rc == ASSAY_OK) rc = read_optional_text(at, document, "kernels", &out->kernels, err);
    if (rc == ASSAY_OK) rc = read_optional_text(at, document, "found", &out->found, err);
    return rc;
}

assay_status conf_schedule_read(const char *path, conf_schedule_file *out, assay_error *err)
{
    place at = {.path = path};
    json_object *document = NULL;
    conf_schedule_file file = {0};
    texts said = {0};
    assay_error why = {0};
    assay_status rc = json_read(path, &document, err);
    if (rc == ASSAY_OK) rc = read_head(&at, document, &said, err);
    if (rc == ASSAY_OK) rc = read_compute(&at, document, &file.compute, err);
    if (rc == ASSAY_OK) rc = read_seed(&at, document, &file, err);
    if (rc == ASSAY_OK) rc = read_number(&at, document, "workers", true, &file.schedule.n_workers, err);
    if (rc == ASSAY_OK) rc = read_steps(&at, document, &file.schedule, err);
    if (rc == ASSAY_OK && conf_schedule_check(&file.schedule, &why) != ASSAY_OK)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: %s", path, why.text);
    if (rc == ASSAY_OK) rc = copy_texts(&at, &said, &file, err);
    (void)json_object_put(document);
    if (rc == ASSAY_OK) *out = file;
    else conf_schedule_file_free(&file);
    return rc;
}

void conf_schedule_file_free(conf_schedule_file *file)
{
    free(file->path);
    free(file->engine);
    free(file->kernels);
    free(file->found);
    file->path = file->engine = file->kernels = file->found = NULL;
}

static bool add_samples(json_object *to, const conf_schedule_session *session)
{
    json_object *samples = json_object_new_array();
    bool ok = conf_json_add(to, "samples", samples);
    for (size_t k = 0; k < session->n_samples; k++)
        ok = ok && conf_json_append(samples, json_object_new_int64((int64_t)session->samples[k]));
    return ok;
}

static bool add_step(json_object *to, const conf_schedule *s, const conf_step *a)
{
    return conf_json_add_count(to, "thread", a->thread) &&
           conf_json_add_text(to, "op", conf_op_names[a->op]) &&
           (!conf_op_has_model(a->op) || conf_json_add_count(to, "model", a->model)) &&
           (!conf_op_has_session(a->op) || conf_json_add_count(to, "session", a->session)) &&
           (a->op != CONF_OP_ROW || conf_json_add_count(to, "row", a->row)) &&
           (a->op != CONF_OP_SESSION || add_samples(to, &s->sessions[a->session]));
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
    bool ok = conf_json_add_text(document, "schema", SCHEMA) && conf_json_add_text(document, "kind", KIND) &&
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
