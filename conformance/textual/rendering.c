/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/rendering.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/shown.h"
#include "conformance/abi/serving.h"
#include "conformance/support/text.h"
#include "conformance/textual/answer.h"

#define SHOWN_MAX 200 /* bytes of a text in a message */

/* A parsed vector. Points into itself and to the vector's conf_json_at: must not be copied. */
typedef struct rendering {
    conf_json_at input, expect;
    conf_json_at source, variables;
    conf_json_at text; /* of expect: `text`, or `error` if refuses */
    bool refuses;
    int64_t now;
} rendering;

/* `error` is the text that the message must contain, or null: any error. */
static assay_status read_expected(rendering *r, assay_error *err)
{
    r->refuses = conf_json_find(&r->expect, "error", &r->text);
    if (!r->refuses) return conf_json_member(&r->expect, "text", json_type_string, &r->text, err);
    return r->text.value ? conf_json_expect(&r->text, json_type_string, err) : ASSAY_OK;
}

static assay_status read_vector(const conf_json_at *at, rendering *r, assay_error *err)
{
    conf_json_at now;
    *r = (rendering){0};
    assay_status rc = conf_json_member(at, "input", json_type_object, &r->input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, &r->expect, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&r->input, "template", json_type_string, &r->source, err);
    if (rc == ASSAY_OK) rc = conf_json_member(&r->input, "variables", json_type_object, &r->variables, err);
    if (rc == ASSAY_OK && conf_json_find(&r->input, "now", &now))
        rc = conf_json_whole(&now, 0, (int64_t)1 << 40, &r->now, err);
    return rc == ASSAY_OK ? read_expected(r, err) : rc;
}

assay_status conf_rendering_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                  assay_error *err)
{
    static const char *const inputs[] = {"template", "variables", "now", NULL};
    static const char *const expects[] = {"text", "error", NULL};
    rendering r;
    assay_status rc = read_vector(at, &r, err);
    if (rc == ASSAY_OK && r.refuses != (vector->rule == CONF_VECTOR_REJECT))
        rc = conf_json_fail(at, err, "expects %s, and its verdict is %sreject",
                            r.refuses ? "an error" : "a text", r.refuses ? "not " : "");
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&r.input, inputs, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&r.expect, expects, unknown, err) : rc;
}

const void *conf_rendering_open(const char *module, conf_verdict *v)
{
    return conf_serving_offered(module, CONF_SERVING_TEMPLATE, v);
}

static void take_text(void *context, const char *bytes, size_t n)
{
    (void)buffer_append(context, bytes, n);
}

/* Reports the first byte that differs, with some of the text before it. */
static void judge_text(const rendering *r, assay_text found, conf_verdict *v)
{
    const char *expected = json_object_get_string(r->text.value);
    const size_t n = (size_t)json_object_get_string_len(r->text.value);
    size_t same = 0;
    while (same < n && same < found.n && expected[same] == found.at[same]) same++;
    if (same == n && same == found.n) return;
    size_t from = same > 40 ? same - 40 : 0;
    while (from > 0 && ((unsigned char)expected[from] & 0xc0) == 0x80) from--;
    const size_t n_expected = n - from, n_found = found.n - from;
    conf_verdict_fail(v, CONF_CLASS_TEXT, "the text differs at byte %zu: expected \"%.*s\", found \"%.*s\"",
                      same, (int)(n_expected < SHOWN_MAX ? n_expected : SHOWN_MAX), expected + from,
                      (int)(n_found < SHOWN_MAX ? n_found : SHOWN_MAX), found.at + from);
}

/* Whether the error is the expected one. */
static void judge_error(const rendering *r, const assay_error *err, conf_verdict *v)
{
    const char *given = r->text.value ? json_object_get_string(r->text.value) : "";
    assay_error found = *err;
    char *expected = conf_text_cleaned(given); /* as texts of errors are */
    shown_clean(found.text, sizeof found.text);
    if (!expected) conf_verdict_fail(v, CONF_CLASS_MEMORY, "out of memory");
    else if (!strstr(found.text, expected))
        conf_verdict_fail(v, CONF_CLASS_TEXT, "the error: expected \"%.*s\", found \"%.*s\"", SHOWN_MAX,
                          expected, SHOWN_MAX, found.text);
    free(expected);
}

static assay_template_options options_of(const rendering *r)
{
    assay_template_options options = {.size = sizeof options, .now = r->now};
    options.source.at = json_object_get_string(r->source.value);
    options.source.n = (size_t)json_object_get_string_len(r->source.value);
    options.variables.at =
        json_object_to_json_string_length(r->variables.value, JSON_C_TO_STRING_PLAIN, &options.variables.n);
    return options;
}

void conf_rendering_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                           const conf_json_at *at, conf_verdict *v)
{
    const assay_serving *serving = offered;
    rendering r;
    buffer text = {0};
    const assay_byte_sink sink = {take_text, &text};
    assay_error err = {0};
    (void)c;
    (void)vector;
    if (read_vector(at, &r, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    const assay_template_options options = options_of(&r);
    const assay_status rc = serving->template_render(&options, &sink, &err);
    if (text.failed) conf_verdict_set(v, CONF_BROKEN, "out of memory");
    else if (rc != ASSAY_OK && text.n > 0)
        conf_verdict_fail(v, CONF_CLASS_CONTRACT, "template_render: found %zu bytes of text and the error %s",
                          text.n, err.text);
    else if (rc == ASSAY_OK && r.refuses)
        conf_verdict_fail(v, CONF_CLASS_TEXT, "template_render: expected an error, found %zu bytes of text",
                          text.n);
    else if (rc == ASSAY_OK) judge_text(&r, (assay_text){.at = text.data ? text.data : "", .n = text.n}, v);
    else if (r.refuses) judge_error(&r, &err, v);
    else
        conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED,
                          "template_render: %s", err.text);
    buffer_free(&text);
}

/* An expected error stays if the answer is one that has its text. */
assay_status conf_rendering_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                   assay_error *err)
{
    const assay_serving *serving = offered;
    rendering r;
    buffer text = {0};
    const assay_byte_sink sink = {take_text, &text};
    conf_verdict v = {0};
    (void)c;
    assay_status rc = read_vector(at, &r, err);
    if (rc != ASSAY_OK) return rc;
    const assay_template_options options = options_of(&r);
    rc = serving->template_render(&options, &sink, err);
    if (rc == ASSAY_EFORMAT && r.refuses) judge_error(&r, err, &v);
    if (rc == ASSAY_EFORMAT && r.refuses && v.outcome == CONF_PASSED) rc = ASSAY_OK;
    else if (rc == ASSAY_OK && r.refuses) rc = conf_answer_refused(&r.expect, "a text", err);
    else if (rc == ASSAY_OK && text.failed) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    else if (rc == ASSAY_OK) rc = conf_answer_text(&r.expect, "text", (assay_text){text.data, text.n}, err);
    buffer_free(&text);
    return rc;
}
