/* One recorded case in memory: the inputs of an engine and the expected outputs.
 *
 * Notation: B samples, T padded length, N forced steps, M greedy steps, V vocabulary, R rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_CASE_H
#define CONFORMANCE_CASE_CASE_H

#include "conformance/abi/cache_limit.h"
#include "conformance/case/vectors.h"
#include "conformance/hdf5/hdf5.h"

#define CONF_SCHEMA_VERSION 1

typedef enum conf_kind {
    CONF_LOGITS,
    CONF_GENERATE,
    CONF_ROPE,
    CONF_POSITIONS,
    CONF_EOS,
    CONF_REASONING,
    CONF_TOOLS,
    CONF_EVENTS,
    CONF_TOKENIZER,
    CONF_DIALOGUE,
    CONF_THREADS,
    CONF_PREPROCESS,
    CONF_SCHEDULE,    /* a program that assay schedule saved; no case */
    CONF_OBSERVATION, /* a recorded observation of an engine; no case */
    CONF_N_KINDS
} conf_kind;

/* Where a row of logits stands. pos: in prefill the token of the sample, its padding not counted; in decode
 * the step. */
typedef struct conf_place {
    size_t sample;
    bool decode;
    size_t pos;
} conf_place;

/* The rows of logits that mean something (no padding): prefill first, sample by sample, then decode. */
typedef struct conf_rows {
    size_t n_rows, n_cols;
    conf_place *place; /* [R] */
    double *truth;     /* [R, V], no NaN */
    double *float32;   /* [R, V]: the recorded float32 run */
    double *bfloat16;  /* [R, V]: those of narrower types; NULL where not recorded */
    double *int8;
} conf_rows;

/* A tensor of the truth, for sample 0 in prefill. */
typedef struct conf_trace {
    char *name;
    conf_array value; /* F64; data NULL in an outline */
    bool has_noise;
    double noise; /* the largest distance of the float32 run */
} conf_trace;

/* kind logits and generate */
typedef struct conf_decoder {
    size_t n_samples, n_tokens, n_decode;
    conf_cache_limit caches;
    conf_array tokens;    /* [B, T] */
    conf_array length;    /* [B] */
    conf_array decode;    /* [B, N]; data NULL where N is 0 */
    assay_tensor *inputs; /* [n_inputs], names and data owned */
    size_t n_inputs;
    bool has_truth;
    conf_rows rows;
    conf_trace *traces;
    size_t n_traces;
    size_t n_greedy;   /* M; 0: no tokens are expected */
    conf_array greedy; /* [B, M], -1 after the end */
    bool *stops;       /* [B]: ends with a stop id, not with the limit */
} conf_decoder;

/* kind rope */
typedef struct conf_rope {
    char *config;
    size_t n_axes, n_positions, n_heads, head_dim, table_dim;
    conf_array position; /* [n_axes, n_positions] */
    conf_array x, truth; /* F64 [n_positions, n_heads, head_dim] */
    conf_array cos, sin; /* F64 [n_positions, table_dim]; all columns, or the first half of them */
} conf_rope;

typedef struct conf_case {
    char *path;
    bool outline; /* traces have no values */
    conf_kind kind;
    char *model; /* the checkpoint's directory, joined to the file's; NULL where the kind has none */
    const char *const *allow_unknown; /* members of its config.json to ignore (assay_model_options), borrowed;
                                       * not of the file: whoever replays the case sets it */
    char *source, *recorder, *catches; /* NULL where not recorded */
    conf_strings flags;
    conf_strings unknown; /* members that this version does not know, for a warning */
    double float64_bound; /* multiple of the largest truth that a float64 engine may be off by */
    char *float64_reason; /* why it is not CONF_FLOAT64_BOUND; NULL where it is */
    conf_decoder decoder;
    conf_rope rope;
    conf_vectors vectors; /* of a textual kind that is replayed */
} conf_case;

#endif
