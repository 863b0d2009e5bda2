/* One recorded case in memory: the inputs for an engine and the expected outputs.
 *
 * Notation: B samples, T padded length, N forced steps, M greedy steps, V vocabulary, R rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFORMANCE_CASE_CASE_H
#define CONFORMANCE_CASE_CASE_H

#include "conformance/abi/open.h"
#include "conformance/case/vectors.h"
#include "conformance/hdf5/hdf5.h"
#include "conformance/judge/compute.h"
#include "conformance/judge/distance.h"

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
    CONF_TEMPLATE,
    CONF_PREPROCESS,
    CONF_SCHEDULE,    /* not a case: a program that assay schedule saved */
    CONF_OBSERVATION, /* not a case: a recorded observation of an engine */
    CONF_N_KINDS
} conf_kind;

/* The sample and position of a row of logits. pos: in prefill the token's position in the prompt,
 * padding not counted; in decode the step. */
typedef struct conf_place {
    size_t sample;
    bool decode;
    size_t pos;
} conf_place;

/* A run of the published model in a compute type: its logits [R, V], or only its noise (rows NULL). */
typedef struct conf_run {
    conf_compute compute;
    double *rows;
    conf_distance noise;
} conf_run;

/* The rows of logits without padding: prefill of all samples, by sample and position, then decode of all
 * samples. n_listed: 0 if every row of prefill is recorded; otherwise the number of those that /expect/rows
 * lists. */
typedef struct conf_rows {
    size_t n_rows, n_cols;
    size_t n_listed;
    conf_place *listed; /* [n_listed], in the order of the file */
    size_t *listed_at;  /* [n_listed]: for the first rows of `place`, their index in `listed` */
    conf_place *place;  /* [R] */
    double *truth;      /* [R, V], no NaN */
    conf_run *runs;     /* [n_runs], by compute type, the first in float32 */
    size_t n_runs;
} conf_rows;

/* An intermediate tensor of the truth: sample 0, prefill. */
typedef struct conf_trace {
    char *name;
    conf_array value; /* F64; data NULL in an outline */
    bool has_noise;
    double noise; /* the largest distance of the float32 run from value */
} conf_trace;

/* kind logits and generate; of kind positions the tokens, lengths and inputs */
typedef struct conf_decoder {
    size_t n_samples, n_tokens, n_decode;
    conf_cache_limit caches;
    size_t n_more_ids; /* that inputs may hold beyond the vocabulary: they have embeddings, but no logits */
    conf_array tokens; /* [B, T] */
    conf_array length; /* [B] */
    conf_array decode; /* [B, N]; data NULL if N is 0 */
    assay_tensor *inputs; /* [n_inputs], names and data owned */
    size_t n_inputs;
    const struct conf_decoder *whole; /* NULL, or the case of which this is a single sample, and whose inputs
                                       * it has; borrowed */
    size_t whole_sample;              /* which one */
    conf_array image_sample;          /* [images]: the sample of each image; rank 0 if the case has none */
    conf_array video_sample;          /* [videos], likewise */
    conf_array audio_sample;          /* [audio clips], likewise */
    bool has_truth;
    conf_rows rows;
    conf_trace *traces;
    size_t n_traces;
    size_t n_greedy;   /* M; 0: no greedy tokens were recorded */
    conf_array greedy; /* [B, M], -1 after the end */
    bool *stops;       /* [B]: the sample ends with a stop id, not at the token limit */
} conf_decoder;

/* kind rope */
typedef struct conf_rope {
    char *config;
    size_t n_axes, n_positions, n_heads, head_dim, table_dim;
    conf_array position; /* [n_axes, n_positions] */
    conf_array x, truth; /* F64 [n_positions, n_heads, head_dim] */
    conf_array cos, sin; /* F64 [n_positions, table_dim]; all columns, or the first half */
} conf_rope;

/* kind positions */
typedef struct conf_positions {
    size_t n_axes;       /* 3, or 4 (see assay_step) */
    conf_array position; /* [n_axes, B, T]; padding is not compared */
    conf_array delta;    /* [B] */
} conf_positions;

typedef struct conf_case {
    char *path;
    bool outline; /* traces have no values */
    conf_kind kind;
    char *model; /* the checkpoint's directory, joined to that of the case or to the checkpoint root (root.h);
                  * NULL if the kind has none */
    char *checksums; /* the list of its checksums, which must exist; NULL: model.crc32 next to it, if it
                        exists */
    const char *const *allow_unknown;  /* assay_model_options.allow_unknown; borrowed, set by the caller
                                        * before a replay, not read from the file */
    char *source, *recorder, *catches; /* NULL if not recorded */
    char *reduced;                     /* how assay reduce made it; NULL: it is whole */
    conf_strings flags;
    conf_strings unknown; /* members that this version does not know, for a warning */
    double float64_bound; /* of a float64 engine, as a multiple of the truth's largest magnitude */
    char *float64_reason; /* why float64_bound is not CONF_FLOAT64_BOUND; NULL if it is */
    conf_decoder decoder;
    conf_rope rope;
    conf_positions positions;
    conf_vectors vectors; /* only for textual kinds that are replayed */
} conf_case;

#endif
