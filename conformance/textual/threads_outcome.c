/* Reading the expected outcome of a step.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/threads_outcome.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* The forms that the outcome of an operation may have, for messages. */
static const char *expected_form(conf_threads_op op)
{
    switch (op) {
    case CONF_THREADS_DEFAULT_STREAM: return "{\"index\": N} or {\"error\": text}";
    case CONF_THREADS_READ: return "{\"value\": [numbers]} or {\"error\": text}";
    case CONF_THREADS_NEW_STREAM:
    case CONF_THREADS_NEW_THREAD_LOCAL_STREAM:
    case CONF_THREADS_NEW_THREAD_UNSAFE_STREAM: return "\"ok\", {\"index\": N} or {\"error\": text}";
    case CONF_THREADS_CLEAR_STREAMS:
    case CONF_THREADS_EXIT: return "\"ok\": it cannot fail";
    default: return "\"ok\" or {\"error\": text}";
    }
}

static bool op_has_result(conf_threads_op op, conf_threads_result result)
{
    bool makes_stream = op == CONF_THREADS_NEW_STREAM || op == CONF_THREADS_NEW_THREAD_LOCAL_STREAM ||
                        op == CONF_THREADS_NEW_THREAD_UNSAFE_STREAM;
    switch (result) {
    case CONF_THREADS_OK: return op != CONF_THREADS_DEFAULT_STREAM && op != CONF_THREADS_READ;
    case CONF_THREADS_INDEX: return op == CONF_THREADS_DEFAULT_STREAM || makes_stream;
    case CONF_THREADS_VALUE: return op == CONF_THREADS_READ;
    case CONF_THREADS_ERROR: return op != CONF_THREADS_CLEAR_STREAMS && op != CONF_THREADS_EXIT;
    }
    return false;
}

/* Reads numbers as double and rounds them to float32. */
static assay_status read_value(const conf_json_at *at, conf_threads_outcome *out, assay_error *err)
{
    assay_status rc = conf_json_expect(at, json_type_array, err);
    if (rc != ASSAY_OK) return rc;
    size_t n = json_object_array_length(at->value);
    if (n > CONF_THREADS_LENGTH_MAX)
        return conf_json_fail(at, err, "found %zu numbers, expected at most %d", n, CONF_THREADS_LENGTH_MAX);
    out->value = malloc((n ? n : 1) * sizeof *out->value);
    if (!out->value) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (out->n = 0; out->n < n; out->n++) {
        const conf_json_at number = conf_json_element(at, out->n);
        rc = conf_json_expect(&number, json_type_double, err);
        if (rc != ASSAY_OK) return rc;
        double value = json_object_get_double(number.value);
        if (fabs(value) > (double)FLT_MAX)
            return conf_json_fail(&number, err, "found %g, expected a number within the range of float32",
                                  value);
        out->value[out->n] = (float)value;
    }
    return ASSAY_OK;
}

static assay_status read_member(const conf_json_at *at, conf_threads_outcome *out, assay_error *err)
{
    conf_json_at found;
    int64_t index = 0;
    if (conf_json_find(at, "error", &found)) {
        out->result = CONF_THREADS_ERROR;
        return conf_json_text(&found, &out->error, err);
    }
    if (conf_json_find(at, "value", &found)) {
        out->result = CONF_THREADS_VALUE;
        return read_value(&found, out, err);
    }
    if (conf_json_find(at, "index", &found)) {
        assay_status rc = conf_json_whole(&found, 0, INT32_MAX, &index, err);
        out->result = CONF_THREADS_INDEX;
        out->index = (int32_t)index;
        return rc;
    }
    return conf_json_fail(at, err, "found an object without index, value and error, expected one of them");
}

assay_status conf_threads_outcome_read(const conf_json_at *at, conf_threads_op op, conf_threads_outcome *out,
                                       conf_strings *unknown, assay_error *err)
{
    static const char *const members[] = {"index", "value", "error"};
    const char *word = NULL;
    assay_status rc = ASSAY_OK;
    *out = (conf_threads_outcome){.result = CONF_THREADS_OK};
    if (json_object_is_type(at->value, json_type_object)) {
        rc = read_member(at, out, err);
        if (rc != ASSAY_OK) return rc;
        const char *const known[] = {members[out->result - CONF_THREADS_INDEX], NULL};
        rc = conf_json_note_unknown(at, known, unknown, err);
    } else {
        rc = conf_json_text(at, &word, err);
        if (rc == ASSAY_OK && strcmp(word, "ok") != 0)
            return conf_json_fail(at, err, "found \"%.40s\", expected %s", word, expected_form(op));
    }
    if (rc != ASSAY_OK || op_has_result(op, out->result)) return rc;
    return conf_json_fail(at, err, "found %s, expected %s",
                          word ? "\"ok\"" : members[out->result - CONF_THREADS_INDEX], expected_form(op));
}
