/* Reading a program from its file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/schedule/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/shown.h"
#include "conformance/judge/compute.h"
#include "conformance/schedule/check.h"

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
        shown_clean(clean, sizeof clean);
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

static assay_status read_number(const place *at, json_object *object, const char *name, size_t *out,
                                assay_error *err)
{
    json_object *value = NULL;
    if (!json_object_object_get_ex(object, name, &value))
        return refuse_member(at, name, "a whole number", err);
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

/* Operations of files that were written for version 1 of the engine ABI. */
static const char *const former_ops[] = {"prefill", "prefill_last", "decode", NULL};

static assay_status read_op(const place *at, json_object *object, conf_op *out, assay_error *err)
{
    const char *name = NULL;
    if (!json_object_is_type(object, json_type_object)) return refuse_member(at, "step", "an object", err);
    assay_status rc = read_text(at, object, "op", &name, err);
    if (rc != ASSAY_OK) return rc;
    for (conf_op op = 0; op < CONF_N_OPS; op++) {
        if (strcmp(conf_op_names[op], name) != 0) continue;
        *out = op;
        return ASSAY_OK;
    }
    if (is_among(name, former_ops))
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %sop: found %s, of a schedule for version 1 of the engine ABI, expected step",
                          at->path, at->where, name);
    return refuse_member(
        at, "op", "open, load, wait, session, row, step, join, leave, rewind, fork, free or close", err);
}

/* Numbers of at most CONF_SCHEDULE_SAMPLES_MAX samples. */
static assay_status read_numbers(const place *at, json_object *object, const char *name, size_t *out,
                                 size_t *n, assay_error *err)
{
    json_object *numbers = NULL;
    if (!json_object_object_get_ex(object, name, &numbers) ||
        !json_object_is_type(numbers, json_type_array) ||
        json_object_array_length(numbers) > CONF_SCHEDULE_SAMPLES_MAX)
        return refuse_member(at, name, "an array of at most 16", err);
    assay_status rc = ASSAY_OK;
    *n = json_object_array_length(numbers);
    for (size_t k = 0; k < *n && rc == ASSAY_OK; k++)
        rc = number_of(at, json_object_array_get_idx(numbers, k), name, &out[k], err);
    return rc;
}

/* The members of a step of samples, that other operations do not have. */
static assay_status read_call(const place *at, json_object *object, conf_step *out, assay_error *err)
{
    size_t samples[CONF_SCHEDULE_SAMPLES_MAX], n = 0;
    const char *rows = NULL;
    assay_status rc = read_numbers(at, object, "samples", samples, &n, err);
    for (size_t k = 0; k < n && rc == ASSAY_OK; k++) {
        if (samples[k] >= CONF_SCHEDULE_SAMPLES_MAX || (out->samples >> samples[k] & 1))
            return refuse_member(at, "samples", "different numbers from 0 to 15", err);
        out->samples |= UINT32_C(1) << samples[k];
    }
    if (rc == ASSAY_OK) rc = read_text(at, object, "rows", &rows, err);
    if (rc != ASSAY_OK) return rc;
    out->all_rows = strcmp(rows, "all") == 0;
    if (!out->all_rows && strcmp(rows, "last") != 0) return refuse_member(at, "rows", "all or last", err);
    return ASSAY_OK;
}

/* Whether a step with this operation must have the member, and whether it may. */
static bool is_due(conf_op op, const char *name, bool *may)
{
    const bool is_fork = op == CONF_OP_FORK, is_step = op == CONF_OP_STEP;
    bool due = false;
    if (strcmp(name, "model") == 0) due = conf_op_has_model(op);
    else if (strcmp(name, "session") == 0) due = conf_op_has_session(op);
    else if (strcmp(name, "sample") == 0) due = conf_op_has_sample(op);
    else if (strcmp(name, "from") == 0 || strcmp(name, "origin") == 0) due = is_fork;
    else if (strcmp(name, "prompt") == 0) due = op == CONF_OP_JOIN;
    else if (strcmp(name, "prompts") == 0) due = op == CONF_OP_SESSION;
    else if (strcmp(name, "samples") == 0 || strcmp(name, "rows") == 0) due = is_step;
    else due = op == CONF_OP_REWIND; /* tokens */
    *may = due || (is_step && strcmp(name, "tokens") == 0);
    return due;
}

static const char *const step_members[] = {"thread",  "op",     "model",  "session", "sample",
                                           "from",    "origin", "prompt", "tokens",  "prompts",
                                           "samples", "rows",   NULL};

/* Refuses members that the operation does not have. */
static assay_status check_step_members(const place *at, json_object *object, conf_op op, assay_error *err)
{
    assay_status rc = check_members(at, object, step_members, err);
    for (size_t k = 2; rc == ASSAY_OK && step_members[k]; k++) {
        bool may;
        (void)is_due(op, step_members[k], &may);
        if (!may && json_object_object_get_ex(object, step_members[k], NULL))
            rc = refuse_member(at, step_members[k], "no such member of this op", err);
    }
    return rc;
}

static assay_status read_step(const place *at, json_object *object, conf_schedule *s, conf_step *out,
                              assay_error *err)
{
    conf_step a = {0};
    const struct {
        const char *name;
        size_t *to;
    } numbers[] = {{"model", &a.model},   {"session", &a.session}, {"sample", &a.sample},  {"from", &a.from},
                   {"origin", &a.origin}, {"prompt", &a.prompt},   {"tokens", &a.n_tokens}};
    assay_status rc = read_op(at, object, &a.op, err);
    if (rc == ASSAY_OK) rc = check_step_members(at, object, a.op, err);
    if (rc == ASSAY_OK) rc = read_number(at, object, "thread", &a.thread, err);
    for (size_t k = 0; rc == ASSAY_OK && k < sizeof numbers / sizeof *numbers; k++) {
        bool may;
        const bool due = is_due(a.op, numbers[k].name, &may);
        if (due || (may && json_object_object_get_ex(object, numbers[k].name, NULL)))
            rc = read_number(at, object, numbers[k].name, numbers[k].to, err);
    }
    if (rc == ASSAY_OK && a.op == CONF_OP_STEP) rc = read_call(at, object, &a, err);
    if (rc != ASSAY_OK) return rc;
    *out = a;
    /* conf_schedule_check refuses a session beyond the limit. */
    if (a.op != CONF_OP_SESSION || a.session >= CONF_SCHEDULE_SESSIONS_MAX) return rc;
    conf_schedule_session *session = &s->sessions[a.session];
    return read_numbers(at, object, "prompts", session->prompts, &session->n_samples, err);
}

/* Operations are read first: a file of an earlier form is then refused by the name of one, not by another
 * difference. */
static assay_status read_steps(place *at, json_object *document, conf_schedule *s, assay_error *err)
{
    json_object *steps = NULL;
    size_t n = 0;
    assay_status rc = read_array(at, document, "steps", CONF_SCHEDULE_STEPS_MAX, &steps, &n, err);
    for (size_t i = 0; i < 2 * n && rc == ASSAY_OK; i++) {
        conf_op op;
        json_object *step = json_object_array_get_idx(steps, i % n);
        (void)snprintf(at->where, sizeof at->where, "step %zu: ", i % n + 1);
        rc = i < n ? read_op(at, step, &op, err) : read_step(at, step, s, &s->steps[i % n], err);
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

static assay_status read_compute(const place *at, json_object *object, conf_compute *out, assay_error *err)
{
    const char *name = NULL;
    assay_status rc = read_optional_text(at, object, "compute", &name, err);
    if (rc != ASSAY_OK || !name) return rc;
    *out = conf_compute_of(name);
    return *out ? ASSAY_OK
                : refuse_member(at, "compute", "the name of a compute type, as --compute takes it", err);
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
    if (rc == ASSAY_OK && strcmp(schema, CONF_SCHEDULE_SCHEMA) != 0)
        rc = refuse_member(at, "schema", "\"" CONF_SCHEDULE_SCHEMA "\"", err);
    if (rc == ASSAY_OK) rc = read_text(at, document, "kind", &kind, err);
    if (rc == ASSAY_OK && strcmp(kind, CONF_SCHEDULE_KIND) != 0)
        rc = refuse_member(at, "kind", "\"" CONF_SCHEDULE_KIND "\"", err);
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
    if (rc == ASSAY_OK) rc = read_number(&at, document, "workers", &file.schedule.n_workers, err);
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
