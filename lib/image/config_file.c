/* SPDX-License-Identifier: Apache-2.0 */
#include "image/config_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* A place of a config: a file, and the member of it that holds the config; NULL: the whole file. */
typedef struct place {
    const char *file, *member;
} place;

static const place image_places[] = {
    {"processor_config.json", "image_processor"}, {"preprocessor_config.json", NULL}, {NULL, NULL}};
static const place video_places[] = {{"processor_config.json", "video_processor"},
                                     {"video_preprocessor_config.json", NULL},
                                     {"preprocessor_config.json", NULL},
                                     {NULL, NULL}};

/* Reads the config of one place. *found is false, with ASSAY_OK, if the file or its member does not exist, or
 * the member is null. name: the place, for messages. */
static assay_status read_place(const char *name, const char *path, const place *p, bool is_video,
                               image_config *out, bool *found, assay_error *err)
{
    json_object *root = NULL, *config = NULL;
    *found = false;
    if (access(path, F_OK) != 0) return ASSAY_OK;
    assay_status rc = json_read_within(path, &image_config_limits, &root, err);
    if (rc != ASSAY_OK) return rc;
    if (!p->member) config = root;
    else if (!json_object_is_type(root, json_type_object))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: expected a JSON object", path);
    else (void)json_object_object_get_ex(root, p->member, &config);
    *found = rc == ASSAY_OK && (config || !p->member);
    if (*found) rc = image_config_read(name, config, is_video, out, err);
    (void)json_object_put(root);
    return rc;
}

/* The members of `from` that Moondream 3's processor reads, added to those of `settings`. False if out of
 * memory. */
static bool take_crops(json_object *settings, json_object *from)
{
    static const char *const NAMES[] = {"crop_size", "max_crops", "overlap_margin"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof NAMES / sizeof *NAMES; i++) {
        json_object *member = NULL;
        if (json_object_is_type(from, json_type_object) && json_object_object_get_ex(from, NAMES[i], &member))
            ok = json_object_object_add(settings, NAMES[i], json_object_get(member)) == 0;
    }
    return ok;
}

/* Moondream 3's processor is that of the model type, and reads vision_config of config.json, then
 * processor_config.json (mlx-vlm, models/moondream3/processing_moondream3.py). path: of config.json. */
static assay_status read_moondream(const char *dir, const char *path, json_object *root, image_config *out,
                                   assay_error *err)
{
    json_object *vision = NULL, *own = NULL, *settings = json_object_new_object();
    char *other = NULL;
    if (asprintf(&other, "%s/processor_config.json", dir) < 0) other = NULL;
    (void)json_object_object_get_ex(root, "vision_config", &vision);
    assay_status rc = other && access(other, F_OK) == 0 ? json_read(other, &own, err) : ASSAY_OK;
    const bool ok = other && settings && take_crops(settings, vision) && take_crops(settings, own) &&
                    json_object_object_add(settings, "image_processor_type",
                                           json_object_new_string("Moondream3Processor")) == 0;
    if (rc == ASSAY_OK)
        rc = ok ? image_config_read(path, settings, false, out, err)
                : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    (void)json_object_put(settings);
    (void)json_object_put(own);
    free(other);
    return rc;
}

/* Falcon-OCR's processor is that of the model type, and reads config.json (mlx-vlm,
 * models/falcon_ocr/processing_falcon_ocr.py). *found is false, with ASSAY_OK, for any other model. */
static assay_status read_model(const char *dir, image_config *out, bool *found, assay_error *err)
{
    json_object *root = NULL, *member = NULL, *settings = NULL;
    char *path = NULL;
    *found = false;
    if (asprintf(&path, "%s/config.json", dir) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = access(path, F_OK) == 0 ? json_read(path, &root, err) : ASSAY_OK;
    const bool is_object = rc == ASSAY_OK && json_object_is_type(root, json_type_object);
    const char *type =
        is_object && json_object_object_get_ex(root, "model_type", &member) ? json_text(member) : NULL;
    const bool is_moondream = type && strcmp(type, "moondream3") == 0;
    *found = is_moondream || (type && strcmp(type, "falcon_ocr") == 0);
    if (is_moondream) rc = read_moondream(dir, path, root, out, err);
    else if (*found) {
        settings = json_object_new_object();
        bool ok = settings && json_object_object_add(settings, "image_processor_type",
                                                     json_object_new_string("FalconOCRProcessor")) == 0;
        if (ok && json_object_object_get_ex(root, "spatial_patch_size", &member))
            ok = json_object_object_add(settings, "patch_size", json_object_get(member)) == 0;
        rc = ok ? image_config_read(path, settings, false, out, err)
                : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    (void)json_object_put(settings);
    (void)json_object_put(root);
    free(path);
    return rc;
}

/* image_seq_length of processor_config.json, which a processor of whole images reads beside its image
 * processor's config; without it, the published class's default. */
static assay_status read_seq_length(const char *dir, image_config *out, assay_error *err)
{
    char *path = NULL;
    json_object *root = NULL, *value = NULL;
    if (asprintf(&path, "%s/processor_config.json", dir) < 0)
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc =
        access(path, F_OK) == 0 ? json_read_within(path, &image_config_limits, &root, err) : ASSAY_OK;
    if (root && json_object_is_type(root, json_type_object))
        (void)json_object_object_get_ex(root, "image_seq_length", &value);
    const int64_t n = value && json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : 0;
    if (value && (n < 1 || n > IMAGE_TOKENS_MAX))
        rc =
            assay_fail(err, ASSAY_EFORMAT, "%s: member image_seq_length: found %.80s, expected 1 to %d", path,
                       json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), (int)IMAGE_TOKENS_MAX);
    else if (value) out->image_seq_length = n;
    (void)json_object_put(root);
    free(path);
    return rc;
}

static assay_status refuse_missing(const char *dir, bool is_video, assay_error *err)
{
    if (is_video)
        return assay_fail(err, ASSAY_EIO,
                          "%s: found no video_preprocessor_config.json, no preprocessor_config.json, and no "
                          "processor_config.json with a member video_processor, expected one of them",
                          dir);
    return assay_fail(err, ASSAY_EIO,
                      "%s: found no preprocessor_config.json, and no processor_config.json with a member "
                      "image_processor, expected one of them",
                      dir);
}

assay_status image_config_open(const char *dir, bool is_video, image_config *out, assay_error *err)
{
    if (!is_video) {
        bool is_model = false;
        const assay_status rc = read_model(dir, out, &is_model, err);
        if (rc != ASSAY_OK || is_model) return rc;
    }
    for (const place *p = is_video ? video_places : image_places; p->file; p++) {
        char *path = NULL, *name = NULL;
        bool found = false;
        assay_status rc = ASSAY_OK;
        if (asprintf(&path, "%s/%s", dir, p->file) < 0) path = NULL;
        if (path && asprintf(&name, "%s%s%s", path, p->member ? ": " : "", p->member ? p->member : "") < 0)
            name = NULL;
        if (!path || !name) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
        else rc = read_place(name, path, p, is_video, out, &found, err);
        free(name);
        free(path);
        if (rc == ASSAY_OK && found && out->rows == IMAGE_ROWS_WHOLE) {
            rc = read_seq_length(dir, out, err);
            if (rc != ASSAY_OK) image_config_free(out);
        }
        if (rc != ASSAY_OK || found) return rc;
    }
    return refuse_missing(dir, is_video, err);
}
