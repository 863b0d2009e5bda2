/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* The path of a file, which the caller frees; NULL if out of memory. */
static char *path_of(const char *dir, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

bool serve_chat_has_file(const char *dir, const char *name)
{
    char *path = path_of(dir, name);
    const bool exists = path && access(path, F_OK) == 0;
    free(path);
    return exists;
}

assay_status serve_chat_read_object(const char *dir, const char *name, json_object **out, assay_error *err)
{
    json_object *root = NULL;
    char *path = path_of(dir, name);
    if (!path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    const bool exists = access(path, F_OK) == 0;
    assay_status rc = exists ? json_read(path, &root, err) : ASSAY_OK;
    if (rc == ASSAY_OK && exists && !json_object_is_type(root, json_type_object))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: expected a JSON object", path);
    free(path);
    if (rc == ASSAY_OK) *out = root;
    else (void)json_object_put(root);
    return rc;
}

assay_status serve_chat_read_text(const char *dir, const char *name, char **out, size_t *n, assay_error *err)
{
    char *path = path_of(dir, name), *text = NULL;
    if (!path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = ASSAY_OK;
    if (access(path, F_OK) == 0) rc = file_read(path, SERVE_CHAT_TEMPLATE_MAX, &text, n, err);
    free(path);
    if (rc == ASSAY_OK) *out = text;
    return rc;
}

json_object *serve_chat_member(json_object *object, const char *name)
{
    json_object *found = NULL;
    if (json_object_is_type(object, json_type_object)) (void)json_object_object_get_ex(object, name, &found);
    return found;
}
