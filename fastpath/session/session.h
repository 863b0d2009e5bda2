/* A session: samples that are evaluated in changing batches.
 *
 * A sample occupies a slot: it joins, takes steps with any batch neighbours or rests, can be forked and
 * rewound, and leaves. Its logits depend on its own tokens only (batch-invariant). A fork, into any
 * session of the model, shares pages with its origin until one of the two writes to them (copy on
 * write). One thread at a time may use a session.
 *
 * A sample may grow to INT32_MAX tokens. max_position_embeddings of the config is not a limit:
 * published models evaluate later positions by the same formulas, and no plan has a table that ends
 * there.
 *
 * Some RoPE frequencies depend on the length of the sequence. If a step changes them, the caches are
 * invalid, and the sample is evaluated again from its first token; so is a sample that is rewound
 * beyond the positions that its rotating caches still hold. Samples therefore store their tokens, and the
 * positions that a step or their images gave them. Only ropes use these positions: caches, masks, windows and
 * attention sinks use the index of a token.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FASTPATH_SESSION_SESSION_H
#define FASTPATH_SESSION_SESSION_H

#include "fastpath/model.h"
#include "fastpath/session/step.h"
#include "fastpath/trace.h"

typedef struct fp_session fp_session;

/* Fails with ASSAY_ENOMEM. The model is borrowed and must outlive the session. */
assay_status fp_session_open(const fp_model *m, fp_session **out, assay_error *err);
void fp_session_free(fp_session *s);

/* Sets the largest number of rows that go through the layers at once (default FP_CHUNK), which bounds
 * the working memory; a block of more tokens is not divided. */
#define FP_CHUNK ((size_t)256)
void fp_session_chunk(fp_session *s, size_t n_rows);

/* Limits the caches of layers without a window to `limit` positions per sample: the first `sink_tokens` and
 * the latest. Tokens stay stored. 0: no limit. Must be called before a sample joins. Fails with ASSAY_EINVAL
 * unless sink_tokens < limit or both are 0, or with ASSAY_ENOMEM. */
assay_status fp_session_limit(fp_session *s, size_t limit, size_t sink_tokens, assay_error *err);

/* Sets how many bytes of features of images and videos the session keeps for those that come again (default
 * FP_FEATURES_BYTES); see feature_cache.h. */
#define FP_FEATURES_BYTES ((size_t)256 << 20)
void fp_session_features(fp_session *s, size_t n_bytes);

/* The most samples of a session: looking for a free slot, and checking steps, takes time in proportion. */
#define FP_SAMPLES_MAX ((size_t)4096)

/* Adds a sample without tokens, in the first unused slot. Fails with ASSAY_EUNSUPPORTED if there are
 * FP_SAMPLES_MAX, or with ASSAY_ENOMEM. */
assay_status fp_session_join(fp_session *s, size_t *slot, assay_error *err);
/* Removes the sample; its slot can be reused. */
assay_status fp_session_leave(fp_session *s, size_t slot, assay_error *err);
/* Adds a copy of a sample of `from` to `into`, which may be the same session. No other thread may use
 * either session during the call; afterwards each can be used by another thread. Fails with
 * ASSAY_EINVAL if the sessions have different models or limits, or as fp_session_join does. */
assay_status fp_session_fork(const fp_session *from, size_t slot, fp_session *into, size_t *forked,
                             assay_error *err);
/* Drops all tokens after the first n_tokens. If these end within a block, the next step evaluates the tokens
 * left of it again. */
assay_status fp_session_rewind(fp_session *s, size_t slot, size_t n_tokens, assay_error *err);
/* Number of tokens of a sample; 0 for an unused slot. */
size_t fp_session_length(const fp_session *s, size_t slot);

/* Evaluates one step for each listed sample. On failure every sample has the tokens that it had before.
 * Fails with ASSAY_EINVAL before anything is evaluated (an unused or repeated slot, no tokens, more
 * than INT32_MAX tokens, a token outside the vocabulary, a position that is negative or beyond INT32_MAX),
 * with ASSAY_EUNSUPPORTED if a step continues a block of tokens that an earlier step has begun, as
 * media_list_add does, with ASSAY_ENOMEM at any time, or with ASSAY_ESTOPPED. All functions that take a slot
 * fail with ASSAY_EINVAL for an unused one. tracer: NULL, or receives the tensors of each sample, of which
 * only the rows of this step: all steps are then evaluated in one pass; if it
 * wants tensors of the tower, images and videos that begin with the step are evaluated for it, whatever is
 * cached. */
assay_status fp_session_step(fp_session *s, const fp_step *steps, size_t n_steps, const fp_tracer *tracer,
                             assay_error *err);

#endif
