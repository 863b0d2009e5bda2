/* SPDX-License-Identifier: Apache-2.0 */
#include "image/config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "image/processors.h"

#define NOTE_MAX 200 /* bytes of a note; longer names are cut */

const json_limits image_config_limits = {.bytes = (size_t)1 << 20, .values = (size_t)1 << 14};

/* The file that is read, and where its members go. */
typedef struct reading {
    const char *path;
    json_object *root;
    const image_processor *processor;
    image_config config;
    assay_error *err;
} reading;

/* Fails with what was found and what was expected of a member; in: "size." or "". */
static assay_status refuse(const reading *r, assay_status status, const char *in, const char *name,
                           json_object *found, const char *expected)
{
    const char *text =
        found ? json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN) : "no such member";
    return assay_fail(r->err, status, "%s: member %s%.80s: found %.80s, expected %s", r->path, in, name,
                      text ? text : "?", expected);
}

static assay_status note(reading *r, const char *in, const char *name, json_object *found)
{
    char text[NOTE_MAX];
    const char *value = json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN);
    (void)snprintf(text, sizeof text, "member %s%.60s (%.60s) is not read by %s", in, name,
                   value ? value : "?", r->config.type);
    char **notes = grow_by_one(r->config.notes, r->config.n_notes, sizeof *notes);
    if (notes) r->config.notes = notes;
    if (!notes || !(notes[r->config.n_notes] = strdup(text)))
        return assay_fail(r->err, ASSAY_ENOMEM, "%s: out of memory", r->path);
    r->config.n_notes++;
    return ASSAY_OK;
}

/* An integer from `least` to `most`. */
static assay_status read_whole(const reading *r, const char *in, const char *name, json_object *found,
                               int64_t least, int64_t most, int64_t *out)
{
    char expected[96];
    (void)snprintf(expected, sizeof expected, "a whole number from %" PRId64 " to %" PRId64, least, most);
    if (!json_object_is_type(found, json_type_int))
        return refuse(r, ASSAY_EFORMAT, in, name, found, expected);
    const int64_t value = json_object_get_int64(found);
    if (value < least || value > most) return refuse(r, ASSAY_EUNSUPPORTED, in, name, found, expected);
    *out = value;
    return ASSAY_OK;
}

static assay_status read_choice(const reading *r, const image_member *m, json_object *found, int64_t *out)
{
    char expected[96];
    size_t used = (size_t)snprintf(expected, sizeof expected, "one of");
    const int64_t value = json_object_is_type(found, json_type_int) ? json_object_get_int64(found) : 0;
    for (const int64_t *choice = m->choices; *choice; choice++) {
        if (value == *choice) {
            *out = value;
            return ASSAY_OK;
        }
        if (used < sizeof expected)
            used += (size_t)snprintf(expected + used, sizeof expected - used, " %" PRId64, *choice);
    }
    return refuse(r, ASSAY_EUNSUPPORTED, "", m->name, found, expected);
}

static bool is_number(json_object *value)
{
    return json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double);
}

static assay_status read_triple(const reading *r, const char *name, json_object *found, double out[3])
{
    const bool list = json_object_is_type(found, json_type_array);
    bool valid = list ? json_object_array_length(found) == 3 : is_number(found);
    for (size_t i = 0; list && valid && i < 3; i++) valid = is_number(json_object_array_get_idx(found, i));
    if (!valid) return refuse(r, ASSAY_EFORMAT, "", name, found, "a number or a list of 3 numbers");
    for (size_t i = 0; i < 3; i++)
        out[i] = json_object_get_double(list ? json_object_array_get_idx(found, i) : found);
    return ASSAY_OK;
}

static assay_status read_member(reading *r, const image_member *m, json_object *found)
{
    char *at = (char *)&r->config + m->offset;
    const bool is_bool = json_object_is_type(found, json_type_boolean);
    switch (m->type) {
    case IMAGE_MEMBER_WHOLE:
        return read_whole(r, "", m->name, found, m->least, m->most, (int64_t *)(void *)at);
    case IMAGE_MEMBER_CHOICE: return read_choice(r, m, found, (int64_t *)(void *)at);
    case IMAGE_MEMBER_TRIPLE: return read_triple(r, m->name, found, (double *)(void *)at);
    case IMAGE_MEMBER_NUMBER:
        if (!is_number(found)) return refuse(r, ASSAY_EFORMAT, "", m->name, found, "a number");
        *(double *)(void *)at = json_object_get_double(found);
        return ASSAY_OK;
    case IMAGE_MEMBER_SWITCH:
        if (!is_bool) return refuse(r, ASSAY_EFORMAT, "", m->name, found, "true or false");
        *(bool *)(void *)at = json_object_get_boolean(found);
        return ASSAY_OK;
    case IMAGE_MEMBER_OFF:
        if (is_bool && !json_object_get_boolean(found)) return ASSAY_OK;
        return refuse(r, ASSAY_EUNSUPPORTED, "", m->name, found, "false or null: it is not implemented");
    case IMAGE_MEMBER_ON:
        if (is_bool && json_object_get_boolean(found)) return ASSAY_OK;
        if (!found)
            return assay_fail(r->err, ASSAY_EUNSUPPORTED, "%s: member %s: found null, expected true", r->path,
                              m->name);
        return refuse(r, ASSAY_EUNSUPPORTED, "", m->name, found, "true");
    case IMAGE_MEMBER_IGNORED: break;
    }
    return ASSAY_OK;
}

/* A member that is null. */
static void read_null(reading *r, const image_member *m)
{
    char *at = (char *)&r->config + m->offset;
    if (m->type == IMAGE_MEMBER_SWITCH) *(bool *)(void *)at = false;
    if (m->type == IMAGE_MEMBER_CHOICE && m->least != 0) *(int64_t *)(void *)at = m->least;
}

/* The value of a member of an object; NULL if it is missing or null. */
static json_object *find(json_object *object, const char *name)
{
    json_object *value = NULL;
    return json_object_object_get_ex(object, name, &value) ? value : NULL;
}

/* A pixel limit: the member of the file if the processor reads it, else that of `size`, else, if there is no
 * `size`, the default that *out holds. */
static assay_status read_limit(reading *r, const char *name, json_object *size, const char *name_in_size,
                               int64_t *out)
{
    json_object *own = r->processor->reads_pixel_limits ? find(r->root, name) : NULL;
    if (own) return read_whole(r, "", name, own, 1, IMAGE_PIXELS_MAX, out);
    if (!size) return ASSAY_OK;
    return read_whole(r, "size.", name_in_size, find(size, name_in_size), 1, IMAGE_PIXELS_MAX, out);
}

/* Members of `size` besides its two limits. Configs of earlier versions repeat min_pixels and max_pixels
 * there; they have no effect beside the members of the file. */
static assay_status check_size_members(reading *r, json_object *size)
{
    json_object_object_foreach(size, name, value)
    {
        if (!value || strcmp(name, "shortest_edge") == 0 || strcmp(name, "longest_edge") == 0) continue;
        const bool repeats = strcmp(name, "min_pixels") == 0 || strcmp(name, "max_pixels") == 0;
        if (!repeats || !r->processor->reads_pixel_limits || !find(r->root, name))
            return refuse(r, ASSAY_EUNSUPPORTED, "size.", name, value, "shortest_edge and longest_edge only");
    }
    return ASSAY_OK;
}

/* The side of a tile: size.height and size.width, which must be equal. */
static assay_status read_tile_size(reading *r, json_object *size)
{
    int64_t height, width;
    if (!size) return ASSAY_OK;
    if (!json_object_is_type(size, json_type_object))
        return refuse(r, ASSAY_EFORMAT, "", "size", size, "an object with height and width");
    json_object_object_foreach(size, name, value)
    {
        if (value && strcmp(name, "height") != 0 && strcmp(name, "width") != 0)
            return refuse(r, ASSAY_EUNSUPPORTED, "size.", name, value, "height and width only");
    }
    assay_status rc = read_whole(r, "size.", "height", find(size, "height"), 1, IMAGE_TILE_MAX, &height);
    if (rc == ASSAY_OK) rc = read_whole(r, "size.", "width", find(size, "width"), 1, IMAGE_TILE_MAX, &width);
    if (rc == ASSAY_OK && width != height)
        return refuse(r, ASSAY_EUNSUPPORTED, "size.", "width", find(size, "width"),
                      "the same as size.height");
    if (rc == ASSAY_OK) r->config.tile_size = height;
    return rc;
}

enum { SIDE_MAX = 1 << 15 }; /* of a fixed size */

/* `size` of an image that gets a fixed size: an object with height and width. */
static assay_status read_fixed_size(reading *r, json_object *size)
{
    if (!size) return ASSAY_OK;
    if (!json_object_is_type(size, json_type_object))
        return refuse(r, ASSAY_EUNSUPPORTED, "", "size", size, "an object with height and width");
    json_object_object_foreach(size, name, value)
    {
        if (value && strcmp(name, "height") != 0 && strcmp(name, "width") != 0)
            return refuse(r, ASSAY_EUNSUPPORTED, "size.", name, value, "height and width only");
    }
    const assay_status rc =
        read_whole(r, "size.", "height", find(size, "height"), 1, SIDE_MAX, &r->config.size_height);
    if (rc != ASSAY_OK) return rc;
    return read_whole(r, "size.", "width", find(size, "width"), 1, SIDE_MAX, &r->config.size_width);
}

static assay_status read_pixel_limits(reading *r)
{
    json_object *size = find(r->root, "size");
    if (r->config.rule == IMAGE_RULE_TILES) return read_tile_size(r, size);
    if (r->config.rule == IMAGE_RULE_FIXED) return read_fixed_size(r, size);
    if (r->config.rule == IMAGE_RULE_BUDGET) return size ? note(r, "", "size", size) : ASSAY_OK;
    if (size && !json_object_is_type(size, json_type_object))
        return refuse(r, ASSAY_EFORMAT, "", "size", size, "an object with shortest_edge and longest_edge");
    assay_status rc = size ? check_size_members(r, size) : ASSAY_OK;
    if (rc == ASSAY_OK) rc = read_limit(r, "min_pixels", size, "shortest_edge", &r->config.min_pixels);
    if (rc == ASSAY_OK) rc = read_limit(r, "max_pixels", size, "longest_edge", &r->config.max_pixels);
    return rc;
}

/* Members that read_pixel_limits reads. */
static bool is_pixel_limit(const reading *r, const char *name)
{
    if (strcmp(name, "size") == 0) return true;
    return r->processor->reads_pixel_limits &&
           (strcmp(name, "min_pixels") == 0 || strcmp(name, "max_pixels") == 0);
}

static assay_status read_members(reading *r)
{
    assay_status rc = read_pixel_limits(r);
    json_object_object_foreach(r->root, name, value)
    {
        if (rc != ASSAY_OK) return rc;
        const image_member *m = image_member_find(r->processor, name);
        if (is_pixel_limit(r, name) || (!m && !value)) continue;
        if (!m) rc = note(r, "", name, value);
        else if (value || m->type == IMAGE_MEMBER_ON) rc = read_member(r, m, value);
        else read_null(r, m);
    }
    for (size_t i = 0; rc == ASSAY_OK && r->config.do_normalize && i < 3; i++)
        if (r->config.image_std[i] == 0)
            rc = refuse(r, ASSAY_EUNSUPPORTED, "", "image_std", find(r->root, "image_std"), "no zero");
    return rc;
}

static assay_status find_processor(reading *r, bool is_video)
{
    const char *name = is_video ? "video_processor_type" : "image_processor_type";
    json_object *value = find(r->root, name);
    const char *type = value ? json_text(value) : NULL;
    r->processor = type ? image_processor_find(type, is_video) : NULL;
    if (!r->processor)
        return refuse(r, ASSAY_EUNSUPPORTED, "", name, value,
                      is_video ? "a supported video processor, such as \"Qwen2VLVideoProcessor\""
                               : "a supported image processor, such as \"Qwen2VLImageProcessor\"");
    r->config = r->processor->defaults;
    r->config.type = r->processor->names[0];
    return ASSAY_OK;
}

assay_status image_config_read(const char *path, json_object *root, bool is_video, image_config *out,
                               assay_error *err)
{
    reading r = {.path = path, .root = root, .err = err};
    assay_status rc = ASSAY_OK;
    if (json_object_is_type(r.root, json_type_object)) rc = find_processor(&r, is_video);
    else rc = assay_fail(err, ASSAY_EFORMAT, "%s: expected a JSON object", path);
    if (rc == ASSAY_OK) rc = read_members(&r);
    if (rc == ASSAY_OK) *out = r.config;
    else image_config_free(&r.config);
    return rc;
}

assay_status image_config_parse(const char *path, const char *text, size_t n, bool is_video,
                                image_config *out, assay_error *err)
{
    json_object *root = NULL;
    assay_status rc = json_parse_within(path, text, n, &image_config_limits, &root, err);
    if (rc != ASSAY_OK) return rc;
    rc = image_config_read(path, root, is_video, out, err);
    (void)json_object_put(root);
    return rc;
}

void image_config_free(image_config *config)
{
    for (size_t i = 0; i < config->n_notes; i++) free(config->notes[i]);
    free(config->notes);
    config->notes = NULL;
    config->n_notes = 0;
}
