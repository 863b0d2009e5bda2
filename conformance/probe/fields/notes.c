/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/fields/notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/json.h"
#include "conformance/probe/fields/rules.h"
#include "conformance/probe/run/proof.h"
#include "dialogue/grammar/sse.h"

enum { ELEMENTS_MOST = 6 }; /* of a list, or of an object with members of any name, that are walked */

/* What was noted of one path. broken: how often its rule was. */
typedef struct note {
    const probe_form *form;
    const probe_field *field; /* NULL: the table does not have it */
    char path[PROBE_FIELD_PATH_MAX];
    size_t n, n_broken;
    char why[256];     /* of the first breach */
    probe_proof proof; /* of it */
} note;

struct probe_notes {
    note *at; /* [n] */
    size_t n, n_answers;
    probe_ids ids;
};

/* An answer, or an event of one, that is walked. */
typedef struct walk {
    probe_notes *notes;
    probe_run *run;
    const probe_exchange *x;
    const probe_form *form;
    json_object *request, *root;
    const char *model;
    bool in_stream;
    size_t from; /* of a stream: the first byte of the event in the body */
} walk;

probe_notes *probe_notes_new(void)
{
    return calloc(1, sizeof(probe_notes));
}

void probe_notes_free(probe_notes *notes)
{
    if (!notes) return;
    for (size_t i = 0; i < notes->n; i++) probe_proof_free(&notes->at[i].proof);
    free(notes->at);
    probe_ids_free(&notes->ids);
    free(notes);
}

/* A path of a form always has the same field, which is compared first. */
static note *note_of(const walk *w, const char *path, const probe_field *field)
{
    probe_notes *all = w->notes;
    for (size_t i = 0; i < all->n; i++) {
        const note *at = &all->at[i];
        if (at->form == w->form && at->field == field && strcmp(at->path, path) == 0) return &all->at[i];
    }
    note *at = grow_by_one(all->at, all->n, sizeof *at);
    if (!at) {
        w->run->findings.failed = true;
        return NULL;
    }
    all->at = at;
    at += all->n++;
    *at = (note){.form = w->form, .field = field};
    (void)snprintf(at->path, sizeof at->path, "%s", path);
    return at;
}

/* The member of a path in the body, else the event. */
static probe_mark find_mark(const walk *w, const char *path)
{
    const char *colon = w->form->whole ? strchr(path, ':') : NULL;
    const probe_mark member = probe_mark_member(&w->x->body, w->from, colon ? colon + 1 : path);
    return member.from < member.to || !w->in_stream ? member : probe_mark_event(&w->x->body, w->from);
}

static void add_breach(const walk *w, note *at, const char *why)
{
    if (at->n_broken++) return;
    (void)snprintf(at->why, sizeof at->why, "%s", why);
    if (!probe_proof_keep(w->run, &at->proof, w->x, find_mark(w, at->path))) w->run->findings.failed = true;
}

static unsigned type_of(json_object *value)
{
    static const unsigned types[] = {[json_type_null] = PROBE_TYPE_NULL,
                                     [json_type_boolean] = PROBE_TYPE_BOOL,
                                     [json_type_double] = 8,
                                     [json_type_int] = PROBE_TYPE_INT,
                                     [json_type_string] = PROBE_TYPE_TEXT,
                                     [json_type_array] = PROBE_TYPE_LIST,
                                     [json_type_object] = PROBE_TYPE_OBJECT};
    return types[json_object_get_type(value)];
}

static void describe_type(const probe_field *field, json_object *value, char why[256])
{
    char types[96];
    probe_field_types(field, types);
    (void)snprintf(why, 256, "found %.120s, expected %s",
                   value ? json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN) : "null", types);
}

static void judge_value(const walk *w, const char *path, const probe_field *field, json_object *value,
                        json_object *parent, size_t position)
{
    char why[256];
    const probe_value v = {.field = field,
                           .value = value,
                           .parent = parent,
                           .root = w->root,
                           .request = w->request,
                           .model = w->model,
                           .position = position,
                           .answer = w->notes->n_answers,
                           .sent = w->x->began > 0 ? w->x->began + w->x->sent : 0,
                           .ended = w->x->began + w->x->last,
                           .endpoint = w->form->endpoint,
                           .stream = w->form->stream,
                           .ids = &w->notes->ids};
    note *at = note_of(w, path, field);
    if (!at) return;
    at->n++;
    if (!field || !*field->path) return;
    if (!(field->types & type_of(value))) describe_type(field, value, why);
    else if (!field->rule || field->rule->holds(&v, why)) return;
    add_breach(w, at, why);
}

static void walk_value(const walk *w, const char *path, const probe_field *field, json_object *value,
                       json_object *parent, size_t position);

static void join(char out[PROBE_FIELD_PATH_MAX], const char *path, const char *name)
{
    const size_t n = strlen(path);
    const bool dot = n > 0 && path[n - 1] != ':';
    (void)snprintf(out, PROBE_FIELD_PATH_MAX, "%.100s%s%.50s", path, dot ? "." : "", name);
}

/* Fields that the object must have. Objects within events may still lack what comes at the end. */
static void find_missing(const walk *w, const char *path, json_object *object)
{
    char child[PROBE_FIELD_PATH_MAX];
    const probe_field_list *list = w->form->fields;
    for (size_t i = 0; i < list->n; i++) {
        const probe_field *f = &list->at[i];
        const char *name = strrchr(f->path, '.');
        const char *event = strchr(f->path, ':');
        name = name ? name + 1 : event ? event + 1 : f->path;
        if (!f->required || json_object_object_get_ex(object, name, NULL)) continue;
        join(child, path, name);
        if (probe_field_find(w->form, child) != f) continue;
        note *at = note_of(w, child, f);
        if (at) add_breach(w, at, "it is missing");
    }
}

/* Whether the row is about members of any name. */
static bool is_any(const probe_field *field)
{
    const size_t n = field ? strlen(field->path) : 0;
    return n > 2 && strcmp(field->path + n - 2, ".*") == 0;
}

static void walk_object(const walk *w, const char *path, json_object *object, size_t position)
{
    char child[PROBE_FIELD_PATH_MAX];
    size_t n_any = 0;
    find_missing(w, path, object);
    json_object_object_foreach(object, name, value)
    {
        join(child, path, name);
        const probe_field *field = probe_field_find(w->form, child);
        if (!field) {
            char any[PROBE_FIELD_PATH_MAX];
            join(any, path, "*");
            field = probe_field_find(w->form, any);
        }
        if (is_any(field) && n_any++ >= ELEMENTS_MOST) break;
        walk_value(w, is_any(field) ? field->path : child, field, value, object, position);
    }
}

static void walk_value(const walk *w, const char *path, const probe_field *field, json_object *value,
                       json_object *parent, size_t position)
{
    char child[PROBE_FIELD_PATH_MAX];
    judge_value(w, path, field, value, parent, position);
    if (!field || !probe_field_has_members(w->form, path)) return;
    if (json_object_is_type(value, json_type_object)) walk_object(w, path, value, position);
    if (!json_object_is_type(value, json_type_array)) return;
    (void)snprintf(child, sizeof child, "%.150s[]", path);
    const probe_field *element = probe_field_find(w->form, child);
    const size_t n = json_object_array_length(value);
    for (size_t i = 0; i < n && i < ELEMENTS_MOST; i++)
        walk_value(w, child, element, json_object_array_get_idx(value, i), parent, i);
}

static void walk_root(walk *w, json_object *root)
{
    char path[PROBE_FIELD_PATH_MAX] = "";
    json_object *type = NULL;
    if (!json_object_is_type(root, json_type_object)) return;
    if (w->form->whole) {
        (void)json_object_object_get_ex(root, "type", &type);
        (void)snprintf(path, sizeof path, "%.60s:",
                       json_object_is_type(type, json_type_string) ? json_object_get_string(type) : "");
    }
    w->root = root;
    walk_object(w, path, root, 0);
}

static assay_status take_event(void *context, const serve_sse_event *event)
{
    static const json_limits limits = {.bytes = SERVE_SSE_EVENT_MAX, .values = (size_t)1 << 20};
    walk *w = context;
    json_object *root = NULL;
    if (event->data.n == 6 && memcmp(event->data.at, "[DONE]", 6) == 0) return ASSAY_OK;
    if (json_parse_within("data", event->data.at, event->data.n, &limits, &root, NULL) != ASSAY_OK)
        return ASSAY_OK;
    w->in_stream = true;
    w->from = event->offset;
    walk_root(w, root);
    json_object_put(root);
    return ASSAY_OK;
}

static void walk_stream(walk *w)
{
    const serve_sse_sink sink = {.take = take_event, .context = w};
    serve_sse *sse;
    if (serve_sse_open(&sink, &sse) != ASSAY_OK) {
        w->run->findings.failed = true;
        return;
    }
    if (serve_sse_feed(sse, w->x->body.data, w->x->body.n) == ASSAY_OK) (void)serve_sse_end(sse);
    serve_sse_free(sse);
}

static bool find_endpoint(const char *path, probe_endpoint *out)
{
    for (*out = 0; *out < PROBE_N_ENDPOINTS; (*out)++)
        if (strcmp(probe_endpoint_path(*out), path) == 0) return true;
    return false;
}

void probe_notes_take(probe_run *run, const probe_exchange *x)
{
    probe_endpoint e;
    json_object *body = NULL, *request = NULL, *model = NULL;
    const bool succeeded = probe_exchange_succeeded(x), refused = probe_exchange_refused(x);
    if (!find_endpoint(x->path, &e) || (!succeeded && !refused) || x->body.n == 0) return;
    const bool stream = succeeded && probe_answer_is_stream(x);
    if (x->request.n) (void)json_parse("request", x->request.data, x->request.n, &request, NULL);
    if (json_object_is_type(request, json_type_object))
        (void)json_object_object_get_ex(request, "model", &model);
    walk w = {.notes = run->notes,
              .run = run,
              .x = x,
              .form = probe_form_find(e, stream, refused),
              .request = request,
              .model =
                  json_object_is_type(model, json_type_string) ? json_object_get_string(model) : run->model};
    run->notes->n_answers++;
    if (stream) walk_stream(&w);
    else if (json_parse("body", x->body.data, x->body.n, &body, NULL) == ASSAY_OK) walk_root(&w, body);
    json_object_put(body);
    json_object_put(request);
}

static void report_breach(probe_run *run, const note *at)
{
    PROBE_LABEL(check, "fields/%s/%s/%.90s", probe_endpoint_name(at->form->endpoint),
                probe_form_name(at->form), at->path);
    probe_finding *f = probe_report(run, NULL, check, PROBE_FAILED, at->field->grade, "%zu times; first: %s",
                                    at->n_broken, at->why);
    if (!probe_proof_give(&at->proof, f)) run->findings.failed = true;
}

static void report_unknown(const probe_notes *notes, probe_run *run, const probe_form *form)
{
    char names[400] = "";
    size_t n = 0;
    PROBE_LABEL(check, "fields/%s/%s/unknown", probe_endpoint_name(form->endpoint), probe_form_name(form));
    for (size_t i = 0; i < notes->n && n < sizeof names; i++)
        if (notes->at[i].form == form && !notes->at[i].field)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", notes->at[i].path);
    if (n)
        (void)probe_report(run, NULL, check, PROBE_NOT_EXERCISED, PROBE_HABIT,
                           "fields that no check is about: %s", names);
}

assay_status probe_notes_report(probe_run *run, assay_error *err)
{
    const probe_notes *notes = run->notes;
    size_t n_forms;
    const probe_form *forms = probe_forms(&n_forms);
    for (const probe_form *form = forms; form < forms + n_forms; form++) {
        size_t n = 0, n_broken = 0;
        PROBE_LABEL(check, "fields/%s/%s", probe_endpoint_name(form->endpoint), probe_form_name(form));
        for (size_t i = 0; i < notes->n; i++) {
            if (notes->at[i].form != form || !notes->at[i].field) continue;
            n++;
            if (!notes->at[i].n_broken) continue;
            n_broken++;
            report_breach(run, &notes->at[i]);
        }
        if (n && !n_broken) (void)probe_report(run, NULL, check, PROBE_OK, PROBE_DEPARTS, "%zu fields", n);
        report_unknown(notes, run, form);
    }
    (void)err;
    return ASSAY_OK;
}
