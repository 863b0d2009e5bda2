/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

static bool stays(void *reducing, const bool *kept, size_t n)
{
    conf_reducing *r = reducing;
    conf_cut_copy(r->whole, &r->trial, &r->best);
    memcpy(r->trial.samples, kept, n * sizeof *kept);
    return conf_attempt(r, conf_part_samples.name);
}

static bool reduce(conf_reducing *r)
{
    const size_t n = r->whole->c->decoder.n_samples;
    return conf_delta_units(r->best.samples, n, conf_attempt_least(r, r->best.samples, n), stays, r);
}

const conf_part conf_part_samples = {"samples", reduce};
