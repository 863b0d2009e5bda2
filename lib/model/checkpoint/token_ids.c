/* SPDX-License-Identifier: Apache-2.0 */
#include "model/checkpoint/token_ids.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/text.h"

#define PLACE_MAX 160

static const char *text_of(json_object *value)
{
    return json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

static assay_status fail_large(const char *path, const char *member, json_object *value, assay_error *err)
{
    return assay_fail(err, ASSAY_EFORMAT,
                      "%s: %s: found %.80s, larger than %" PRId32 ", the largest token id", path, member,
                      text_of(value), INT32_MAX);
}

assay_status token_id_read(const char *path, const char *member, json_object *value, int32_t *out,
                           assay_error *err)
{
    const bool is_integer = json_object_is_type(value, json_type_int);
    const int64_t id = is_integer ? json_object_get_int64(value) : -1;
    if (id > INT32_MAX) return fail_large(path, member, value, err);
    if (id < 0)
        return assay_fail(err, ASSAY_EFORMAT,
                          "%s: %s: found %.80s, expected a token id, a list of them or null", path, member,
                          text_of(value));
    *out = (int32_t)id;
    return ASSAY_OK;
}

assay_status token_ids_count(const char *path, const char *member, size_t n, assay_error *err)
{
    if (n <= TOKEN_IDS_MAX) return ASSAY_OK;
    return assay_fail(err, ASSAY_EUNSUPPORTED, "%s: %s: found a list of %zu ids, expected at most %d", path,
                      member, n, TOKEN_IDS_MAX);
}

static assay_status check_list(const char *path, const char *member, json_object *value, assay_error *err)
{
    int32_t id;
    assay_status rc;
    if (!json_object_is_type(value, json_type_array)) return token_id_read(path, member, value, &id, err);
    const size_t n = json_object_array_length(value);
    rc = token_ids_count(path, member, n, err);
    for (size_t i = 0; rc == ASSAY_OK && i < n; i++)
        rc = token_id_read(path, member, json_object_array_get_idx(value, i), &id, err);
    return rc;
}

static assay_status check_single(const char *path, const char *member, json_object *value, assay_error *err)
{
    const bool is_integer = json_object_is_type(value, json_type_int);
    const int64_t id = is_integer ? json_object_get_int64(value) : -2;
    if (id > INT32_MAX) return fail_large(path, member, value, err);
    if (id >= -1) return ASSAY_OK;
    return assay_fail(err, ASSAY_EFORMAT, "%s: %s: found %.80s, expected a token id, -1 or null", path,
                      member, text_of(value));
}

static assay_status check_member(const char *path, const char *place, const char *name, json_object *value,
                                 assay_error *err)
{
    static const char *const LISTS[] = {"eos_token_id", "forced_eos_token_id", "decoder_start_token_id"};
    if (!value || !string_ends_with(name, "_token_id")) return ASSAY_OK;
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
        if (strcmp(name, LISTS[i]) == 0) return check_list(path, place, value, err);
    return check_single(path, place, value, err);
}

/* Documents have at most JSON_DEPTH_MAX levels. prefix: the place of the object, "" or with a dot at its end.
 */
static assay_status check_object(const char *path, const char *prefix, json_object *object, assay_error *err)
{
    assay_status rc = ASSAY_OK;
    struct json_object_iterator at = json_object_iter_begin(object), end = json_object_iter_end(object);
    for (; rc == ASSAY_OK && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        char place[PLACE_MAX];
        const char *name = json_object_iter_peek_name(&at);
        json_object *value = json_object_iter_peek_value(&at);
        const bool is_object = json_object_is_type(value, json_type_object);
        (void)snprintf(place, sizeof place, "%s%.*s%s", prefix, json_scan_clip(name, strlen(name), 64), name,
                       is_object && !string_ends_with(name, "_token_id") ? "." : "");
        rc = check_member(path, place, name, value, err);
        if (rc == ASSAY_OK && is_object) rc = check_object(path, place, value, err);
    }
    return rc;
}

assay_status token_ids_check(const char *path, json_object *document, assay_error *err)
{
    return check_object(path, "", document, err);
}
