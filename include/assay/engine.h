/* The engine ABI, version 2: how the harness reaches an inference engine, Assay's own included.
 *
 * An engine is a shared object that exports one function, `assay_engine_v2`, which returns a table that
 * lives as long as the object is loaded:
 *
 *     const assay_engine *assay_engine_v2(void);
 *
 * A minimal engine has model_open, model_free, model_vocab, session_open, session_free and step. Each other
 * function unlocks more checks; a check that needs a missing one is skipped by name.
 *
 * Ownership: the caller frees an object that an `_open` function made with the matching `_free` function
 * (NULL allowed). `const` pointer arguments are borrowed for the call: the engine does not write through
 * them, and does not read them after the call. A pointer that a function returns lives as long as the
 * object that the function was called on. On failure out-parameters are untouched, what outputs hold is
 * unspecified, and `err`, if it is not NULL, holds the reason. All arrays are dense and row-major, and
 * aligned to their element, no more. Options structs: see <assay/options.h>. The caller sets `reserved`
 * members to 0; the engine checks them, and refuses any other value with ASSAY_EUNSUPPORTED.
 *
 * Threads: any thread may call any function. A model is immutable once it is open: model_vocab,
 * model_stop_ids, model_arrays, model_note, positions and session_open may run on one model at once, and
 * while its sessions are used. A session is used by one call at a time: step, join, leave, rewind, tap and
 * session_free use theirs, fork uses both of its sessions. Calls that use different sessions run at once,
 * also if the sessions are of one model. A step calls the function of its session's tap, one call at a time;
 * that function calls no function of the engine. model_open and rope may run at any time, model_free when no
 * other call uses the model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ENGINE_H
#define ASSAY_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <assay/options.h>
#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ENGINE_ABI      2U
#define ASSAY_ENGINE_SYMBOL   "assay_engine_v2"
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
    ASSAY_BOOL,
    ASSAY_F8_E4M3, /* bytes of narrow floats, in checkpoints only */
    ASSAY_F8_E5M2,
    ASSAY_F8_E8M0
} assay_dtype;

/* A named array. `name` and `data` are borrowed. */
typedef struct assay_tensor {
    const char *name;
    assay_dtype dtype;
    size_t rank;
    size_t shape[ASSAY_TENSOR_RANK_MAX];
    const void *data;
} assay_tensor;

typedef struct assay_model assay_model;     /* immutable once open; any number of calls at once */
typedef struct assay_session assay_session; /* the state of some samples; one call at a time */

/* ---- Steps ---- */

typedef enum assay_item_kind {
    ASSAY_ITEM_IMAGE = 1,
    ASSAY_ITEM_VIDEO,
    ASSAY_ITEM_AUDIO,
    ASSAY_ITEM_EMBEDDING
} assay_item_kind;

/* An input of one sample besides its tokens: one image, video, audio clip, or rows of an embedding. It comes
 * with the step that has its first placeholder token; the others may come in later steps, without the item.
 * offset, n_tokens: its placeholder tokens: offset counts from the first token of the step that the item
 *          comes with, and the span may end in a later step of the sample. n_tokens 0: not stated, and
 *          offset is 0; the item takes the next placeholder tokens of its kind. The harness states none.
 * tensors: [n_tensors], of this item alone, under their published names (pixel_values, image_grid_thw; of a
 *          audio input_features, a mel spectrogram, and feature_attention_mask). */
typedef struct assay_item {
    assay_item_kind kind;
    size_t offset, n_tokens;
    const assay_tensor *tensors;
    size_t n_tensors;
} assay_item;

/* An output that is wanted of a step. A name appears at most once among the outputs of a step.
 * name:   "logits". An engine refuses a name that it does not know with ASSAY_EUNSUPPORTED.
 * n_last: how many rows: those of the step's last n_last tokens; 1 … n_tokens of the step.
 * data:   [n_last, width], of the type logits_dtype; the engine writes every element, and nothing else. */
typedef struct assay_output {
    const char *name;
    size_t n_last;
    void *data;
} assay_output;

/* The next tokens of one sample: a prompt, a chunk of one, or a generated token.
 * tokens:    [n_tokens], n_tokens >= 1.
 * positions: [n_axes, n_tokens], where the ropes place each token; n_axes is 1, the same for all axes, or 3
 *            (temporal, height, width), of which a rope without sections takes the first; or, of a model
 *            whose ropes have four axes, 1 or 4 (position, width, height, number of the image). Positions
 *            below 0 are refused with ASSAY_EINVAL. Masks, windows, limits and attention sink tokens go by
 *            the index of a token, not by its position; frequencies that depend on the length take the
 *            largest position + 1 for it. NULL: the engine derives them from the sample's tokens and items;
 *            after tokens whose positions were given they go on, on all axes, at the largest position of the
 *            previous token over its axes, plus 1. An engine that cannot take positions refuses them with
 *            ASSAY_EUNSUPPORTED.
 * items:     [n_items], those whose first placeholder token is among the tokens of this step: ordered by
 *            kind, those of one kind in the order of their placeholder tokens. An engine refuses an item,
 *            or a tensor of one, that it does not support.
 * outputs:   [n_outputs]; 0: none is wanted. */
typedef struct assay_step {
    size_t sample;
    const int32_t *tokens;
    size_t n_tokens;
    const int32_t *positions;
    size_t n_axes;
    const assay_item *items;
    size_t n_items;
    const assay_output *outputs;
    size_t n_outputs;
} assay_step;

/* padded_width: an engine that batches by left padding pads every sample of the step to this many tokens,
 *               at least n_tokens of each; others may ignore it. 0: the engine chooses. Nothing that the
 *               engine returns may depend on it. */
typedef struct assay_step_options {
    uint32_t size;
    uint32_t reserved; /* 0 */
    size_t padded_width;
} assay_step_options;

/* ---- Taps ---- */

/* Receives a tensor of one sample while a step evaluates it. Names: embed, layer.NN.attn, layer.NN.out,
 * norm, … Shapes are [n_tokens, width], of the sample's tokens in this step, without padding and batch
 * neighbours; any floating type. Those of a vision tower come once in a step, with the rows (of patches or
 * placeholder tokens) of all images and videos that begin with it, each in the order of its input.
 * data: tensor->data, the array that the engine computes with, if taps_can_write; the function may
 *       overwrite it during the call, and the engine continues with the new values, which changes everything
 *       that is computed from this tensor and nothing else:
 *         embed          input of the first layer, and everything else computed from the embedding
 *         layer.NN.attn  output of attention, before a following RMSNorm and before the residual addition
 *         layer.NN.mlp   the same of the feed-forward block; layer.NN.experts: of routed experts beside it
 *         layer.NN.out   input of the next layer; with parallel streams, only that of the active stream
 *         norm           input of the head
 *         vision.patch   patch embedding of the tower, before a norm and positions
 *         vision.NN.out  output of a layer of the tower
 *         vision.merged  what replaces the embeddings of placeholder tokens
 *         vision.deepstack.K: what is added to the output of decoder layer K
 *         audio.patch, audio.NN.out, audio.merged: the same of an audio tower; audio.patch is before
 * positions NULL if taps cannot write. Returns whether the step goes on. After false the function is not
 * called again in this step, for any sample; the step fails with ASSAY_ESTOPPED, and all samples have the
 * tokens that they had before. */
typedef bool assay_tap_fn(void *context, size_t sample, const assay_tensor *tensor, void *data);

/* fn:    NULL: no tap.
 * names: [n_names], the tensors that fn receives; n_names 0: all. Borrowed until the tap is replaced. */
typedef struct assay_tap {
    uint32_t size;
    uint32_t reserved; /* 0 */
    assay_tap_fn *fn;
    void *context;
    const char *const *names;
    size_t n_names;
} assay_tap;

/* ---- Ropes ---- */

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

/* ---- Arrays ---- */

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

/* ---- Opening ---- */

struct assay_kernels; /* assay/kernel.h */

/* How to evaluate a model.
 * compute:       type of activations in products with weights: ASSAY_F32, ASSAY_BF16, or ASSAY_I8 (codes,
 *                where the weights are codes as well); ASSAY_DTYPE_NONE: the engine chooses.
 * kernels:       NULL, or a table whose operations replace the engine's own; borrowed while the model is
 *                open.
 * allow_unknown: NULL, or a NULL-terminated list of members of config.json ("residual_multiplier",
 *                "text_config.NAME") that the engine ignores instead of refusing them as unknown;
 *                borrowed for the call.
 * compute_name:  NULL, or a name of the table's compute_types that is none of an assay_dtype: "q8_K",
 *                "int8-token"; compute is ASSAY_DTYPE_NONE then. Borrowed for the call.
 * cache_name:    NULL: keys and values are cached as the compute type says; or a name of the table's
 *                cache_types. Borrowed for the call.
 *
 * An engine refuses a compute type, a cache type or kernels that it cannot use with ASSAY_EUNSUPPORTED. */
typedef struct assay_model_options {
    uint32_t size;
    uint32_t compute; /* assay_dtype */
    const struct assay_kernels *kernels;
    const char *const *allow_unknown;
    const char *compute_name, *cache_name;
} assay_model_options;

/* n_samples: how many samples the session has from the start, without tokens: 0 … n_samples - 1. May be 0.
 * limit, sink_tokens: a layer without a sliding window caches and attends to at most `limit` positions of a
 * sample: the first `sink_tokens` (attention sink tokens), and the latest of the others. The token at
 * position p attends to the keys j <= p with j < sink_tokens or p - (limit - sink_tokens) < j, whichever step
 * the tokens came in. Positions are not renumbered. Layers with a window are not affected.
 * sink_tokens < limit; limit 0: no limit, and sink_tokens is 0.
 * max_tokens: no sample of the session has more tokens than this at any time, so that an engine can allocate
 * for them; 0: not known.
 * An engine refuses a limit that it cannot honour, or more samples or tokens than it can have, with
 * ASSAY_EUNSUPPORTED. */
typedef struct assay_session_options {
    uint32_t size;
    uint32_t reserved; /* 0 */
    size_t n_samples;
    size_t limit, sink_tokens;
    size_t max_tokens;
} assay_session_options;

/* ---- The table ----
 * All functions that take a sample fail with ASSAY_EINVAL for one that the session does not have. Those
 * marked optional may be NULL, or lie beyond the table's `size`. */
typedef struct assay_engine {
    uint32_t abi;     /* ASSAY_ENGINE_ABI */
    uint32_t size;    /* sizeof(assay_engine) that the engine was built with */
    const char *name; /* one word, for reports */
    const char *version;
    assay_dtype logits_dtype; /* ASSAY_F32 or ASSAY_F64: type of all outputs and of rope's arrays */
    bool taps_can_write;      /* see assay_tap_fn */

    /* Opens the checkpoint `dir`: a Hugging Face directory, or a GGUF file, of several parts the first. An
     * engine that does not read the latter refuses it with ASSAY_EUNSUPPORTED. */
    assay_status (*model_open)(const char *dir, const assay_model_options *options, assay_model **out,
                               assay_error *err);
    /* No session of the model may be open. */
    void (*model_free)(assay_model *model);
    /* The width of logits: the rows of the checkpoint's head, neither padded nor cut. */
    size_t (*model_vocab)(const assay_model *model);

    /* A session borrows its model, which must outlive it. */
    assay_status (*session_open)(assay_model *model, const assay_session_options *options,
                                 assay_session **out, assay_error *err);
    void (*session_free)(assay_session *session);

    /* Appends tokens to the samples of a session, and evaluates them. steps: [n], each of another sample; a
     * sample without a step rests: it keeps its tokens, and goes on at its own position later. The
     * logits of a sample depend on its own tokens and items alone: not on the other samples or the padding,
     * and not on the division of its tokens into steps, beyond the noise of the arithmetic. (Only ropes whose
     * frequencies depend on the length of the sequence, dynamic and longrope, make a chunk differ from a
     * whole prompt; of its chunks the harness judges the last one then.) Fails with ASSAY_EINVAL for a
     * token outside the vocabulary, a repeated sample, a step without tokens, or an n_last out of range, and
     * for items that do not fit their placeholder tokens. An engine may refuse with ASSAY_EUNSUPPORTED a step
     * that divides the placeholder tokens of an item, or that continues a block of tokens which attend to
     * each other, as image tokens of some models do. On any failure every sample has the tokens that it had
     * before, and the session can be used further. */
    assay_status (*step)(assay_session *session, const assay_step *steps, size_t n,
                         const assay_step_options *options, assay_error *err);

    /* Optional. The ids that end generation, sorted. Without it the harness uses the stop set that its own
     * loader reads. */
    const int32_t *(*model_stop_ids)(const assay_model *model, size_t *n);

    /* Optional. Visits every array that the model owns, private ones included, in the order in which they
     * were made. */
    void (*model_arrays)(const assay_model *model, assay_array_visitor *visit, void *context);

    /* Optional. Adds a sample without tokens. *sample: any number that no sample of the session has; it may
     * be that of one that has left. The numbers of the other samples never change. */
    assay_status (*join)(assay_session *session, size_t *sample, assay_error *err);
    /* Optional. Removes a sample, with its items. */
    assay_status (*leave)(assay_session *session, size_t sample, assay_error *err);
    /* Optional. Drops all tokens of a sample after the first n_tokens; if it has just n_tokens, nothing
     * changes. An item is kept as long as one of its placeholder tokens is left: after a rewind into its span
     * the rest of the span comes without the item. An item without placeholder tokens is dropped: the step
     * that brings its first placeholder token again brings the item again. Fails with ASSAY_EINVAL if the
     * sample has fewer tokens. */
    assay_status (*rewind)(assay_session *session, size_t sample, size_t n_tokens, assay_error *err);
    /* Optional. Adds a copy of a sample of `from`, its tokens and items, to `into`: a session of the same
     * model with the same limits, else fails with ASSAY_EINVAL; `from` may be `into`. *forked: the number of
     * the copy in `into`, as in join. A copy of a sample without tokens has no tokens. The copy and its
     * origin go on independently, also after one of them has left or its session is freed. */
    assay_status (*fork)(const assay_session *from, size_t sample, assay_session *into, size_t *forked,
                         assay_error *err);

    /* Optional. Replaces the tap of all later steps; NULL: by none. */
    assay_status (*tap)(assay_session *session, const assay_tap *tap, assay_error *err);

    /* Optional. The positions that the engine gives the tokens of a sample which begins with this step; its
     * outputs and positions are ignored. out: [step->n_axes, n_tokens]; *delta: the largest position + 1,
     * less n_tokens (rope_deltas of the published models). */
    assay_status (*positions)(const assay_model *model, const assay_step *step, int32_t *out, int32_t *delta,
                              assay_error *err);

    /* Optional. Rotates x.
     * out:      like x.
     * cos, sin: [n_positions, *dim], the factor of every element, attention scaling included: the angle of
     *           pair i is at i and at i + dim/2, or at 2i and 2i + 1 for adjacent pairs. Capacity:
     *           head_dim columns; the engine sets *dim to the number of columns that it wrote. */
    assay_status (*rope)(const assay_rope_request *request, void *out, void *cos, void *sin, size_t *dim,
                         assay_error *err);

    /* Optional. The names that model_open accepts as compute_name and as cache_name; each list ends with
     * NULL. An engine without a list is not told names of that kind: they only choose the noise by which it
     * is judged. */
    const char *const *compute_types, *const *cache_types;

    /* Optional. One line on what the engine does with the model that its user may not expect, such as weights
     * that it widens; it lives as long as the model. NULL: nothing. */
    const char *(*model_note)(const assay_model *model);
} assay_engine;

typedef const assay_engine *assay_engine_fn(void);

#ifdef __cplusplus
}
#endif

#endif
