/* SPDX-License-Identifier: Apache-2.0 */
#include "dialogue/grammar/breach.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

assay_status serve_breaches_add(serve_breaches *breaches, serve_endpoint endpoint, const char *rule,
                                size_t event, size_t offset, const char *text, serve_breach **out)
{
    const serve_rule *found = serve_rule_find(endpoint, rule);
    size_t n_same = 0;
    if (out) *out = NULL;
    breaches->n_all++;
    for (size_t i = 0; i < breaches->n; i++) n_same += breaches->at[i].rule == found->name;
    if (n_same >= SERVE_BREACHES_OF_A_RULE) return ASSAY_EFORMAT;
    serve_breach *at = grow_by_one(breaches->at, breaches->n, sizeof *at);
    if (!at) return ASSAY_ENOMEM;
    breaches->at = at;
    serve_breach *breach = &at[breaches->n++];
    *breach = (serve_breach){.rule = found->name, .grade = found->grade, .event = event, .offset = offset};
    (void)snprintf(breach->text, sizeof breach->text, "%s", text);
    if (out) *out = breach;
    return ASSAY_EFORMAT;
}

bool serve_breaches_reach(const serve_breaches *breaches, serve_grade grade)
{
    for (size_t i = 0; i < breaches->n; i++)
        if (breaches->at[i].grade >= grade) return true;
    return false;
}

void serve_breaches_free(serve_breaches *breaches)
{
    free(breaches->at);
    *breaches = (serve_breaches){0};
}
