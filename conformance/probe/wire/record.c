/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/wire/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json_bytes.h"
#include "conformance/support/json_add.h"
#include "conformance/support/json_strict.h"

json_object *probe_record_run(const char *url, uint32_t number)
{
    json_object *d = json_object_new_object();
    if (conf_json_add_text(d, "schema", PROBE_STORE_SCHEMA) && conf_json_add_text(d, "url", url) &&
        conf_json_add_count(d, "number", number))
        return d;
    json_object_put(d);
    return NULL;
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

json_object *probe_record_exchange(const probe_exchange *x)
{
    json_object *d = json_object_new_object();
    if (conf_json_add_text(d, "label", x->label) && conf_json_add_text(d, "path", x->path) &&
        conf_json_add(d, "get", json_object_new_boolean(x->get)) &&
        conf_json_add_real(d, "delay", x->delay) && conf_json_add_count(d, "leave_after", x->leave_after) &&
        conf_json_add_text(d, "end", probe_end_name(x->end)) &&
        conf_json_add_count(d, "status", (size_t)x->status) &&
        conf_json_add_text(d, "content_type", x->content_type) && conf_json_add_text(d, "why", x->why) &&
        conf_json_add_real(d, "began", x->began) && conf_json_add_real(d, "sent", x->sent) &&
        conf_json_add_real(d, "first", x->first) && conf_json_add_real(d, "last", x->last) &&
        add_arrivals(d, x))
        return d;
    json_object_put(d);
    return NULL;
}

assay_status probe_record_read_run(const conf_json_at *at, char **url, uint32_t *number, assay_error *err)
{
    static const char *const known[] = {"schema", "url", "number", NULL};
    const char *schema, *found = NULL;
    int64_t stored = 0;
    conf_json_at member;
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(at, "schema", &schema, err);
    if (rc == ASSAY_OK && strcmp(schema, PROBE_STORE_SCHEMA) != 0)
        rc = conf_json_fail(at, err, "schema: found %s, expected " PROBE_STORE_SCHEMA, schema);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(at, "url", &found, err);
    if (rc == ASSAY_OK && conf_json_find(at, "number", &member))
        rc = conf_json_whole(&member, 0, UINT32_MAX, &stored, err);
    if (rc != ASSAY_OK) return rc;
    char *copy = strdup(found);
    if (!copy) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", at->name);
    *url = copy;
    *number = (uint32_t)stored;
    return ASSAY_OK;
}

/* A finite number. */
static assay_status read_real(const conf_json_at *object, const char *name, double *out, assay_error *err)
{
    conf_json_at at;
    const assay_status rc = conf_json_member(object, name, json_type_double, &at, err);
    if (rc == ASSAY_OK) *out = json_object_get_double(at.value);
    return rc;
}

static assay_status read_arrival(const conf_json_at *pair, probe_arrival *out, assay_error *err)
{
    int64_t bytes = 0;
    if (!json_object_is_type(pair->value, json_type_array) || json_object_array_length(pair->value) != 2)
        return conf_json_fail(pair, err, "found another value, expected a number of bytes and seconds");
    const conf_json_at n = conf_json_element(pair, 0), seconds = conf_json_element(pair, 1);
    assay_status rc = conf_json_whole(&n, 0, (int64_t)PROBE_BODY_MAX, &bytes, err);
    if (rc == ASSAY_OK) rc = conf_json_expect(&seconds, json_type_double, err);
    *out = (probe_arrival){(size_t)bytes, json_object_get_double(seconds.value)};
    return rc;
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
    for (size_t i = 0; i < n && rc == ASSAY_OK; i++) {
        const conf_json_at pair = conf_json_element(&list, i);
        rc = read_arrival(&pair, &x->arrivals[i], err);
    }
    x->n_arrivals = n;
    return rc;
}

/* A text of at least one byte and less than PROBE_LABEL_MAX. */
static assay_status read_name(const conf_json_at *head, const char *name, const char **out, assay_error *err)
{
    conf_json_at at;
    assay_status rc = conf_json_member(head, name, json_type_string, &at, err);
    if (rc == ASSAY_OK) rc = conf_json_clean_text(&at, out, err);
    if (rc != ASSAY_OK) return rc;
    const size_t n = strlen(*out);
    if (n > 0 && n < PROBE_LABEL_MAX) return ASSAY_OK;
    return conf_json_fail(&at, err, "found %zu bytes, expected 1 to %d", n, PROBE_LABEL_MAX - 1);
}

/* What was asked. */
static assay_status read_question(const conf_json_at *head, probe_exchange *x, assay_error *err)
{
    const char *label = NULL, *path = NULL;
    bool get = false;
    double delay = 0;
    int64_t leave_after = 0;
    assay_status rc = read_name(head, "label", &label, err);
    if (rc == ASSAY_OK) rc = read_name(head, "path", &path, err);
    if (rc == ASSAY_OK) rc = conf_json_boolean(head, "get", &get, err);
    if (rc == ASSAY_OK) rc = read_real(head, "delay", &delay, err);
    if (rc == ASSAY_OK)
        rc = conf_json_member_whole(head, "leave_after", 0, (int64_t)PROBE_BODY_MAX, &leave_after, err);
    if (rc != ASSAY_OK) return rc;
    probe_exchange_begin(x, label, path);
    x->get = get;
    x->delay = delay;
    x->leave_after = (size_t)leave_after;
    return ASSAY_OK;
}

static assay_status read_times(const conf_json_at *head, probe_exchange *x, assay_error *err)
{
    conf_json_at began;
    assay_status rc =
        conf_json_find(head, "began", &began) ? read_real(head, "began", &x->began, err) : ASSAY_OK;
    if (rc == ASSAY_OK) rc = read_real(head, "sent", &x->sent, err);
    if (rc == ASSAY_OK) rc = read_real(head, "first", &x->first, err);
    if (rc == ASSAY_OK) rc = read_real(head, "last", &x->last, err);
    return rc == ASSAY_OK ? read_arrivals(head, x, err) : rc;
}

static assay_status read_answer(const conf_json_at *head, probe_exchange *x, assay_error *err)
{
    const char *end = NULL, *type = NULL, *why = NULL;
    int64_t status = 0;
    assay_status rc = conf_json_member_text(head, "end", &end, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(head, "content_type", &type, err);
    if (rc == ASSAY_OK) rc = conf_json_member_text(head, "why", &why, err);
    if (rc == ASSAY_OK) rc = conf_json_member_whole(head, "status", 0, 999, &status, err);
    if (rc == ASSAY_OK) rc = read_times(head, x, err);
    if (rc != ASSAY_OK) return rc;
    if (probe_end_find(end) == PROBE_N_ENDS)
        return conf_json_fail(head, err, "end: found %s, expected how an exchange ends, such as answered",
                              end);
    probe_exchange_end(x, probe_end_find(end), "%s", why);
    x->status = (int)status;
    (void)snprintf(x->content_type, sizeof x->content_type, "%s", type);
    return ASSAY_OK;
}

static assay_status read_body(const conf_json_at *at, const char *name, buffer *out, assay_error *err)
{
    const assay_status rc = json_bytes_read(at->name, at->value, name, out, err);
    if (rc != ASSAY_OK || out->n <= PROBE_BODY_MAX) return rc;
    return conf_json_fail(at, err, "%s: found %zu bytes, expected at most %zu", name, out->n, PROBE_BODY_MAX);
}

assay_status probe_record_read_exchange(const conf_json_at *at, bool bodies, probe_exchange *x,
                                        assay_error *err)
{
    enum { N_BODIES = 4 };
    static const char *const known[] = {"request",     "request_base64",
                                        "response",    "response_base64",
                                        "label",       "path",
                                        "get",         "delay",
                                        "leave_after", "end",
                                        "status",      "content_type",
                                        "why",         "began",
                                        "sent",        "first",
                                        "last",        "arrivals",
                                        NULL};
    *x = (probe_exchange){0};
    assay_status rc = conf_json_expect(at, json_type_object, err);
    if (rc == ASSAY_OK) rc = conf_json_only(at, known + (bodies ? 0 : N_BODIES), err);
    if (rc == ASSAY_OK) rc = read_question(at, x, err);
    if (rc == ASSAY_OK) rc = read_answer(at, x, err);
    if (rc == ASSAY_OK && bodies) rc = read_body(at, "request", &x->request, err);
    if (rc == ASSAY_OK && bodies) rc = read_body(at, "response", &x->body, err);
    return rc;
}

static bool have_same_request(const probe_exchange *a, const probe_exchange *b)
{
    return a->request.n == b->request.n &&
           (a->request.n == 0 || memcmp(a->request.data, b->request.data, a->request.n) == 0);
}

void probe_record_answer(probe_exchange *x, probe_exchange *stored)
{
    if (!have_same_request(x, stored)) {
        probe_exchange_end(x, PROBE_NOT_SAVED, "the saved run sent another request");
        return;
    }
    probe_exchange_end(x, stored->end, "%s", stored->why);
    x->status = stored->status;
    memcpy(x->content_type, stored->content_type, sizeof x->content_type);
    if (stored->began > 0) x->began = stored->began;
    x->sent = stored->sent;
    x->first = stored->first;
    x->last = stored->last;
    x->body = stored->body;
    x->arrivals = stored->arrivals;
    x->n_arrivals = stored->n_arrivals;
    stored->body = (buffer){0};
    stored->arrivals = NULL;
}
