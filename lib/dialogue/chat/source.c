/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dialogue/chat/files.h"
#include "dialogue/chat/frame.h"

#define NAMED_DIR "additional_chat_templates"

/* The search in one checkpoint. */
typedef struct search {
    const char *dir;
    bool has_tools; /* and the template may be chosen by them */
    serve_chat_source found;
    assay_error *err;
} search;

bool serve_chat_has_processor(const char *dir)
{
    return serve_chat_has_file(dir, "processor_config.json") ||
           serve_chat_has_file(dir, "preprocessor_config.json");
}

static assay_status no_memory(const search *s)
{
    return assay_fail(s->err, ASSAY_ENOMEM, "%s: out of memory", s->dir);
}

/* Takes the text of a JSON string. file: where it is; name: of a named template, or NULL. */
static assay_status take_value(search *s, const char *file, const char *name, json_object *value)
{
    if (!json_object_is_type(value, json_type_string))
        return assay_fail(s->err, ASSAY_EFORMAT, "%s/%s: member chat_template: found %.80s, expected %s",
                          s->dir, file, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN),
                          name ? "objects with a name and a template, both strings" : "a string");
    const size_t n = (size_t)json_object_get_string_len(value);
    char *place = NULL;
    if (asprintf(&place, "%s: chat_template%s%s", file, name ? " " : "", name ? name : "") < 0) place = NULL;
    char *text = malloc(n + 1);
    if (text) memcpy(text, json_object_get_string(value), n);
    if (!place || !text) {
        free(place);
        free(text);
        return no_memory(s);
    }
    s->found = (serve_chat_source){.place = place, .text = text, .n = n};
    return ASSAY_OK;
}

/* The template with a name in a list [{"name": …, "template": …}]; NULL if there is none. */
static json_object *find_named(json_object *list, const char *name)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        json_object *one = json_object_array_get_idx(list, i);
        const char *text = json_text(serve_chat_member(one, "name"));
        if (text && strcmp(text, name) == 0) return serve_chat_member(one, "template");
    }
    return NULL;
}

/* Takes the member chat_template of a file: a string, or a list of named templates. */
static assay_status take_member(search *s, const char *file)
{
    json_object *root = NULL;
    assay_status rc = serve_chat_read_object(s->dir, file, &root, s->err);
    if (rc != ASSAY_OK) return rc;
    json_object *value = serve_chat_member(root, "chat_template");
    if (json_object_is_type(value, json_type_array)) {
        const char *name = s->has_tools && find_named(value, "tool_use") ? "tool_use" : "default";
        json_object *one = find_named(value, name);
        if (one) rc = take_value(s, file, name, one);
        else
            rc = assay_fail(s->err, ASSAY_EFORMAT,
                            "%s/%s: member chat_template: found no template \"default\", expected one",
                            s->dir, file);
    } else if (value) {
        rc = take_value(s, file, NULL, value);
    }
    (void)json_object_put(root);
    return rc;
}

/* Takes a file that is a template. */
static assay_status take_file(search *s, const char *file)
{
    char *text = NULL;
    size_t n = 0;
    assay_status rc = serve_chat_read_text(s->dir, file, &text, &n, s->err);
    if (rc != ASSAY_OK || !text) return rc;
    char *place = strdup(file);
    if (!place) {
        free(text);
        return no_memory(s);
    }
    s->found = (serve_chat_source){.place = place, .text = text, .n = n};
    return ASSAY_OK;
}

/* Takes chat_template.jinja, or a named template beside it. */
static assay_status take_files(search *s)
{
    assay_status rc = ASSAY_OK;
    if (s->has_tools) rc = take_file(s, NAMED_DIR "/tool_use.jinja");
    if (rc == ASSAY_OK && !s->found.place) rc = take_file(s, "chat_template.jinja");
    if (rc == ASSAY_OK && !s->found.place) rc = take_file(s, NAMED_DIR "/default.jinja");
    return rc;
}

/* Those of the processor, in its order. */
static assay_status search_processor(search *s)
{
    assay_status rc = take_member(s, "processor_config.json");
    if (rc == ASSAY_OK && !s->found.place) rc = take_member(s, "chat_template.json");
    if (rc == ASSAY_OK && !s->found.place) rc = take_files(s);
    return rc;
}

/* The prompt that the processor writes. */
static assay_status take_frame(search *s)
{
    char *text = NULL;
    const assay_status rc = serve_chat_frame_find(s->dir, &text, s->err);
    if (rc != ASSAY_OK || !text) return rc;
    char *place = strdup(SERVE_CHAT_FRAME_PLACE);
    if (!place) {
        free(text);
        return no_memory(s);
    }
    s->found = (serve_chat_source){.place = place, .text = text, .n = strlen(text), .is_complete = true};
    return ASSAY_OK;
}

assay_status serve_chat_source_find(const char *dir, bool has_tools, serve_chat_source *out, assay_error *err)
{
    const bool has_processor = serve_chat_has_processor(dir);
    search s = {.dir = dir, .has_tools = has_tools && !has_processor, .err = err};
    assay_status rc = has_processor ? search_processor(&s) : take_files(&s);
    if (rc == ASSAY_OK && !s.found.place) rc = take_member(&s, "tokenizer_config.json");
    if (rc == ASSAY_OK && !s.found.place) rc = take_frame(&s);
    if (rc == ASSAY_OK) *out = s.found;
    else serve_chat_source_free(&s.found);
    return rc;
}

void serve_chat_source_free(serve_chat_source *source)
{
    free(source->place);
    free(source->text);
    *source = (serve_chat_source){0};
}
