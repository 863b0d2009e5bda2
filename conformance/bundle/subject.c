/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/bundle/subject.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/case/root.h"
#include "conformance/generate/describe.h"
#include "conformance/kinds/read.h"
#include "conformance/process/contain.h"
#include "model/loader.h"
#include "model/plan/plan.h"
#include "model/plan/print.h"

/* What the reading process writes, each terminated by a zero. */
enum { KIND, ROOTED, TENSORS, MODEL, INNER, SOURCE, RECORDER, CATCHES, PLAN, REFUSAL, N_TEXTS };

typedef struct task {
    const char *path;
    const char *const *allow_unknown;
    FILE *page;
} task;

static void put(FILE *page, const char *text)
{
    if (text) (void)fputs(text, page);
    (void)fputc('\0', page);
}

/* The checkpoint of a case relative to its directory, or to the root. */
static const char *inner_path(const conf_case *c)
{
    if (!c->model) return NULL;
    if (c->checksums) return conf_root_part(c->model);
    const char *slash = strrchr(c->path, '/');
    return c->model + (slash ? slash - c->path + 1 : 0);
}

static void put_plan(const task *t, const conf_case *c)
{
    plan *p;
    assay_error err = {0};
    if (c->model && plan_open_allowing(c->model, t->allow_unknown, &p, &err) == ASSAY_OK) {
        plan_print(p, NULL, t->page);
        conf_prompt_describe(c->model, t->page);
        plan_free(p);
    }
    put(t->page, "");
    put(t->page, err.text);
}

static void read_task(const void *context, conf_verdict *v)
{
    const task *t = context;
    conf_case *c;
    assay_error err = {0};
    v->stage = CONF_STAGE_READ;
    const assay_status rc = conf_case_read_outline(t->path, &c, &err);
    conf_memory_explain(rc, &err);
    if (rc != ASSAY_OK) {
        conf_verdict_set(v, CONF_BROKEN, "%s", err.text);
        return;
    }
    (void)fprintf(t->page, "%d", (int)c->kind);
    put(t->page, "");
    put(t->page, c->checksums ? "1" : "");
    put(t->page, c->decoder.n_traces ? "1" : "");
    put(t->page, c->model);
    put(t->page, inner_path(c));
    put(t->page, c->source);
    put(t->page, c->recorder);
    put(t->page, c->catches);
    put_plan(t, c);
    conf_case_free(c);
    if (fflush(t->page) != 0) conf_verdict_set(v, CONF_BROKEN, "%s: it cannot be described", t->path);
    v->stage = CONF_STAGE_CLOSE;
}

/* NULL for an empty text, and if out of memory. */
static char *copied(const char *text)
{
    return text[0] ? strdup(text) : NULL;
}

static assay_status take_texts(FILE *page, const char *path, conf_bundle_subject *out, assay_error *err)
{
    char *text[N_TEXTS] = {NULL};
    size_t n = 0, capacity;
    rewind(page);
    for (; n < N_TEXTS; n++) {
        capacity = 0;
        if (getdelim(&text[n], &capacity, '\0', page) <= 0) break;
    }
    assay_status rc =
        n == N_TEXTS ? ASSAY_OK : assay_fail(err, ASSAY_EINTERNAL, "%s: it cannot be described", path);
    const long kind = rc == ASSAY_OK ? strtol(text[KIND], NULL, 10) : 0;
    if (rc == ASSAY_OK && (kind < 0 || kind >= CONF_N_KINDS))
        rc = assay_fail(err, ASSAY_EINTERNAL, "%s: it cannot be described", path);
    if (rc == ASSAY_OK)
        *out = (conf_bundle_subject){
            .kind = (conf_kind)kind,
            .is_rooted = text[ROOTED][0] != '\0',
            .has_tensors = text[TENSORS][0] != '\0',
            .model = copied(text[MODEL]),
            .inner = copied(text[INNER]),
            .source = copied(text[SOURCE]),
            .recorder = copied(text[RECORDER]),
            .catches = copied(text[CATCHES]),
            .plan = copied(text[PLAN]),
            .refusal = copied(text[REFUSAL]),
        };
    for (size_t i = 0; i < N_TEXTS; i++) free(text[i]);
    if (rc == ASSAY_OK && !out->model != !out->inner)
        rc = assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", path);
    return rc;
}

assay_status conf_bundle_subject_read(const char *path, const char *const *allow_unknown,
                                      const conf_limits *limits, conf_bundle_subject *out, assay_error *err)
{
    conf_verdict v = {0};
    *out = (conf_bundle_subject){0};
    FILE *page = conf_page_open(err);
    if (!page) return ASSAY_EINTERNAL;
    assay_status rc = conf_isolate(read_task, &(task){path, allow_unknown, page}, limits, &v, err);
    if (rc == ASSAY_OK && v.outcome != CONF_PASSED) rc = assay_fail(err, ASSAY_EFORMAT, "%s", v.reason);
    if (rc == ASSAY_OK) rc = take_texts(page, path, out, err);
    (void)fclose(page);
    return rc;
}

void conf_bundle_subject_free(conf_bundle_subject *s)
{
    char *const texts[] = {s->model, s->inner, s->source, s->recorder, s->catches, s->plan, s->refusal};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    *s = (conf_bundle_subject){0};
}
