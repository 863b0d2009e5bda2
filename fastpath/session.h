/* A session: samples that are evaluated together and apart.
 *
 * A sample is a slot: it joins, takes steps with any batch neighbours or rests, is forked, rewound, and
 * leaves. Its bits depend on its own tokens alone. A fork, into any session of the model, shares its origin's
 * pages until one of the two writes to them (copy on write). One thread at a time may use a session.
 *
 * A sample may grow to INT32_MAX tokens, and to what memory holds. The max_position_embeddings of a config is
 * no limit: published models evaluate what lies beyond it, by the same formulas, and no plan has a table that
 * ends there.
 *
 * Some ropes turn by frequencies that depend on the length of the sequence. Where a step changes them,
 * everything that was cached is worthless, and the sample is evaluated again from its first token; so is one
 * that was rewound beyond what its rotating caches still hold. Samples therefore keep their tokens.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_H
#define FASTPATH_SESSION_H

#include "fastpath/model.h"
#include "fastpath/trace.h"

typedef struct fp_session fp_session;

/* Tokens that one sample takes.
 * tokens: [n_tokens], n_tokens >= 1, borrowed.
 * logits: [n_logits, vocab], of the last n_logits of them, n_logits <= n_tokens; NULL where n_logits is 0. */
typedef struct fp_step {
    size_t slot;
    const int32_t *tokens;
    size_t n_tokens;
    float *logits;
    size_t n_logits;
} fp_step;

/* Fails with ASSAY_ENOMEM. The model is borrowed and must outlive the session. */
assay_status fp_session_open(const fp_model *m, fp_session **out, assay_error *err);
void fp_session_free(fp_session *s);

/* At most this many rows go through the layers at once (FP_CHUNK at first); bounds the working memory. */
#define FP_CHUNK ((size_t)256)
void fp_session_chunk(fp_session *s, size_t n_rows);

/* Every sample holds at most `limit` positions in the caches of layers without a window, the first `kept` of
 * them and the latest; its tokens it keeps. SIZE_MAX: no limit. Before anyone joins. Fails with ASSAY_EINVAL
 * unless kept < limit, or with ASSAY_ENOMEM. */
assay_status fp_session_limit(fp_session *s, size_t limit, size_t kept, assay_error *err);

/* A sample without tokens. Fails with ASSAY_ENOMEM. */
assay_status fp_session_join(fp_session *s, size_t *slot, assay_error *err);
/* Frees the slot, which a later sample may be given. */
assay_status fp_session_leave(fp_session *s, size_t slot, assay_error *err);
/* A sample that holds what one of `from` does, in `into`, which may be the same session; nobody may use
 * either meanwhile, and different threads may afterwards. Fails with ASSAY_EINVAL where the two are not of
 * one model or differ in their limits, or with ASSAY_ENOMEM. */
assay_status fp_session_fork(const fp_session *from, size_t slot, fp_session *into, size_t *forked,
                             assay_error *err);
/* Takes the tokens behind the first n_tokens back. */
assay_status fp_session_rewind(fp_session *s, size_t slot, size_t n_tokens, assay_error *err);
/* Tokens of a sample; 0 for a slot that nobody has. */
size_t fp_session_length(const fp_session *s, size_t slot);

/* Whether each token can be embedded; where and slot go into the message. ASSAY_OK or ASSAY_EINVAL. */
assay_status fp_session_check(const fp_session *s, const int32_t *tokens, size_t n_tokens, const char *where,
                              size_t slot, assay_error *err);

/* All samples of the list take their steps; no slot twice. Where this fails, every sample holds the tokens
 * that it held before: with ASSAY_EINVAL before anything was evaluated (a slot that nobody has or that comes
 * twice, no tokens, more than an int32_t counts, a token that cannot be embedded), with ASSAY_ENOMEM at any
 * time. All functions that take a slot fail with ASSAY_EINVAL for one that nobody has.
 * tracer: NULL, or who sees every sample pass alone and whole; a step's sample is its place in the list. */
assay_status fp_session_step(fp_session *s, const fp_step *steps, size_t n_steps, const fp_tracer *tracer,
                             assay_error *err);

#endif
