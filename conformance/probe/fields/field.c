/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/fields/field.h"

#include <stdio.h>
#include <string.h>

static const probe_form forms[] = {
    {PROBE_COMPLETIONS, false, false, &probe_completions_fields, NULL},
    {PROBE_COMPLETIONS, true, false, &probe_completions_chunk_fields, NULL},
    {PROBE_COMPLETIONS, false, true, &probe_refusal_fields, NULL},
    {PROBE_CHAT, false, false, &probe_chat_fields, NULL},
    {PROBE_CHAT, true, false, &probe_chat_chunk_fields, NULL},
    {PROBE_CHAT, false, true, &probe_refusal_fields, NULL},
    {PROBE_RESPONSES, false, false, &probe_responses_fields, NULL},
    {PROBE_RESPONSES, true, false, &probe_responses_event_fields, &probe_responses_fields},
    {PROBE_RESPONSES, false, true, &probe_refusal_fields, NULL},
    {PROBE_MESSAGES, false, false, &probe_messages_fields, NULL},
    {PROBE_MESSAGES, true, false, &probe_messages_event_fields, &probe_messages_fields},
    {PROBE_MESSAGES, false, true, &probe_messages_refusal_fields, NULL},
};

const probe_form *probe_forms(size_t *n)
{
    *n = sizeof forms / sizeof *forms;
    return forms;
}

const probe_form *probe_form_find(probe_endpoint endpoint, bool stream, bool refused)
{
    const probe_form *f = forms;
    while (f->endpoint != endpoint || f->stream != stream || f->refused != refused) f++;
    return f;
}

const char *probe_form_name(const probe_form *form)
{
    return form->refused ? "refusal" : form->stream ? "stream" : "whole";
}

/* Where a value within an event is in the whole body. */
static const struct {
    const char *within, *whole;
} places[] = {
    {"response", ""},
    {"message", ""},
    {"item", "output[]"},
    {"part", "output[].content[]"},
    {"logprobs", "output[].content[].logprobs"},
    {"content_block", "content[]"},
    {"usage", "usage"},
    {"delta.stop_reason", "stop_reason"},
    {"delta.stop_sequence", "stop_sequence"},
    {"delta.stop_details", "stop_details"},
    {"delta.container", "container"},
    {"context_management", "context_management"},
};

static const probe_field *find_in(const probe_field_list *list, const char *path)
{
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].path, path) == 0) return &list->at[i];
    return NULL;
}

/* The object of an event that is, or is in, the whole body. */
static const probe_field nested = {"", PROBE_TYPE_OBJECT, false, PROBE_DEPARTS, NULL, NULL, NULL, NULL};

static const probe_field *find_nested(const probe_form *form, const char *path)
{
    char whole[PROBE_FIELD_PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const size_t n = strlen(places[i].within);
        const char *rest = path + n;
        if (strncmp(path, places[i].within, n) != 0 || !strchr(".[", *rest)) continue;
        if (!*places[i].whole && !*rest) return &nested;
        if (!*places[i].whole) rest++;
        (void)snprintf(whole, sizeof whole, "%s%s", places[i].whole, rest);
        const probe_field *f = find_in(form->whole, whole);
        if (f) return f;
    }
    return NULL;
}

/* Whether a row of the list begins with the path, and goes on. */
static bool begins_any(const probe_field_list *list, const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < list->n; i++)
        if (strncmp(list->at[i].path, path, n) == 0 && strchr(".[", list->at[i].path[n]) &&
            list->at[i].path[n])
            return true;
    return false;
}

/* Whether something in the object of an event at a path is in the whole body. */
static bool holds_place(const char *path)
{
    const char *colon = strchr(path, ':');
    const size_t n = colon ? strlen(colon + 1) : 0;
    for (size_t i = 0; n > 0 && i < sizeof places / sizeof *places; i++)
        if (strncmp(places[i].within, colon + 1, n) == 0 && places[i].within[n] == '.') return true;
    return false;
}

bool probe_field_has_members(const probe_form *form, const char *path)
{
    const probe_field *f = probe_field_find(form, path);
    if (!f) return false;
    return f == &nested || begins_any(form->fields, f->path) ||
           (form->whole && (begins_any(form->whole, f->path) || holds_place(path)));
}

const probe_field *probe_field_find(const probe_form *form, const char *path)
{
    char any[PROBE_FIELD_PATH_MAX];
    const probe_field *f = find_in(form->fields, path);
    const char *colon = strchr(path, ':');
    if (f || !colon || !form->whole) return f;
    (void)snprintf(any, sizeof any, "*%s", colon);
    f = find_in(form->fields, any);
    return f ? f : find_nested(form, colon + 1);
}

void probe_field_types(const probe_field *field, char text[96])
{
    unsigned types = field->types;
    static const struct {
        unsigned type;
        const char *name;
    } names[] = {{PROBE_TYPE_TEXT, "a string"},  {8, "a number"},
                 {PROBE_TYPE_INT, "an integer"}, {PROBE_TYPE_BOOL, "a boolean"},
                 {PROBE_TYPE_LIST, "a list"},    {PROBE_TYPE_OBJECT, "an object"},
                 {PROBE_TYPE_NULL, "null"}};
    size_t n = 0;
    if (types & 8U) types &= ~(unsigned)PROBE_TYPE_INT; /* which are numbers */
    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((types & names[i].type) && n < 96)
            n += (size_t)snprintf(text + n, 96 - n, "%s%s", n ? " or " : "", names[i].name);
}
