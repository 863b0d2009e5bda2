/* Optional functions: samples that join, leave, are rewound or forked, and taps. Each unlocks more checks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "optional.h"

#include "check.h"
#include "engine.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of samples never change, and a new sample has no tokens, whatever had its number before. */
assay_status optional_join(assay_session *s, size_t *sample_out, assay_error *err)
{
    size_t i = 0;
    while (i < s->n_samples && !s->samples[i].left) i++;
    if (i == s->n_samples) {
        sample *grown = realloc(s->samples, (i + 1) * sizeof *grown);
        if (!grown) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
        s->samples = grown;
        s->n_samples++;
    }
    s->samples[i] = (sample){0};
    *sample_out = i;
    return ASSAY_OK;
}

assay_status optional_leave(assay_session *s, size_t i, assay_error *err)
{
    const assay_status rc = engine_check_sample(s, i, err);
    if (rc != ASSAY_OK) return rc;
    free(s->samples[i].tokens);
    s->samples[i] = (sample){.left = true};
    return ASSAY_OK;
}

/* A cache would drop the entries of the positions from n_tokens on. */
assay_status optional_rewind(assay_session *s, size_t i, size_t n_tokens, assay_error *err)
{
    const assay_status rc = engine_check_sample(s, i, err);
    if (rc != ASSAY_OK) return rc;
    if (n_tokens > s->samples[i].n_tokens)
        return engine_fail(err, ASSAY_EINVAL, "sample %zu has fewer than %zu tokens", i, n_tokens);
    s->samples[i].n_tokens = n_tokens;
    return ASSAY_OK;
}

/* The copy has memory of its own. from and into may be the same session: joining moves its samples. */
assay_status optional_fork(const assay_session *from, size_t i, assay_session *into, size_t *forked,
                           assay_error *err)
{
    assay_status rc = engine_check_sample(from, i, err);
    if (rc != ASSAY_OK) return rc;
    if (from->model != into->model || from->limit != into->limit || from->sink_tokens != into->sink_tokens)
        return engine_fail(err, ASSAY_EINVAL, "the sessions have other models or limits");
    const size_t n = from->samples[i].n_tokens;
    int32_t *tokens = malloc((n ? n : 1) * sizeof *tokens);
    if (!tokens) return engine_fail(err, ASSAY_ENOMEM, "out of memory");
    if (n) memcpy(tokens, from->samples[i].tokens, n * sizeof *tokens);
    rc = optional_join(into, forked, err);
    if (rc == ASSAY_OK) into->samples[*forked] = (sample){.tokens = tokens, .n_tokens = n};
    else free(tokens);
    return rc;
}

/* NULL is read as a tap of zeros, which is none. */
assay_status optional_tap(assay_session *s, const assay_tap *given, assay_error *err)
{
    assay_tap tap;
    assay_status rc = assay_options_read(&tap, sizeof tap, given, "assay_tap", err);
    if (rc == ASSAY_OK) rc = engine_check_reserved(tap.reserved, "assay_tap", err);
    if (rc == ASSAY_OK) s->tap = tap;
    return rc;
}
