/* Reads one object of a config.json: tracks its members, refuses or notes unread ones. Typed members:
 * config_value.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "model/checkpoint/config_harmless.h"
#include "model/checkpoint/token_ids.h"

enum { NAME_SHOWN_MAX = 120, VALUE_SHOWN_MAX = 80 };

const json_limits config_document_limits = {.bytes = (size_t)16 << 20, .values = (size_t)1 << 17};

assay_status config_check_document(const char *path, json_object *document, assay_error *err)
{
    if (!json_object_is_type(document, json_type_object))
        return assay_fail(err, ASSAY_EFORMAT, "%s: expected an object, found %s", path,
                          json_type_to_name(json_object_get_type(document)));
    return token_ids_check(path, document, err);
}

assay_status config_read_document(const char *path, json_object **out, assay_error *err)
{
    json_object *document = NULL;
    assay_status rc = json_read_within(path, &config_document_limits, &document, err);
    if (rc == ASSAY_OK) rc = config_check_document(path, document, err);
    if (rc == ASSAY_OK) *out = document;
    else json_object_put(document);
    return rc;
}

void config_begin(config *c, const char *path, const char *prefix, json_object *object, config_notes *notes,
                  assay_error *err)
{
    *c = (config){.path = path, .prefix = prefix, .object = object, .notes = notes, .err = err};
    c->used = json_object_new_object();
    if (!c->used) config_fail(c, ASSAY_ENOMEM, "out of memory");
    else if (!json_object_is_type(object, json_type_object))
        config_fail(c, ASSAY_EFORMAT, "expected an object, found %s",
                    json_type_to_name(json_object_get_type(object)));
}

/* Propagates a failure to every enclosing reader. */
static void fail_parents(const config *c)
{
    for (config *p = c->parent; p && c->status != ASSAY_OK; p = p->parent) p->status = c->status;
}

void config_begin_inside(config *c, config *parent, const char *prefix, json_object *object)
{
    config_begin(c, parent->path, prefix, object, parent->notes, parent->err);
    c->parent = parent;
    c->model_type = parent->model_type;
    c->harmless = parent->harmless;
    c->allowed = parent->allowed;
    fail_parents(c);
}

bool config_begin_member(config *c, config *parent, const char *prefix)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strlen(prefix) - 1, prefix);
    json_object *object = config_member(parent, name);
    if (object) {
        config_begin_inside(c, parent, prefix, object);
        return true;
    }
    config_fail(parent, ASSAY_EFORMAT, "%s: missing, expected an object", name);
    *c = (config){.path = parent->path,
                  .prefix = prefix,
                  .notes = parent->notes,
                  .parent = parent,
                  .status = parent->status,
                  .err = parent->err};
    return false;
}

void config_drop(config *c)
{
    json_object_put(c->used);
}

/* Whether this reader or an enclosing one has failed; copies the enclosing one's failure. */
static bool has_failed(config *c)
{
    if (c->status == ASSAY_OK && c->parent) c->status = c->parent->status;
    return c->status != ASSAY_OK;
}

static bool is_allowed(const config *c, const char *name)
{
    const size_t n = strlen(c->prefix);
    for (size_t i = 0; c->allowed && c->allowed[i]; i++)
        if (strncmp(c->allowed[i], c->prefix, n) == 0 && strcmp(c->allowed[i] + n, name) == 0) return true;
    return false;
}

/* Refuses an unread member, or notes that --allow-unknown allows it. */
static void judge_unread(config *c, const char *name, const char *reason)
{
    const int n = json_scan_clip(name, strlen(name), NAME_SHOWN_MAX);
    if (is_allowed(c, name))
        config_note(c->notes, "%s%s: not understood, ignored as --allow-unknown asks", c->prefix, name);
    else if (c->model_type)
        config_fail_member(c, ASSAY_EUNSUPPORTED, name, "%s; --allow-unknown %s%.*s goes on without it",
                           reason, c->prefix, n, name);
    else config_fail_member(c, ASSAY_EUNSUPPORTED, name, "%s", reason);
}

/* harmless: whether config_is_harmless applies. */
static void check_unused(config *c, bool harmless, const char *reason)
{
    if (has_failed(c)) {
        config_drop(c);
        return;
    }
    struct json_object_iterator at = json_object_iter_begin(c->object),
                                last = json_object_iter_end(c->object);
    for (; c->status == ASSAY_OK && !json_object_iter_equal(&at, &last); json_object_iter_next(&at)) {
        const char *name = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        if (!value || json_object_object_get_ex(c->used, name, NULL)) continue;
        if (harmless && config_is_harmless(c->harmless, c->model_type, name, value)) continue;
        judge_unread(c, name, reason);
    }
    config_drop(c);
}

void config_end(config *c)
{
    check_unused(c, true, "which is not understood and may change the mathematics");
}

void config_end_strict(config *c, const char *reason)
{
    check_unused(c, false, reason);
}

static void set_error(config *c, assay_status status, const char *reason)
{
    c->status = assay_fail(c->err, status, "%s: %s%s", c->path, c->prefix, reason);
    fail_parents(c);
}

void config_fail(config *c, assay_status status, const char *format, ...)
{
    if (has_failed(c)) return;
    char reason[900];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    set_error(c, status, reason);
}

/* label: the member's name, with an index if it is an element of a list. */
static void fail_found(config *c, assay_status status, const char *label, json_object *value,
                       const char *format, va_list args)
{
    char rest[500];
    const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
    (void)vsnprintf(rest, sizeof rest, format, args);
    config_fail(c, status, "%.*s: found %.*s, %s", json_scan_clip(label, strlen(label), NAME_SHOWN_MAX),
                label, json_scan_clip(text, strlen(text), VALUE_SHOWN_MAX), text, rest);
}

void config_fail_member(config *c, assay_status status, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_found(c, status, name, json_object_object_get(c->object, name), format, args);
    va_end(args);
}

void config_fail_element(config *c, assay_status status, const char *name, size_t index, const char *format,
                         ...)
{
    char label[NAME_SHOWN_MAX];
    va_list args;
    json_object *list = json_object_object_get(c->object, name);
    (void)snprintf(label, sizeof label, "%.80s[%zu]", name, index);
    va_start(args, format);
    fail_found(c, status, label, json_object_array_get_idx(list, index), format, args);
    va_end(args);
}

void config_note(config_notes *notes, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    char **grown = length >= 0 ? grow_by_one(notes->line, notes->n, sizeof *grown) : NULL;
    if (!grown) {
        if (length >= 0) free(text);
        notes->incomplete = true;
        return;
    }
    notes->line = grown;
    notes->line[notes->n++] = text;
}

void config_notes_free(config_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) free(notes->line[i]);
    free(notes->line);
    *notes = (config_notes){0};
}

json_object *config_member(config *c, const char *name)
{
    json_object *value = NULL;
    if (has_failed(c)) return NULL;
    json_object_object_add(c->used, name, NULL);
    return json_object_object_get_ex(c->object, name, &value) ? value : NULL;
}

bool config_has(config *c, const char *name)
{
    return config_member(c, name) != NULL;
}

unsigned long config_writer(const config *c)
{
    json_object *version = NULL;
    while (c->parent) c = c->parent;
    (void)json_object_object_get_ex(c->object, "transformers_version", &version);
    const char *text = json_text(version);
    return text ? strtoul(text, NULL, 10) : 0;
}

bool config_is_null(config *c, const char *name)
{
    json_object *value = NULL;
    return c->status == ASSAY_OK && json_object_object_get_ex(c->object, name, &value) && !value;
}
