/* SPDX-License-Identifier: Apache-2.0 */
#include "audio/config_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"

/* Reads a file of the checkpoint; *root is NULL, with ASSAY_OK, if it does not exist. *path: the caller frees
 * it, also after a failure. */
static assay_status read_file(const char *dir, const char *file, char **path, json_object **root,
                              assay_error *err)
{
    *root = NULL;
    if (asprintf(path, "%s/%s", dir, file) < 0) {
        *path = NULL;
        return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    return access(*path, F_OK) == 0 ? json_read_within(*path, &audio_config_limits, root, err) : ASSAY_OK;
}

/* Reads the member of processor_config.json; *found is false, with ASSAY_OK, without one. */
static assay_status read_nested(const char *dir, audio_config *out, bool *found, assay_error *err)
{
    static const char *const MEMBERS[] = {"feature_extractor", "audio_processor"};
    char *path = NULL, *name = NULL;
    json_object *root = NULL, *config = NULL;
    size_t i = 0;
    assay_status rc = read_file(dir, "processor_config.json", &path, &root, err);
    *found = false;
    if (rc == ASSAY_OK && json_object_is_type(root, json_type_object))
        while (i < 2 && !json_object_object_get_ex(root, MEMBERS[i], &config)) i++;
    if (rc == ASSAY_OK && config) {
        *found = true;
        if (asprintf(&name, "%s: %s", path, MEMBERS[i]) < 0) name = NULL;
        rc = name ? audio_config_read(name, config, out, err)
                  : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    }
    (void)json_object_put(root);
    free(name);
    free(path);
    return rc;
}

assay_status audio_config_open(const char *dir, audio_config *out, assay_error *err)
{
    bool found = false;
    char *path = NULL;
    json_object *root = NULL;
    assay_status rc = read_nested(dir, out, &found, err);
    if (rc != ASSAY_OK || found) return rc;
    rc = read_file(dir, "preprocessor_config.json", &path, &root, err);
    if (rc == ASSAY_OK && root) rc = audio_config_read(path, root, out, err);
    else if (rc == ASSAY_OK)
        rc = assay_fail(err, ASSAY_EIO,
                        "%s: found no preprocessor_config.json, and no processor_config.json with a member "
                        "feature_extractor, expected one of them",
                        dir);
    (void)json_object_put(root);
    free(path);
    return rc;
}
