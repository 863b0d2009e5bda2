/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/textual/preprocess.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "conformance/abi/serving.h"
#include "conformance/support/json_add.h"
#include "conformance/textual/answer.h"
#include "conformance/textual/preprocess_audio.h"

#define FRAMES_MAX ((int64_t)1 << 20)

/* A parsed vector. Strings are borrowed from the document. */
typedef struct preprocess_case {
    assay_image_options options;
    assay_image_size expected;
    bool refuses; /* expect has `error` instead of a size */
} preprocess_case;

static assay_status read_config(const conf_json_at *input, const char *name, assay_text *out,
                                assay_error *err)
{
    conf_json_at at;
    const assay_status rc = conf_json_member(input, name, json_type_string, &at, err);
    if (rc != ASSAY_OK) return rc;
    out->at = json_object_get_string(at.value);
    out->n = (size_t)json_object_get_string_len(at.value);
    return ASSAY_OK;
}

/* An input with `frames` is a video. */
static assay_status read_input(const conf_json_at *input, assay_image_options *o, assay_error *err)
{
    conf_json_at frames;
    assay_status rc = ASSAY_OK;
    *o = (assay_image_options){.size = sizeof *o};
    const bool is_video = conf_json_find(input, "frames", &frames);
    if (is_video) rc = conf_json_whole(&frames, 1, FRAMES_MAX, &o->n_frames, err);
    if (rc == ASSAY_OK)
        rc = read_config(input, is_video ? "video_preprocessor_config" : "preprocessor_config", &o->config,
                         err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(input, "height", 1, INT64_MAX, &o->height, err);
    return rc == ASSAY_OK ? conf_json_member_whole(input, "width", 1, INT64_MAX, &o->width, err) : rc;
}

static assay_status read_grid(const conf_json_at *expect, assay_image_size *s, assay_error *err)
{
    int64_t *const axes[] = {&s->grid_t, &s->grid_h, &s->grid_w};
    conf_json_at grid;
    assay_status rc = conf_json_member(expect, "grid", json_type_array, &grid, err);
    if (rc == ASSAY_OK && json_object_array_length(grid.value) != 3)
        rc = conf_json_fail(&grid, err, "found %zu elements, expected 3",
                            json_object_array_length(grid.value));
    for (size_t i = 0; rc == ASSAY_OK && i < 3; i++) {
        const conf_json_at axis = conf_json_element(&grid, i);
        rc = conf_json_whole(&axis, 1, INT64_MAX, axes[i], err);
    }
    return rc;
}

static assay_status read_expected(const conf_json_at *expect, preprocess_case *p, assay_error *err)
{
    const char *error = NULL;
    assay_status rc = conf_json_optional_text(expect, "error", &error, err);
    p->refuses = error != NULL;
    if (rc != ASSAY_OK || p->refuses) return rc;
    assay_image_size *s = &p->expected;
    rc = conf_json_member_whole(expect, "height", 1, INT64_MAX, &s->height, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(expect, "width", 1, INT64_MAX, &s->width, err);
    if (rc == ASSAY_OK) rc = read_grid(expect, s, err);
    return rc == ASSAY_OK ? conf_json_member_whole(expect, "tokens", 0, INT64_MAX, &s->n_tokens, err) : rc;
}

/* *input and *expect point to *at. */
static assay_status read_vector(const conf_json_at *at, conf_json_at *input, conf_json_at *expect,
                                preprocess_case *p, assay_error *err)
{
    *p = (preprocess_case){0};
    assay_status rc = conf_json_member(at, "input", json_type_object, input, err);
    if (rc == ASSAY_OK) rc = conf_json_member(at, "expect", json_type_object, expect, err);
    if (rc == ASSAY_OK) rc = read_input(input, &p->options, err);
    return rc == ASSAY_OK ? read_expected(expect, p, err) : rc;
}

assay_status conf_preprocess_check(const conf_vector *vector, const conf_json_at *at, conf_strings *unknown,
                                   assay_error *err)
{
    static const char *const inputs[] = {"preprocessor_config", "height", "width", NULL};
    static const char *const videos[] = {"video_preprocessor_config", "height", "width", "frames", NULL};
    static const char *const expects[] = {"height", "width", "grid", "tokens", "error", NULL};
    conf_json_at input, expect;
    preprocess_case p;
    if (conf_preprocess_is_audio(at)) return conf_preprocess_audio_check(vector, at, unknown, err);
    assay_status rc = read_vector(at, &input, &expect, &p, err);
    if (rc == ASSAY_OK && p.refuses != (vector->rule == CONF_VECTOR_REJECT))
        rc = conf_json_fail(at, err, "expects %s, and its verdict is %sreject",
                            p.refuses ? "an error" : "a size", p.refuses ? "not " : "");
    if (rc == ASSAY_OK)
        rc = conf_json_note_unknown(&input, p.options.n_frames > 0 ? videos : inputs, unknown, err);
    return rc == ASSAY_OK ? conf_json_note_unknown(&expect, expects, unknown, err) : rc;
}

const void *conf_preprocess_open(const char *module, conf_verdict *v)
{
    return conf_serving_offered(module, CONF_SERVING_IMAGE_SIZE, v);
}

static void judge_size(const assay_image_size *expected, const assay_image_size *found, conf_verdict *v)
{
    const struct {
        const char *name;
        int64_t expected, found;
    } members[] = {{"the resized height", expected->height, found->height},
                   {"the resized width", expected->width, found->width},
                   {"grid[0], temporal patches", expected->grid_t, found->grid_t},
                   {"grid[1], rows of patches", expected->grid_h, found->grid_h},
                   {"grid[2], columns of patches", expected->grid_w, found->grid_w},
                   {"the number of tokens", expected->n_tokens, found->n_tokens}};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i].expected == members[i].found) continue;
        conf_verdict_fail(v, CONF_CLASS_IMAGE, "%s: expected %" PRId64 ", found %" PRId64, members[i].name,
                          members[i].expected, members[i].found);
        return;
    }
}

void conf_preprocess_replay(const void *offered, const conf_case *c, const conf_vector *vector,
                            const conf_json_at *at, conf_verdict *v)
{
    const assay_serving *serving = offered;
    conf_json_at input, expect;
    preprocess_case p;
    assay_error err = {0};
    assay_image_size found = {0};
    (void)c;
    (void)vector;
    if (conf_preprocess_is_audio(at)) {
        conf_preprocess_audio_replay(serving, at, v);
        return;
    }
    if (read_vector(at, &input, &expect, &p, &err) != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    const assay_status rc = serving->image_size(&p.options, &found, &err);
    if (rc == ASSAY_OK && p.refuses)
        conf_verdict_fail(v, CONF_CLASS_IMAGE, "image_size: expected a refusal, found %" PRId64 " x %" PRId64,
                          found.height, found.width);
    else if (rc == ASSAY_OK) judge_size(&p.expected, &found, v);
    else if (!p.refuses)
        conf_verdict_fail(v, rc == ASSAY_ENOMEM ? CONF_CLASS_MEMORY : CONF_CLASS_REFUSED, "image_size: %s",
                          err.text);
}

static json_object *new_grid(const assay_image_size *size)
{
    const int64_t axes[] = {size->grid_t, size->grid_h, size->grid_w};
    json_object *grid = json_object_new_array();
    bool ok = grid != NULL;
    for (size_t i = 0; i < 3 && ok; i++) ok = conf_json_append(grid, json_object_new_int64(axes[i]));
    if (ok) return grid;
    (void)json_object_put(grid);
    return NULL;
}

assay_status conf_preprocess_answer(const void *offered, const conf_case *c, const conf_json_at *at,
                                    assay_error *err)
{
    const assay_serving *serving = offered;
    conf_json_at input, expect;
    preprocess_case p;
    assay_image_size found = {0};
    (void)c;
    if (conf_preprocess_is_audio(at)) return conf_preprocess_audio_answer(serving, at, err);
    assay_status rc = read_vector(at, &input, &expect, &p, err);
    if (rc != ASSAY_OK) return rc;
    rc = serving->image_size(&p.options, &found, err);
    if (p.refuses) return rc != ASSAY_OK ? ASSAY_OK : conf_answer_refused(&expect, "a size", err);
    if (rc != ASSAY_OK) return rc;
    json_object *grid = new_grid(&found);
    if (!grid) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    rc = conf_answer_set(&expect, "grid", grid, err);
    if (rc == ASSAY_OK) rc = conf_answer_whole(&expect, "height", found.height, err);
    if (rc == ASSAY_OK) rc = conf_answer_whole(&expect, "width", found.width, err);
    return rc == ASSAY_OK ? conf_answer_whole(&expect, "tokens", found.n_tokens, err) : rc;
}
