/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/run/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/probe/run/excerpt.h"
#include "conformance/probe/run/repro.h"

bool probe_proof_keep(const probe_run *r, probe_proof *p, const probe_exchange *x, probe_mark mark)
{
    if (p->label[0]) return true;
    (void)snprintf(p->label, sizeof p->label, "%s", x->label);
    p->repro = probe_repro(probe_wire_url(r->wire), r->key_env, x);
    p->excerpt = probe_excerpt(x, mark);
    return p->repro && p->excerpt;
}

bool probe_proof_give(const probe_proof *p, probe_finding *f)
{
    if (!f || !p->label[0] || (f->verdict != PROBE_FAILED && f->verdict != PROBE_IGNORED)) return true;
    (void)snprintf(f->exchange, sizeof f->exchange, "%s", p->label);
    f->repro = p->repro ? strdup(p->repro) : NULL;
    f->excerpt = p->excerpt ? strdup(p->excerpt) : NULL;
    return f->repro && f->excerpt;
}

void probe_proof_free(probe_proof *p)
{
    free(p->repro);
    free(p->excerpt);
    *p = (probe_proof){0};
}

bool probe_proof_mark(probe_finding *f, const probe_exchange *x, probe_mark mark)
{
    if (!f->excerpt) return true;
    free(f->excerpt);
    f->excerpt = probe_excerpt(x, mark);
    return f->excerpt != NULL;
}
