/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/chat/files.h"

#include "base/error.h"
#include "gguf/document.h"

bool serve_chat_has_file(const char *dir, const char *name)
{
    return gguf_document_exists(dir, name);
}

assay_status serve_chat_read_object(const char *dir, const char *name, json_object **out, assay_error *err)
{
    gguf_document d;
    json_object *root = NULL;
    assay_status rc = gguf_document_read(dir, name, JSON_SIZE_MAX, &d, err);
    if (rc == ASSAY_OK && d.text) rc = json_parse(d.label, d.text, d.n, &root, err);
    if (rc == ASSAY_OK && d.text && !json_object_is_type(root, json_type_object))
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: expected a JSON object", d.label);
    gguf_document_free(&d);
    if (rc == ASSAY_OK) *out = root;
    else (void)json_object_put(root);
    return rc;
}

assay_status serve_chat_read_text(const char *dir, const char *name, char **out, size_t *n, assay_error *err)
{
    gguf_document d;
    const assay_status rc = gguf_document_read(dir, name, SERVE_CHAT_TEMPLATE_MAX, &d, err);
    if (rc == ASSAY_OK) {
        *out = d.text;
        *n = d.n;
        d.text = NULL;
    }
    gguf_document_free(&d);
    return rc;
}

json_object *serve_chat_member(json_object *object, const char *name)
{
    json_object *found = NULL;
    if (json_object_is_type(object, json_type_object)) (void)json_object_object_get_ex(object, name, &found);
    return found;
}
