/* The table's functions on samples, for an engine that keeps them in the member `samples` of its sessions.
 * Included after the definition of struct assay_session.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_TESTS_ENGINES_SAMPLE_CALLS_H
#define CONFORMANCE_TESTS_ENGINES_SAMPLE_CALLS_H

#include "conformance/tests/engines/samples.h"

static inline assay_status call_join(assay_session *s, size_t *sample, assay_error *err)
{
    return samples_join(&s->samples, sample, err);
}

static inline assay_status call_leave(assay_session *s, size_t sample, assay_error *err)
{
    return samples_leave(&s->samples, sample, err);
}

static inline assay_status call_rewind(assay_session *s, size_t sample, size_t n_tokens, assay_error *err)
{
    return samples_rewind(&s->samples, sample, n_tokens, err);
}

static inline assay_status call_fork(const assay_session *from, size_t sample, assay_session *into,
                                     size_t *forked, assay_error *err)
{
    return samples_fork(&from->samples, sample, &into->samples, forked, err);
}

#endif
