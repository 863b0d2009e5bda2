/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/fields/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"

static json_object *member(json_object *object, const char *name)
{
    json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object)) return NULL;
    (void)json_object_object_get_ex(object, name, &value);
    return value;
}

static const char *shown(json_object *value)
{
    return value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN) : "null";
}

static bool is_not(const probe_value *v, const char *expected, char why[256])
{
    (void)snprintf(why, 256, "found %.100s, expected %.100s", shown(v->value), expected);
    return false;
}

/* Whether `text` is among the words of `list`, which | divides. */
static bool is_among(const char *text, const char *list)
{
    const size_t n = strlen(text);
    for (const char *at = list; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == n && memcmp(at, text, n) == 0) return true;
    return false;
}

static bool holds_is(const probe_value *v, char why[256])
{
    const char *text = v->value ? json_object_get_string(v->value) : "null";
    return (text && is_among(text, v->field->value)) || is_not(v, v->field->value, why);
}

static int64_t count_of(json_object *object, const char *name)
{
    json_object *value = member(object, name);
    return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
}

/* Which of the things of its kind in an answer has the id: the pieces of a call have its index, the items of
 * a list their places. */
static size_t owner_of(const probe_value *v)
{
    const int64_t index = count_of(v->parent, "index"), output = count_of(v->root, "output_index"),
                  block = count_of(v->root, "index");
    return index >= 0    ? (size_t)index
           : output >= 0 ? (size_t)output
           : block >= 0  ? (size_t)block
                         : v->position;
}

/* An id comes again in the chunks of its stream, and nowhere else. */
static bool holds_new_id(const probe_value *v, char why[256])
{
    const char *text = v->value ? json_object_get_string(v->value) : "",
               *calls = strstr(v->field->path, "tool_calls");
    const char *kind = calls ? calls : v->field->path;
    const size_t owner = owner_of(v);
    if (!*text) return v->stream || is_not(v, "an id", why); /* later pieces have none */
    for (size_t i = v->ids->n; i-- > 0;) {
        const struct probe_id *id = &v->ids->at[i];
        if (id->endpoint != v->endpoint || strcmp(id->kind, kind) != 0) continue;
        const bool same = strncmp(id->text, text, sizeof id->text - 1) == 0,
                   own = id->answer == v->answer && id->owner == owner;
        if (same == own && same) return true;
        if (same || (own && v->stream && count_of(v->request, "n") < 2)) {
            (void)snprintf(why, 256, own ? "found %.100s after %.100s" : "found %.100s, which %s has, too",
                           text,
                           own                       ? id->text
                           : id->answer == v->answer ? "another one of the answer"
                                                     : "an earlier answer");
            return false;
        }
    }
    if (v->ids->n == PROBE_IDS_MAX) return true;
    struct probe_id *at = grow_by_one(v->ids->at, v->ids->n, sizeof *at);
    if (!at) return true;
    v->ids->at = at;
    at += v->ids->n++;
    *at = (struct probe_id){.kind = kind, .endpoint = v->endpoint, .answer = v->answer, .owner = owner};
    (void)snprintf(at->text, sizeof at->text, "%s", text);
    return true;
}

static bool holds_given(const probe_value *v, char why[256])
{
    return json_object_get_string_len(v->value) > 0 || is_not(v, "a text that is not empty", why);
}

/* Of a saved run without dates any time from 2001 to 2128 holds: milliseconds are beyond it. */
static bool holds_seconds(const probe_value *v, char why[256])
{
    char expected[100];
    const double seconds = json_object_get_double(v->value);
    if (v->sent <= 0) return (seconds >= 1e9 && seconds <= 5e9) || is_not(v, "seconds since 1970", why);
    (void)snprintf(expected, sizeof expected, "seconds since 1970, %.0f to %.0f, and clocks may differ by %d",
                   v->sent, v->ended, PROBE_CLOCKS_APART);
    return (seconds >= v->sent - PROBE_CLOCKS_APART && seconds <= v->ended + PROBE_CLOCKS_APART) ||
           is_not(v, expected, why);
}

static bool holds_seconds_or_null(const probe_value *v, char why[256])
{
    return !v->value || holds_seconds(v, why);
}

/* The name that was asked for, or a path that ends with it. */
static bool holds_model(const probe_value *v, char why[256])
{
    const char *found = json_object_get_string(v->value);
    const size_t n = strlen(found), n_model = strlen(v->model);
    if (n >= n_model && strcmp(found + n - n_model, v->model) == 0) return true;
    if (n > 0 && n < n_model && strcmp(v->model + n_model - n, found) == 0) return true;
    return is_not(v, v->model, why);
}

static bool holds_sum(const probe_value *v, char why[256])
{
    const int64_t input = count_of(v->parent, "prompt_tokens"),
                  output = count_of(v->parent, "completion_tokens");
    const int64_t other = count_of(v->parent, "input_tokens"), more = count_of(v->parent, "output_tokens");
    const int64_t sum = input >= 0 ? input + output : other + more;
    char expected[64];
    (void)snprintf(expected, sizeof expected, "the sum of both, %" PRId64, sum);
    return json_object_get_int64(v->value) == sum || is_not(v, expected, why);
}

static bool holds_position(const probe_value *v, char why[256])
{
    char expected[64];
    const int64_t found = json_object_get_int64(v->value), n = count_of(v->request, "n");
    (void)snprintf(expected, sizeof expected, "%zu, as in the list", v->position);
    if (!v->stream) return found == (int64_t)v->position || is_not(v, expected, why);
    return (found >= 0 && found < (n > 0 ? n : 1)) || is_not(v, "the number of a choice", why);
}

static bool is_empty(json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null: return true;
    case json_type_string: return json_object_get_string_len(value) == 0;
    case json_type_array: return json_object_array_length(value) == 0;
    case json_type_object: return json_object_object_length(value) == 0;
    default: return false;
    }
}

static bool holds_empty(const probe_value *v, char why[256])
{
    return is_empty(v->value) || is_not(v, "null, or nothing in it", why);
}

/* The row's value is the name of a member, and after = its default; without one, what the request does not
 * say is the server's own choice. */
static bool holds_repeats(const probe_value *v, char why[256])
{
    const char *equals = strchr(v->field->value, '=');
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(v->field->value, "="), v->field->value);
    json_object *asked = member(v->request, name);
    json_object *otherwise = equals ? json_tokener_parse(equals + 1) : NULL;
    const bool holds =
        is_empty(v->value) || (asked ? json_equals(v->value, asked, JSON_BY_VALUE)
                                     : !equals || json_equals(v->value, otherwise, JSON_BY_VALUE));
    if (!holds) (void)is_not(v, asked ? shown(asked) : shown(otherwise), why);
    json_object_put(otherwise);
    return holds;
}

static bool holds_asked(const probe_value *v, char why[256])
{
    if (is_empty(v->value)) return true;
    for (const char *at = v->field->value; *at; at += strcspn(at, "|"), at += *at == '|') {
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "|"), at);
        json_object *asked = member(v->request, name);
        if (asked && !(json_object_is_type(asked, json_type_boolean) && !json_object_get_boolean(asked)))
            return true;
    }
    (void)snprintf(why, 256, "found %.100s, and the request does not ask for it", shown(v->value));
    return false;
}

static bool is_text(json_object *value, const char *expected)
{
    return json_object_is_type(value, json_type_string) &&
           strcmp(json_object_get_string(value), expected) == 0;
}

/* An item is in progress where it is new; it is incomplete only in a response that is. */
static bool holds_item_status(const probe_value *v, char why[256])
{
    json_object *response = member(v->root, "response");
    const bool is_new = is_text(member(v->root, "type"), "response.output_item.added");
    const bool ended = is_text(member(response ? response : v->root, "status"), "completed");
    if (!v->value) return true;
    if (is_new) return is_text(v->value, "in_progress") || is_not(v, "in_progress", why);
    if (is_text(v->value, "completed")) return true;
    return (!ended && is_text(v->value, "incomplete")) || is_not(v, "completed", why);
}

const probe_field_rule probe_rule_item_status = {"completed, unless the response is not", holds_item_status};
const probe_field_rule probe_rule_is = {"the published word", holds_is};
const probe_field_rule probe_rule_new_id = {"an id that no other answer has", holds_new_id};
const probe_field_rule probe_rule_given = {"not empty", holds_given};
const probe_field_rule probe_rule_seconds = {
    "seconds since 1970, within 5 minutes of the exchange on the client's clock", holds_seconds};
const probe_field_rule probe_rule_seconds_or_null = {"null, or as `created_at`", holds_seconds_or_null};
const probe_field_rule probe_rule_model = {"the model that was asked for", holds_model};
const probe_field_rule probe_rule_sum = {"the sum of input and output", holds_sum};
const probe_field_rule probe_rule_position = {"the number of the choice", holds_position};
const probe_field_rule probe_rule_empty = {
    "null or empty: nothing that the probe asks for leads to another value", holds_empty};
const probe_field_rule probe_rule_repeats = {"empty, or as in the request", holds_repeats};
const probe_field_rule probe_rule_asked = {"only if the request asks for it", holds_asked};

void probe_ids_free(probe_ids *ids)
{
    free(ids->at);
    *ids = (probe_ids){0};
}
