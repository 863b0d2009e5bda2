/* SPDX-License-Identifier: Apache-2.0 */
#include "image/config_file.h"

#include <stdio.h>
#include <stdlib.h>
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
        if (rc != ASSAY_OK || found) return rc;
    }
    return refuse_missing(dir, is_video, err);
}
