/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "conformance/probe/wire/record.h"
#include "conformance/support/directories.h"

static char *path_of(const char *dir, const char *label, const char *suffix)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s%s", dir, label, suffix) < 0 ? NULL : path;
}

static assay_status write_bytes(const char *path, const char *bytes, size_t n, assay_error *err)
{
    FILE *out = fopen(path, "wb");
    if (!out) return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
    const bool written = n == 0 || fwrite(bytes, 1, n, out) == n;
    if (fclose(out) == 0 && written) return ASSAY_OK;
    return assay_fail(err, ASSAY_EIO, "%s: %s", path, strerror(errno));
}

/* document: NULL if there was no memory for it. */
static assay_status write_document(const char *path, json_object *document, assay_error *err)
{
    const char *text = document ? json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN) : NULL;
    assay_status rc = text ? write_bytes(path, text, strlen(text), err)
                           : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    json_object_put(document);
    return rc;
}

bool probe_directory_is(const char *dir)
{
    char *path = path_of(dir, "probe", ".json");
    const bool is = path && access(path, F_OK) == 0;
    free(path);
    return is;
}

assay_status probe_directory_create(const char *dir, const char *url, uint32_t number, assay_error *err)
{
    char *path = path_of(dir, "probe", ".json");
    if (!path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = conf_directories_make(path, err);
    if (rc == ASSAY_OK && access(path, F_OK) == 0)
        rc = assay_fail(err, ASSAY_EIO, "%s: it exists already: expected a new directory", path);
    if (rc == ASSAY_OK) rc = write_document(path, probe_record_run(url, number), err);
    free(path);
    return rc;
}

assay_status probe_directory_open(const char *dir, char **url, uint32_t *number, assay_error *err)
{
    json_object *document = NULL;
    char *path = path_of(dir, "probe", ".json");
    if (!path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = json_read(path, &document, err);
    const conf_json_at at = {.name = path, .value = document};
    if (rc == ASSAY_OK) rc = probe_record_read_run(&at, url, number, err);
    json_object_put(document);
    free(path);
    return rc;
}

assay_status probe_directory_write(const char *dir, const probe_exchange *x, assay_error *err)
{
    char *request = path_of(dir, x->label, ".request"), *response = path_of(dir, x->label, ".response");
    char *head = path_of(dir, x->label, ".json");
    assay_status rc = request && response && head ? conf_directories_make(head, err)
                                                  : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    if (rc == ASSAY_OK) rc = write_bytes(request, x->request.data, x->request.n, err);
    if (rc == ASSAY_OK) rc = write_bytes(response, x->body.data, x->body.n, err);
    if (rc == ASSAY_OK) rc = write_document(head, probe_record_exchange(x), err);
    free(request);
    free(response);
    free(head);
    return rc;
}

static assay_status read_body(const char *path, buffer *out, assay_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    assay_status rc = file_read(path, PROBE_BODY_MAX, &bytes, &n, err);
    if (rc == ASSAY_OK && !buffer_append(out, bytes, n)) rc = assay_fail(err, ASSAY_ENOMEM, "out of memory");
    free(bytes);
    return rc;
}

static assay_status read_stored(const char *request, const char *response, const char *head,
                                probe_exchange *stored, assay_error *err)
{
    json_object *document = NULL;
    assay_status rc = json_read(head, &document, err);
    const conf_json_at at = {.name = head, .value = document};
    if (rc == ASSAY_OK) rc = probe_record_read_exchange(&at, false, stored, err);
    if (rc == ASSAY_OK) rc = read_body(request, &stored->request, err);
    if (rc == ASSAY_OK) rc = read_body(response, &stored->body, err);
    json_object_put(document);
    return rc;
}

assay_status probe_directory_read(const char *dir, probe_exchange *x, assay_error *err)
{
    char *request = path_of(dir, x->label, ".request"), *response = path_of(dir, x->label, ".response");
    char *head = path_of(dir, x->label, ".json");
    probe_exchange stored = {0};
    assay_status rc = ASSAY_OK;
    if (!request || !response || !head) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    else if (access(head, F_OK) != 0)
        probe_exchange_end(x, PROBE_NOT_SAVED, "the saved run has no exchange of this label");
    else if ((rc = read_stored(request, response, head, &stored, err)) == ASSAY_OK)
        probe_record_answer(x, &stored);
    probe_exchange_free(&stored);
    free(request);
    free(response);
    free(head);
    return rc;
}
