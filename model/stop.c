/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stop.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/error.h"
#include "model/json.h"

struct stop_set {
    int32_t *id;
    unsigned *origin;
    size_t n;
};

static assay_status add(stop_set *s, int32_t id, unsigned origin, assay_error *err)
{
    size_t at = 0;
    while (at < s->n && s->id[at] < id) at++;
    if (at < s->n && s->id[at] == id) {
        s->origin[at] |= origin;
        return ASSAY_OK;
    }
    int32_t *ids = realloc(s->id, (s->n + 1) * sizeof *ids);
    if (ids) s->id = ids;
    unsigned *origins = ids ? realloc(s->origin, (s->n + 1) * sizeof *origins) : NULL;
    if (!origins) return assay_fail(err, ASSAY_ENOMEM, "stop set: out of memory");
    s->origin = origins;
    memmove(ids + at + 1, ids + at, (s->n - at) * sizeof *ids);
    memmove(origins + at + 1, origins + at, (s->n - at) * sizeof *origins);
    ids[at] = id;
    origins[at] = origin;
    s->n++;
    return ASSAY_OK;
}

static assay_status add_value(stop_set *s, const char *path, const char *member, json_object *value,
                              unsigned origin, assay_error *err)
{
    int64_t id = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
    if (id < 0 || id > INT32_MAX)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s: found %.80s, expected a token id, a list of them or null", path, member,
                          json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN));
    return add(s, (int32_t)id, origin, err);
}

/* Adds eos_token_id of one object; *found tells whether it named any. */
static assay_status add_member(stop_set *s, const char *path, const char *prefix, json_object *object,
                               unsigned origin, bool *found, assay_error *err)
{
    char member[64];
    json_object *value = NULL;
    assay_status rc = ASSAY_OK;
    (void)snprintf(member, sizeof member, "%seos_token_id", prefix);
    *found = json_object_object_get_ex(object, "eos_token_id", &value) && value;
    if (!*found) return ASSAY_OK;
    if (!json_object_is_type(value, json_type_array)) return add_value(s, path, member, value, origin, err);
    *found = json_object_array_length(value) > 0;
    for (size_t i = 0; rc == ASSAY_OK && i < json_object_array_length(value); i++)
        rc = add_value(s, path, member, json_object_array_get_idx(value, i), origin, err);
    return rc;
}

static assay_status add_document(stop_set *s, const char *path, unsigned origin, assay_error *err)
{
    json_object *document = NULL, *text = NULL;
    bool found = false;
    assay_status rc = json_read(path, &document, err);
    if (rc != ASSAY_OK) return rc;
    if (!json_object_is_type(document, json_type_object))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: expected an object", path);
    else rc = add_member(s, path, "", document, origin, &found, err);
    if (rc == ASSAY_OK && !found && json_object_object_get_ex(document, "text_config", &text) &&
        json_object_is_type(text, json_type_object))
        rc = add_member(s, path, "text_config.", text, origin, &found, err);
    json_object_put(document);
    return rc;
}

assay_status stop_set_read(const char *dir, stop_set **out, assay_error *err)
{
    static const struct {
        const char *file;
        stop_origin origin;
        bool required;
    } DOCUMENTS[] = {{"config.json", STOP_CONFIG, true},
                     {"generation_config.json", STOP_GENERATION_CONFIG, false}};
    stop_set *s = calloc(1, sizeof *s);
    if (!s) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = ASSAY_OK;
    for (size_t i = 0; rc == ASSAY_OK && i < sizeof DOCUMENTS / sizeof *DOCUMENTS; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", dir, DOCUMENTS[i].file) < 0)
            rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
        else if (DOCUMENTS[i].required || access(path, F_OK) == 0)
            rc = add_document(s, path, DOCUMENTS[i].origin, err);
        free(path);
    }
    if (rc == ASSAY_OK) *out = s;
    else stop_set_free(s);
    return rc;
}

void stop_set_free(stop_set *s)
{
    if (!s) return;
    free(s->id);
    free(s->origin);
    free(s);
}

const int32_t *stop_set_ids(const stop_set *s, size_t *n)
{
    *n = s->n;
    return s->id;
}

unsigned stop_set_origin(const stop_set *s, size_t index)
{
    return s->origin[index];
}
