/* Changes every plan that an engine opens, as the environment variable ASSAY_TEST_PLAN says. Linked into
 * modules of our engines, where the loader's call of plan_derive comes here first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model/plan/arrays.h"

__typeof__(plan_derive) __real_plan_derive, __wrap_plan_derive;

/* Divides the frequencies of every rope among three axes. */
static void set_sections(plan *p, rope_sections sections)
{
    for (size_t i = 0; i < p->n_ropes; i++) {
        const size_t third = p->ropes[i].dim / 6;
        p->ropes[i].sections = sections;
        p->ropes[i].section[0] = p->ropes[i].dim / 2 - 2 * third;
        p->ropes[i].section[1] = p->ropes[i].section[2] = third;
    }
}

static void remove_ropes(plan *p)
{
    for (size_t i = 0; i < p->n_layers; i++) p->layers[i].mixer.attention.rope = PLAN_NONE;
}

assay_status __wrap_plan_derive(plan *p, assay_error *err)
{
    const char *change = getenv("ASSAY_TEST_PLAN");
    if (!change) change = "";
    if (strcmp(change, "chunked-sections") == 0) set_sections(p, ROPE_SECTIONS_CHUNKED);
    if (strcmp(change, "interleaved-sections") == 0) set_sections(p, ROPE_SECTIONS_INTERLEAVED);
    if (strcmp(change, "no-ropes") == 0) remove_ropes(p);
    return __real_plan_derive(p, err);
}
