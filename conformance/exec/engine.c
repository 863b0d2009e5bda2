/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/exec/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "conformance/exec/object.h"
#include "conformance/exec/step.h"
#include "conformance/support/json_add.h"
#include "conformance/support/text.h"

#define VOCAB_MAX ((int64_t)1 << 31)

static uint64_t n_objects; /* of which each has a number of its own */

/* Reads "vocab", "note" and "stop_ids". */
static assay_status read_model(const exec_frame *f, assay_model *model, assay_error *err)
{
    const conf_json_at header = exec_header(f);
    conf_json_at ids;
    const char *note = NULL;
    int64_t vocab;
    const assay_status rc = conf_json_member_whole(&header, "vocab", 1, VOCAB_MAX, &vocab, err);
    if (rc != ASSAY_OK) return rc;
    model->vocab = (size_t)vocab;
    const assay_status noted = conf_json_optional_text(&header, "note", &note, err);
    if (noted != ASSAY_OK) return noted;
    (void)snprintf(model->note, sizeof model->note, "%s", note ? note : "");
    if (!conf_json_find(&header, "stop_ids", &ids) || !ids.value) return ASSAY_OK;
    const assay_status listed = conf_json_expect(&ids, json_type_array, err);
    if (listed != ASSAY_OK) return listed;
    model->n_stop_ids = json_object_array_length(ids.value);
    model->stop_ids = calloc(model->n_stop_ids + 1, sizeof *model->stop_ids);
    if (!model->stop_ids) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", exec_link_name());
    return exec_read_numbers(&ids, model->n_stop_ids, model->stop_ids, err);
}

static void free_model(assay_model *model)
{
    if (model) free(model->stop_ids);
    free(model);
}

static json_object *text_list(exec_message *m, const char *const *texts)
{
    json_object *list = json_object_new_array();
    for (; texts && *texts; texts++)
        if (!conf_json_append(list, json_object_new_string(*texts))) m->failed = true;
    return list;
}

/* A directory reaches the program as JSON, which is UTF-8. */
static assay_status check_directory(const char *dir, assay_error *err)
{
    if (conf_text_is_clean(dir)) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "%s: its name has control characters or is not UTF-8, and a program cannot be given it",
                      dir);
}

static assay_status model_open(const char *dir, const assay_model_options *given, assay_model **out,
                               assay_error *err)
{
    assay_model_options options;
    exec_message m;
    exec_frame answer;
    assay_error why = {0};
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_model_options", err);
    if (rc == ASSAY_OK && options.kernels)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "%s: a program takes no kernels", exec_link_name());
    if (rc == ASSAY_OK) rc = check_directory(dir, err);
    if (rc != ASSAY_OK) return rc;
    assay_model *model = calloc(1, sizeof *model);
    if (!model) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", exec_link_name());
    model->number = __atomic_fetch_add(&n_objects, 1, __ATOMIC_RELAXED);
    exec_message_begin(&m);
    exec_add_number(&m, "model", model->number);
    exec_add(&m, "dir", json_object_new_string(dir));
    if (options.compute)
        exec_add(&m, "compute", json_object_new_string(dtype_name((assay_dtype)options.compute)));
    if (options.compute_name) exec_add(&m, "compute_name", json_object_new_string(options.compute_name));
    if (options.cache_name) exec_add(&m, "cache_name", json_object_new_string(options.cache_name));
    exec_add(&m, "allow_unknown", text_list(&m, options.allow_unknown));
    const exec_call call = {.name = "model_open", .message = &m};
    rc = exec_link_call(&call, &answer, err);
    exec_message_end(&m);
    if (rc == ASSAY_OK) {
        rc = read_model(&answer, model, &why);
        exec_frame_free(&answer);
        (void)exec_link_settle(rc, &why, err);
    }
    if (rc == ASSAY_OK) *out = model;
    else free_model(model);
    return rc;
}

static void model_free(assay_model *model)
{
    exec_message m;
    if (!model) return;
    exec_message_begin(&m);
    exec_add_number(&m, "model", model->number);
    (void)exec_call_plain(&m, "model_free", NULL);
    free_model(model);
}

static size_t model_vocab(const assay_model *model)
{
    return model->vocab;
}

static const char *model_note(const assay_model *model)
{
    return model->note[0] ? model->note : NULL;
}

static const int32_t *model_stop_ids(const assay_model *model, size_t *n)
{
    *n = model->n_stop_ids;
    return model->stop_ids;
}

static assay_status session_open(assay_model *model, const assay_session_options *given, assay_session **out,
                                 assay_error *err)
{
    assay_session_options options;
    exec_message m;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_session_options", err);
    if (rc == ASSAY_OK && options.reserved)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "assay_session_options: reserved is %u, expected 0",
                        options.reserved);
    if (rc != ASSAY_OK) return rc;
    assay_session *session = calloc(1, sizeof *session);
    if (!session) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", exec_link_name());
    *session = (assay_session){.number = __atomic_fetch_add(&n_objects, 1, __ATOMIC_RELAXED), .model = model};
    exec_message_begin(&m);
    exec_add_number(&m, "session", session->number);
    exec_add_number(&m, "model", model->number);
    exec_add_number(&m, "n_samples", options.n_samples);
    exec_add_number(&m, "limit", options.limit);
    exec_add_number(&m, "sink_tokens", options.sink_tokens);
    exec_add_number(&m, "max_tokens", options.max_tokens);
    rc = exec_call_plain(&m, "session_open", err);
    if (rc == ASSAY_OK) *out = session;
    else free(session);
    return rc;
}

static void begin(exec_message *m, const assay_session *session)
{
    exec_message_begin(m);
    exec_add_number(m, "session", session->number);
}

static void session_free(assay_session *session)
{
    exec_message m;
    if (!session) return;
    begin(&m, session);
    (void)exec_call_plain(&m, "session_free", NULL);
    free(session);
}

static assay_status join(assay_session *session, size_t *sample, assay_error *err)
{
    exec_message m;
    int64_t number;
    begin(&m, session);
    const assay_status rc = exec_call_whole(&m, "join", "sample", INT64_MAX, &number, err);
    if (rc == ASSAY_OK) *sample = (size_t)number;
    return rc;
}

static assay_status leave(assay_session *session, size_t sample, assay_error *err)
{
    exec_message m;
    begin(&m, session);
    exec_add_number(&m, "sample", sample);
    return exec_call_plain(&m, "leave", err);
}

static assay_status rewind_sample(assay_session *session, size_t sample, size_t n_tokens, assay_error *err)
{
    exec_message m;
    begin(&m, session);
    exec_add_number(&m, "sample", sample);
    exec_add_number(&m, "n_tokens", n_tokens);
    return exec_call_plain(&m, "rewind", err);
}

static assay_status fork_sample(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                                assay_error *err)
{
    exec_message m;
    int64_t number;
    exec_message_begin(&m);
    exec_add_number(&m, "from", from->number);
    exec_add_number(&m, "sample", sample);
    exec_add_number(&m, "into", into->number);
    const assay_status rc = exec_call_whole(&m, "fork", "sample", INT64_MAX, &number, err);
    if (rc == ASSAY_OK) *forked = (size_t)number;
    return rc;
}

static assay_status tap(assay_session *session, const assay_tap *given, assay_error *err)
{
    assay_tap options;
    exec_message m;
    assay_status rc = assay_options_read(&options, sizeof options, given, "assay_tap", err);
    if (rc == ASSAY_OK && options.reserved)
        rc = assay_fail(err, ASSAY_EUNSUPPORTED, "assay_tap: reserved is %u, expected 0", options.reserved);
    if (rc != ASSAY_OK) return rc;
    begin(&m, session);
    if (options.fn) {
        json_object *names = json_object_new_array();
        for (size_t i = 0; i < options.n_names; i++)
            if (!conf_json_append(names, json_object_new_string(options.names[i]))) m.failed = true;
        exec_add(&m, "names", names);
    } else if (m.header && json_object_object_add(m.header, "names", NULL) != 0) {
        m.failed = true;
    }
    rc = exec_call_plain(&m, "tap", err);
    if (rc == ASSAY_OK) session->tap = options;
    return rc;
}

static assay_engine table = {
    .abi = ASSAY_ENGINE_ABI,
    .size = sizeof table,
    .model_open = model_open,
    .model_free = model_free,
    .model_vocab = model_vocab,
    .session_open = session_open,
    .session_free = session_free,
    .model_note = model_note,
    .step = exec_step,
};

bool exec_engine_is(const char *name)
{
    return strncmp(name, EXEC_PREFIX, sizeof EXEC_PREFIX - 1) == 0;
}

const char *exec_engine_command(const char *name)
{
    return name + sizeof EXEC_PREFIX - 1;
}

/* The names as a table of an engine has them; NULL if the program has no such list. */
static const char *const *list_of(const exec_names *names, const char **list)
{
    for (size_t i = 0; i < names->n; i++) list[i] = names->at[i];
    return names->given ? list : NULL;
}

assay_status exec_engine_open(const char *name, const assay_engine **out, assay_error *err)
{
    static const char *compute_types[EXEC_NAMES_MAX + 1], *cache_types[EXEC_NAMES_MAX + 1];
    const exec_hello *hello;
    const assay_status rc = exec_link_open(exec_engine_command(name), &hello, err);
    if (rc != ASSAY_OK) return rc;
    table.name = hello->name;
    table.version = hello->version;
    table.logits_dtype = hello->logits;
    table.taps_can_write = hello->tap && hello->tap_writes;
    table.compute_types = list_of(&hello->compute_types, compute_types);
    table.cache_types = list_of(&hello->cache_types, cache_types);
    if (hello->stop_ids) table.model_stop_ids = model_stop_ids;
    if (hello->join) table.join = join;
    if (hello->leave) table.leave = leave;
    if (hello->rewind) table.rewind = rewind_sample;
    if (hello->fork) table.fork = fork_sample;
    if (hello->tap) table.tap = tap;
    if (hello->positions) table.positions = exec_positions;
    if (hello->rope) table.rope = exec_rope;
    *out = &table;
    return ASSAY_OK;
}
