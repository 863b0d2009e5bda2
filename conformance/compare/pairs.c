/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/compare/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define NO_ENGINE SIZE_MAX

typedef struct pairing {
    const conf_results *before, *after;
    size_t *partner; /* [after->n_engines]: of `before` */
    bool *taken;     /* [before->n_engines] */
} pairing;

static bool is_called(const conf_engine_column *engine, const char *name, size_t n)
{
    return (strlen(engine->name) == n && memcmp(engine->name, name, n) == 0) ||
           (strlen(engine->label) == n && memcmp(engine->label, name, n) == 0);
}

/* The first engine of that name or label that has no partner yet. */
static size_t find_before(const pairing *p, const char *name, size_t n)
{
    for (size_t e = 0; e < p->before->n_engines; e++)
        if (!p->taken[e] && is_called(&p->before->engines[e], name, n)) return e;
    return NO_ENGINE;
}

static size_t find_after(const pairing *p, const char *name)
{
    for (size_t e = 0; e < p->after->n_engines; e++)
        if (p->partner[e] == NO_ENGINE && is_called(&p->after->engines[e], name, strlen(name))) return e;
    return NO_ENGINE;
}

static void join_engines(pairing *p, size_t before, size_t after)
{
    p->partner[after] = before;
    p->taken[before] = true;
}

/* Tries each "=" of the text: the commands of programs have some. */
static assay_status pair_asked(pairing *p, const char *text, assay_error *err)
{
    for (const char *at = strchr(text, '='); at; at = strchr(at + 1, '=')) {
        const size_t before = find_before(p, text, (size_t)(at - text)), after = find_after(p, at + 1);
        if (before == NO_ENGINE || after == NO_ENGINE) continue;
        join_engines(p, before, after);
        return ASSAY_OK;
    }
    return assay_fail(err, ASSAY_EUNSUPPORTED,
                      "option --pair: found \"%.200s\", expected BEFORE=AFTER, an engine of each report that "
                      "has no other partner",
                      text);
}

static void pair_alike(pairing *p, bool by_label)
{
    for (size_t a = 0; a < p->after->n_engines; a++)
        for (size_t b = 0; b < p->before->n_engines && p->partner[a] == NO_ENGINE; b++) {
            const conf_engine_column *old = &p->before->engines[b], *new = &p->after->engines[a];
            const char *one = by_label ? old->label : old->name, *other = by_label ? new->label : new->name;
            if (!p->taken[b] && strcmp(one, other) == 0) join_engines(p, b, a);
        }
}

static void pair_last(pairing *p)
{
    size_t before = NO_ENGINE, after = NO_ENGINE, n_before = 0, n_after = 0;
    for (size_t b = 0; b < p->before->n_engines; b++)
        if (!p->taken[b]) {
            before = b;
            n_before++;
        }
    for (size_t a = 0; a < p->after->n_engines; a++)
        if (p->partner[a] == NO_ENGINE) {
            after = a;
            n_after++;
        }
    if (n_before == 1 && n_after == 1) join_engines(p, before, after);
}

static size_t list_pairs(const pairing *p, conf_engine_pair *out)
{
    size_t n = 0;
    for (size_t a = 0; a < p->after->n_engines; a++) out[n++] = (conf_engine_pair){p->partner[a], a};
    for (size_t b = 0; b < p->before->n_engines; b++)
        if (!p->taken[b]) out[n++] = (conf_engine_pair){b, NO_ENGINE};
    return n;
}

assay_status conf_engines_pair(const conf_results *before, const conf_results *after,
                               const char *const *asked, size_t n_asked, conf_engine_pair **out, size_t *n,
                               assay_error *err)
{
    pairing p = {before, after, calloc(after->n_engines + 1, sizeof *p.partner),
                 calloc(before->n_engines + 1, sizeof *p.taken)};
    conf_engine_pair *pairs = calloc(after->n_engines + before->n_engines + 1, sizeof *pairs);
    assay_status rc =
        p.partner && p.taken && pairs ? ASSAY_OK : assay_fail(err, ASSAY_ENOMEM, "out of memory");
    for (size_t a = 0; rc == ASSAY_OK && a < after->n_engines; a++) p.partner[a] = NO_ENGINE;
    for (size_t i = 0; rc == ASSAY_OK && i < n_asked; i++) rc = pair_asked(&p, asked[i], err);
    if (rc == ASSAY_OK) {
        pair_alike(&p, false);
        pair_alike(&p, true);
        pair_last(&p);
        *n = list_pairs(&p, pairs);
        *out = pairs;
        pairs = NULL;
    }
    free(pairs);
    free(p.partner);
    free(p.taken);
    return rc;
}
