/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "conformance/support/directories.h"
#include "conformance/support/json_add.h"
#include "conformance/support/json_at.h"

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

static assay_status write_document(const char *path, json_object *document, bool complete, assay_error *err)
{
    const char *text = complete ? json_object_to_json_string_ext(document, JSON_C_TO_STRING_PLAIN) : NULL;
    assay_status rc = text ? write_bytes(path, text, strlen(text), err)
                           : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    json_object_put(document);
    return rc;
}

bool probe_store_is(const char *dir)
{
    char *path = path_of(dir, "probe", ".json");
    const bool is = path && access(path, F_OK) == 0;
    free(path);
    return is;
}

assay_status probe_store_create(const char *dir, const char *url, uint32_t number, assay_error *err)
{
    char *path = path_of(dir, "probe", ".json");
    if (!path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = conf_directories_make(path, err);
    if (rc == ASSAY_OK && access(path, F_OK) == 0)
        rc = assay_fail(err, ASSAY_EIO, "%s: it exists already: expected a new directory", path);
    json_object *document = json_object_new_object();
    const bool ok = document && conf_json_add_text(document, "schema", PROBE_STORE_SCHEMA) &&
                    conf_json_add_text(document, "url", url) &&
                    conf_json_add_count(document, "number", number);
    if (rc == ASSAY_OK) rc = write_document(path, document, ok, err);
    else json_object_put(document);
    free(path);
    return rc;
}

assay_status probe_store_open(const char *dir, char **url, uint32_t *number, assay_error *err)
{
    const char *schema, *found;
    json_object *document = NULL;
    char *path = path_of(dir, "probe", ".json");
    if (!path) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    assay_status rc = json_read(path, &document, err);
    const conf_json_at at = {.name = path, .value = document};
    conf_json_at member;
    if (rc == ASSAY_OK) rc = conf_json_expect(&at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&at, "schema", &schema, err);
    if (rc == ASSAY_OK && strcmp(schema, PROBE_STORE_SCHEMA) != 0)
        rc = assay_fail(err, ASSAY_EFORMAT, "%s: schema: found %s, expected " PROBE_STORE_SCHEMA, path,
                        schema);
    if (rc == ASSAY_OK) rc = conf_json_member_text(&at, "url", &found, err);
    int64_t stored = 0;
    if (rc == ASSAY_OK && conf_json_find(&at, "number", &member))
        rc = conf_json_whole(&member, 0, UINT32_MAX, &stored, err);
    *number = (uint32_t)stored;
    char *copy = rc == ASSAY_OK ? strdup(found) : NULL;
    if (rc == ASSAY_OK && !copy) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    if (rc == ASSAY_OK) *url = copy;
    json_object_put(document);
    free(path);
    return rc;
}

static bool add_arrivals(json_object *document, const probe_exchange *x)
{
    json_object *list = json_object_new_array();
    bool ok = conf_json_add(document, "arrivals", list);
    for (size_t i = 0; ok && i < x->n_arrivals; i++) {
        json_object *pair = json_object_new_array();
        ok = pair && conf_json_append(list, pair) &&
             conf_json_append(pair, json_object_new_int64((int64_t)x->arrivals[i].n_bytes)) &&
             conf_json_append(pair, json_object_new_double(x->arrivals[i].seconds));
    }
    return ok;
}

static bool describe(json_object *d, const probe_exchange *x)
{
    return d && conf_json_add_text(d, "label", x->label) && conf_json_add_text(d, "path", x->path) &&
           conf_json_add(d, "get", json_object_new_boolean(x->get)) &&
           conf_json_add_real(d, "delay", x->delay) &&
           conf_json_add_count(d, "leave_after", x->leave_after) &&
           conf_json_add_text(d, "end", probe_end_name(x->end)) &&
           conf_json_add_count(d, "status", (size_t)x->status) &&
           conf_json_add_text(d, "content_type", x->content_type) && conf_json_add_text(d, "why", x->why) &&
           conf_json_add_real(d, "began", x->began) && conf_json_add_real(d, "sent", x->sent) &&
           conf_json_add_real(d, "first", x->first) && conf_json_add_real(d, "last", x->last) &&
           add_arrivals(d, x);
}

assay_status probe_store_write(const char *dir, const probe_exchange *x, assay_error *err)
{
    char *request = path_of(dir, x->label, ".request"), *response = path_of(dir, x->label, ".response");
    char *head = path_of(dir, x->label, ".json");
    json_object *document = json_object_new_object();
    assay_status rc = request && response && head ? conf_directories_make(head, err)
                                                  : assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    if (rc == ASSAY_OK) rc = write_bytes(request, x->request.data, x->request.n, err);
    if (rc == ASSAY_OK) rc = write_bytes(response, x->body.data, x->body.n, err);
    if (rc == ASSAY_OK) rc = write_document(head, document, describe(document, x), err);
    else json_object_put(document);
    free(request);
    free(response);
    free(head);
    return rc;
}

/* A finite number of a member that may be missing. */
static assay_status read_real(const conf_json_at *object, const char *name, double *out, assay_error *err)
{
    conf_json_at at;
    if (!conf_json_find(object, name, &at)) return ASSAY_OK;
    if (!json_object_is_type(at.value, json_type_double) && !json_object_is_type(at.value, json_type_int))
        return conf_json_fail(&at, err, "found %s, expected a number",
                              json_type_to_name(json_object_get_type(at.value)));
    *out = json_object_get_double(at.value);
    return ASSAY_OK;
}

static assay_status read_arrivals(const conf_json_at *head, probe_exchange *x, assay_error *err)
{
    conf_json_at list;
    assay_status rc = conf_json_member(head, "arrivals", json_type_array, &list, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = json_object_array_length(list.value);
    if (n > PROBE_ARRIVALS_MAX)
        return conf_json_fail(&list, err, "found %zu elements, expected at most %zu", n, PROBE_ARRIVALS_MAX);
    x->arrivals = calloc(n ? n : 1, sizeof *x->arrivals);
    if (!x->arrivals) return assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const conf_json_at pair = conf_json_element(&list, i);
        if (!json_object_is_type(pair.value, json_type_array) || json_object_array_length(pair.value) != 2)
            return conf_json_fail(&pair, err, "expected a number of bytes and seconds");
        const int64_t bytes = json_object_get_int64(json_object_array_get_idx(pair.value, 0));
        if (bytes < 0) return conf_json_fail(&pair, err, "found %lld bytes", (long long)bytes);
        x->arrivals[i].n_bytes = (size_t)bytes;
        x->arrivals[i].seconds = json_object_get_double(json_object_array_get_idx(pair.value, 1));
    }
    x->n_arrivals = n;
    return ASSAY_OK;
}

static assay_status read_head(const conf_json_at *head, probe_exchange *x, assay_error *err)
{
    const char *end = NULL, *type = NULL, *why = NULL;
    int64_t status = 0;
    assay_status rc = conf_json_expect(head, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(head, "end", &end, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(head, "content_type", &type, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(head, "why", &why, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(head, "status", 0, 999, &status, err);
    if (rc == ASSAY_OK) rc = read_real(head, "began", &x->began, err);
    if (rc == ASSAY_OK) rc = read_real(head, "sent", &x->sent, err);
    if (rc == ASSAY_OK) rc = read_real(head, "first", &x->first, err);
    if (rc == ASSAY_OK) rc = read_real(head, "last", &x->last, err);
    if (rc == ASSAY_OK) rc = read_arrivals(head, x, err);
    if (rc != ASSAY_OK) return rc;
    if (probe_end_find(end) == PROBE_N_ENDS) return conf_json_fail(head, err, "end: found %s", end);
    probe_exchange_end(x, probe_end_find(end), "%s", why);
    x->status = (int)status;
    (void)snprintf(x->content_type, sizeof x->content_type, "%s", type);
    return ASSAY_OK;
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

/* Reads the stored request into *same: whether it is that of the exchange. */
static assay_status compare_request(const char *path, const probe_exchange *x, bool *same, assay_error *err)
{
    buffer stored = {0};
    assay_status rc = read_body(path, &stored, err);
    *same = rc == ASSAY_OK && stored.n == x->request.n &&
            (stored.n == 0 || memcmp(stored.data, x->request.data, stored.n) == 0);
    buffer_free(&stored);
    return rc;
}

static assay_status read_stored(const char *request, const char *response, const char *head,
                                probe_exchange *x, assay_error *err)
{
    json_object *document = NULL;
    bool same = false;
    assay_status rc = compare_request(request, x, &same, err);
    if (rc != ASSAY_OK) return rc;
    if (!same) {
        probe_exchange_end(x, PROBE_NOT_SAVED, "the saved run sent another request");
        return ASSAY_OK;
    }
    rc = json_read(head, &document, err);
    const conf_json_at at = {.name = head, .value = document};
    if (rc == ASSAY_OK) rc = read_head(&at, x, err);
    if (rc == ASSAY_OK) rc = read_body(response, &x->body, err);
    json_object_put(document);
    return rc;
}

assay_status probe_store_read(const char *dir, probe_exchange *x, assay_error *err)
{
    char *request = path_of(dir, x->label, ".request"), *response = path_of(dir, x->label, ".response");
    char *head = path_of(dir, x->label, ".json");
    assay_status rc = ASSAY_OK;
    if (!request || !response || !head) rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", dir);
    else if (access(head, F_OK) != 0)
        probe_exchange_end(x, PROBE_NOT_SAVED, "the saved run has no exchange of this label");
    else rc = read_stored(request, response, head, x, err);
    free(request);
    free(response);
    free(head);
    return rc;
}
