/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "conformance/reduce/attempt_texts.h"
#include "conformance/reduce/parts.h"
#include "conformance/support/delta.h"

static bool stays(void *reducing, const bool *kept, size_t n)
{
    conf_reducing *r = reducing;
    conf_texts_copy(r->texts, &r->texts->trial, &r->texts->best);
    memcpy(r->texts->trial.kept, kept, n * sizeof *kept);
    return conf_attempt_texts(r, conf_part_vectors.name);
}

static bool reduce(conf_reducing *r)
{
    if (conf_texts_count(r->texts, &r->texts->best) < 2) return false;
    bool *kept = r->texts->best.kept;
    return conf_delta_units(kept, r->texts->n, conf_attempt_least(r, kept, r->texts->n), stays, r);
}

const conf_part conf_part_vectors = {"vectors", reduce};
