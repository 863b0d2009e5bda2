/* The engine ABI, version 1: how the harness reaches an inference engine, Assay's own included.
 *
 * An engine is a shared object that exports one function, `assay_engine_v1`, which returns a table that
 * lives as long as the object is loaded:
 *
 *     const assay_engine *assay_engine_v1(void);
 *
 * Ownership: the caller frees an object that an `_open` function made with the matching `_free` function
 * (NULL allowed). `const` pointer arguments are borrowed for the call. A pointer that a function returns
 * lives as long as the object that the function was called on. On failure out-parameters are untouched, and
 * `err`, if it is not NULL, holds the reason. All arrays are dense and row-major.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_H
#define ASSAY_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ENGINE_ABI      1U
#define ASSAY_ENGINE_SYMBOL   "assay_engine_v1"
#define ASSAY_TENSOR_RANK_MAX 8U

typedef enum assay_dtype {
    ASSAY_DTYPE_NONE = 0,
    ASSAY_F64,
    ASSAY_F32,
    ASSAY_F16,
    ASSAY_BF16,
    ASSAY_I64,
    ASSAY_I32,
    ASSAY_I16,
    ASSAY_I8,
    ASSAY_U64,
    ASSAY_U32,
    ASSAY_U16,
    ASSAY_U8,
    ASSAY_BOOL
} assay_dtype;

/* A named array. `name` and `data` are borrowed. */
typedef struct assay_tensor {
    const char *name;
    assay_dtype dtype;
    size_t rank;
    size_t shape[ASSAY_TENSOR_RANK_MAX];
    const void *data;
} assay_tensor;

/* The prompts of one prefill.
 * tokens: [n_samples, n_tokens], left-padded: row b holds n_tokens - length[b] entries of padding, whose
 *         values are unspecified, then length[b] token ids.
 * length: [n_samples], each 1..n_tokens.
 * inputs: [n_inputs], inputs other than tokens, under their published names (pixel_values,
 *         image_grid_thw, …). An engine refuses an input that it does not support. */
typedef struct assay_batch {
    size_t n_samples;
    size_t n_tokens;
    const int32_t *tokens;
    const int32_t *length;
    const assay_tensor *inputs;
    size_t n_inputs;
} assay_batch;

/* One rotation by a rope, without a model.
 * config:   JSON text: the rope parameters as a config.json spells them, with head_dim.
 * position: [n_axes, n_positions]; n_axes is 1, or 3 for M-RoPE (temporal, height, width).
 * x:        [n_positions, n_heads, head_dim] in the engine's logits type. */
typedef struct assay_rope_request {
    const char *config;
    size_t n_axes;
    size_t n_positions;
    size_t n_heads;
    size_t head_dim;
    const int32_t *position;
    const void *x;
} assay_rope_request;

typedef struct assay_model assay_model;     /* immutable once open; may be shared by sessions */
typedef struct assay_session assay_session; /* the state of one batch of samples */

/* Receives a tensor of one sample while prefill runs; `tensor` and its data live for the call only.
 * Names: embed, layer.NN.out, norm, … Shapes are those of one sample, without its padding. */
typedef void assay_trace_fn(void *context, size_t sample, const assay_tensor *tensor);

/* Like assay_trace_fn, but `data` is the array that the engine computes with, of the tensor's type and shape.
 * fn may overwrite it during the call, and the engine continues with the new values. `tensor->data` is the
 * same array, or NULL. */
typedef void assay_override_fn(void *context, size_t sample, const assay_tensor *tensor, void *data);

/* The state of an array of a model. */
typedef enum assay_array_state {
    ASSAY_ARRAY_DEFERRED, /* not evaluated yet */
    ASSAY_ARRAY_REALISED,
    ASSAY_ARRAY_FAILED
} assay_array_state;

/* An array that a model has converted, packed or derived. `name` is borrowed. It is the name of the
 * checkpoint's tensor; a private array, which no tensor holds, is named after its purpose:
 * "ropes.0.inverse_frequency". */
typedef struct assay_array_info {
    const char *name;
    bool is_private;
    assay_array_state state;
    int32_t stream; /* index of the stream that it was made on */
    size_t n_bytes; /* its size, also before it is evaluated */
} assay_array_info;

/* Receives an array of a model; info lives for the call only. */
typedef void assay_array_visitor(void *context, const assay_array_info *info);

struct assay_kernels; /* assay/kernel.h */

/* How to evaluate a model.
 * compute:       type of activations in products with weights: ASSAY_F32, ASSAY_BF16, or ASSAY_I8 (codes,
 *                where the weights are codes as well); ASSAY_DTYPE_NONE: the engine chooses.
 * kernels:       NULL, or a table whose operations replace the engine's own; borrowed while the model is
 *                open.
 * allow_unknown: NULL, or a NULL-terminated list of members of config.json ("residual_multiplier",
 *                "text_config.NAME") that the engine ignores instead of refusing them as unknown;
 *                borrowed for the call. */
typedef struct assay_model_options {
    uint32_t size; /* sizeof(assay_model_options) that the caller was built with */
    assay_dtype compute;
    const struct assay_kernels *kernels;
    const char *const *allow_unknown;
} assay_model_options;

/* Limits of a session's caches.
 * limit, sink_tokens: a layer without a sliding window caches and attends to at most `limit` positions of a
 * sample: the first `sink_tokens` (attention sink tokens), and the latest of the others. The token at
 * position p attends to the keys j <= p with j < sink_tokens or p - (limit - sink_tokens) < j, in prefill,
 * chunked or not, and in decode. Positions are not renumbered. Layers with a window are not affected.
 * sink_tokens < limit; SIZE_MAX: no limit. */
typedef struct assay_session_options {
    uint32_t size; /* sizeof(assay_session_options) that the caller was built with */
    size_t limit, sink_tokens;
} assay_session_options;

typedef struct assay_engine {
    uint32_t abi;     /* ASSAY_ENGINE_ABI */
    uint32_t size;    /* sizeof(assay_engine) that the engine was built with */
    const char *name; /* one word, for reports */
    const char *version;
    assay_dtype logits_dtype; /* ASSAY_F32 or ASSAY_F64: type of all logits and of rope's arrays */

    /* Opens the Hugging Face checkpoint directory `dir`. */
    assay_status (*model_open)(const char *dir, assay_model **out, assay_error *err);
    void (*model_free)(assay_model *model);
    size_t (*model_vocab)(const assay_model *model);

    /* The ids that end generation, sorted; owned by the model. May be NULL: the harness then uses the stop
     * set that its own loader reads. */
    const int32_t *(*model_stop_ids)(const assay_model *model, size_t *n);

    /* A session borrows its model, which must outlive it. */
    assay_status (*session_open)(assay_model *model, assay_session **out, assay_error *err);
    void (*session_free)(assay_session *session);

    /* Requests traces of the next prefill; fn NULL cancels the request. May be NULL: the engine has no
     * traces. */
    void (*session_trace)(assay_session *session, assay_trace_fn *fn, void *context);

    /* Evaluates the prompts; the previous contents of the session are dropped.
     * logits: [n_samples, n_tokens, vocab]; rows of padding are left untouched. */
    assay_status (*prefill)(assay_session *session, const assay_batch *batch, void *logits, assay_error *err);

    /* Appends one token to each sample.
     * tokens: [n_samples] of the prefilled batch; -1: this sample takes no step.
     * logits: [n_samples, vocab]; rows of samples that take no step are left untouched. */
    assay_status (*decode)(assay_session *session, const int32_t *tokens, void *logits, assay_error *err);

    /* Rotates x. May be NULL: rope cases are then skipped for this engine.
     * out:      like x.
     * cos, sin: [n_positions, *dim], the factor of every element, attention scaling included: the angle of
     *           pair i is at i and at i + dim/2, or at 2i and 2i + 1 for adjacent pairs. Capacity:
     *           head_dim columns; the engine sets *dim to the number of columns that it wrote. */
    assay_status (*rope)(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                         assay_error *err);

    /* Requests a call of fn for every tensor of the next prefill, before anything is computed from that
     * tensor; fn NULL cancels the request. If traces are requested as well, a tensor is traced first, as
     * computed. Overwriting a tensor changes everything that is computed from it, and nothing else:
     *   embed          input of the first layer, and everything else computed from the embedding
     *   layer.NN.attn  output of attention, before a following RMSNorm and before the residual addition
     *   layer.NN.mlp   the same of the feed-forward block; layer.NN.experts: of routed experts beside it
     *   layer.NN.out   input of the next layer; with parallel streams, only that of the active stream
     *   norm           input of the head
     * May be NULL, or lie beyond `size`: not supported. */
    void (*session_override)(assay_session *session, assay_override_fn *fn, void *context);

    /* Like prefill, but logits: [n_samples, vocab], of only the last token of each sample, bit-identical to
     * those of prefill. decode continues as after prefill. May be NULL, or lie beyond `size`: callers then
     * use prefill. */
    assay_status (*prefill_last)(assay_session *session, const assay_batch *batch, void *logits,
                                 assay_error *err);

    /* Opens a checkpoint like model_open, with options. May be NULL, or lie beyond `size`: the engine has no
     * options. Fails with ASSAY_EUNSUPPORTED for an option that the engine cannot honour. */
    assay_status (*model_open_with)(const char *dir, const assay_model_options *options, assay_model **out,
                                    assay_error *err);

    /* Opens a session like session_open, with options. May be NULL, or lie beyond `size`: the engine has no
     * options. Fails with ASSAY_EINVAL for a limit of 0, and unless sink_tokens < limit. */
    assay_status (*session_open_with)(assay_model *model, const assay_session_options *options,
                                      assay_session **out, assay_error *err);

    /* Visits every array that the model owns, private ones included, in the order in which they were made.
     * Any thread may call it. May be NULL, or lie beyond `size`: not supported. */
    void (*model_arrays)(const assay_model *model, assay_array_visitor *visit, void *context);
} assay_engine;

typedef const assay_engine *assay_engine_fn(void);

#ifdef __cplusplus
}
#endif

#endif
