/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/preprocess_audio.h"

#include <inttypes.h>

#include "base/error.h"
#include "conformance/textual/answer.h"

/* A parsed vector. Strings are borrowed from the document. */
typedef struct audio_case {
    assay_sound_options options;
    assay_sound_size expected;
    bool refuses; /* expect has `error` instead of a size */
} audio_case;

bool conf_preprocess_is_audio(const conf_json_at *at)
{
    conf_json_at input, samples;
    return conf_json_find(at, "input", &input) && json_object_is_type(input.value, json_type_object) &&
           conf_json_find(&input, "samples", &samples);
}

static assay_status read_input(const conf_json_at *input, assay_sound_options *o, assay_error *err)
{
    conf_json_at config;
    *o = (assay_sound_options){.size = sizeof *o};
    assay_status rc = conf_json_member(input, "preprocessor_config", json_type_string, &config, err);
    if (rc != ASSAY_OK) return rc;
    o->config =
        (assay_text){json_object_get_string(config.value), (size_t)json_object_get_string_len(config.value)};
    rc = conf_json_member_whole(input, "samples", 1, INT64_MAX, &o->n_samples, err);
    return rc == ASSAY_OK ? conf_json_member_whole(input, "longest", 1, INT64_MAX, &o->n_longest, err) : rc;
}

static assay_status read_expected(const conf_json_at *expect, audio_case *c, assay_error *err)
{
    const char *error = NULL;
    assay_status rc = conf_json_optional_text(expect, "error", &error, err);
    c->refuses = error != NULL;
    if (rc != ASSAY_OK || c->refuses) return rc;
    rc = conf_json_member_whole(expect, "frames", 1, INT64_MAX, &c->expected.n_frames, err);
    return rc == ASSAY_OK ? conf_json_member_whole(expect, "tokens", 1, INT64_MAX, &c->expected.n_tokens, err)
                          : rc;
}

/* *input and *expect point to *at. */
static assay_status read_vector(const conf_json_at *at, conf_json_at *input, conf_json_at *expect,
                                audio_case *c, assay_error *err)
{
    *c = (audio_case){0};
    assay_status rc = conf_json_member(at, "input", json_type_object, input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, expect, err);
    if (rc == ASSAY_OK) rc = read_input(input, &c->options, err);
    return rc == ASSAY_OK ? read_expected(expect, c, err) : rc;
}

assay_status conf_preprocess_audio_check(const conf_vector *vector, const conf_json_at *at,
                                         conf_strings *unknown, assay_error *err)
{
    static const char *const inputs[] = {"preprocessor_config", "samples", "longest", NULL};
    static const char *const expects[] = {"frames", "tokens", "error", NULL};
    conf_json_at input, expect;
    audio_case c;
    assay_status rc = read_vector(at, &input, &expect, &c, err);
    if (rc == ASSAY_OK && c.refuses != (vector->rule == CONF_VECTOR_REJECT))
        rc = conf_json_fail(at, err, "expects %s, and its verdict is %sreject",
                            c.refuses ? "an error" : "a size", c.refuses ? "not " : "");
    if (rc == ASSAY_OK) rc = conf_json_note_unknown(&input, inputs, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&expect, expects, unknown, err) : rc;
}

static void judge_size(const assay_sound_size *expected, const assay_sound_size *found, conf_verdict *v)
{
    const bool is_frames = expected->n_frames != found->n_frames;
    if (!is_frames && expected->n_tokens == found->n_tokens) return;
    conf_verdict_fail(v, CONF_CLASS_IMAGE, "the number of %s: expected %" PRId64 ", found %" PRId64,
                      is_frames ? "frames" : "tokens", is_frames ? expected->n_frames : expected->n_tokens,
                      is_frames ? found->n_frames : found->n_tokens);
}

void conf_preprocess_audio_replay(const assay_serving *serving, const conf_json_at *at, conf_verdict *v)
{
    conf_json_at input, expect;
    audio_case c;
    assay_error err = {0};
    assay_sound_size found = {0};
    if (read_vector(at, &input, &expect, &c, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    if (!serving->sound_size) {
        conf_verdict_set(v, CONF_SKIPPED, "its serving table lacks sound_size");
        return;
    }
    const assay_status rc = serving->sound_size(&c.options, &found, &err);
    if (rc == ASSAY_OK && c.refuses)
        conf_verdict_fail(v, CONF_CLASS_IMAGE, "sound_size: expected a refusal, found %" PRId64 " frames",
                          found.n_frames);
    else if (rc == ASSAY_OK) judge_size(&c.expected, &found, v);
    else if (!c.refuses)
        conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED, "sound_size: %s",
                          err.text);
}

assay_status conf_preprocess_audio_answer(const assay_serving *serving, const conf_json_at *at,
                                          assay_error *err)
{
    conf_json_at input, expect;
    audio_case c;
    assay_sound_size found = {0};
    assay_status rc = read_vector(at, &input, &expect, &c, err);
    if (rc != ASSAY_OK) return rc;
    if (!serving->sound_size)
        return assay_fail(err, ASSAY_EUNSUPPORTED, "its serving table lacks sound_size");
    rc = serving->sound_size(&c.options, &found, err);
    if (c.refuses) return rc != ASSAY_OK ? ASSAY_OK : conf_answer_refused(&expect, "a size", err);
    if (rc == ASSAY_OK) rc = conf_answer_whole(&expect, "frames", found.n_frames, err);
    return rc == ASSAY_OK ? conf_answer_whole(&expect, "tokens", found.n_tokens, err) : rc;
}
