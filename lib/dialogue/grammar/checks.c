/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/checks.h"

#include "base/grow.h"
#include "base/json.h"
#include "base/json_escape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the beginning of the event's data into the excerpt. */
static void show_data(serve_breach *breach, assay_text data)
{
    const int shown = json_scan_clip(data.at, data.n, (int)sizeof breach->excerpt - 4);
    (void)snprintf(breach->excerpt, sizeof breach->excerpt, "%.*s%s", shown, data.at,
                   (size_t)shown < data.n ? "…" : "");
}

assay_status serve_grammar_fail(serve_grammar *g, const char *rule, const char *format, ...)
{
    char text[sizeof((serve_breach *)NULL)->text];
    serve_breach *breach;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const assay_status rc = serve_breaches_add(
        &g->breaches, g->options.endpoint, rule, g->event ? g->event->number : serve_sse_events(g->sse) + 1,
        g->event ? g->event->offset : serve_sse_bytes(g->sse), text, &breach);
    if (g->event && breach) show_data(breach, g->event->data);
    g->is_full = g->is_full || strcmp(rule, "size") == 0;
    return rc;
}

assay_status serve_grammar_go_on(assay_status rc)
{
    return rc == ASSAY_EFORMAT ? ASSAY_OK : rc;
}

serve_quoted serve_quote(assay_text text)
{
    serve_quoted q;
    buffer b = {0};
    const int n = json_scan_clip(text.at ? text.at : "", text.n, 32);
    json_append_escaped(&b, (assay_text){text.at ? text.at : "", (size_t)n});
    (void)snprintf(q.at, sizeof q.at, "\"%.*s%s\"", json_scan_clip(b.data ? b.data : "", b.n, 56),
                   b.data ? b.data : "", b.n > 56 || (size_t)n < text.n ? "…" : "");
    buffer_free(&b);
    return q;
}

assay_text serve_string(json_object *value)
{
    return (assay_text){json_object_get_string(value), (size_t)json_object_get_string_len(value)};
}

bool serve_text_is(assay_text text, const char *expected)
{
    return text.n == strlen(expected) && memcmp(text.at, expected, text.n) == 0;
}

bool serve_text_is_among(assay_text text, const char *const *expected)
{
    for (; *expected; expected++)
        if (serve_text_is(text, *expected)) return true;
    return false;
}

assay_status serve_grammar_optional(serve_grammar *g, const char *rule, const char *where,
                                    json_object *object, const char *name, json_type type, json_object **out)
{
    json_object *value = NULL;
    if (json_object_object_get_ex(object, name, &value) && value && !json_object_is_type(value, type))
        return serve_grammar_fail(g, rule, "%s: found %s of type %s, expected %s", where, name,
                                  json_type_to_name(json_object_get_type(value)), json_type_to_name(type));
    *out = value;
    return ASSAY_OK;
}

assay_status serve_grammar_member(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                  const char *name, json_type type, json_object **out)
{
    json_object *value;
    assay_status rc = serve_grammar_optional(g, rule, where, object, name, type, &value);
    if (rc != ASSAY_OK) return rc;
    if (!value)
        return serve_grammar_fail(g, rule, "%s: found no %s, expected one of type %s", where, name,
                                  json_type_to_name(type));
    *out = value;
    return ASSAY_OK;
}

assay_status serve_grammar_name(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name, assay_text *out)
{
    json_object *value;
    assay_status rc = serve_grammar_member(g, rule, where, object, name, json_type_string, &value);
    if (rc != ASSAY_OK) return rc;
    if (serve_string(value).n == 0)
        return serve_grammar_fail(g, rule, "%s: found an empty %s, expected a text", where, name);
    *out = serve_string(value);
    return ASSAY_OK;
}

assay_status serve_grammar_exactly(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                   const char *name, const char *expected)
{
    assay_text found;
    assay_status rc = serve_grammar_name(g, rule, where, object, name, &found);
    if (rc != ASSAY_OK || serve_text_is(found, expected)) return rc;
    return serve_grammar_fail(g, rule, "%s: found %s %s, expected \"%s\"", where, name, serve_quote(found).at,
                              expected);
}

assay_status serve_grammar_count(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                 const char *name, int64_t least, int64_t *out)
{
    json_object *value;
    assay_status rc = serve_grammar_member(g, rule, where, object, name, json_type_int, &value);
    if (rc != ASSAY_OK) return rc;
    if (json_object_get_int64(value) < least)
        return serve_grammar_fail(g, rule, "%s: found %s %lld, expected at least %lld", where, name,
                                  (long long)json_object_get_int64(value), (long long)least);
    *out = json_object_get_int64(value);
    return ASSAY_OK;
}

assay_status serve_grammar_same(serve_grammar *g, const char *rule, const char *where, json_object *object,
                                const char *name, buffer *first)
{
    assay_text found;
    assay_status rc = serve_grammar_name(g, rule, where, object, name, &found);
    if (rc != ASSAY_OK) return rc;
    if (first->n == 0) return serve_grammar_join(g, first, found);
    if (first->n == found.n && memcmp(first->data, found.at, found.n) == 0) return ASSAY_OK;
    return serve_grammar_fail(g, rule, "%s: found %s %s, expected %s, as before", where, name,
                              serve_quote(found).at, serve_quote(buffer_text(first)).at);
}

assay_status serve_grammar_join(serve_grammar *g, buffer *to, assay_text delta)
{
    if (delta.n > SERVE_GRAMMAR_TEXT_MAX - g->n_joined)
        return serve_grammar_fail(g, "size", "found more text, expected at most %zu bytes of it in a stream",
                                  SERVE_GRAMMAR_TEXT_MAX);
    g->n_joined += delta.n;
    buffer_append(to, delta.at, delta.n);
    return to->failed ? ASSAY_ENOMEM : ASSAY_OK;
}

assay_status serve_grammar_joined_json(serve_grammar *g, const char *rule, const char *what,
                                       const buffer *joined, bool object)
{
    assay_error err;
    assay_status rc = json_check(what, joined->n ? joined->data : "", joined->n, &err);
    if (rc == ASSAY_ENOMEM) return rc;
    if (rc != ASSAY_OK) return serve_grammar_fail(g, rule, "%s", err.text);
    const char *at = joined->data;
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    if (!object || *at == '{') return ASSAY_OK;
    return serve_grammar_fail(g, rule, "%s: found %s, expected an object", what,
                              serve_quote(buffer_text(joined)).at);
}

assay_status serve_grammar_joined_same(serve_grammar *g, const char *rule, const char *what,
                                       const buffer *joined, assay_text found)
{
    size_t n = 0;
    while (n < joined->n && n < found.n && joined->data[n] == found.at[n]) n++;
    if (n == joined->n && n == found.n) return ASSAY_OK;
    return serve_grammar_fail(g, rule,
                              "%s: found %s of %zu bytes, expected the %zu that the deltas joined give (they "
                              "differ at byte %zu)",
                              what, serve_quote(found).at, found.n, joined->n, n);
}

/* The window is the end of the preceding content and the delta; it is searched once for each marker. */
assay_status serve_grammar_content(serve_grammar *g, serve_tail *tail, assay_text delta)
{
    buffer *window = &g->window;
    g->summary.content_bytes += delta.n;
    if (g->options.n_markers == 0) return ASSAY_OK;
    window->n = 0;
    buffer_append(window, tail->at, tail->n);
    buffer_append(window, delta.at, delta.n);
    if (window->failed) return ASSAY_ENOMEM;
    for (size_t i = 0; i < g->options.n_markers; i++) {
        const char *marker = g->options.markers[i];
        if (memmem(window->data ? window->data : "", window->n, marker, strlen(marker)))
            return serve_grammar_fail(g, "marker", "found %s in content, expected none",
                                      serve_quote((assay_text){marker, strlen(marker)}).at);
    }
    tail->n = window->n < SERVE_MARKER_MAX - 1 ? window->n : SERVE_MARKER_MAX - 1;
    if (tail->n) memcpy(tail->at, window->data + window->n - tail->n, tail->n);
    return ASSAY_OK;
}

void serve_grammar_finish(serve_grammar *g, assay_text word)
{
    (void)snprintf(g->summary.finish, sizeof g->summary.finish, "%.*s", (int)word.n, word.at);
}

assay_status serve_grammar_grow(serve_grammar *g, const char *what, void **array, size_t n, size_t most,
                                size_t size)
{
    if (n == most)
        return serve_grammar_fail(g, "size", "found more than %zu %s, expected no more", most, what);
    void *grown = grow_by_one(*array, n, size);
    if (!grown) return ASSAY_ENOMEM;
    memset((char *)grown + n * size, 0, size);
    *array = grown;
    return ASSAY_OK;
}
