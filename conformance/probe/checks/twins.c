/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/probe/checks/twins.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "conformance/probe/run/ask.h"

/* The first tokens, which differ: a block of the smallest size that servers have. A sequence has another one
 * at least. TWINS_MOST: of the shortest prompts, of which most checks ask. */
enum { N_FIRST = 16, TWINS_MOST = 8 };

/* The ids of a prompt and its answer, with the first in reverse order; NULL if out of memory. *differs:
 * whether they differ.
 */
static int32_t *reverse_first(const probe_prompt *p, bool *differs)
{
    int32_t *ids = calloc(p->n_ids, sizeof *ids);
    if (!ids) return NULL;
    memcpy(ids, p->ids, p->n_ids * sizeof *ids);
    for (size_t i = 0; i < N_FIRST; i++) ids[i] = p->ids[N_FIRST - 1 - i];
    *differs = memcmp(ids, p->ids, N_FIRST * sizeof *ids) != 0;
    return ids;
}

static assay_status ask_twin(probe_run *r, const probe_prompt *p, size_t number, assay_error *err)
{
    bool differs = false;
    probe_prompt twin = *p;
    probe_exchange x;
    PROBE_LABEL(label, "discovery/twins-%zu", number);
    twin.ids = reverse_first(p, &differs);
    if (!twin.ids) return assay_fail(err, ASSAY_ENOMEM, "%s: out of memory", label);
    const probe_ask ask = {.endpoint = PROBE_COMPLETIONS,
                           .prompt = &twin,
                           .n_before = probe_ids_most(r, p),
                           .max_tokens = 1,
                           .logprobs = PROBE_NO_LOGPROBS};
    assay_status rc = ASSAY_OK;
    if (differs) {
        rc = probe_ask_begin(r, &ask, label, &x, err);
        if (rc == ASSAY_OK) rc = probe_send(r, &x, err);
        probe_exchange_free(&x);
    }
    free(twin.ids);
    return rc;
}

assay_status probe_ask_twins(probe_run *r, assay_error *err)
{
    const probe_truth *t = r->truth;
    assay_status rc = ASSAY_OK;
    const size_t most = probe_prompts_most(r, TWINS_MOST);
    if (!r->server.at[PROBE_COMPLETIONS].is_there || !r->server.takes_ids) return ASSAY_OK;
    for (size_t i = 0, n = 0; i < t->n_prompts && n < most && rc == ASSAY_OK; i++) {
        /* of a few prompts the checks ask the longest, and none between */
        const probe_prompt *p = &t->prompts[r->quick ? t->n_prompts - 1 - i : i];
        if (probe_ids_most(r, p) >= 2 * N_FIRST) rc = ask_twin(r, p, n++, err);
    }
    return rc;
}
