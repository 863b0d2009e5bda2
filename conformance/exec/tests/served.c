/* A program that answers the protocol of docs/protocol.md with the functions of an engine module: any engine
 * becomes one that is reached over pipes.
 *
 *     served ENGINE.so [FAULT MARKER]
 *
 * FAULT is committed in the first step after which the file MARKER does not exist yet, and creates it: once,
 * however often the program is started.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "conformance/abi/engine.h"
#include "conformance/exec/tests/fault.h"
#include "conformance/exec/tests/served.h"
#include "conformance/support/json_add.h"

#define OBJECTS_MAX 4096

static const char who[] = "the request";
static const assay_engine *engine;
static assay_model *models[OBJECTS_MAX];
static assay_session *sessions[OBJECTS_MAX];
static size_t model_of[OBJECTS_MAX]; /* the number of the model of each session */
static int answers = STDOUT_FILENO;

void served_require(bool holds, const char *what)
{
    if (holds) return;
    (void)fprintf(stderr, "served: %s\n", what);
    exit(70);
}

conf_json_at served_member(const conf_json_at *of, const char *name)
{
    conf_json_at found = {0};
    served_require(conf_json_find(of, name, &found), name);
    return found;
}

uint64_t served_number(const conf_json_at *of, const char *name)
{
    json_object *value = served_member(of, name).value;
    served_require(json_object_is_type(value, json_type_int) && json_object_get_double(value) >= 0, name);
    return json_object_get_uint64(value);
}

static size_t object_number(const conf_json_at *of, const char *name)
{
    const uint64_t n = served_number(of, name);
    served_require(n < OBJECTS_MAX, "too many objects");
    return (size_t)n;
}

assay_model *served_model(const served *s, const char *name)
{
    assay_model *model = models[object_number(&s->header, name)];
    served_require(model, "no such model");
    return model;
}

assay_session *served_session(const served *s, const char *name)
{
    assay_session *session = sessions[object_number(&s->header, name)];
    served_require(session, "no such session");
    return session;
}

assay_model *served_model_of_session(const served *s, const char *name)
{
    return models[model_of[object_number(&s->header, name)]];
}

void served_add(served *s, const char *name, json_object *value)
{
    served_require(conf_json_add(s->answer.header, name, value), "out of memory");
}

void served_send(served *s, exec_message *m)
{
    served_require(conf_json_add(m->header, "id", json_object_new_int64(s->id)), "out of memory");
    served_require(exec_message_write(s->answers, who, m, NULL) == ASSAY_OK, "the harness no longer reads");
}

static void answer_error(served *s, assay_status rc, const assay_error *err)
{
    static const char *const names[] = {[ASSAY_EINVAL] = "invalid",   [ASSAY_EIO] = "io",
                                        [ASSAY_EFORMAT] = "format",   [ASSAY_EUNSUPPORTED] = "unsupported",
                                        [ASSAY_ENOMEM] = "no-memory", [ASSAY_EINTERNAL] = "internal",
                                        [ASSAY_ESTREAM] = "internal", [ASSAY_ETIMEDOUT] = "internal",
                                        [ASSAY_ESTOPPED] = "stopped"};
    json_object *error = json_object_new_object();
    exec_message_end(&s->answer);
    exec_message_begin(&s->answer);
    (void)conf_json_add_text(error, "status", names[rc]);
    (void)conf_json_add_text(error, "text", err->text);
    served_add(s, "error", error);
}

/* ---- Calls ---- */

/* Adds a list of names that ends with NULL; nothing for NULL. */
static void add_names(served *s, const char *member, const char *const *names)
{
    json_object *list = names ? json_object_new_array() : NULL;
    for (; names && *names; names++) (void)conf_json_append(list, json_object_new_string(*names));
    if (list) served_add(s, member, list);
}

static assay_status hello(served *s, assay_error *err)
{
    const struct {
        const char *name;
        bool has;
    } parts[] = {{"stop_ids", s->engine->model_stop_ids != NULL},
                 {"join", s->engine->join != NULL},
                 {"leave", s->engine->leave != NULL},
                 {"rewind", s->engine->rewind != NULL},
                 {"fork", s->engine->fork != NULL},
                 {"tap", s->engine->tap != NULL},
                 {"tap_writes", s->engine->taps_can_write},
                 {"positions", s->engine->positions != NULL},
                 {"rope", s->engine->rope != NULL}};
    json_object *can = json_object_new_array();
    (void)err;
    for (size_t i = 0; i < OBJECTS_MAX; i++) {
        if (sessions[i]) s->engine->session_free(sessions[i]);
        sessions[i] = NULL;
    }
    for (size_t i = 0; i < OBJECTS_MAX; i++) {
        if (models[i]) s->engine->model_free(models[i]);
        models[i] = NULL;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].has) (void)conf_json_append(can, json_object_new_string(parts[i].name));
    served_add(s, "protocol", json_object_new_int(1));
    served_add(s, "name", json_object_new_string(s->engine->name));
    served_add(s, "version", json_object_new_string(s->engine->version));
    served_add(s, "logits", json_object_new_string(dtype_name(s->engine->logits_dtype)));
    served_add(s, "can", can);
    add_names(s, "compute_types", s->engine->compute_types);
    add_names(s, "cache_types", s->engine->cache_types);
    return ASSAY_OK;
}

static assay_status model_open(served *s, assay_error *err)
{
    const char *dir = NULL, *compute = NULL, *compute_name = NULL, *cache_name = NULL, *unknown[64] = {0};
    assay_model *model = NULL;
    conf_json_at list = served_member(&s->header, "allow_unknown");
    served_require(conf_json_member_text(&s->header, "dir", &dir, NULL) == ASSAY_OK, "dir");
    (void)conf_json_optional_text(&s->header, "compute", &compute, NULL);
    (void)conf_json_optional_text(&s->header, "compute_name", &compute_name, NULL);
    (void)conf_json_optional_text(&s->header, "cache_name", &cache_name, NULL);
    for (size_t i = 0; i < json_object_array_length(list.value) && i < 63; i++)
        unknown[i] = json_object_get_string(json_object_array_get_idx(list.value, i));
    const assay_model_options options = {.size = sizeof options,
                                         .compute = compute ? dtype_from_name(compute, strlen(compute))
                                                            : ASSAY_DTYPE_NONE,
                                         .allow_unknown = unknown,
                                         .compute_name = compute_name,
                                         .cache_name = cache_name};
    const assay_status rc = s->engine->model_open(dir, &options, &model, err);
    if (rc != ASSAY_OK) return rc;
    models[object_number(&s->header, "model")] = model;
    served_add(s, "vocab", json_object_new_int64((int64_t)s->engine->model_vocab(model)));
    const char *note = s->engine->model_note ? s->engine->model_note(model) : NULL;
    if (note) served_add(s, "note", json_object_new_string(note));
    if (!s->engine->model_stop_ids) return ASSAY_OK;
    size_t n;
    const int32_t *ids = s->engine->model_stop_ids(model, &n);
    json_object *listed = json_object_new_array();
    for (size_t i = 0; i < n; i++) (void)conf_json_append(listed, json_object_new_int(ids[i]));
    served_add(s, "stop_ids", listed);
    return ASSAY_OK;
}

static assay_status model_free(served *s, assay_error *err)
{
    const size_t i = object_number(&s->header, "model");
    (void)err;
    s->engine->model_free(models[i]);
    models[i] = NULL;
    return ASSAY_OK;
}

static assay_status session_open(served *s, assay_error *err)
{
    const assay_session_options options = {.size = sizeof options,
                                           .n_samples = served_number(&s->header, "n_samples"),
                                           .limit = served_number(&s->header, "limit"),
                                           .sink_tokens = served_number(&s->header, "sink_tokens"),
                                           .max_tokens = served_number(&s->header, "max_tokens")};
    const size_t i = object_number(&s->header, "session");
    model_of[i] = object_number(&s->header, "model");
    return s->engine->session_open(served_model(s, "model"), &options, &sessions[i], err);
}

static assay_status session_free(served *s, assay_error *err)
{
    (void)err;
    s->engine->session_free(served_session(s, "session"));
    sessions[object_number(&s->header, "session")] = NULL;
    return ASSAY_OK;
}

static assay_status join(served *s, assay_error *err)
{
    size_t sample = 0;
    const assay_status rc = s->engine->join(served_session(s, "session"), &sample, err);
    served_add(s, "sample", json_object_new_int64((int64_t)sample));
    return rc;
}

static assay_status leave(served *s, assay_error *err)
{
    return s->engine->leave(served_session(s, "session"), served_number(&s->header, "sample"), err);
}

static assay_status rewind_sample(served *s, assay_error *err)
{
    return s->engine->rewind(served_session(s, "session"), served_number(&s->header, "sample"),
                             served_number(&s->header, "n_tokens"), err);
}

static assay_status fork_sample(served *s, assay_error *err)
{
    size_t sample = 0;
    const assay_status rc = s->engine->fork(served_session(s, "from"), served_number(&s->header, "sample"),
                                            served_session(s, "into"), &sample, err);
    served_add(s, "sample", json_object_new_int64((int64_t)sample));
    return rc;
}

/* sends: whether the call sends its answer itself, while its tensors are alive. */
static const struct {
    const char *name;
    assay_status (*run)(served *s, assay_error *err);
    bool sends;
} calls[] = {
    {"hello", hello, false},
    {"model_open", model_open, false},
    {"model_free", model_free, false},
    {"session_open", session_open, false},
    {"session_free", session_free, false},
    {"step", served_step, true},
    {"join", join, false},
    {"leave", leave, false},
    {"rewind", rewind_sample, false},
    {"fork", fork_sample, false},
    {"tap", served_tap, false},
    {"positions", served_positions, false},
    {"rope", served_rope, true},
};

#define N_CALLS (sizeof calls / sizeof *calls)

static bool answer_one(void)
{
    served s = {.engine = engine, .answers = answers};
    assay_error err = {0};
    const char *name = NULL;
    size_t i = 0;
    const assay_status read = exec_frame_read(STDIN_FILENO, who, SIZE_MAX / 2, &s.frame, &err);
    if (read != ASSAY_OK) return false;
    s.header = (conf_json_at){.name = who, .value = s.frame.header};
    s.id = (int64_t)served_number(&s.header, "id");
    served_require(conf_json_member_text(&s.header, "call", &name, NULL) == ASSAY_OK, "call");
    while (i < N_CALLS && strcmp(calls[i].name, name) != 0) i++;
    if (i == N_CALLS) {
        served_require(false, name);
        return false;
    }
    exec_message_begin(&s.answer);
    const assay_status rc = calls[i].run(&s, &err);
    if (rc != ASSAY_OK) answer_error(&s, rc, &err);
    if (rc != ASSAY_OK || !calls[i].sends) served_send(&s, &s.answer);
    exec_message_end(&s.answer);
    exec_frame_free(&s.frame);
    return true;
}

int main(int argc, char **argv)
{
    assay_error err = {0};
    if (argc != 2 && argc != 4) {
        (void)fprintf(stderr, "usage: served ENGINE.so [FAULT MARKER]\n");
        return 2;
    }
    answers = dup(STDOUT_FILENO); /* whatever a library prints goes to standard error */
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    if (argc == 4) served_fault_choose(argv[2], argv[3]);
    if (conf_engine_open(argv[1], &engine, &err) != ASSAY_OK) {
        (void)fprintf(stderr, "served: %s\n", err.text);
        return 1;
    }
    while (answer_one()) continue;
    return 0;
}
