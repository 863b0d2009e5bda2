/* SPDX-License-Identifier: Apache-2.0 */

#include "conformance/textual/events_read.h"

#include "conformance/textual/message.h"

static assay_status read_endpoint(conf_events_case *e, assay_error *err)
{
    assay_status rc = conf_json_member_text(&e->input, "endpoint", &e->path, err);
    if (rc != ASSAY_OK) return rc;
    if (e->path[0] == '/' && serve_endpoint_find(e->path, &e->endpoint) && e->endpoint != SERVE_COMPLETIONS)
        return ASSAY_OK;
    return conf_json_fail(&e->input, err,
                          "its endpoint is %s, expected /v1/chat/completions, /v1/messages or /v1/responses",
                          e->path);
}

static assay_status read_usage(conf_events_case *e, assay_error *err)
{
    conf_json_at options, usage;
    if (!conf_json_find(&e->request, "stream_options", &options) || !options.value) return ASSAY_OK;
    assay_status rc = conf_json_expect(&options, json_type_object, err);
    if (rc != ASSAY_OK || !conf_json_find(&options, "include_usage", &usage)) return rc;
    rc = conf_json_expect(&usage, json_type_boolean, err);
    e->usage = rc == ASSAY_OK && json_object_get_boolean(usage.value);
    return rc;
}

static assay_status read_chunks(conf_events_case *e, assay_error *err)
{
    conf_json_at raise;
    int64_t number = 0;
    e->raise_at = SIZE_MAX;
    assay_status rc = conf_json_member(&e->input, "chunks", json_type_array, &e->chunks, err);
    if (rc != ASSAY_OK) return rc;
    e->n_chunks = json_object_array_length(e->chunks.value);
    for (size_t i = 0; rc == ASSAY_OK && i < e->n_chunks; i++) {
        conf_events_chunk chunk;
        rc = conf_events_chunk_at(e, i, &chunk, err);
        if (rc == ASSAY_OK && chunk.finished != (i + 1 == e->n_chunks))
            rc = conf_json_fail(&e->chunks, err, "only its last chunk may be finished, and must be");
    }
    if (rc != ASSAY_OK || !conf_json_find(&e->input, "raise_at", &raise) || !raise.value) return rc;
    rc = conf_json_whole(&raise, 0, (int64_t)e->n_chunks, &number, err);
    e->raise_at = (size_t)number;
    return rc;
}

assay_status conf_events_chunk_at(const conf_events_case *e, size_t i, conf_events_chunk *out,
                                  assay_error *err)
{
    const conf_json_at chunk = conf_json_element(&e->chunks, i);
    conf_json_at text, finished;
    *out = (conf_events_chunk){0};
    assay_status rc = conf_json_expect(&chunk, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&chunk, "new_text", json_type_string, &text, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member_whole(&chunk, "prompt_tokens", 0, INT32_MAX, &out->prompt_tokens, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member_whole(&chunk, "completion_tokens", 0, INT32_MAX, &out->completion_tokens, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&chunk, "finished", json_type_boolean, &finished, err);
    if (rc != ASSAY_OK) return rc;
    out->text =
        (assay_text){json_object_get_string(text.value), (size_t)json_object_get_string_len(text.value)};
    out->finished = json_object_get_boolean(finished.value);
    conf_json_at reason;
    if (!conf_json_find(&chunk, "finish_reason", &reason) || !reason.value) return ASSAY_OK;
    return conf_json_text(&reason, &out->finish_reason, err);
}

assay_status conf_events_read(const conf_json_at *at, conf_events_case *e, assay_error *err)
{
    *e = (conf_events_case){0};
    assay_status rc = conf_json_member(at, "input", json_type_object, &e->input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &e->expect, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&e->expect, "folded", json_type_object, &e->folded, err);
    if (rc == ASSAY_OK) rc = read_endpoint(e, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&e->input, "request", json_type_object, &e->request, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&e->input, "server", json_type_object, &e->server, err);
    if (rc == ASSAY_OK) rc = read_usage(e, err);
    return rc == ASSAY_OK ? read_chunks(e, err) : rc;
}

assay_status conf_events_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                               assay_error *err)
{
    static const char *const inputs[] = {"endpoint", "request", "server", "chunks", "raise_at", NULL};
    static const char *const expects[] = {"folded", NULL};
    conf_events_case e;
    assay_status rc = conf_events_read(at, &e, err);
    if (rc == ASSAY_OK && vector->rule == CONF_VECTOR_REJECT)
        rc = conf_json_fail(at, err, "its verdict is reject, which events cannot have");
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&e.input, inputs, unknown, err);
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&e.expect, expects, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&e.folded, conf_message_members(e.endpoint), unknown, err)
                          : rc;
}
